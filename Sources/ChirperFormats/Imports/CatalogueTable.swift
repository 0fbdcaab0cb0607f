import Chirper
import ChirperModel

/// A table of comma-separated values that a catalogue exports.
struct CatalogueTable: ImportSource {
  let claim: ImportClaim
  var size: Int64 { file.size }
  var neededBytes: Int64 { 3 * size }
  private let file: ReadableFile
  private let rules: ImportRules
  private let headings: [String]
  private static let form = DelimitedRows.Form(separator: 0x2C, quote: 0x22)

  /// Recognises a table by the heading of a catalogue's ids; `nil` if it has none of these.
  ///
  /// - Parameter start: the beginning of the file.
  init?(
    _ file: ReadableFile, _ start: [UInt8], _ claim: ImportClaim, _ catalogues: [Catalogue]
  ) {
    var pieces = [start]
    var rows = DelimitedRows(Self.form) { pieces.popLast() ?? [] }
    guard case .row(let row)? = try? rows.row(),
      let rules = catalogues.lazy.compactMap(\.imports).first(where: {
        $0.isTable && row.cells.contains($0.term)
      })
    else { return nil }
    (self.file, self.claim, self.rules, headings) = (file, claim, rules, row.cells)
  }

  func read(
    staging _: String, _ progress: (Int64) throws -> Void, _ body: ([ImportedRow]) throws -> Void
  ) throws {
    let next = file.pieces()
    var done: Int64 = 0
    var rows = DelimitedRows(Self.form) {
      let piece = try next()
      done += Int64(piece.count)
      return piece
    }
    _ = try rows.row()
    while let result = try rows.row() {
      switch result {
      case .unreadable(let line, let reason):
        try body([.unreadable(line: line, reason: reason)])
      case .row(let row): try body([recordings(row)])
      }
      try progress(done)
    }
  }

  private func recordings(_ row: DelimitedRows.Row) -> ImportedRow {
    guard row.cells.count == headings.count else {
      return .unreadable(line: row.line, reason: "it has not as many cells as the heading")
    }
    let values = zip(headings, row.cells).map { (name: $0, value: $1) }.filter { !$0.value.isEmpty }
    guard let key = values.first(where: { $0.name == rules.term })?.value else {
      return .unreadable(line: row.line, reason: "it has no \(rules.term)")
    }
    let found = rules.recordings(ArchiveRow(key: key, values: values, media: []))
    return found.isEmpty ? .silent : .recordings(found, line: row.line)
  }
}
