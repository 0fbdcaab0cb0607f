import ArgumentParser
import Chirper
import ChirperModel
import Foundation

/// `chirper list [QUERY]`.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show a stored list, or which queries are stored; never asks the network.",
    discussion: """
      On a terminal the table has the columns that fit; in a pipe the same columns come whole, separated by tabs. Where \
      the answer comes from and how old it is stands on standard error.

        chirper list
        chirper list parrot
        chirper list parrot --sort -date --limit 20
        chirper list parrot --filter "dawn chorus"
        chirper list parrot --format json --columns id,en,rec
      """
  )

  @Argument(help: "A stored query; without it the stored queries are listed.")
  var query: String?

  @Option(help: "table, csv, tsv, json or jsonl.")
  var format: RecordFormat?

  @Option(help: "The columns, by the catalogue's field names: id,en,rec.")
  var columns: String?

  @OptionGroup var rows: RowOptions

  @Option(help: "At most so many rows.")
  var limit: Int?

  @Option(help: "Leave out so many rows at the start. (default: 0)")
  var offset: Int?

  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() throws {
    try check()
    if let query { _ = try SearchQuery.cleaned(query) }
    let repository = try Session.offline(.read)
    if let query { try listRecordings(query, repository) } else { try listQueries(repository) }
  }

  private func check() throws(CommandError) {
    if let limit, limit < 0 {
      throw .usage("--limit \(limit) is no number of rows.", hint: "Type --limit with a number from 0.")
    }
    if let offset, offset < 0 {
      throw .usage("--offset \(offset) is no number of rows.", hint: "Type --offset with a number from 0.")
    }
    if common.json, let format, format != .json {
      throw .usage("--json and --format \(format.rawValue) exclude each other.", hint: "Type one of them.")
    }
    if query == nil, columns != nil || rows.filter != nil || rows.sort != nil {
      throw .usage(
        "--columns, --filter and --sort need a query.",
        hint: "Type it behind the command, as in: chirper list parrot --sort date")
    }
  }

  private var chosen: RecordFormat { common.json ? .json : format ?? .table }

  /// Bold only where the table itself goes to a terminal.
  private var tableStyle: Style { Style(noColor: common.noColor, variables: .live, isTerminal: TerminalDevice.isOutput) }

  private func listRecordings(_ query: String, _ repository: RecordingRepository) throws {
    let (stored, others) = try StoredLookup(repository, query, source: source.name).latest()
    let list = try RecordList(
      repository, stored, others: others, filter: rows.filter, sort: try rows.order, offset: offset ?? 0, limit: limit)
    let names = try list.columns(columns)
    let sink = ByteSink.standardOutput()
    if chosen != .table {
      try list.write(chosen, columns: names, isVisible: TerminalDevice.isOutput, to: sink)
    } else if TerminalDevice.isOutput {
      let width = TerminalDevice.width(of: STDOUT_FILENO)
      try list.writeTable(
        list.tableColumns(names), sorted: names == nil ? rows.order?.field : nil, width: width, style: tableStyle, to: sink)
    } else {
      let columns = list.tableColumns(names)
      try list.write(
        .table, columns: columns.map(\.field), headings: columns.map(\.heading), isVisible: false, to: sink)
    }
    // In JSON the same stands as fields.
    guard chosen != .json else { return }
    for note in list.notes(now: Dependencies.live.now()) { Console.line(note) }
  }

  private func listQueries(_ repository: RecordingRepository) throws {
    if let name = source.name { _ = try Session.catalogue(name, from: "--source") }
    let all = try repository.storedQueries().filter { source.name == nil || $0.query.catalogue.rawValue == source.name }
    let some = all.dropFirst(offset ?? 0).prefix(limit ?? .max)
    let list = StoredQueryList(queries: Array(some), now: Dependencies.live.now())
    let width = TerminalDevice.isOutput ? TerminalDevice.width(of: STDOUT_FILENO) : nil
    try list.write(
      chosen, terminalWidth: width, isVisible: TerminalDevice.isOutput, style: tableStyle, to: .standardOutput())
    if all.isEmpty, chosen != .json { Console.line("Nothing is stored yet. Type: chirper fetch parrot") }
  }
}
