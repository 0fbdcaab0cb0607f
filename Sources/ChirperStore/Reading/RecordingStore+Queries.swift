import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// Every stored query, the most recently fetched first.
  package func storedQueries() throws(StoreError) -> [StoredQuery] {
    try read { db in
      try SQLStatement(db, QueryRow.select + " ORDER BY query_id").map { try QueryRow($0) }
        .map { try storedQuery($0, db) }
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
      skipped: pages.skipped, checkedAt: queryRow.checkedAt, walkedAt: queryRow.walkedAt, records: pages.records,
      carried: pages.carried)
  }
}
