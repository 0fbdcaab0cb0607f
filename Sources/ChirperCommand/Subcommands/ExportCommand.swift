import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

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
        chirper export parrot -o parrot.gpkg
        chirper export parrot --format dwca -o parrot.zip
        chirper export parrot -o credits.html
        chirper export parrot --where cnt:brazil --sort -date -o brazil.csv
      """
  )

  @Argument(help: "A stored query.", completion: ShellCompletion.queries)
  var query: String

  @Option(
    help: "The format; without it the file's extension selects one, else csv.")
  var format: ExportFormat?

  @Flag(help: "Typed columns with standard names in place of the raw fields.")
  var tidy = false

  @Option(
    help: "The columns, by the catalogue's field names: id,en,rec; with --tidy by theirs. (default: all)",
    completion: ShellCompletion.columns)
  var columns: String?

  @OptionGroup var output: OutputOptions

  @Option(
    name: .customLong("for"),
    help: """
      Only rows that may be used for it: commercial (use) and derivatives (changed versions), which the licence allows, and \
      precise, places certain to 1000 metres (precise:500: to 500). Several with commas.
      """)
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
    let format = try output.format(format?.format, common, oneOf: RecordFormat.exported, standard: .csv)
    try check(format)
    let resolver = try QueryResolver(argument: query, source: source.name)
    let repository = try Session.offline(.read)
    let (stored, others) = try resolver.list(in: repository, for: "export")
    let earlier = try sinceExport.map { try earlierExport($0, of: stored.query.catalogue, in: repository) }
    var options = output.options(common)
    let list = try ListSelection(
      repository, stored, others: others, part: rows.part(now: options.now), where: try rows.expression, sort: try rows.order,
      choice: ExportFilter(purposes: purposes?.purposes ?? [], since: earlier), offset: rows.offset ?? 0, limit: rows.limit)
    options.columns = columns
    options.isTidy = tidy
    options.keptAudio = repository.audio.keptFiles(of: [stored.query.catalogue])
    // Rows on the same terminal are progress enough.
    let progress = ProgressLine.ofWork(
      isShown: TerminalDevice.canRewriteError && (output.file != nil || !TerminalDevice.isOutput))
    let total = Plural.words(list.count, "row")
    options.progress = { rows in progress.show { "\(stored.query.typed): writing, \(rows) of \(total)" } }
    defer { progress.close() }
    let summary = try write(list, format, options, progress)
    progress.close()
    guard !format.containsNotes else { return }
    for line in list.choice.lines { Console.line(line) }
    if summary.leftOut > 0, let needs = format.needs {
      Console.line("\(Plural.words(summary.leftOut, "row")) left out, without \(needs)")
    }
    if let file = output.file { Console.line("wrote \(Plural.words(summary.written, "row")) to \(file)") }
    for note in list.notes(now: options.now) { Console.line(note) }
  }

  private func check(_ format: RecordFormat) throws(UserFacingError) {
    if tidy { try OutputOptions.check("--tidy", with: format, oneOf: RecordFormat.tidy) }
    if columns != nil {
      try OutputOptions.check("--columns", with: format, oneOf: RecordFormat.exported.filter(\.takesColumns))
    }
    if output.file == nil, TerminalDevice.isOutput, RecordFormat.archives.contains(format) {
      throw .usage("A zip file is not written to a terminal", hint: "Type -o FILE, as in: -o parrot.zip")
    }
    if sinceExport != nil, let event = rows.events.first {
      throw .usage(
        "--since-export compares the whole list, so \(event) cannot be used with it", hint: "Leave one of them out.")
    }
    if let provenance, provenance.isEmpty || provenance == "-" || output.file.map({ OwnFiles.areSame($0, provenance) }) == true {
      throw .usage("--provenance needs the name of a file of its own", hint: "Type it as in: --provenance parrot.provenance.json")
    }
  }

  private func earlierExport(
    _ path: String, of id: CatalogueID, in repository: RecordingRepository
  ) throws -> EarlierExport {
    guard let catalogue = repository.catalogue(id) else { throw UserFacingError.unknownCatalogue(id) }
    return try InputFile.reading(path) { next in
      try EarlierExport(name: (path as NSString).lastPathComponent, catalogue: catalogue, read: next)
    }
  }

  private func write(
    _ list: ListSelection, _ format: RecordFormat, _ options: WriteOptions, _ progress: ProgressLine
  ) throws -> ExportSummary {
    let files = try AtomicFile.all([output.file, provenance].compactMap(\.self))
    // As in the list of paths: the rows' own file first, the provenance last.
    let sink = output.file == nil ? ByteSink.standardOutput() : files[0].sink
    return try AtomicFile.writing(files, showing: progress) {
      let summary = try list.write(format, options, to: sink)
      if provenance != nil, let file = files.last {
        try list.writeProvenance(format, summary, options, to: file.sink)
      }
      return summary
    }
  }
}
