import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find recordings in everything that is stored, whatever query fetched them; works offline.",
    discussion: """
      The language is xeno-canto's, and works for every catalogue: words, and tags such as q: type: len: cnt: month: lic:. \
      docs/search.md has all of them. Each recording is found once, with the lists it is in and whether its audio is kept.

        chirper search robin
        chirper search 'cnt:poland q:A type:song len:30-60 month:5'
        chirper search 'nightingale -in:"my list" audio:yes' --sort -date --limit 20
        chirper search 'lic:BY q:">C"' -o usable.csv
        chirper search thrush --count
      """
  )

  @Argument(help: "What to find; in single quotes.", completion: ShellCompletion.searchTags)
  var search: String

  @Option(
    help: "The format; without it the extension of -o selects one.")
  var format: RecordFormat?

  @Option(help: "The columns: id,vernacularName,lists. A catalogue's own field names work too.", completion: Self.columnNames)
  var columns: String?

  @Flag(help: "Show the same recording of two catalogues once: the one it was copied from.")
  var distinct = false

  @Flag(help: "Print only how many recordings are found.")
  var count = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var rows: SelectionOptions
  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  private static let columnNames = CompletionKind.list(SearchColumn.all.map(\.name))

  func run() throws {
    try rows.check()
    let format = try output.format(format, common, oneOf: RecordFormat.listed, standard: .table)
    try checkCount()
    let expression = try expression()
    let repository = try Session.offline(.read)
    let names = try FoundSelection.names(in: repository)
    let shown = try names.columns(columns)
    let sort = try rows.searchOrder(names)
    let start = rows.offset ?? 0
    let window = count ? 0..<0 : start..<(rows.limit.map { start + min($0, Int.max - start) } ?? .max)
    let results = try Self.results(of: expression, sort: sort, distinct: distinct, window: window, in: repository)
    let found = FoundSelection(
      results, search: expression.description, offset: min(rows.offset ?? 0, results.matched), columns: shown,
      sorted: sort.first?.column)
    if !format.containsNotes { expression.countryReadings.forEach { Console.line($0) } }
    if count { return try found.writeCount(asJSON: common.json, to: ByteSink.standardOutput()) }
    let files = try AtomicFile.all([output.file].compactMap(\.self))
    try AtomicFile.writing(files) {
      try found.write(format, output.options(common), to: files.first?.sink ?? ByteSink.standardOutput())
    }
    guard !format.containsNotes else { return }
    if let file = output.file { Console.line("wrote \(Plural.words(found.count, "recording")) to \(file)") }
    for note in found.notes { Console.line(note) }
  }

  private func checkCount() throws(UserFacingError) {
    let others =
      format != nil || columns != nil || output.output != nil || rows.limit != nil || rows.offset != nil || !rows.sort.isEmpty
    if count, others {
      throw .usage("--count prints one number, so it goes only with --json and with what is searched for", hint: "Leave it out.")
    }
  }

  private func expression() throws -> SearchExpression {
    let all = try SearchExpression(argument: search)
    return try rows.expression(source).map { other throws(SearchExpressionError) in try all.and(other) } ?? all
  }

  /// Searches everything stored; shows progress if it takes long.
  static func results(
    of expression: SearchExpression, sort: [SearchSort], distinct: Bool = false, window: Range<Int>? = nil,
    in repository: RecordingRepository
  ) throws -> SearchResults {
    let progress = ProgressLine.ofWork()
    return try SignalHandling.cleaningUp {
      progress.close()
    } during: {
      defer { progress.close() }
      try repository.updateSearchIndex { work in
        progress.show {
          let megabytes = max(1, work.expectedBytes / 1_000_000)
          return "preparing the search index (about \(megabytes) MB), \(100 * work.done / max(1, work.total)) %"
        }
      }
      return try repository.search(expression, sort: sort, distinct: distinct, window: window) { done in
        progress.show { "searching, \(Int(done * 100)) %" }
      }
    }
  }
}
