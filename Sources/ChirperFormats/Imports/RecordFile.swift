import Chirper
import ChirperModel

/// A file of which each row is a record: a table with a heading, or lines of JSON.
struct RecordFile: ImportSource {
  /// The name of the file, in messages.
  let name: String
  /// The form of the table; `.lines` for JSON.
  let form: DelimitedRows.Form
  let claim: ImportClaim
  /// The advice if no row has a sound.
  let advice: String
  let size: Int64
  var neededBytes: Int64 { 3 * size }
  /// Returns a function that reads the file from its beginning.
  let pieces: @Sendable () throws -> () throws -> [UInt8]
  /// Returns what a record becomes. The record of a table has a text for each cell that is not
  /// empty, by its heading.
  let imported: @Sendable (_ record: RecordingFields, _ line: Int) -> ImportedRow

  func read(
    staging _: String, _ progress: (Int64) throws -> Void, _ body: (ImportedRow) throws -> Void
  ) throws {
    let next = try pieces()
    var columns = RecordColumns?.none
    let bytes = ReadBytes()
    var rows = DelimitedRows(form) { bytes.counted(try next()) }
    try rows.read({ try progress(bytes.read) }, body) { row, headings in
      if form == .lines {
        guard let record = try? RecordingFields(parsing: row[0]) else {
          return .unreadable(line: row.line, reason: "it is not an object of JSON")
        }
        return imported(record, row.line)
      }
      let known = columns ?? RecordColumns(headings)
      columns = known
      let record = known.record(of: row)
      try bytes.write(record, name)
      guard record.bytes.count <= DelimitedRows.rowLimit else {
        return .unreadable(
          line: row.line, reason: "it has more than \(DelimitedRows.rowLimit) bytes")
      }
      return imported(record, row.line)
    }
  }
}

extension DelimitedRows.Form {
  /// Lines of JSON, each of one cell: no JSON has a zero.
  static let lines = DelimitedRows.Form(separator: 0)
}

extension ImportRules {
  /// The result for a row of the catalogue's table.
  func imported(_ record: RecordingFields, line: Int) -> ImportedRow {
    guard let key = record[term]?.text else {
      return .unreadable(line: line, reason: "it has no \(term)")
    }
    return recordings(ArchiveRow(line: line, key: key, record: record))
  }
}
