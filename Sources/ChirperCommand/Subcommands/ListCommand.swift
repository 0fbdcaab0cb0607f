import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show a stored list, or which queries are stored; works offline.",
    discussion: """
      On a terminal the table has the columns that fit; in a pipe it has all of them, separated by tabs. The source and \
      the age of the list are printed on standard error.

        chirper list
        chirper list parrot
        chirper list parrot --sort -date --limit 20
        chirper list parrot --where 'q:A type:song month:5'
        chirper list parrot --where 'text:"dawn chorus"'
        chirper list parrot --new 7d
        chirper list parrot --changed 7d
        chirper list parrot --gone
        chirper list parrot --format json --columns id,en,rec
      """
  )

  @Argument(help: "A stored query; without it the stored queries are listed.", completion: ShellCompletion.queries)
  var query: String?

  @Option(help: "The format of the rows.")
  var format: RecordFormat?

  @Option(help: "The columns, by the catalogue's field names: id,en,rec.", completion: ShellCompletion.columns)
  var columns: String?

  @OptionGroup var rows: SelectionOptions

  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() throws {
    try rows.check()
    let format = try common.format(format) ?? .table
    if query == nil, columns != nil || !rows.areAll {
      throw UserFacingError.usage(
        "--columns, --where, --sort, --new, --changed and --gone need a query",
        hint: "Type it after the command, as in: chirper list parrot --sort date")
    }
    let resolver = try query.map { try QueryResolver(argument: $0, source: source.name) }
    let repository = try Session.offline(.read)
    if let resolver { try listRecordings(resolver, repository, format) } else { try listQueries(repository, format) }
  }

  private func listRecordings(_ resolver: QueryResolver, _ repository: RecordingRepository, _ format: RecordFormat) throws {
    let (stored, others) = try resolver.list(in: repository, for: TerminalDevice.isOutput ? nil : "list")
    var options = WriteOptions(printing: common)
    options.columns = columns
    let list = try ListSelection(
      repository, stored, others: others, part: rows.part(now: options.now),
      where: try rows.expression, sort: try rows.order, offset: rows.offset ?? 0, limit: rows.limit)
    try list.write(format, options, to: ByteSink.standardOutput())
    guard !format.containsNotes else { return }
    for note in list.notes(now: options.now) { Console.line(note) }
  }

  private func listQueries(_ repository: RecordingRepository, _ format: RecordFormat) throws {
    if let name = source.name { _ = try Session.catalogue(name, from: "--source") }
    let all = try repository.storedQueries().filter { source.name == nil || $0.query.catalogue.rawValue == source.name }
    let some = all.dropFirst(rows.offset ?? 0).prefix(rows.limit ?? .max)
    try StoredQueryTable(Array(some), in: repository)
      .write(format, WriteOptions(printing: common), to: ByteSink.standardOutput())
    if all.isEmpty, format != .json { Console.line("Nothing is stored yet. Type: chirper fetch parrot") }
  }
}
