import Chirper
import ChirperModel

/// A table of comma-separated values that a catalogue exports.
struct CatalogueTable: ImportSource {
  let claim: ImportClaim
  var advice: String { rules.advice }
  var size: Int64 { file.size }
  var neededBytes: Int64 { 3 * size }
  private let file: ReadableFile
  private let form: DelimitedRows.Form
  private let rules: ImportRules

  /// Recognises a table by the heading of a catalogue's ids; `nil` if it has none of these.
  init?(
    _ file: ReadableFile, _ form: DelimitedRows.Form, _ headings: [String], _ claim: ImportClaim,
    _ catalogues: [Catalogue]
  ) {
    let rules = catalogues.lazy.compactMap(\.imports).first {
      $0.isTable && headings.contains($0.term)
    }
    guard let rules else { return nil }
    (self.file, self.form, self.claim, self.rules) = (file, form, claim, rules)
  }

  func read(
    staging _: String, _ progress: (Int64) throws -> Void, _ body: (ImportedRow) throws -> Void
  ) throws {
    var (columns, bytes) = (RecordColumns?.none, ReadBytes())
    let next = file.pieces()
    var rows = DelimitedRows(form) { bytes.counted(try next()) }
    try rows.read({ try progress(bytes.read) }, body) { row, headings in
      let known = columns ?? RecordColumns(headings)
      columns = known
      let record = known.record(of: row)
      try bytes.write(record, file.name)
      guard record.bytes.count <= DelimitedRows.rowLimit else {
        return .unreadable(
          line: row.line, reason: "it has more than \(DelimitedRows.rowLimit) bytes")
      }
      guard let key = record[rules.term]?.text else {
        return .unreadable(line: row.line, reason: "it has no \(rules.term)")
      }
      return rules.recordings(ArchiveRow(line: row.line, key: key, record: record))
    }
  }
}
