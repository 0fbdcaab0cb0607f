import Foundation

/// Gives the terminal back even where the program itself crashes: a signal handler that may only do what POSIX allows in one.
enum TerminalRescue {
  /// Wrapping on, plain text, cursor shown, the screen from before.
  static let farewell: StaticString = "\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  nonisolated(unsafe) private static var input: Int32 = -1  // Safe: written while no handler is installed.
  nonisolated(unsafe) private static var output: Int32 = -1  // Safe: as input.
  nonisolated(unsafe) private static var saved = termios()  // Safe: as input.
  nonisolated(unsafe) private static var isDumb = false  // Safe: as input.

  private static let fatal = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

  static func arm(input: Int32, output: Int32, saved: termios, isDumb: Bool) {
    disarm()
    (self.input, self.output, self.saved, self.isDumb) = (input, output, saved, isDumb)
    for number in fatal {
      signal(number) { number in
        if !TerminalRescue.isDumb {
          _ = write(TerminalRescue.output, TerminalRescue.farewell.utf8Start, TerminalRescue.farewell.utf8CodeUnitCount)
        }
        tcsetattr(TerminalRescue.input, TCSANOW, &TerminalRescue.saved)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  static func disarm() {
    for number in fatal { signal(number, SIG_DFL) }
  }
}
