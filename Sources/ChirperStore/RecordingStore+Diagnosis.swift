import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// Checks the whole file; takes about as long as reading it.
  package func diagnosis(of directory: URL) throws(StoreError) -> Diagnosis {
    let file = directory.appendingPathComponent(Self.fileName).path
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    let pacing = try pacing()
    return try read { db in
      var problems = try SQLStatement(db, "PRAGMA integrity_check(20)").map { $0.text(0) }.filter { $0 != "ok" }
      problems += try SQLStatement(db, "PRAGMA foreign_key_check")
        .map { "a row of \($0.text(0)) refers to a row of \($0.text(2)) that does not exist" }
      problems += try SQLStatement(db, "SELECT query_id, number FROM page WHERE number > \(PageSummary.greatestNumber)")
        .map { "a page of query \($0.int64(0)) has the impossible number \($0.int64(1))" }
      problems += try SQLStatement(db, "SELECT query_id FROM query ORDER BY query_id")
        .map { try miscounts(queryID: $0.int64(0), db) }.joined()
      let number = { (sql: String) in try SQLStatement(db, sql).first { $0.int(0) } ?? 0 }
      // Fields that are not JSON would make an export malformed.
      let unreadable = try number("SELECT count(*) FROM recording WHERE NOT json_valid(fields)")
      if unreadable > 0 { problems.append("the fields of \(unreadable) recordings are not JSON") }
      return Diagnosis(
        path: file, exists: attributes != nil, isReadOnly: db.configuration.readonly,
        size: (attributes?[.size] as? NSNumber)?.int64Value ?? 0, schemaVersion: try number("PRAGMA user_version"),
        sqliteVersion: try SQLStatement(db, "SELECT sqlite_version()").first { $0.text(0) } ?? "",
        problems: problems, queries: try number("SELECT count(*) FROM query"),
        recordings: try number("SELECT count(*) FROM recording"), pacing: pacing)
    }
  }

  /// The ids of a list in order, and a problem for each page whose row counts are wrong; read in one transaction.
  package func audit(of query: CatalogueQuery) throws(StoreError) -> (ids: [String], problems: [String]) {
    try read { db in
      guard let queryRow = try queryRow(of: query, db) else { return ([], []) }
      var ids: [String] = []
      try forEachID(of: queryRow, db) { ids.append($0) }
      return (ids, try miscounts(queryID: queryRow.queryID, db))
    }
  }

  private func miscounts(queryID: Int64, _ db: Database) throws -> [String] {
    try SQLStatement(
      db,
      """
      SELECT number FROM page WHERE query_id = ?1 AND (row_count, carried_count) <>
        (SELECT count(*) FILTER (WHERE carried = 0), count(*) FILTER (WHERE carried = 1) FROM entry
         WHERE entry.query_id = ?1 AND entry.page = page.number)
      """
    ).map(.int(queryID)) { "page \($0.int(0)) of query \(queryID) has another number of rows than its record says" }
  }
}
