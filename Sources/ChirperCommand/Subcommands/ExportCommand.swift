import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// `chirper export QUERY`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a stored list to a file or a pipe, in a format of your choice; works offline.",
    discussion: """
      csv, tsv, json and jsonl have every field the service sent, as it was sent, or with --tidy typed columns with \
      standard names. The other formats are made for maps, players, annotation tools, references and data papers: \
      docs/formats.md. A file is written completely or not at all.

        chirper export parrot > parrot.csv
        chirper export parrot -o parrot.csv --spreadsheet-safe
        chirper export parrot --tidy --columns scientificName,eventDate,license
        chirper export parrot --for commercial -o parrot.geojson
        chirper export parrot --format dwca -o parrot.zip
        chirper export parrot -o credits.html
        chirper export parrot --where cnt:brazil --sort -date -o brazil.csv
      """
  )

  @Argument(help: "A stored query.", completion: ShellCompletion.queries)
  var query: String

  @Option(
    help: "\(UserFacingError.orList(RecordFormat.exported.map(\.name))); without it the file's extension selects one, else csv.")
  var format: ExportFormat?

  @Flag(help: "Typed columns with standard names in place of the raw fields.")
  var tidy = false

  @Option(
    help: "The columns, by the catalogue's field names: id,en,rec; with --tidy by theirs. (default: all)",
    completion: ShellCompletion.columns)
  var columns: String?

  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The file to write. (default: standard output)",
    completion: .file())
  var output: String?

  @Flag(name: .customLong("spreadsheet-safe"), help: "Put ' before text that a spreadsheet would run as a formula.")
  var spreadsheetSafe = false

  @Option(
    name: .customLong("for"),
    help: "Only rows whose licence allows it: commercial (use), derivatives (changed versions), or commercial,derivatives.")
  var purposes: Purposes?

  @Option(
    name: .customLong("since-export"), help: "Only rows that are not in a file exported earlier; reports what is gone.",
    completion: .file())
  var sinceExport: String?

  @Option(help: "Also write where the rows come from to this file, as JSON.", completion: .file())
  var provenance: String?

  @OptionGroup var rows: SelectionOptions
  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() throws {
    try rows.check()
    try check()
    let resolver = try QueryResolver(argument: query, source: source.name)
    let repository = try Session.offline(.read)
    let (stored, others) = try resolver.latest(in: repository)
    let earlier = try sinceExport.map { try earlierExport($0, of: stored.query.catalogue, in: repository) }
    // Rows on the same terminal are progress enough.
    let printsRows = file == nil && TerminalDevice.isOutput
    let progress = WorkProgress(isShown: TerminalDevice.canRewriteError && !printsRows)
    var options = WriteOptions(now: Dependencies.live.now())
    let list = try ListSelection(
      repository, stored, others: others, part: rows.part(now: options.now),
      where: try rows.expression, sort: try rows.order,
      choice: ExportFilter(purposes: purposes?.purposes ?? [], since: earlier), offset: rows.offset ?? 0, limit: rows.limit)
    options.columns = columns
    options.isTidy = tidy
    options.escapesControls = printsRows
    options.isSpreadsheetSafe = spreadsheetSafe
    options.keptAudio = repository.audio.keptFiles(of: [stored.query.catalogue])
    let total = Plural.words(list.count, "row")
    options.progress = { rows in progress.report { "\(stored.query.typed): writing, \(rows) of \(total)" } }
    let summary: ExportSummary
    do {
      defer { progress.finish() }
      summary = try write(list, options, progress)
    }
    guard !chosen.containsNotes else { return }
    for line in list.choice.lines { Console.line(line) }
    if summary.leftOut > 0, let needs = chosen.needs {
      Console.line("\(Plural.words(summary.leftOut, "row")) left out, without \(needs)")
    }
    if let file { Console.line("wrote \(Plural.words(summary.written, "row")) to \(file)") }
    for note in list.notes(now: options.now) { Console.line(note) }
  }

  /// The file to write; `nil` for standard output.
  private var file: String? { output == "-" ? nil : output }

  private func check() throws(CommandError) {
    if common.json, let format, format.format != .json {
      throw .usage("--json and --format \(format.format.name) cannot be used together", hint: "Type one of them.")
    }
    if format == nil, !common.json, let output, let end = RecordFormat.unknownExtension(of: output) {
      if end == "zip" {
        let names = RecordFormat.archives.map { "--format \($0.name)" }
        throw .usage("A .zip file can have several formats", hint: "Type \(UserFacingError.orList(names)).")
      }
      let known = RecordFormat.exported.compactMap(\.fileExtension).map { ".\($0)" }
      throw .usage(
        "Unknown file extension \".\(end)\"", hint: "Name the file \(UserFacingError.orList(known)), or type --format.")
    }
    func refuse(_ flag: String, unlessOneOf formats: [RecordFormat]) throws(CommandError) {
      guard !formats.contains(chosen) else { return }
      throw .usage(
        "\(flag) is for \(UserFacingError.andList(formats.map(\.name))), not for \(chosen.name)", hint: "Leave it out.")
    }
    if spreadsheetSafe { try refuse("--spreadsheet-safe", unlessOneOf: RecordFormat.exported.filter(\.isForSpreadsheets)) }
    if tidy { try refuse("--tidy", unlessOneOf: RecordFormat.tidy) }
    if columns != nil { try refuse("--columns", unlessOneOf: RecordFormat.exported.filter(\.takesColumns)) }
    if file == nil, TerminalDevice.isOutput, RecordFormat.archives.contains(chosen) {
      throw .usage("A zip file is not written to a terminal", hint: "Type -o FILE, as in: -o parrot.zip")
    }
    if sinceExport != nil, rows.new != nil || rows.gone {
      throw .usage(
        "--since-export compares the whole list, so --new and --gone cannot be used with it", hint: "Leave one of them out.")
    }
    if output?.isEmpty == true { throw .usage("-o needs the name of a file", hint: "Type it as in: -o parrot.csv") }
    if let provenance, provenance.isEmpty || provenance == "-" || file.map({ OwnFiles.areSame($0, provenance) }) == true {
      throw .usage("--provenance needs the name of a file of its own", hint: "Type it as in: --provenance parrot.provenance.json")
    }
  }

  private var chosen: RecordFormat {
    if common.json { return .json }
    guard let format = format?.format else { return file.flatMap { RecordFormat.ofFile($0) } ?? .csv }
    return file.map { format.form(forFile: $0) } ?? format
  }

  private func earlierExport(
    _ path: String, of id: CatalogueID, in repository: RecordingRepository
  ) throws -> EarlierExport {
    guard let catalogue = repository.catalogue(id) else { throw RowTableError.unknownCatalogue(id) }
    let bytes = try InputFile.bytes(path)
    return try EarlierExport(name: (path as NSString).lastPathComponent, bytes: bytes, catalogue: catalogue)
  }

  private func write(_ list: ListSelection, _ options: WriteOptions, _ progress: WorkProgress) throws -> ExportSummary {
    let files = try AtomicFile.all([file, provenance].compactMap(\.self))
    // As in the list of paths: the rows' own file first, the provenance last.
    let sink = file == nil ? ByteSink.standardOutput() : files[0].sink
    return try AtomicFile.writing(files, showing: progress) {
      let summary = try list.write(chosen, options, to: sink)
      if provenance != nil, let file = files.last {
        try file.sink.write(Array(try list.sidecar(chosen, summary, options).utf8))
      }
      return summary
    }
  }
}
