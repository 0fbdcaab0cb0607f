import Foundation

/// The terminal itself: raw keys in, frames out, and everything as it was before once it is left.
final class TerminalShell {
  private let input: Int32
  private let output: Int32
  private let painter: Painter
  private var saved: termios
  private var shown: Frame?
  private(set) var isEntered = false

  /// `nil` where either end is no terminal.
  init?(input: Int32, output: Int32, ability: Painter.Ability) {
    var saved = termios()
    guard isatty(input) == 1, isatty(output) == 1, tcgetattr(input, &saved) == 0 else { return nil }
    self.input = input
    self.output = output
    self.saved = saved
    painter = Painter(ability)
  }

  /// Takes the terminal: keys come one by one, drawing is on a screen of its own.
  func enter() {
    var raw = saved
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    withUnsafeMutableBytes(of: &raw.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    TerminalRescue.arm(input: input, output: output, saved: saved, isDumb: painter.ability == .dumb)
    tcsetattr(input, TCSADRAIN, &raw)
    // Without wrapping, a character that is wider here than counted cannot push the lines down.
    if painter.ability != .dumb { write("\u{1B}[?1049h\u{1B}[?7l") }
    shown = nil
    isEntered = true
  }

  /// Whether another job has the terminal.
  var isOthers: Bool {
    let owner = tcgetpgrp(input)
    return owner != -1 && owner != getpgrp()
  }

  /// Gives the terminal back.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    if painter.ability != .dumb { write(TerminalRescue.farewell.description) }
    tcsetattr(input, TCSADRAIN, &saved)
    TerminalRescue.disarm()
  }

  func draw(_ frame: Frame) {
    write(painter.bytes(from: shown, to: frame))
    shown = frame
  }

  /// The next frame is drawn whole.
  func forget() {
    shown = nil
  }

  /// Gives the text to the terminal's clipboard (OSC 52).
  func copy(_ text: String) {
    guard painter.ability != .dumb else { return }
    write("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}")
  }

  var size: TerminalSize {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalSize(columns: 80, rows: 24)
    }
    return TerminalSize(columns: min(1000, Int(size.ws_col)), rows: min(1000, Int(size.ws_row)))
  }

  private func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var wanted = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        poll(&wanted, 1, 1000)
        continue
      }
      // A terminal that has gone takes nothing any more; its end arrives as an event.
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
