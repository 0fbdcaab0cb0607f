import Foundation

/// The device at the other end of a descriptor.
enum TerminalDevice {
  static let isInput = isatty(STDIN_FILENO) == 1
  static let isOutput = isatty(STDOUT_FILENO) == 1
  static let isError = isatty(STDERR_FILENO) == 1
  /// Whether a line on standard error can be written over; not with a log there, whose lines would
  /// be mixed with it.
  static let canRewriteError =
    isError && ProcessEnvironment.live["TERM"] != "dumb"
    && (ProcessEnvironment.live[LineLogHandler.variable] == nil
      || ProcessEnvironment.live[LineLogHandler.fileVariable] != nil)

  static func width(of descriptor: Int32) -> Int {
    if let columns = ProcessEnvironment.live["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
      return min(columns, 10_000)
    }
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return 80
  }

  /// Asks a question on standard error and reads a line of standard input.
  static func ask(_ question: String) -> String? {
    Console.write(question)
    return readLine()
  }

  /// Asks like `ask`, without showing the typed text.
  static func askSecretly(_ question: String) -> String? {
    var saved = termios()
    guard tcgetattr(STDIN_FILENO, &saved) == 0 else { return ask(question) }
    var silent = saved
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    // A signal that ends the program here must not leave the terminal mute.
    let restored = saved
    let answer = SignalHandling.cleaningUp {
      var restored = restored
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &restored)
    } during: {
      ask(question)
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
    Console.write("\n")
    return answer
  }
}
