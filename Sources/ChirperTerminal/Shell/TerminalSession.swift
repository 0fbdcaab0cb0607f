import ChirperModel
import Foundation

/// The terminal while the screen has it: takes raw keys, draws frames, and restores everything at
/// the end.
final class TerminalSession {
  private let input: Int32
  private let output: Int32
  private let painter: Painter
  private var saved: termios
  private var shown: Frame?
  private var isEntered = false

  /// A session of a terminal; `nil` if the input or the output is not a terminal.
  init?(input: Int32, output: Int32, ability: Painter.Ability) {
    var saved = termios()
    guard isatty(input) == 1, isatty(output) == 1, tcgetattr(input, &saved) == 0 else { return nil }
    self.input = input
    self.output = output
    self.saved = saved
    painter = Painter(ability: ability)
  }

  /// Switches to raw keys and to the alternate screen.
  func enter() {
    var raw = saved
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    // A read waits for one byte, and no longer.
    var made = saved
    cfmakeraw(&made)
    raw.c_cc = made.c_cc
    CrashHandler.install(
      input: input, output: output, saved: saved, isDumb: painter.ability == .dumb)
    tcsetattr(input, TCSADRAIN, &raw)
    // With line wrapping off, a character that is wider than counted cannot push the lines down.
    // With bracketed paste on, the terminal marks pasted text, so that it is not read as keys.
    if painter.ability != .dumb { write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h") }
    shown = nil
    isEntered = true
  }

  var belongsToAnotherJob: Bool {
    let owner = tcgetpgrp(input)
    return owner != -1 && owner != getpgrp()
  }

  func leave() {
    guard isEntered else { return }
    isEntered = false
    if painter.ability != .dumb { write(CrashHandler.restoreSequence.description) }
    tcsetattr(input, TCSADRAIN, &saved)
    CrashHandler.remove()
  }

  func draw(_ frame: Frame) {
    write(painter.bytes(from: shown, to: frame))
    shown = frame
  }

  /// Makes the next `draw` write every line.
  func invalidate() {
    shown = nil
  }

  /// Copies the text to the clipboard through the terminal (OSC 52).
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
    // A closed terminal accepts nothing; `TerminalInput` reports it.
    _ = Descriptor.write(Array(text.utf8), to: output)
  }
}

/// Restores the terminal when the program crashes, in a signal handler that only makes calls that
/// POSIX allows there.
private enum CrashHandler {
  /// Bracketed paste off, line wrapping on, plain text, cursor shown, main screen.
  static let restoreSequence: StaticString =
    "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  nonisolated(unsafe) private static var input: Int32 = -1  // Safe: written before handlers.
  nonisolated(unsafe) private static var output: Int32 = -1  // Safe: as input.
  nonisolated(unsafe) private static var saved = termios()  // Safe: as input.
  nonisolated(unsafe) private static var isDumb = false  // Safe: as input.

  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

  static func install(input: Int32, output: Int32, saved: termios, isDumb: Bool) {
    remove()
    self.input = input
    self.output = output
    self.saved = saved
    self.isDumb = isDumb
    for number in signals {
      signal(number) { number in
        if !CrashHandler.isDumb {
          let sequence = CrashHandler.restoreSequence
          _ = write(CrashHandler.output, sequence.utf8Start, sequence.utf8CodeUnitCount)
        }
        tcsetattr(CrashHandler.input, TCSANOW, &CrashHandler.saved)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  static func remove() {
    for number in signals { signal(number, SIG_DFL) }
  }
}
