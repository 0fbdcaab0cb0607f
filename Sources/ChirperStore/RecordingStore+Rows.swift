import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// A query and its rows (all, or those at the positions in `window`) as they stand together; `nil`: never fetched.
  package func list(of query: SearchQuery, window: Range<Int>?) throws(StoreError) -> (StoredQuery, [Recording])? {
    try read { db in
      guard let head = try head(of: query, db) else { return nil }
      return (try storedQuery(head, db), try rows(of: head, in: window ?? 0..<Int.max, db))
    }
  }

  /// The rows at those positions of a query's list, from 0, cut to its end; costs the rows read, not the list.
  package func rows(of query: SearchQuery, in range: Range<Int>) throws(StoreError) -> [Recording] {
    try read { db in
      guard let head = try head(of: query, db) else { return [] }
      return try rows(of: head, in: range, db)
    }
  }

  func rows(of head: QueryHead, in range: Range<Int>, _ db: Database) throws -> [Recording] {
    guard let start = try place(range.lowerBound, in: head, db) else { return [] }
    var rows: [Recording] = []
    try SQLStatement(
      db,
      """
      SELECT id, fields FROM entry JOIN recording USING (recording_id)
      WHERE query_id = ? AND page >= ? ORDER BY page, position LIMIT ? OFFSET ?
      """
    ).forEach(.int(head.queryID), .int(start.page), .int(range.count), .int(start.offset)) {
      rows.append(recording($0, head.query.catalogue))
    }
    return rows
  }

  /// The keys of a list's rows in order, from which `rows(_:)` reads later without a lock held meanwhile.
  package func keys(of query: SearchQuery, in range: Range<Int>? = nil) throws(StoreError) -> [RowKey] {
    try read { db in
      let range = range ?? 0..<Int.max
      guard let head = try head(of: query, db), let start = try place(range.lowerBound, in: head, db) else { return [] }
      var keys: [RowKey] = []
      try SQLStatement(
        db,
        "SELECT recording_id FROM entry WHERE query_id = ? AND page >= ? ORDER BY page, position LIMIT ? OFFSET ?"
      ).forEach(.int(head.queryID), .int(start.page), .int(range.count), .int(start.offset)) {
        keys.append(RowKey(recordingID: $0.int64(0)))
      }
      return keys
    }
  }

  /// The recordings of those keys, in their order; throws `.superseded` where one was forgotten meanwhile.
  package func rows(_ keys: some Collection<RowKey>, of catalogue: CatalogueID) throws(StoreError) -> [Recording] {
    try read { db in
      let statement = try SQLStatement(db, "SELECT id, fields FROM recording WHERE recording_id = ?")
      return try keys.map { key in
        guard let row = try statement.first(.int(key.recordingID), body: { recording($0, catalogue) }) else {
          throw StoreError.superseded
        }
        return row
      }
    }
  }

  /// One recording, whichever query found it.
  package func recording(_ id: RecordingID) throws(StoreError) -> Recording? {
    try read { db in
      try SQLStatement(
        db, "SELECT id, fields FROM recording JOIN catalogue USING (catalogue_id) WHERE catalogue.name = ? AND id = ?"
      ).first(.text(id.catalogue.rawValue), .text(id.value)) { recording($0, id.catalogue) }
    }
  }

  func recording(_ row: SQLRow, _ catalogue: CatalogueID) -> Recording {
    Recording(id: RecordingID(catalogue: catalogue, value: row.text(0)), fields: RecordingFields(canonical: row.text(1)))
  }

  /// The page on which a position of the list lies, and how far into it: read from the page marks alone.
  private func place(_ position: Int, in head: QueryHead, _ db: Database) throws -> (page: Int, offset: Int)? {
    var before = 0
    var place: (page: Int, offset: Int)?
    try SQLStatement(db, "SELECT number, row_count + kept_count FROM page WHERE query_id = ? ORDER BY number")
      .forEach(.int(head.queryID)) { row in
        if place == nil, position < before + row.int(1) { place = (row.int(0), position - before) }
        before += row.int(1)
      }
    return place
  }
}

/// What names a row of a list between two reads.
package struct RowKey: Hashable, Sendable {
  let recordingID: Int64
}
