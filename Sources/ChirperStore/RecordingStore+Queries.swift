import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// Every stored query, the most recently fetched first.
  package func storedQueries() throws(StoreError) -> [StoredQuery] {
    try read { db in
      var heads: [QueryRow] = []
      try SQLStatement(db, QueryRow.select + " ORDER BY query_id").forEach { heads.append(try QueryRow($0)) }
      return try heads.map { try storedQuery($0, db) }
        .sorted { ($0.newestFetchedAt, $0.query.text) > ($1.newestFetchedAt, $1.query.text) }
    }
  }

  /// What is stored of a query; `nil`: never fetched.
  package func stored(_ query: SearchQuery) throws(StoreError) -> StoredQuery? {
    try read { db in try head(of: query, db).map { try storedQuery($0, db) } }
  }

  func head(of query: SearchQuery, _ db: Database) throws -> QueryRow? {
    try SQLStatement(db, QueryRow.select + " WHERE catalogue.name = ? AND text = ? AND page_size = ?")
      .first(.text(query.catalogue.rawValue), .text(query.text), .int(query.pageSize)) { try QueryRow($0) }
  }

  /// Counts are read from the page marks: as many rows as there are pages, whatever the length of the list.
  func storedQuery(_ head: QueryRow, _ db: Database) throws -> StoredQuery {
    var marks = MarkSummary(walk: head.walk)
    try SQLStatement(
      db,
      """
      SELECT number, walk, fetched_at, total, total_pages, total_species, next, skipped, row_count, kept_count
      FROM page WHERE query_id = ? ORDER BY number
      """
    ).forEach(.int(head.queryID)) { marks.add($0) }
    let reachedEnd = head.claim != nil
    let completeness: Completeness =
      switch head.claim {
      case .complete: .complete
      case .verified: .verified
      case .shifted: .shifted(rows: marks.count, total: marks.totals?.recordings)
      case nil: .partial(pages: marks.pagesInWalk, of: marks.totals?.pages)
      }
    return StoredQuery(
      query: head.query, count: marks.count, pagesStored: marks.pages, totals: marks.totals,
      next: reachedEnd ? nil : marks.next, completeness: completeness,
      oldestFetchedAt: Date(milliseconds: marks.oldest ?? 0), newestFetchedAt: Date(milliseconds: marks.newest ?? 0),
      skipped: marks.skipped, checkedAt: head.checkedAt.map(Date.init(milliseconds:)))
  }
}

/// A row of `query`.
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

  enum Claim: String {
    case complete, verified, shifted
  }

  static let select = """
    SELECT query_id, catalogue_id, catalogue.name, text, page_size, typed, sent, walk, walk_open, walk_changed,
      walk_shifted, claim, checked_at
    FROM query JOIN catalogue USING (catalogue_id)
    """

  /// The table's own columns, read one by one by a repair.
  static let table = """
    SELECT query_id, catalogue_id, text, page_size, typed, sent, walk, walk_open, walk_changed, walk_shifted, claim,
      checked_at
    FROM query
    """

  /// Fails for a page size that the schema forbids: pages would be counted by dividing by it.
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
  }
}

/// What the marks of a query's pages add up to.
private struct MarkSummary {
  let walk: Int
  var pages = 0
  var pagesInWalk = 0
  var count = 0
  var skipped = 0
  var totals: Totals?
  var oldest: Int64?
  var newest: Int64?
  /// The first page the walk has not read, `nil` once it read the last.
  var next: Int? = 1

  init(walk: Int) {
    self.walk = walk
  }

  mutating func add(_ row: SQLRow) {
    let number = row.count(0)
    let fetchedAt = row.int64(2)
    pages += 1
    skipped += row.count(7)
    count += row.count(8) + row.count(9)
    oldest = min(oldest ?? fetchedAt, fetchedAt)
    if newest == nil || fetchedAt >= newest ?? 0 {
      newest = fetchedAt
      totals = row.optionalCount(3).map {
        Totals(recordings: $0, pages: row.optionalCount(4) ?? 0, species: row.optionalCount(5))
      }
    }
    if row.count(1) == walk {
      pagesInWalk += 1
      if next == number { next = row.isNull(6) ? nil : number + 1 }
    }
  }
}
