import ChirperModel
import Foundation

/// The terminal while the screen has it: takes raw keys, draws frames, and restores everything at
/// the end.
final class TerminalSession {
  private let painter: Painter
  private var saved: termios
  private var shown: Frame?
  private var isEntered = false

  /// A session of a terminal; `nil` if standard input or standard output is not a terminal.
  init?(ability: Painter.Ability) {
    var saved = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      tcgetattr(STDIN_FILENO, &saved) == 0
    else { return nil }
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
    CrashHandler.install(saved: saved, isDumb: painter.ability == .dumb)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    // With line wrapping off, a character that is wider than counted cannot push the lines down.
    // With bracketed paste on, the terminal marks pasted text, so that it is not read as keys.
    if painter.ability != .dumb { write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h") }
    shown = nil
    isEntered = true
  }

  var belongsToAnotherJob: Bool {
    let owner = tcgetpgrp(STDIN_FILENO)
    return owner != -1 && owner != getpgrp()
  }

  func leave() {
    guard isEntered else { return }
    isEntered = false
    if painter.ability != .dumb { write(CrashHandler.restoreSequence.description) }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &saved)
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
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else {
      return TerminalSize(columns: 80, rows: 24)
    }
    return TerminalSize(columns: min(1000, Int(size.ws_col)), rows: min(1000, Int(size.ws_row)))
  }

  private func write(_ text: String) {
    // A closed terminal accepts nothing; `TerminalInput` reports it.
    _ = Descriptor.write(Array(text.utf8), to: STDOUT_FILENO)
  }
}

/// Restores the terminal when the program crashes, in a signal handler that only makes calls that
/// POSIX allows there.
private enum CrashHandler {
  /// Bracketed paste off, line wrapping on, plain text, cursor shown, main screen.
  static let restoreSequence: StaticString =
    "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  nonisolated(unsafe) private static var saved = termios()  // Safe: written before handlers.
  nonisolated(unsafe) private static var isDumb = false  // Safe: as saved.

  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

  static func install(saved: termios, isDumb: Bool) {
    remove()
    self.saved = saved
    self.isDumb = isDumb
    for number in signals {
      signal(number) { number in
        if !CrashHandler.isDumb {
          let sequence = CrashHandler.restoreSequence
          _ = write(STDOUT_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
        }
        tcsetattr(STDIN_FILENO, TCSANOW, &CrashHandler.saved)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  static func remove() {
    for number in signals { signal(number, SIG_DFL) }
  }
}
