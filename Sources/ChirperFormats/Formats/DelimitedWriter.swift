extension RecordFormat {
  /// The columns of the table in a pipe: tab-separated, with the table's headings.
  package static let table = RecordFormat(name: "table", isTable: true, content: .cells(.tsv))

  /// Comma-separated values (RFC 4180), with a line of headings.
  public static let csv = RecordFormat(
    name: "csv", title: "CSV: spreadsheets, pandas, R", mediaType: "text/csv; charset=utf-8",
    fileExtension: "csv", content: .cells(.csv))

  /// Tab-separated, with `\t`, `\n`, `\r` and `\\` in values.
  public static let tsv = RecordFormat(
    name: "tsv", title: "TSV", mediaType: "text/tab-separated-values; charset=utf-8",
    fileExtension: "tsv", content: .cells(.tsv))
}

/// A line of headings, then a line of cells for each row: CSV, TSV, and the table in a pipe.
struct DelimitedWriter<Columns: ColumnEncoder>: RowWriter {
  var columns: Columns
  let cells: CellEncoder
  var isWritten: @Sendable (Columns.Row) -> Bool = { _ in true }

  mutating func begin(_ out: inout [UInt8]) {
    // Excel takes a file without a byte order mark for one in the system's old encoding.
    if cells.isSpreadsheetSafe { out += [0xEF, 0xBB, 0xBF] }
    let headings = columns.headings
    cells.appendLine(headings.count, to: &out) { index, out in
      cells.append(text: headings[index], to: &out)
    }
  }

  mutating func append(_ row: Columns.Row, to out: inout [UInt8]) -> Bool {
    guard isWritten(row) else { return false }
    columns.appendLine(row, with: cells, to: &out)
    return true
  }
}
