import ChirperModel
import Foundation
import GRDB

/// A report on the rows that forgetting a query removed.
public struct ForgetReport: Hashable, Sendable {
  /// Pages that were removed.
  package internal(set) var pages: Int = 0
  /// Rows of the list.
  public internal(set) var rows: Int = 0
  /// Recordings that were in no other list and were deleted.
  public internal(set) var recordings: Int = 0
  /// Deleted recordings that have labels, which stay.
  package internal(set) var labelled = 0
  /// Audio files of these recordings that were removed.
  public var audioFiles = 0
  /// Bytes of these files.
  public var audioBytes: Int64 = 0
  /// Links to audio of these recordings that were removed; the files that they led to were left.
  package var audioLinks = 0
}

extension RecordingStore {
  /// Deletes a query, its pages, and the recordings that are, or were, in no other list,
  /// then gives the space back to the file system.
  ///
  /// A long list is deleted from its end, in steps, so that others write between them.
  /// After an error or a kill the first pages of the list are left, as after a fetch that
  /// did not reach the end.
  ///
  /// - Returns: A report on the removed rows, and the ids of the recordings; `nil` if the
  ///   query is not stored.
  package func forget(_ query: CatalogueQuery) throws(StoreError) -> (
    report: ForgetReport, recordings: [RecordingID]
  )? {
    var report = ForgetReport()
    var ids: [RecordingID] = []
    var isStored = false
    while try write({ db in try forgetStep(query, &report, &ids, db) }) {
      isStored = true
      giveBackSpace()
    }
    guard isStored else { return nil }
    // A write-ahead log, if there is one, still has what the steps have written.
    _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    return (report, ids)
  }

  /// The rows that one transaction deletes, apart from the rest of the last page.
  static let rowsPerStep = 1000

  /// Deletes the last pages; without pages, the recordings that left the list; without
  /// those, the query.
  ///
  /// - Returns: `false` if the query is not stored.
  func forgetStep(
    _ query: CatalogueQuery, _ report: inout ForgetReport, _ ids: inout [RecordingID],
    _ db: Database
  ) throws -> Bool {
    guard let queryRow = try queryRow(of: query, db) else { return false }
    let id = queryRow.queryID
    var rows = 0
    // A list that is short is deleted in one transaction.
    while rows < Self.rowsPerStep {
      let last = try db.firstRow(
        "SELECT number, row_count + carried_count FROM page WHERE query_id = ? ORDER BY number DESC LIMIT 1",
        id
      ) { (number: $0.int64(0), rows: $0.count(1)) }
      let keys =
        if let last {
          try db.rows(
            "SELECT recording_id FROM entry WHERE query_id = ? AND page = ?", id, last.number
          ) { $0.int64(0) }
        } else {
          try db.rows(
            "SELECT recording_id FROM departure WHERE query_id = ? LIMIT \(Self.rowsPerStep)", id
          ) { $0.int64(0) }
        }
      if let last {
        try db.run("DELETE FROM page WHERE query_id = ? AND number = ?", id, last.number)
        report.pages += 1
        report.rows += last.rows
      } else if keys.isEmpty {
        try db.run("DELETE FROM query WHERE query_id = ?", id)
        return true
      }
      let deleted = try keys.filter { try remove($0, from: queryRow, &ids, &report, db) }
      try SearchIndexChanges(db).noteDeletion(of: deleted)
      report.recordings += deleted.count
      rows += max(1, keys.count)
    }
    try abandonWalk(queryRow, db)
    return true
  }

  /// Removes a recording from a list, and from the store if no list has it or had it.
  ///
  /// - Returns: Whether it was in no other list.
  private func remove(
    _ key: Int64, from queryRow: QueryRow, _ ids: inout [RecordingID],
    _ report: inout ForgetReport, _ db: Database
  ) throws -> Bool {
    for table in ["arrival", "departure"] {
      try db.run(
        "DELETE FROM \(table) WHERE recording_id = ? AND query_id = ?", key, queryRow.queryID)
    }
    guard try !isListed(key, db) else { return false }
    let id = try db.firstRow("SELECT id FROM recording WHERE recording_id = ?", key) { $0.text(0) }
    if let id {
      ids.append(RecordingID(catalogue: queryRow.query.catalogue, value: id))
      let hasLabels = try db.hasRow(
        "SELECT 1 FROM label WHERE catalogue_id = ? AND id = ?", queryRow.catalogueID, id)
      if hasLabels { report.labelled += 1 }
    }
    try db.run("DELETE FROM recording WHERE recording_id = ?", key)
    return true
  }

  /// Deletes the queries that never had rows and were fetched last before that moment.
  package func forgetMisses(before moment: Date) throws(StoreError) {
    // One step in an index for each query; nothing is written if none is found.
    let select = """
      SELECT query_id FROM query AS q
      WHERE completeness IS NOT NULL AND EXISTS (SELECT 1 FROM page WHERE query_id = q.query_id)
        AND NOT EXISTS (SELECT 1 FROM departure WHERE query_id = q.query_id)
        AND NOT EXISTS (
          SELECT 1 FROM page
          WHERE query_id = q.query_id AND (row_count > 0 OR carried_count > 0 OR skipped > 0 OR fetched_at >= ?))
      """
    let misses = try read { db in try db.rows(select, moment) { $0.int64(0) } }
    guard !misses.isEmpty else { return }
    try write { db in
      for query in try db.rows(select, moment, body: { $0.int64(0) }) {
        try db.run("DELETE FROM query WHERE query_id = ?", query)
      }
    }
  }

  /// Pages that one transaction moves: 4 MB, so that other processes wait only for a moment.
  private static let pagesPerStep = 1024

  /// Gives the space that deleted rows leave in the file back to the file system (decision
  /// 0018). It is called after each step, because SQLite searches the list of all free
  /// pages for each page that it gives back.
  ///
  /// The rows are deleted already, so an error ends only this. On a full disk, while a
  /// different process holds a lock, or after a kill, the file stays as long as it was, and
  /// the next call continues.
  func giveBackSpace() {
    let freePages = { (db: Database) in
      try db.firstRow("PRAGMA freelist_count") { $0.int64(0) } ?? 0
    }
    var before = Int64.max
    while let left = try? read(freePages), left > 0, left < before {
      before = left
      try? write { try $0.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesPerStep))") }
    }
  }

  /// The recordings that are, or were, in these lists and in no other: those that forgetting all of
  /// them deletes.
  package func recordings(onlyIn queries: [CatalogueQuery]) throws(StoreError) -> [RecordingID] {
    try read { db in
      let queryRows = try queries.compactMap { try queryRow(of: $0, db) }
      let catalogues = Dictionary(queryRows.map { ($0.catalogueID, $0.query.catalogue) }) {
        first, _ in first
      }
      let lists = "(\(queryRows.map { "\($0.queryID)" }.joined(separator: ", ")))"
      return try db.rows(
        """
        SELECT id, catalogue_id FROM recording AS r
        WHERE recording_id IN (
            SELECT recording_id FROM entry WHERE query_id IN \(lists)
            UNION ALL SELECT recording_id FROM departure WHERE query_id IN \(lists))
          AND NOT EXISTS (SELECT 1 FROM entry WHERE recording_id = r.recording_id AND query_id NOT IN \(lists))
          AND NOT EXISTS (SELECT 1 FROM departure WHERE recording_id = r.recording_id AND query_id NOT IN \(lists))
        """
      ) { row in
        RecordingID(
          catalogue: catalogues[row.int64(1)] ?? CatalogueID(rawValue: ""), value: row.text(0))
      }
    }
  }
}
