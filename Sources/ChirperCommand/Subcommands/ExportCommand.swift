import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// `chirper export QUERY`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a stored list as CSV, TSV or JSON; works offline.",
    discussion: """
      Every field the service sent, as it was sent. A file is written completely or not at all. In TSV a tab, a \
      line feed, a carriage return and a backslash inside a value are written as \\t, \\n, \\r and \\\\.

        chirper export parrot > parrot.csv
        chirper export parrot -o parrot.csv --spreadsheet-safe
        chirper export parrot --format jsonl | jq .en
        chirper export parrot --columns id,gen,sp,lat,lon
        chirper export parrot --filter brazil --sort -date -o brazil.csv
      """
  )

  @Argument(help: "A stored query.", completion: ShellCompletion.queries)
  var query: String

  @Option(
    help: "\(UserFacingError.orList(RecordFormat.exported.map(\.name))); without it the file's extension selects one, else csv.")
  var format: ExportFormat?

  @Option(
    help: "The columns, by the catalogue's field names: id,en,rec. (default: all)", completion: ShellCompletion.columns)
  var columns: String?

  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The file to write. (default: standard output)",
    completion: .file())
  var output: String?

  @Flag(name: .customLong("spreadsheet-safe"), help: "Put ' before text that a spreadsheet would run as a formula.")
  var spreadsheetSafe = false

  @OptionGroup var rows: RowOptions
  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() throws {
    try rows.check()
    try check()
    let resolver = try QueryResolver(argument: query, source: source.name)
    let repository = try Session.offline(.read)
    let (stored, others) = try resolver.latest(in: repository)
    let list = try RecordList(
      repository, stored, others: others, part: rows.part(now: Dependencies.live.now()), filter: rows.filter,
      where: try rows.expression, sort: try rows.order, offset: rows.offset ?? 0, limit: rows.limit)
    let names = try list.columns(columns)
    if let output, output != "-" {
      try OutputFile.write(to: output) { try write(list, names, escapesControls: false, to: $0) }
    } else {
      try write(list, names, escapesControls: TerminalDevice.isOutput, to: .standardOutput())
    }
    // A format with provenance contains these notes as fields.
    guard !chosen.hasProvenance else { return }
    if let output, output != "-" { Console.line("wrote \(Plural.words(list.count, "row")) to \(output)") }
    for note in list.notes(now: Dependencies.live.now()) { Console.line(note) }
  }

  private func check() throws(CommandError) {
    if common.json, let format, format.format != .json {
      throw .usage("--json and --format \(format.format.name) cannot be used together", hint: "Type one of them.")
    }
    if spreadsheetSafe, !chosen.isForSpreadsheets {
      throw .usage("--spreadsheet-safe is for csv and tsv, not for \(chosen.name)", hint: "Leave it out.")
    }
    if format == nil, !common.json, let output, let end = RecordFormat.unknownExtension(of: output) {
      let known = RecordFormat.exported.compactMap(\.fileExtension).map { ".\($0)" }
      throw .usage(
        "Unknown file extension \".\(end)\"", hint: "Name the file \(UserFacingError.orList(known)), or type --format.")
    }
    if output?.isEmpty == true { throw .usage("-o needs the name of a file", hint: "Type it as in: -o parrot.csv") }
  }

  private var chosen: RecordFormat {
    if common.json { return .json }
    return format?.format ?? output.flatMap { RecordFormat.ofFile($0) } ?? .csv
  }

  private func write(_ list: RecordList, _ names: [String]?, escapesControls: Bool, to sink: ByteSink) throws {
    try list.write(
      chosen, columns: names, escapesControls: escapesControls, isSpreadsheetSafe: spreadsheetSafe, to: sink)
  }
}
