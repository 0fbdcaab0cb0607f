import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove a list, and the recordings of no other.",
    discussion: """
      The audio of these recordings is removed too. Asks for confirmation on a terminal; scripts need --yes.

        chirper forget parrot
        chirper forget parrot --source itunes --yes
        chirper forget --empty
      """
  )

  @Argument(help: "A stored query.", completion: ShellCompletion.queries)
  var query: String?

  @Flag(help: "Remove the queries that never found anything.")
  var empty = false

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard (query == nil) == empty else {
      let problem =
        empty ? "--empty and a query cannot be used together" : "Missing query, or --empty"
      throw UserFacingError.usage(problem, hint: "Type: chirper forget parrot")
    }
    // Read first: a store that does not exist is not created to forget something in it.
    let stored = try Session.offline(.read)
    let found = try query.map { try lists($0, stored) } ?? misses(stored)
    let printer = common.printer
    guard !found.isEmpty else {
      printer.note("Every stored query has found something.")
      return try printer.print(Report(ForgetReport.report([], query: query).json))
    }
    guard try yes || agreed(found, stored) else { return Console.line("Nothing was removed.") }
    let repository = try Session.offline(.write)
    let forgotten = try found.compactMap { try repository.forget($0.query) }
    try printer.print(ForgetReport.report(forgotten, query: query))
  }

  private func misses(_ repository: RecordingRepository) throws -> [StoredQuery] {
    let only = try source.catalogue?.id
    return try repository.misses().filter { only == nil || $0.query.catalogue == only }
  }

  /// The lists that the query names, which must be of one catalogue. A miss goes with the
  /// list of its text.
  private func lists(_ query: String, _ repository: RecordingRepository) throws -> [StoredQuery] {
    try TypedText(query, in: source.catalogue?.id).listsToForget(in: repository) {
      "Type: \(CommandText.line("forget", query, source: $0))"
    }
  }

  private func agreed(_ found: [StoredQuery], _ repository: RecordingRepository) throws -> Bool {
    guard TerminalDevice.isInput, TerminalDevice.isError else {
      throw UserFacingError.usage(
        "forget removes data and cannot ask here; nothing was removed",
        hint:
          "Type: \(query.map { CommandText.line("forget", $0, source: source.name, also: "--yes") } ?? "chirper forget --empty --yes")"
      )
    }
    let rows = found.reduce(0) { $0 + $1.count }
    let audio = try repository.audioUsage(onlyIn: found.map(\.query))
    let files = audio.bytes > 0 ? " and \(ForgetReport.words(audio.files, audio.bytes))" : ""
    let answer = TerminalDevice.ask(
      query.map {
        "Remove \(TerminalText.escaped($0.inQuotes)) with its \(Plural.words(rows, "row"))\(files)? [y/N] "
      }
        ?? "Remove \(Plural.words(found.count, "query")) that never found anything? [y/N] ")
    return ["y", "yes"].contains(answer?.lowercased())
  }
}
