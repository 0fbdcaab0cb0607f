import ArgumentParser
import Chirper
import ChirperFormats

/// Where rows are written, and the rules about that.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The file to write. (default: standard output)",
    completion: .file())
  var output: String?

  @Flag(name: .customLong("spreadsheet-safe"), help: "Put ' before text that a spreadsheet would run as a formula.")
  var spreadsheetSafe = false

  /// The file to write; `nil` for standard output.
  var file: String? { output == "-" ? nil : output }

  /// The format that was typed, else the one that the file's name selects, else that of standard output.
  func format(
    _ typed: RecordFormat?, _ common: CommonOptions, oneOf formats: [RecordFormat], standard: RecordFormat
  ) throws(UserFacingError) -> RecordFormat {
    if output?.isEmpty == true { throw .usage("-o needs the name of a file", hint: "Type it as in: -o parrot.csv") }
    let typed = try common.format(typed)
    let chosen = typed.map { format in file.map(format.form(forFile:)) ?? format } ?? file.map { RecordFormat.ofFile($0) ?? .csv }
    if typed == nil, let file, let end = RecordFormat.pathExtension(of: file) {
      try Self.check(end, selects: RecordFormat.ofFile(file), oneOf: formats)
    }
    let format = chosen ?? standard
    if spreadsheetSafe { try Self.check("--spreadsheet-safe", with: format, oneOf: formats.filter(\.isForSpreadsheets)) }
    return format
  }

  private static func check(
    _ end: String, selects format: RecordFormat?, oneOf formats: [RecordFormat]
  ) throws(UserFacingError) {
    if let format, formats.contains(format) { return }
    let archives = formats.filter(RecordFormat.archives.contains).map { "--format \($0.name)" }
    if end == "zip", !archives.isEmpty {
      throw .usage("A .zip file can have several formats", hint: "Type \(UserFacingError.orList(archives)).")
    }
    let known = formats.compactMap(\.fileExtension).map { ".\($0)" }
    throw .usage("Unknown file extension \".\(end)\"", hint: "Name the file \(UserFacingError.orList(known)), or type --format.")
  }

  /// Refuses a flag that only some formats have.
  static func check(_ flag: String, with format: RecordFormat, oneOf formats: [RecordFormat]) throws(UserFacingError) {
    guard !formats.contains(format) else { return }
    throw .usage(
      "\(flag) is for \(UserFacingError.andList(formats.map(\.name))), not for \(format.name)", hint: "Leave it out.")
  }

  func options(_ common: CommonOptions) -> WriteOptions {
    var options = file == nil ? WriteOptions(printing: common) : WriteOptions(now: Dependencies.live.now())
    options.isSpreadsheetSafe = spreadsheetSafe
    return options
  }
}
