import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// Every stored query, the most recently fetched first.
  package func storedQueries() throws(StoreError) -> [StoredQuery] {
    try read { db in
      try db.rows(QueryRow.select + " ORDER BY query_id", body: QueryRow.init)
        .map { try storedQuery($0, db) }
        .sorted {
          ($0.newestFetchedAt, $0.query.identity) > ($1.newestFetchedAt, $1.query.identity)
        }
    }
  }

  /// The catalogues of the lists that have rows: one entry of each is read, and no page.
  package func cataloguesWithRows() throws(StoreError) -> Set<CatalogueID> {
    try read { db in
      let lists =
        "query JOIN entry USING (query_id) WHERE query.catalogue_id = catalogue.catalogue_id"
      return Set(
        try db.rows("SELECT name FROM catalogue WHERE EXISTS (SELECT 1 FROM \(lists))") {
          CatalogueID(rawValue: $0.text(0))
        })
    }
  }

  /// The facts about a stored query; `nil` if it was never fetched.
  package func stored(_ query: CatalogueQuery) throws(StoreError) -> StoredQuery? {
    try read { db in try queryRow(of: query, db).map { try storedQuery($0, db) } }
  }

  func queryRow(of query: CatalogueQuery, _ db: Database) throws -> QueryRow? {
    let name = query.catalogue.rawValue
    let size = query.pageSize
    let found = try db.firstRow(
      QueryRow.select + " WHERE catalogue.name = ? AND text = ? AND page_size = ?", name,
      query.identity, size, body: QueryRow.init)
    if let found { return found }
    // A page of an index that a damaged file has lost looks like a list that was never fetched.
    let isLost = try db.hasRow(
      """
      SELECT 1 FROM query NOT INDEXED JOIN catalogue NOT INDEXED USING (catalogue_id)
      WHERE catalogue.name = ? AND text = ? AND page_size = ?
      """, name, query.identity, size)
    if isLost { throw Self.damaged("the list \(query.typed) is in no index") }
    return nil
  }

  /// Reads the page records only: as many rows as there are pages, however long the list is.
  func storedQuery(_ queryRow: QueryRow, _ db: Database) throws -> StoredQuery {
    let select = PageRecord.select + " WHERE query_id = ? ORDER BY number"
    let pages = try db.rows(select, queryRow.queryID) { row in
      // Others count up to it.
      guard row.int64(1) <= PageRecord.greatestNumber else {
        throw Self.damaged("a stored page has the impossible number \(row.int64(1))")
      }
      return PageRecord(row)
    }
    let times = pages.map(\.fetchedAt)
    let newest = times.max() ?? Date(milliseconds: 0)
    let totals = pages.last { $0.fetchedAt == newest }?.totals(pageSize: queryRow.query.pageSize)
    let inWalk = pages.filter { $0.walk == queryRow.walk }
    var next: Int? = 1
    for page in inWalk where page.number == next { next = page.isLast ? nil : page.number + 1 }
    // In 64 bits on every platform: a damaged file may have any number of great counts.
    func sum(_ count: (PageRecord) -> Int) -> Int {
      Int(clamping: pages.reduce(0 as Int64) { $0 + Int64(count($1)) })
    }
    let records = sum { $0.records ?? $0.rowCount + $0.carriedCount }
    // A page that a damaged file has lost ends what was claimed of the list.
    let claim = queryRow.completeness == .shifted || pages.reachTheEnd ? queryRow.completeness : nil
    let imported = try importClaim(of: queryRow, db)
    let completeness: StoredQuery.Completeness =
      switch claim {
      case .complete where imported != nil, .verified where imported != nil: .imported
      case .complete: .complete
      case .verified: .verified
      case .shifted: .shifted(rows: records, total: totals?.exact?.recordings)
      case nil: .partial(pages: inWalk.count, of: totals?.exact?.pages)
      }
    let count = sum { $0.rowCount + $0.carriedCount }
    var isMiss = count == 0 && claim != nil && !pages.contains { $0.skipped > 0 }
    if isMiss {
      let departed = "SELECT 1 FROM departure WHERE query_id = ? LIMIT 1"
      isMiss = try !db.hasRow(departed, queryRow.queryID)
    }
    var fall: StoredQuery.Fall?
    if queryRow.completeness == .shifted { fall = try self.fall(of: queryRow, db) }
    let unconfirmed =
      completeness == .complete ? try Self.exchange(of: queryRow, db).unconfirmed : 0
    return StoredQuery(
      query: queryRow.query, count: count, pagesStored: pages.count, totals: totals,
      next: claim == nil ? next : nil, completeness: completeness,
      oldestFetchedAt: times.min() ?? newest, newestFetchedAt: newest, skipped: sum(\.skipped),
      checkedAt: queryRow.checkedAt,
      walkedAt: queryRow.walkedAt, records: records, isMiss: isMiss, fall: fall,
      unconfirmedDepartures: unconfirmed,
      // A walk that has read the last page has no further one.
      carried: sum { page in
        page.carriedCount + (next == nil && page.walk != queryRow.walk ? page.rowCount : 0)
      },
      imported: imported
    )
  }
}
