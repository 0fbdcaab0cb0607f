import Chirper
import ChirperModel

/// A file of which each row is a record: a table with a heading, or lines of JSON.
struct RecordFile: ImportSource {
  let claim: ImportClaim
  let advice: String
  let size: Int64
  var neededBytes: Int64 { 3 * size }
  private let name: String
  private let form: DelimitedRows.Form
  private let pieces: @Sendable () throws -> () throws -> [UInt8]
  private let imported: @Sendable (_ record: RecordingFields, _ line: Int) -> ImportedRow

  /// - Parameters:
  ///   - name: the name of the file, in messages.
  ///   - form: that of the table; `.lines` for JSON.
  ///   - advice: the advice if no row has a sound.
  ///   - pieces: returns a function that reads the file from its beginning.
  ///   - imported: returns what a record becomes. That of a table has a text for each cell that is
  ///     not empty, by its heading.
  init(
    _ name: String, _ form: DelimitedRows.Form, _ claim: ImportClaim, advice: String, size: Int64,
    _ pieces: @escaping @Sendable () throws -> () throws -> [UInt8],
    _ imported: @escaping @Sendable (_ record: RecordingFields, _ line: Int) -> ImportedRow
  ) {
    self.name = name
    self.form = form
    self.claim = claim
    self.advice = advice
    self.size = size
    self.pieces = pieces
    self.imported = imported
  }

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
