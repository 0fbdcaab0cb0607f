import ArgumentParser
import ChirperFormats
import ChirperModel

/// Prints an error on standard error, in words or as JSON.
struct ErrorReporter {
  private let isJSON: Bool
  private let noColor: Bool

  /// Looks at the arguments itself: an error in them must be printed in the form they ask for.
  init(arguments: [String]) {
    isJSON = Self.isJSON(arguments)
    noColor = arguments.prefix { $0 != "--" }.contains("--no-color")
  }

  static func isJSON(_ arguments: [String]) -> Bool { arguments.prefix { $0 != "--" }.contains("--json") }

  func report(_ error: any Error) -> Int32 {
    if let code = error as? ExitCode { return code.rawValue }
    if let error = UserFacingError(library: error) {
      guard error.status != .done else { return 0 }
      report(error)
      return error.status.rawValue
    }
    let code = RootCommand.exitCode(for: error)
    let message = RootCommand.fullMessage(for: error)
    if code == .success {
      print(message)
    } else if code == .validationFailure {
      reportUsage(error, message)
    } else {
      report(.of(error))
    }
    return code.rawValue
  }

  private func report(_ error: UserFacingError) {
    guard !isJSON else { return Console.line((["error": error.json] as JSONObject).text) }
    let style = Style(noColor: noColor, variables: .live, isTerminal: TerminalDevice.isError)
    Console.write(style.red("error:") + " " + TerminalText.escaped(error.message) + "\n")
    for line in error.hint?.split(separator: "\n") ?? [] { Console.line(String(line)) }
  }

  private func reportUsage(_ error: any Error, _ message: String) {
    guard isJSON else { return Console.write(TerminalText.escaped(message, keepingLines: true) + "\n") }
    let hint = message.split(separator: "\n").first { $0.hasPrefix("Usage: ") }.map(String.init)
    report(UserFacingError(.usage, "usage", RootCommand.message(for: error), hint: hint))
  }
}
