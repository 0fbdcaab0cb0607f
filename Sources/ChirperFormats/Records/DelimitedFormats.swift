import ChirperModel

extension RecordFormat {
  /// The columns of the table in a pipe: tab-separated, with the table's headings.
  package static let table = RecordFormat("table", isTable: true, writer: { DelimitedWriter(.tsv, $0) })

  /// RFC 4180.
  package static let csv = RecordFormat(
    "csv", fileExtension: "csv", isForSpreadsheets: true, writer: { DelimitedWriter(.csv, $0) },
    details: { TidyDelimitedWriter(.csv, $0) })

  /// Tab-separated, with `\t`, `\n`, `\r` and `\\` in values (docs/decisions/0007).
  package static let tsv = RecordFormat(
    "tsv", fileExtension: "tsv", isForSpreadsheets: true, writer: { DelimitedWriter(.tsv, $0) },
    details: { TidyDelimitedWriter(.tsv, $0) })
}

/// Writes a header and one line per recording.
struct DelimitedWriter: RecordWriter {
  private let options: RecordWriterOptions
  private var locator: ColumnLocator
  private var cells: CellEncoder

  init(_ form: CellEncoder.Form, _ options: RecordWriterOptions) {
    self.options = options
    locator = ColumnLocator(options.columns)
    cells = CellEncoder(form, escapesControls: options.escapesControls, isSpreadsheetSafe: options.isSpreadsheetSafe)
  }

  mutating func begin(_ out: inout [UInt8]) {
    let start = out.count
    for (index, text) in options.headings.enumerated() {
      if index > 0 { out.append(cells.separator) }
      cells.append(text: text, to: &out)
    }
    finishLine(from: start, count: options.headings.count, &out)
  }

  mutating func append(fields object: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    let start = out.count
    locator.locate(in: object)
    for (index, range) in locator.ranges.enumerated() {
      if index > 0 { out.append(cells.separator) }
      if !range.isEmpty { cells.append(json: UnsafeBufferPointer(rebasing: object[range]), to: &out) }
    }
    finishLine(from: start, count: options.columns.count, &out)
  }

  mutating func end(_ out: inout [UInt8]) {}

  /// A single empty cell is written as `""`: an empty line would be read as no row at all.
  private func finishLine(from start: Int, count: Int, _ out: inout [UInt8]) {
    if count == 1, out.count == start, cells.form == .csv { out.append(contentsOf: "\"\"".utf8) }
    cells.endLine(&out)
  }
}
