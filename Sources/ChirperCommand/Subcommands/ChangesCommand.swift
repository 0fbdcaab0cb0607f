import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct ChangesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes",
    abstract: "Show what changed of stored recordings, old and new; works offline.",
    discussion: """
      A row for each detail that changed: what it was before, and what it is now. Recordings that have another name now come \
      first. What a recording was is kept from the first fetch that finds it changed.

        chirper changes
        chirper changes parrot
        chirper changes parrot --since 30d
        chirper changes parrot -o changes.csv
      """
  )

  @Argument(help: "A stored query. (default: everything stored)", completion: ShellCompletion.queries)
  var query: String?

  @Option(
    help: ArgumentHelp(
      "Compare with what was stored this time ago: 12h, 7d, 2w. (default: the oldest version kept)", valueName: "age"),
    transform: Age.init(option:))
  var since: Age?

  @Option(
    help: "\(UserFacingError.orList(RecordFormat.listed.map(\.name))); without it the extension of -o selects one.")
  var format: RecordFormat?

  @OptionGroup var output: OutputOptions
  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() throws {
    let format = try output.format(format, common, oneOf: RecordFormat.listed, standard: .table)
    if query == nil, source.name != nil {
      throw UserFacingError.usage("--source needs a query", hint: "Type it as in: chirper changes parrot --source gbif")
    }
    let resolver = try query.map { try QueryResolver(argument: $0, source: source.name) }
    let repository = try Session.offline(.read)
    let list = try resolver?.list(in: repository, for: "changes").stored
    let options = output.options(common)
    let since = since?.moment(before: options.now)
    let changes = try repository.changes(of: list?.query, since: since)
    let table = ChangeTable(changes, of: list, since: since, in: repository)
    let files = try AtomicFile.all([output.file].compactMap(\.self))
    try AtomicFile.writing(files) {
      try table.write(format, options, to: files.first?.sink ?? ByteSink.standardOutput())
    }
    guard !format.containsNotes else { return }
    if let file = output.file { Console.line("wrote \(Plural.words(table.count, "row")) to \(file)") }
    for note in table.notes(now: options.now) { Console.line(note) }
  }
}
