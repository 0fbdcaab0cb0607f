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
      first. What a recording was is kept from the first fetch that finds it changed; --changed compares with what was stored \
      that time ago.

        chirper changes
        chirper changes parrot --changed 30d
        chirper changes parrot gbif:robin --where q:A
        chirper changes parrot -o changes.csv
      """
  )

  @Argument(help: "Stored queries. (default: everything stored)", completion: ShellCompletion.queries)
  var queries: [String] = []

  @Option(
    help: "\(UserFacingError.orList(RecordFormat.listed.map(\.name))); without it the extension of -o selects one.")
  var format: RecordFormat?

  @OptionGroup var output: OutputOptions
  @OptionGroup var rows: SelectionOptions
  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() throws {
    try rows.check()
    let format = try output.format(format, common, oneOf: RecordFormat.listed, standard: .table)
    let options = output.options(common)
    let resolvers = try queries.map { try QueryResolver(argument: $0, source: source.name) }
    let repository = try Session.offline(.read)
    let lists = try resolvers.map { try $0.list(in: repository, for: TerminalDevice.isOutput ? nil : "changes").stored }
    let expression = try expression(lists)
    let order = try rows.searchOrder(FoundSelection.names(in: repository))
    let results = try SearchCommand.results(of: expression, sort: order, in: repository)
    let since = rows.changed?.moment(before: options.now)
    let table = ChangeTable(
      try results.changes(since: since), search: expression.description, lists: lists, since: since, offset: rows.offset ?? 0,
      limit: rows.limit, in: repository)
    let files = try AtomicFile.all([output.file].compactMap(\.self))
    try AtomicFile.writing(files) {
      try table.write(format, options, to: files.first?.sink ?? ByteSink.standardOutput())
    }
    guard !format.containsNotes else { return }
    if let file = output.file { Console.line("wrote \(Plural.words(table.count, "row")) to \(file)") }
    for note in table.notes(now: options.now) { Console.line(note) }
  }

  private func expression(_ lists: [StoredQuery]) throws -> SearchExpression {
    let names = lists.map { TagScanner.quoting("\($0.query.catalogue):\($0.query.typed)") }
    let all = try SearchExpression(argument: names.isEmpty ? "changed:any" : "changed:any in:\(names.joined(separator: ","))")
    return try rows.expression(source).map { other throws(SearchExpressionError) in try all.and(other) } ?? all
  }
}
