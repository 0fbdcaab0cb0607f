import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// Every stored query, the most recently fetched first.
  package func storedQueries() throws(StoreError) -> [StoredQuery] {
    try read { db in
      var queryRows: [QueryRow] = []
      try SQLStatement(db, QueryRow.select(schemaVersion) + " ORDER BY query_id").forEach { queryRows.append(try QueryRow($0)) }
      return try queryRows.map { try storedQuery($0, db) }
        .sorted { ($0.newestFetchedAt, $0.query.text) > ($1.newestFetchedAt, $1.query.text) }
    }
  }

  /// What is stored of a query; `nil`: never fetched.
  package func stored(_ query: SearchQuery) throws(StoreError) -> StoredQuery? {
    try read { db in try queryRow(of: query, db).map { try storedQuery($0, db) } }
  }

  func queryRow(of query: SearchQuery, _ db: Database) throws -> QueryRow? {
    try SQLStatement(db, QueryRow.select(schemaVersion) + " WHERE catalogue.name = ? AND text = ? AND page_size = ?")
      .first(.text(query.catalogue.rawValue), .text(query.text), .int(query.pageSize)) { try QueryRow($0) }
  }

  /// Reads the page records only: as many rows as there are pages, however long the list is.
  func storedQuery(_ queryRow: QueryRow, _ db: Database) throws -> StoredQuery {
    var pages = PageSummary(walk: queryRow.walk)
    let records = schemaVersion >= Self.recordsVersion ? "records" : "NULL"
    try SQLStatement(
      db,
      """
      SELECT number, walk, fetched_at, total, total_pages, total_species, next, skipped, row_count, kept_count, \(records)
      FROM page WHERE query_id = ? ORDER BY number
      """
    ).forEach(.int(queryRow.queryID)) { pages.add($0) }
    let reachedEnd = queryRow.claim != nil
    let completeness: Completeness =
      switch queryRow.claim {
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
  let query: SearchQuery
  let walk: Int
  let isOpen: Bool
  let isChanged: Bool
  let isShifted: Bool
  let claim: Claim?
  let checkedAt: Int64?
  let walkedAt: Int64?

  enum Claim: String {
    case complete, verified, shifted
  }

  /// In a store of that version; the day of the last walk is stored from version 4 on.
  static func select(_ schemaVersion: Int) -> String {
    """
    SELECT query_id, catalogue_id, catalogue.name, text, page_size, typed, sent, walk, walk_open, walk_changed,
      walk_shifted, claim, checked_at, \(schemaVersion >= 4 ? "walked_at" : "NULL")
    FROM query JOIN catalogue USING (catalogue_id)
    """
  }

  /// Fails for a page size that the schema forbids, because page counts divide by it.
  init(_ row: SQLRow) throws {
    guard row.count(4) > 0 else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a stored query has no page size")
    }
    queryID = row.int64(0)
    catalogueID = row.int64(1)
    query = SearchQuery(
      catalogue: CatalogueID(rawValue: row.text(2)), text: row.text(3), pageSize: row.count(4), typed: row.text(5),
      sent: row.text(6))
    walk = row.count(7)
    isOpen = row.flag(8)
    isChanged = row.flag(9)
    isShifted = row.flag(10)
    claim = row.optionalText(11).flatMap(Claim.init)
    checkedAt = row.isNull(12) ? nil : row.int64(12)
    walkedAt = row.isNull(13) ? nil : row.int64(13)
  }
}

/// The sums over a query's page records.
private struct PageSummary {
  let walk: Int
  var count = 0
  var countInWalk = 0
  var rows = 0
  var records = 0
  var skipped = 0
  var totals: Totals?
  var oldest: Int64?
  var newest: Int64?
  /// The first page that the walk has not read; `nil` once it read the last.
  var next: Int? = 1

  init(walk: Int) {
    self.walk = walk
  }

  mutating func add(_ row: SQLRow) {
    let number = row.count(0)
    let fetchedAt = row.int64(2)
    count += 1
    skipped += row.count(7)
    rows += row.count(8) + row.count(9)
    records += row.optionalCount(10) ?? row.count(8) + row.count(9)
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
  public let pages: Int
  /// Rows of the list.
  public let rows: Int
  /// Recordings that were in no other list and were deleted.
  public let recordings: Int
}

extension RecordingStore {
  /// Deletes a query, its pages, and the recordings that are, or were, in no other list; `nil` if the query is not stored.
  package func forget(_ query: SearchQuery) throws(StoreError) -> ForgetReport? {
    try write { db in
      guard let queryRow = try queryRow(of: query, db) else { return nil }
      let stored = try storedQuery(queryRow, db)
      var held: [Int64] = []
      try SQLStatement(
        db,
        """
        SELECT recording_id FROM entry WHERE query_id = ?1
        UNION ALL SELECT recording_id FROM departure WHERE query_id = ?1
        """
      ).forEach(.int(queryRow.queryID)) { held.append($0.int64(0)) }
      try SQLStatement(db, "DELETE FROM query WHERE query_id = ?").run(.int(queryRow.queryID))
      let before = db.totalChangesCount
      for recording in held {
        try SQLStatement(
          db,
          """
          DELETE FROM recording WHERE recording_id = ?1
            AND NOT EXISTS (SELECT 1 FROM entry WHERE recording_id = ?1)
            AND NOT EXISTS (SELECT 1 FROM departure WHERE recording_id = ?1)
          """
        ).run(.int(recording))
      }
      return ForgetReport(pages: stored.pagesStored, rows: stored.count, recordings: db.totalChangesCount - before)
    }
  }
}
