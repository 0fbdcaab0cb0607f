import ArgumentParser
import Chirper
import ChirperFormats
import Foundation

/// The format in which rows are written, and the file.
struct OutputOptions: ParsableArguments {
  @Option(help: "The format; without it the extension of -o selects one.")
  var format: RecordFormat?

  @OptionGroup var target: TargetOptions

  var file: String? { target.file }
  var common: CommonOptions { target.common }

  /// Whether no option was typed that says where and how rows are written.
  var isUntyped: Bool { format == nil && target.output == nil && !target.spreadsheetSafe }

  func format(default defaultFormat: RecordFormat) throws(UserFacingError) -> RecordFormat {
    try target.format(format, default: defaultFormat)
  }
}

/// The file in which something is written, and how.
struct TargetOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The file to write. (default: standard output)",
    completion: .file())
  var output: String?

  @Flag(
    name: .customLong("spreadsheet-safe"),
    help: .rare("Put ' before text that a spreadsheet would run, and a byte order mark first."))
  var spreadsheetSafe = false

  @OptionGroup var common: CommonOptions

  /// The file to write; `nil` for standard output.
  var file: String? { output == "-" ? nil : output }

  /// The format that was typed, else the one that the file's name selects, else that of standard
  /// output.
  ///
  /// - Parameter forms: those that are named if the file's name selects none.
  func format(
    _ format: RecordFormat?, default defaultFormat: RecordFormat,
    among forms: [RecordFormat] = RecordFormat.forms
  ) throws(UserFacingError) -> RecordFormat {
    try Self.checkIsNamed(output, example: "parrot.csv")
    guard let file else {
      guard common.json else { return format ?? defaultFormat }
      if let format, format != .json {
        throw .together(["--json", "--format \(format.name)"])
      }
      return .json
    }
    let selected = RecordFormat.ofFile(file)
    guard let format else {
      if selected == nil, let end = RecordFormat.pathExtension(of: file) {
        let known = forms.compactMap(\.fileExtension).map { ".\($0)" }
        throw .usage(
          "Unknown file extension \(".\(end)".inQuotes)",
          hint: "Name the file \(WordList.or(known)), or type --format.")
      }
      return selected ?? .csv
    }
    guard let selected, selected != format else { return selected ?? format }
    // GeoJSON is JSON.
    guard selected == .json, format == .geojson else {
      let name = (file as NSString).deletingPathExtension
      throw .usage(
        "\(file.inQuotes) is the name of a file in the format \(selected.name)",
        hint: "Type -o \(CommandText.quoted("\(name).\(format.fileEnd)")), or leave --format out.")
    }
    return format
  }

  /// Refuses an empty name of a file.
  static func checkIsNamed(_ output: String?, example: String) throws(UserFacingError) {
    guard output?.isEmpty == true else { return }
    throw .usage("-o needs the name of a file", example: "-o \(example)")
  }

  func check(_ format: RecordFormat) throws(UserFacingError) {
    if spreadsheetSafe {
      try format.check("--spreadsheet-safe", isForAll: \.isForSpreadsheets)
    }
    if file == nil, TerminalDevice.isOutput, format.isArchive {
      throw .usage(
        "A zip file is not written to a terminal",
        hint: "Type -o FILE, as in: -o parrot.\(format.fileEnd)")
    }
  }

  /// Writes a table to the file or to standard output, and then says how many rows it has, as JSON
  /// if that is asked for, or in words with notes, if the table does not contain them.
  func write(
    _ format: RecordFormat, rows: Int, _ options: WriteOptions, notes: [String],
    _ body: (ByteSink) throws -> Void
  ) throws {
    try AtomicFile.writing(to: file, body)
    if common.json, let file {
      let report = Report(["file": file, "format": format.name, "written": rows])
      return try common.printer.print(report)
    }
    let printer = printer(for: format)
    printer.note(file.map { Plural.written(rows, "row", to: $0) })
    printer.notes(notes)
  }

  /// The output of a command that writes rows in the format: without notes if the rows have them.
  func printer(for format: RecordFormat) -> Printer {
    var printer = common.printer
    printer.hasNotes = !format.containsNotes
    return printer
  }

  var writeOptions: WriteOptions {
    get throws(UserFacingError) {
      var options =
        file == nil ? WriteOptions(printing: common) : WriteOptions(now: WallClock.now())
      options.isSpreadsheetSafe = spreadsheetSafe
      options.fileDate = try ProcessEnvironment.live.sourceDate()
      return options
    }
  }
}

/// The columns of recordings, and the parts that are written besides them.
struct ColumnOptions: ParsableArguments {
  @Flag(help: "Typed columns with standard names in place of the fields as they were sent.")
  var tidy = false

  @Option(
    help:
      "The columns: id,scientificName,eventDate (man 7 chirper-formats); raw.NAME is a field as the catalogue sent it.",
    completion: ShellCompletion.columns)
  var columns: String?

  @Option(
    help: .rare("Also write where the rows come from to this file, as JSON."), completion: .file())
  var provenance: String?

  func check(_ format: RecordFormat, _ output: OutputOptions) throws(UserFacingError) {
    if tidy { try format.check("--tidy", isForAll: RecordFormat.tidy.contains) }
    if columns != nil { try format.check("--columns", isForAll: \.takesColumns) }
    if let provenance,
      provenance.isEmpty || provenance == "-"
        || output.file.map({ OwnFiles.areSame($0, provenance) }) == true
    {
      throw .usage(
        "--provenance needs the name of a file of its own",
        example: "--provenance parrot.provenance.json")
    }
  }
}

extension RecordFormat {
  /// Refuses a flag that only some formats have.
  func check(
    _ flag: String, isForAll isFit: (RecordFormat) -> Bool
  ) throws(UserFacingError) {
    guard !isFit(self) else { return }
    let names = RecordFormat.all.filter(isFit).map(\.name)
    throw .usage(
      "\(flag) is for \(WordList.and(names)), not for \(name)", hint: "Leave it out.")
  }
}

/// A format of a table that is made of other things than recordings.
struct TableFormat: ExpressibleByArgument {
  let format: RecordFormat

  init?(argument: String) {
    guard let format = Self.all.first(where: { $0.name == argument }) else { return nil }
    self.format = format
  }

  static let all = [RecordFormat.table] + RecordFormat.tidy
  static var allValueStrings: [String] { all.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// A form of the news: words, a feed, or a table of the details that changed.
enum NewsFormat: ExpressibleByArgument, Equatable {
  case text, atom
  case rows(RecordFormat)

  init?(argument: String) {
    switch argument {
    case "text": self = .text
    case "atom": self = .atom
    default:
      guard let table = RecordFormat.tidy.first(where: { $0.name == argument }) else { return nil }
      self = .rows(table)
    }
  }

  static var allValueStrings: [String] { ["text", "atom"] + RecordFormat.tidy.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
