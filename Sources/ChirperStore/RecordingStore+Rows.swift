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

  func rows(of head: QueryRow, in range: Range<Int>, _ db: Database) throws -> [Recording] {
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

  /// The keys of a list's rows in order, from which `rows` and `forEachRow` read later without a lock held meanwhile.
  package func keys(of query: SearchQuery, in range: Range<Int>? = nil) throws(StoreError) -> RowKeys {
    try read { db in
      var keys = RowKeys()
      let range = range ?? 0..<Int.max
      guard let head = try head(of: query, db), let start = try place(range.lowerBound, in: head, db) else { return keys }
      try SQLStatement(
        db,
        "SELECT recording_id FROM entry WHERE query_id = ? AND page >= ? ORDER BY page, position LIMIT ? OFFSET ?"
      ).forEach(.int(head.queryID), .int(start.page), .int(range.count), .int(start.offset)) { keys.append($0.int64(0)) }
      return keys
    }
  }

  /// The recordings of those keys, in their order; throws `.recordingForgotten` where one was forgotten meanwhile.
  package func rows(_ keys: [Int64], of catalogue: CatalogueID) throws(StoreError) -> [Recording] {
    var rows: [Recording] = []
    try read { db in
      try forEachRow(keys, db) { rows.append(recording($0, catalogue)) }
    }
    return rows
  }

  /// Calls `body` with the fields of the recordings of those keys, in their order; throws `.recordingForgotten` where one was
  /// forgotten meanwhile.
  ///
  /// The bytes are SQLite's own, which saves an export two copies of every row: they stand only as long as the call, and
  /// a read lock stands with them, so `body` must not wait for anything.
  package func forEachRow(_ keys: [Int64], _ body: (UnsafeBufferPointer<UInt8>) -> Void) throws(StoreError) {
    try read { db in
      try forEachRow(keys, db) { $0.withBytes(1, body) }
    }
  }

  private func forEachRow(_ keys: [Int64], _ db: Database, _ body: (SQLRow) -> Void) throws {
    let statement = try SQLStatement(db, "SELECT id, fields FROM recording WHERE recording_id = ?")
    for key in keys {
      guard try statement.first(.int(key), body: body) != nil else { throw StoreError.recordingForgotten }
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
  private func place(_ position: Int, in head: QueryRow, _ db: Database) throws -> (page: Int, offset: Int)? {
    var before = 0
    var place: (page: Int, offset: Int)?
    try SQLStatement(db, "SELECT number, row_count + kept_count FROM page WHERE query_id = ? ORDER BY number")
      .forEach(.int(head.queryID)) { row in
        if place == nil, position < before + row.count(1) { place = (row.count(0), position - before) }
        before += row.count(1)
      }
    return place
  }
}
