import ArgumentParser

/// The texts of help screens that the parser does not have.
enum HelpText {
  /// The title of the options that choose rows, which are explained once.
  static let choosing = "Choosing rows"

  /// The line of a command that has them.
  static let choosingLine =
    "--where, --for, --new, --sort, --limit and others choose rows: chirper help choosing."

  /// Every option that chooses rows.
  static var choosingOptions: String {
    let screen = ListCommand.helpMessage(includeHidden: true, columns: 80)
    let start = "\n\n\(choosing.uppercased()):\n"
    let options = screen.firstRange(of: start).map { screen[$0.upperBound...] } ?? ""
    let end = options.firstRange(of: "\n\n")?.lowerBound ?? options.endIndex
    return """
      list, search, export, play, stats and news take these, as far as they make sense there:

      \(options[..<end])
      """
  }

  /// A message of the parser; a help screen that lacks options says where they are.
  static func shown(_ message: String) -> String {
    guard message.hasPrefix("OVERVIEW:") else { return message }
    // Groups of commands.
    let shown = message.replacing(" SUBCOMMANDS:\n", with: ":\n")
    let isShort = message.contains("\nOPTIONS:") && !message.contains("SUBCOMMANDS:")
    return isShort && !CommandLine.arguments.contains("--help-hidden")
      ? shown + "\nMore options: --help-hidden in place of --help.\n" : shown
  }
}
