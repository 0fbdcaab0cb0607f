import ChirperModel

/// Writes the tidy columns as CSV or TSV.
struct TidyDelimitedWriter: DetailWriter {
  private let columns: [TidyColumn]
  private var cells: CellEncoder

  init(_ form: CellEncoder.Form, _ options: DetailWriterOptions) {
    columns = options.columns
    cells = CellEncoder(form, escapesControls: options.escapesControls, isSpreadsheetSafe: options.isSpreadsheetSafe)
  }

  mutating func begin(_ out: inout [UInt8]) {
    for (index, column) in columns.enumerated() {
      if index > 0 { out.append(cells.separator) }
      out += column.name.utf8
    }
    cells.endLine(&out)
  }

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    let start = out.count
    // By index, because a copy of a column costs more than its value.
    for index in columns.indices {
      if index > 0 { out.append(cells.separator) }
      let value = columns[index].value(of: row)
      guard let text = value.text() else { continue }
      // A number is no text that a spreadsheet would run.
      if value.isText { cells.append(text: text, to: &out) } else { out += text.utf8 }
    }
    // A single empty cell: an empty line would be read as no row at all.
    if columns.count == 1, out.count == start, cells.form == .csv { out += "\"\"".utf8 }
    cells.endLine(&out)
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {}
}

/// Writes the tidy columns as JSON objects that all have the same members, `null` where a value is unknown.
struct TidyJSONWriter: DetailWriter {
  enum Form { case object, lines }

  private let form: Form
  private let provenance: Provenance
  private let properties: TidyObject

  var separator: String { form == .object ? "," : "" }

  init(_ form: Form, _ options: DetailWriterOptions) {
    self.form = form
    provenance = options.provenance
    properties = TidyObject(options.columns)
  }

  mutating func begin(_ out: inout [UInt8]) {
    guard form == .object else { return }
    out += provenance.object.text.utf8.dropLast()
    out += ",\"recordings\":[".utf8
  }

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    if form == .object { out.append(UInt8(ascii: "\n")) }
    properties.append(row, to: &out)
    if form == .lines { out.append(UInt8(ascii: "\n")) }
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    guard form == .object else { return }
    out += "\n],\"upTo\":\(summary.upTo.text)}\n".utf8
  }
}

/// The tidy columns of a recording as a JSON object.
struct TidyObject {
  private let columns: [TidyColumn]
  /// `{"id":,"catalogue":`: what comes before each value, one after the other, and where each ends.
  private var names: [UInt8] = []
  private var ends: [Int] = []

  init(_ columns: [TidyColumn]) {
    self.columns = columns
    for column in columns {
      names += "\(ends.isEmpty ? "{" : ",")\(JSONText.quoted(column.name)):".utf8
      ends.append(names.count)
    }
  }

  func append(_ row: DetailedRecording, to out: inout [UInt8]) {
    var start = 0
    // By index, because a copy of a column costs more than its value.
    for index in columns.indices {
      names.withUnsafeBufferPointer { out.append(contentsOf: UnsafeBufferPointer(rebasing: $0[start..<ends[index]])) }
      start = ends[index]
      let value = columns[index].value(of: row)
      guard let text = value.text() else {
        out += "null".utf8
        continue
      }
      if value.isText { JSONText.append(quoted: text, to: &out) } else { out += text.utf8 }
    }
    out.append(UInt8(ascii: "}"))
  }
}
