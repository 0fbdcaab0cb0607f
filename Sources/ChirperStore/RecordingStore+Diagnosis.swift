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
      var problems: [String] = []
      try SQLStatement(db, "PRAGMA integrity_check(20)").forEach { row in
        if row.text(0) != "ok" { problems.append(row.text(0)) }
      }
      try SQLStatement(db, "PRAGMA foreign_key_check").forEach { row in
        problems.append("a row of \(row.text(0)) refers to a row of \(row.text(2)) that does not exist")
      }
      try SQLStatement(db, "SELECT query_id, number FROM page WHERE number > \(PageSummary.greatestNumber)").forEach {
        problems.append("a page of query \($0.int64(0)) has the impossible number \($0.int64(1))")
      }
      try SQLStatement(db, "SELECT query_id FROM query ORDER BY query_id").forEach {
        problems += try miscounts(queryID: $0.int64(0), db)
      }
      // Fields that are not JSON would make an export malformed.
      let unreadable =
        try SQLStatement(db, "SELECT count(*) FROM recording WHERE NOT json_valid(fields)").first { $0.int(0) } ?? 0
      if unreadable > 0 { problems.append("the fields of \(unreadable) recordings are not JSON") }
      let number = { (sql: String) in try SQLStatement(db, sql).first { $0.int(0) } ?? 0 }
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
      try SQLStatement(
        db, "SELECT id FROM entry JOIN recording USING (recording_id) WHERE query_id = ? ORDER BY page, position"
      ).forEach(.int(queryRow.queryID)) { ids.append($0.text(0)) }
      return (ids, try miscounts(queryID: queryRow.queryID, db))
    }
  }

  private func miscounts(queryID: Int64, _ db: Database) throws -> [String] {
    var problems: [String] = []
    try SQLStatement(
      db,
      """
      SELECT number FROM page WHERE query_id = ?1 AND (row_count, carried_count) <>
        (SELECT count(*) FILTER (WHERE carried = 0), count(*) FILTER (WHERE carried = 1) FROM entry
         WHERE entry.query_id = ?1 AND entry.page = page.number)
      """
    ).forEach(.int(queryID)) {
      problems.append("page \($0.int(0)) of query \(queryID) has another number of rows than its record says")
    }
    return problems
  }
}
