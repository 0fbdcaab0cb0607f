import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

struct RootCommand: AsyncParsableCommand {
  static let version = ProgramVersion.current

  static let configuration = CommandConfiguration(
    commandName: "chirper",
    abstract: "Search wildlife sound recordings once, and list them again without a network.",
    discussion: """
        chirper browse
        chirper fetch parrot
        chirper list parrot
        chirper export parrot -o parrot.csv

      Only fetch, sync and sounds that are not kept need a network. Flags, fields and exit codes: man 7 chirper-scripting.
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Start here", subcommands: [BrowseCommand.self, FetchCommand.self, ListCommand.self]),
      CommandGroup(
        name: "Keep lists",
        subcommands: [SyncCommand.self, NewsCommand.self, ImportCommand.self, ForgetCommand.self]),
      CommandGroup(
        name: "Use what is stored",
        subcommands: [
          SearchCommand.self, ExportCommand.self, PlayCommand.self, StatsCommand.self,
          DataSetCommand.self,
        ]),
      CommandGroup(name: "Share", subcommands: [ServeCommand.self, BackupCommand.self]),
      CommandGroup(
        name: "Set up", subcommands: [AuthCommand.self, NamesCommand.self, DoctorCommand.self]),
    ]
  )
}

extension RootCommand {
  /// The command that the arguments ask for; throws the errors of the parser. Without arguments a
  /// terminal gets the table, if there is something to show.
  ///
  /// The most frequent mistakes are looked for in the arguments themselves, because the
  /// parser suggests nothing for them: an unknown first word, and a query of several words
  /// without quotes.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    if arguments.isEmpty, TerminalDevice.isInput, TerminalDevice.isOutput,
      (try? Session.offline(.read).storedQueries())?.isEmpty == false
    {
      return try parseAsRoot(["browse"])
    }
    try refuseRepeated(arguments)
    if Set(["--version", "--verbose"]) == Set(arguments.map { $0 == "version" ? "--version" : $0 })
    {
      throw CleanExit.message(parts)
    }
    if arguments == ["help", "choosing"] { throw CleanExit.message(HelpText.choosingOptions) }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    guard let first = arguments.first, !first.hasPrefix("-") else {
      return try parseAsRoot(arguments)
    }
    if let flag = ["version": "--version", "completions": "--generate-completion-script"][first] {
      return try parseAsRoot([flag] + arguments.dropFirst())
    }
    let word = first == "help" ? arguments.dropFirst().first ?? names[0] : first
    guard !names.contains(word) else {
      do {
        return try parseAsRoot(arguments)
      } catch {
        let takesOneQuery = ["fetch", "sync", "search", "browse", "forget"].contains(word)
        // Help is not a failure.
        let isFailure = exitCode(for: error) == .validationFailure && takesOneQuery
        throw (isFailure ? mistake(in: Array(arguments.dropFirst()), of: word) : nil) ?? error
      }
    }
    let meant =
      NearestNames.to(word, among: names).first.map { "chirper \($0)" }
      ?? CommandText.line("fetch", word)
    throw UserFacingError.usage(
      "Unknown command \(word.inQuotes)",
      hint: "Type: \(meant), or chirper --help for all commands.")
  }

  /// A query without quotes, or that begins with a hyphen; `nil` for a different mistake.
  private static func mistake(in arguments: [String], of command: String) -> UserFacingError? {
    let query = arguments.prefix { !$0.hasPrefix("-") || isNegatedTerm($0) }
    guard let start = query.first else { return nil }
    let hint = "Type: \(CommandText.line(command, query.joined(separator: " ")))"
    if start.hasPrefix("-") {
      return .usage("A search that begins with - goes after --", hint: hint)
    }
    return query.count > 1 ? .usage("Quote queries of more than one word", hint: hint) : nil
  }

  /// The version, how to cite the program and what it finds, and the data of others that are part
  /// of it.
  private static let parts = """
    \(version)
    Cite the program: \(ProgramVersion.citation)
    Cite recordings: chirper export parrot -o parrot.bib, or --format credits; each has its own licence.
    Lists are of \(WordList.and(services)).
    \(NameTable.credit)
    Coasts: Natural Earth, public domain (https://www.naturalearthdata.com).
    """

  private static let services = Catalogues.all.compactMap { catalogue in
    catalogue.service.map { "\(catalogue.name) (\($0.baseAddress))" }
  }

  /// Whether it is a negated term of a search, such as `-q:A`, and not an option.
  private static func isNegatedTerm(_ argument: String) -> Bool {
    var scanner = TagScanner(argument)
    return scanner.skip("-") && scanner.tag() != nil
  }

  /// The parser silently uses the last of repeated options; only `--sort` and `--where` combine.
  private static func refuseRepeated(_ arguments: [String]) throws(UserFacingError) {
    var seen: Set<Substring> = []
    for argument in arguments.prefix(while: { $0 != "--" })
    where argument.hasPrefix("--") || argument.hasPrefix("-o") {
      let name = argument.hasPrefix("-o") ? "--output" : argument.prefix { $0 != "=" }
      guard name == "--sort" || name == "--where" || seen.insert(name).inserted else {
        throw .usage("\(name) was given twice", hint: "Give it once.")
      }
    }
  }
}
