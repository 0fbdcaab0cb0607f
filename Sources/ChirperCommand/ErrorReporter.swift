import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

/// Prints an error on standard error, in words or as JSON.
struct ErrorReporter {
  private let isJSON: Bool
  private let noColor: Bool

  /// Looks at the arguments itself: an error in them must be printed in the form they ask for.
  init(arguments: [String]) {
    isJSON = arguments.askForJSON
    noColor = arguments.prefix { $0 != "--" }.contains("--no-color")
  }

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
      do {
        try ByteSink.printOut(HelpText.shown(message))
      } catch {
        return report(error)
      }
    } else if code == .validationFailure {
      report(Self.usage(RootCommand.message(for: error), message))
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

  /// An error of the parser in the form of chirper's errors.
  ///
  /// It reads the parser's sentences because ArgumentParser offers nothing else. Its
  /// errors, with the option, the value and the values allowed, are internal to it (1.8). A
  /// sentence that is not recognised is shown as the parser has it.
  ///
  /// - Parameters:
  ///   - message: one sentence or two; the second is a suggestion, or has the values of an
  ///     option.
  ///   - whole: the parser's output: the message, `Help:` and what an option means, the
  ///     usage, `See 'chirper COMMAND --help'`.
  static func usage(_ message: String, _ whole: String) -> UserFacingError {
    let message = inDoubleQuotes(
      message.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    let end = [". Please ", ". Did you mean "].lazy.compactMap {
      message.firstRange(of: $0)?.lowerBound
    }.first
    let problem = String(message[..<(end ?? message.endIndex)])
    var hints: [String] = []
    if let rest = end.map({ message[$0...].dropFirst(2) }) {
      hints += suggestion(rest, for: problem).map { [$0] } ?? []
    } else if !message.contains(": "),
      let help = whole.split(separator: "\n").first(where: { $0.hasPrefix("Help:  ") })?.dropFirst(
        7),
      let gap = help.firstRange(of: "  ")
    {
      hints.append("\(help[..<gap.lowerBound]): \(help[gap.upperBound...])")
    }
    if let start = whole.firstRange(of: "See '")?.upperBound,
      let end = whole[start...].firstRange(of: "' for more")
    {
      hints.append("For all options type: \(whole[start..<end.lowerBound])")
    }
    return UserFacingError(
      .usage, kind: "usage", problem: problem, hint: hints.joined(separator: "\n"))
  }

  /// The second sentence of the parser's message; `nil` if it helps nobody.
  private static func suggestion(_ sentence: Substring, for problem: String) -> String? {
    let names = quoted(in: sentence)
    if sentence.hasPrefix("Please provide one of ") {
      // Many values are a list of lines that begin with a hyphen.
      let values =
        names.isEmpty ? sentence.split(separator: " - ").dropFirst().map(String.init) : names
      return "Type one of: \(WordList.or(values))."
    }
    guard sentence.hasPrefix("Did you mean "), let meant = names.first,
      let typed = quoted(in: problem[...]).first
    else { return String(sentence) }
    // Of options with few letters the parser suggests those that have nothing in common with it.
    func name(_ option: String) -> String { String(option.drop { $0 == "-" }) }
    return NearestNames.to(name(typed), among: [name(meant)]).isEmpty
      ? nil : "Did you mean \(meant)?"
  }

  /// The text with double quotes in place of single ones at the beginning of a word.
  private static func inDoubleQuotes(_ text: String) -> String {
    var parts = text.split(separator: "'", omittingEmptySubsequences: false)[...]
    var out = String(parts.removeFirst())
    while var part = parts.popFirst().map(String.init) {
      guard !parts.isEmpty, out.isEmpty || out.hasSuffix(" ") || out.hasSuffix("(") else {
        out += "'\(part)"
        continue
      }
      // A quote before a letter or another quote is one of the text: `it's`.
      while let next = parts.popFirst() {
        if !parts.isEmpty,
          next.isEmpty || next.first?.isLetter == true || next.first?.isNumber == true
        {
          part += "'\(next)"
        } else {
          out += "\"\(part)\"\(next)"
          break
        }
      }
    }
    return out
  }

  private static func quoted(in text: Substring) -> [String] {
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
