import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// Every stored query, the most recently fetched first.
  package func storedQueries() throws(StoreError) -> [StoredQuery] {
    try read { db in
      var queryRows: [QueryRow] = []
      try SQLStatement(db, QueryRow.select + " ORDER BY query_id").forEach { queryRows.append(try QueryRow($0)) }
      return try queryRows.map { try storedQuery($0, db) }
        .sorted { ($0.newestFetchedAt, $0.query.text) > ($1.newestFetchedAt, $1.query.text) }
    }
  }

  /// What is stored of a query; `nil`: never fetched.
  package func stored(_ query: CatalogueQuery) throws(StoreError) -> StoredQuery? {
    try read { db in try queryRow(of: query, db).map { try storedQuery($0, db) } }
  }

  func queryRow(of query: CatalogueQuery, _ db: Database) throws -> QueryRow? {
    try SQLStatement(db, QueryRow.select + " WHERE catalogue.name = ? AND text = ? AND page_size = ?")
      .first(.text(query.catalogue.rawValue), .text(query.text), .int(query.pageSize)) { try QueryRow($0) }
  }

  /// Reads the page records only: as many rows as there are pages, however long the list is.
  func storedQuery(_ queryRow: QueryRow, _ db: Database) throws -> StoredQuery {
    var pages = PageSummary(walk: queryRow.walk)
    try SQLStatement(
      db,
      """
      SELECT number, walk, fetched_at, total, total_pages, total_species, next, skipped, row_count, carried_count, records
      FROM page WHERE query_id = ? ORDER BY number
      """
    ).forEach(.int(queryRow.queryID)) { try pages.add($0) }
    let reachedEnd = queryRow.completeness != nil
    let completeness: Completeness =
      switch queryRow.completeness {
      case .complete: .complete
      case .verified: .verified
      case .shifted: .shifted(rows: pages.records, total: pages.totals?.recordings)
      case nil: .partial(pages: pages.countInWalk, of: pages.totals?.pages)
      }
    return StoredQuery(
      query: queryRow.query, count: pages.rows, pagesStored: pages.count, totals: pages.totals,
      next: reachedEnd ? nil : pages.next, completeness: completeness,
      oldestFetchedAt: Date(milliseconds: pages.oldest ?? 0), newestFetchedAt: Date(milliseconds: pages.newest ?? 0),
      skipped: pages.skipped, checkedAt: queryRow.checkedAt.map(Date.init(milliseconds:)),
      walkedAt: queryRow.walkedAt.map(Date.init(milliseconds:)), records: pages.records)
  }
}

/// A row of the table `query`.
struct QueryRow {
  let queryID: Int64
  let catalogueID: Int64
  let query: CatalogueQuery
  let walk: Int
  let isOpen: Bool
  let isChanged: Bool
  let isShifted: Bool
  let completeness: StoredCompleteness?
  let checkedAt: Int64?
  let walkedAt: Int64?

  /// What the last closed walk showed, as the column has it.
  enum StoredCompleteness: String {
    case complete, verified, shifted
  }

  static let select = """
    SELECT query_id, catalogue_id, catalogue.name, text, page_size, typed, sent, walk, walk_open, walk_changed,
      walk_shifted, completeness, checked_at, walked_at
    FROM query JOIN catalogue USING (catalogue_id)
    """

  /// Fails for a page size that the schema forbids, because page counts divide by it.
  init(_ row: SQLRow) throws {
    guard row.count(4) > 0 else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a stored query has no page size")
    }
    queryID = row.int64(0)
    catalogueID = row.int64(1)
    query = CatalogueQuery(
      catalogue: CatalogueID(rawValue: row.text(2)), text: row.text(3), pageSize: row.count(4), typed: row.text(5),
      sent: row.text(6))
    walk = row.count(7)
    isOpen = row.flag(8)
    isChanged = row.flag(9)
    isShifted = row.flag(10)
    completeness = row.optionalText(11).flatMap(StoredCompleteness.init)
    checkedAt = row.isNull(12) ? nil : row.int64(12)
    walkedAt = row.isNull(13) ? nil : row.int64(13)
  }
}

enum PageRecordLimit {
  /// More pages than a walk can read: at one request a second it would take a week.
  static let number = 1_000_000
}

/// The sums over a query's page records.
private struct PageSummary {
  let walk: Int
  var count = 0
  var countInWalk = 0
  // In 64 bits on every platform: a damaged file may have any number of great counts.
  private var (rowSum, recordSum, skippedSum): (Int64, Int64, Int64) = (0, 0, 0)
  var rows: Int { Int(clamping: rowSum) }
  var records: Int { Int(clamping: recordSum) }
  var skipped: Int { Int(clamping: skippedSum) }
  var totals: Totals?
  var oldest: Int64?
  var newest: Int64?
  /// The first page that the walk has not read; `nil` once it read the last.
  var next: Int? = 1

  init(walk: Int) {
    self.walk = walk
  }

  /// Fails for a page number that no walk reaches, because others count up to it.
  mutating func add(_ row: SQLRow) throws {
    let number = row.count(0)
    guard number <= PageRecordLimit.number else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a stored page has the impossible number \(row.int64(0))")
    }
    let fetchedAt = row.int64(2)
    count += 1
    skippedSum += Int64(row.count(7))
    rowSum += Int64(row.count(8) + row.count(9))
    recordSum += Int64(row.optionalCount(10) ?? row.count(8) + row.count(9))
    oldest = min(oldest ?? fetchedAt, fetchedAt)
    if newest == nil || fetchedAt >= newest ?? 0 {
      newest = fetchedAt
      totals = row.optionalCount(3).map {
        Totals(recordings: $0, pages: row.optionalCount(4) ?? 0, species: row.optionalCount(5))
      }
    }
    if row.count(1) == walk {
      countInWalk += 1
      if next == number { next = row.isNull(6) ? nil : number + 1 }
    }
  }
}

/// What forgetting a query removed.
public struct ForgetReport: Equatable, Sendable {
  /// Pages that were removed.
  public let pages: Int
  /// Rows of the list.
  public let rows: Int
  /// Recordings that were in no other list and were deleted.
  public let recordings: Int
  /// Audio files of these recordings that were removed.
  public var audioFiles = 0
  /// Bytes of these files.
  public var audioBytes: Int64 = 0
}

extension RecordingStore {
  /// Deletes a query, its pages, and the recordings that are, or were, in no other list, then gives the space back to the
  /// file system; `nil` if the query is not stored.
  ///
  /// - Returns: what that removed, and the ids of the recordings.
  package func forget(_ query: CatalogueQuery) throws(StoreError) -> (report: ForgetReport, recordings: [RecordingID])? {
    let forgotten = try delete(query)
    if forgotten != nil { giveBackSpace() }
    return forgotten
  }

  private func delete(_ query: CatalogueQuery) throws(StoreError) -> (report: ForgetReport, recordings: [RecordingID])? {
    try write { db in
      guard let queryRow = try queryRow(of: query, db) else { return nil }
      let stored = try storedQuery(queryRow, db)
      let recordings = try recordings(onlyIn: [queryRow], db)
      try SQLStatement(db, "DELETE FROM query WHERE query_id = ?").run(.int(queryRow.queryID))
      for recording in recordings {
        try SQLStatement(db, "DELETE FROM recording WHERE recording_id = ?").run(.int(recording.key))
      }
      try SearchIndexChanges(db).noteDeletion(of: recordings.map(\.key))
      let report = ForgetReport(pages: stored.pagesStored, rows: stored.count, recordings: recordings.count)
      return (report, recordings.map(\.id))
    }
  }

  /// The recordings that are, or were, in these lists and in no other: those that forgetting all of them deletes.
  package func recordings(onlyIn queries: [CatalogueQuery]) throws(StoreError) -> [RecordingID] {
    try read { db in
      let queryRows = try queries.compactMap { try queryRow(of: $0, db) }
      return try recordings(onlyIn: queryRows, db).map(\.id)
    }
  }

  private func recordings(onlyIn queryRows: [QueryRow], _ db: Database) throws -> [(key: Int64, id: RecordingID)] {
    let others = "query_id NOT IN (\(queryRows.map { "\($0.queryID)" }.joined(separator: ", ")))"
    var found: [(key: Int64, id: RecordingID)] = []
    var seen: Set<Int64> = []
    for queryRow in queryRows {
      var held: [Int64] = []
      try SQLStatement(
        db,
        """
        SELECT recording_id FROM entry WHERE query_id = ?1
        UNION ALL SELECT recording_id FROM departure WHERE query_id = ?1
        """
      ).forEach(.int(queryRow.queryID)) { held.append($0.int64(0)) }
      for key in held where seen.insert(key).inserted {
        let id = try SQLStatement(
          db,
          """
          SELECT id FROM recording WHERE recording_id = ?1
            AND NOT EXISTS (SELECT 1 FROM entry WHERE recording_id = ?1 AND \(others))
            AND NOT EXISTS (SELECT 1 FROM departure WHERE recording_id = ?1 AND \(others))
          """
        ).first(.int(key)) { $0.text(0) }
        if let id { found.append((key, RecordingID(catalogue: queryRow.query.catalogue, value: id))) }
      }
    }
    return found
  }
}
