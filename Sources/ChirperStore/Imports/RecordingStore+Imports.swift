import ChirperModel
import GRDB

/// The claims of lists that were imported.
extension RecordingStore {
  /// Stores the claim of a list, which it then has in place of its completeness.
  ///
  /// - Throws: `.queryForgotten`.
  package func setImport(
    _ claim: ImportClaim, of query: CatalogueQuery
  ) throws(StoreError) {
    try write { db in
      guard let queryRow = try queryRow(of: query, db) else { throw StoreError(.queryForgotten) }
      try setImport(claim, of: queryRow, db)
    }
  }

  func setImport(_ claim: ImportClaim, of queryRow: QueryRow, _ db: Database) throws {
    let lines = claim.unread.map { "\($0.line) \($0.reason)\n" }.joined()
    try db.run(
      "INSERT OR REPLACE INTO import VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      queryRow.queryID, claim.doi, claim.title, claim.madeOn, claim.file, claim.fingerprint,
      claim.rows, claim.silent, claim.unreadable, lines, claim.citations, claim.rights)
  }

  func importClaim(of queryRow: QueryRow, _ db: Database) throws -> ImportClaim? {
    // The texts can be long, and this is read after every page.
    try db.firstRow(
      """
      SELECT doi, title, made_on, file, fingerprint, row_count, silent_count, unreadable_count, unreadable
      FROM import WHERE query_id = ?
      """, queryRow.queryID
    ) { row in
      var claim = ImportClaim(file: row.text(3), fingerprint: row.text(4))
      claim.doi = row.optionalText(0)
      claim.title = row.optionalText(1)
      claim.madeOn = row.optionalText(2)
      claim.rows = row.count(5)
      claim.silent = row.count(6)
      claim.unreadable = row.count(7)
      claim.unread = row.text(8).split(separator: "\n").prefix(ImportClaim.unreadLimit).compactMap {
        let parts = $0.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let line = Int(parts[0]) else { return nil }
        return ImportClaim.UnreadRow(line: line, reason: String(parts[1]))
      }
      return claim
    }
  }

  /// The texts about citing and rights that the file of a list had.
  package func importTexts(
    of query: CatalogueQuery
  ) throws(StoreError) -> (citations: String?, rights: String?) {
    try read { db in
      guard let queryRow = try queryRow(of: query, db) else { return (nil, nil) }
      return try db.firstRow(
        "SELECT citations, rights FROM import WHERE query_id = ?", queryRow.queryID
      ) { ($0.optionalText(0), $0.optionalText(1)) } ?? (nil, nil)
    }
  }
}
