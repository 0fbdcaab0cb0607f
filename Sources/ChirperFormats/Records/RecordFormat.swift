import ChirperModel

/// A format in which recordings are written: its name, the file extension that selects it, and its writer.
///
/// `RecordFormat.all` is the one table of formats. The names that `--format` takes, completions, the extensions of `-o`,
/// error texts and writers follow from it. A format writes the raw fields, the details, or either (`--tidy`).
package struct RecordFormat: Sendable, Equatable {
  /// As typed after `--format`.
  package let name: String
  /// The end of a file's name that selects it, in lower case; `nil` where none does.
  package let fileExtension: String?
  /// Whether it is the table of `list` and `search`: fitted on a terminal, separated by tabs in a pipe, and not exported.
  package let isTable: Bool
  /// Whether a spreadsheet can open it, and run text in it as formulas.
  package let isForSpreadsheets: Bool
  /// Whether the file itself has the notes that are otherwise printed on standard error.
  package let containsNotes: Bool
  /// Writes the raw fields; `nil` where the format has only details.
  package let makeWriter: (@Sendable (RecordWriterOptions) -> any RecordWriter)?
  /// Writes details; `nil` where the format has only raw fields.
  package let makeDetailWriter: (@Sendable (DetailWriterOptions) -> any DetailWriter)?
  /// Writes several files into a zip file; `nil` for every other format.
  package let makeArchiveWriter: (@Sendable (DetailWriterOptions) -> any ArchiveWriter)?
  /// Whether columns can be chosen.
  package let takesColumns: Bool
  /// What a row must have to be written, as in "3 rows left out, without coordinates"; `nil` where every row is written.
  package let needs: String?

  init(
    _ name: String, fileExtension: String? = nil, isTable: Bool = false, isForSpreadsheets: Bool = false,
    containsNotes: Bool = false, writer: (@Sendable (RecordWriterOptions) -> any RecordWriter)? = nil,
    takesColumns: Bool = false, needs: String? = nil, details: (@Sendable (DetailWriterOptions) -> any DetailWriter)? = nil,
    archive: (@Sendable (DetailWriterOptions) -> any ArchiveWriter)? = nil
  ) {
    self.name = name
    self.fileExtension = fileExtension
    self.isTable = isTable
    self.isForSpreadsheets = isForSpreadsheets
    self.containsNotes = containsNotes
    self.takesColumns = takesColumns || writer != nil
    self.needs = needs
    makeWriter = writer
    makeDetailWriter = details
    makeArchiveWriter = archive
  }

  package static func == (left: RecordFormat, right: RecordFormat) -> Bool { left.name == right.name }

  /// Every format, in the order in which help lists them.
  package static let all: [RecordFormat] = [
    table, csv, tsv, json, jsonl, geojson, gpx, m3u8, raven, audacity, bibtex, credits, creditsMarkdown, creditsHTML, dwca,
    datapackage,
  ]

  /// Those that `export` writes.
  package static let exported = all.filter { !$0.isTable }

  /// Those with raw fields, which `list` writes.
  package static let listed = all.filter { $0.makeWriter != nil }

  /// Those that can have the tidy columns in place of the raw fields.
  package static let tidy = listed.filter { $0.makeDetailWriter != nil }

  /// Those that are zip files.
  package static let archives = all.filter { $0.makeArchiveWriter != nil }

  /// The format that a file's name selects by its extension; `nil` where the name has no extension or an unknown one.
  package static func ofFile(_ path: String) -> RecordFormat? {
    pathExtension(of: path).flatMap { end in exported.first { $0.fileExtension == end } }
  }

  /// The same format in the form that a file's name selects: `credits` into `list.html` is written as HTML.
  package func form(forFile path: String) -> RecordFormat {
    guard let selected = RecordFormat.ofFile(path), selected.name.hasPrefix(name + "-") else { return self }
    return selected
  }

  /// The extension of a file's name that selects no format; `nil` where it selects one, or there is none.
  package static func unknownExtension(of path: String) -> String? {
    ofFile(path) == nil ? pathExtension(of: path) : nil
  }

  /// In lower case; the dot that begins a hidden file's name begins no extension.
  private static func pathExtension(of path: String) -> String? {
    guard let name = path.split(separator: "/").last, let dot = name.dropFirst().lastIndex(of: ".") else { return nil }
    let end = name[name.index(after: dot)...].lowercased()
    return end.isEmpty ? nil : end
  }
}

/// What a writer needs to know before the first recording.
package struct RecordWriterOptions: Sendable {
  /// The fields to write, each once.
  package var columns: [String]
  /// Whether those are all the fields there are, so that recordings can be copied as they are stored.
  package var isWhole: Bool
  /// The header, one for each column.
  package var headings: [String]
  /// The members of a JSON file apart from its recordings: the query, its age and its completeness.
  package var head = JSONObject()
  /// Escapes what a terminal could act on.
  package var escapesControls = false
  /// Puts `'` before text that a spreadsheet would run.
  package var isSpreadsheetSafe = false

  /// - Parameters:
  ///   - columns: the columns asked for, `nil` for all.
  ///   - fieldNames: all there are.
  package init(columns: [String]?, headings: [String]? = nil, fieldNames: [String]) {
    self.columns = columns ?? fieldNames
    self.headings = headings ?? self.columns
    isWhole = columns == nil
  }
}

/// Writes recordings into a buffer, one at a time.
package protocol RecordWriter {
  mutating func begin(_ out: inout [UInt8])
  /// - Parameter fields: a recording's fields in canonical JSON.
  mutating func append(fields: UnsafeBufferPointer<UInt8>, to out: inout [UInt8])
  mutating func end(_ out: inout [UInt8])
}
