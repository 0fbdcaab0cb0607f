import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// The rows at those positions of a query's list, from 0, clamped to its end; costs the rows read, not the list.
  package func rows(of query: CatalogueQuery, in range: Range<Int>) throws(StoreError) -> [Recording] {
    try read { db in
      guard let queryRow = try queryRow(of: query, db) else { return [] }
      return try rows(of: queryRow, in: range, db)
    }
  }

  func rows(of queryRow: QueryRow, in range: Range<Int>, _ db: Database) throws -> [Recording] {
    let range = range.clamped(to: 0..<Int.max)
    guard let start = try pageAndOffset(range.lowerBound, in: queryRow, db) else { return [] }
    return try SQLStatement(
      db,
      """
      SELECT id, fields FROM entry JOIN recording USING (recording_id)
      WHERE query_id = ? AND page >= ? ORDER BY page, position LIMIT ? OFFSET ?
      """
    ).map(.int(queryRow.queryID), .int(start.page), .int(range.count), .int(start.offset)) {
      recording($0, queryRow.query.catalogue)
    }
  }

  /// The ids of a query's list in order, without reading its rows.
  package func ids(of query: CatalogueQuery) throws(StoreError) -> [RecordingID] {
    var ids: [RecordingID] = []
    try forEachID(of: query) { ids.append(RecordingID(catalogue: query.catalogue, value: $0)) }
    return ids
  }

  /// The keys of a list's rows in order, with which `rows` and `forEachRow` read them later; no lock is held meanwhile.
  package func keys(of query: CatalogueQuery, in range: Range<Int>? = nil) throws(StoreError) -> ListKeys {
    try read { db in
      var keys = ListKeys()
      let range = range ?? 0..<Int.max
      guard let queryRow = try queryRow(of: query, db), let start = try pageAndOffset(range.lowerBound, in: queryRow, db) else {
        return keys
      }
      try SQLStatement(
        db,
        "SELECT recording_id FROM entry WHERE query_id = ? AND page >= ? ORDER BY page, position LIMIT ? OFFSET ?"
      ).forEach(.int(queryRow.queryID), .int(start.page), .int(range.count), .int(start.offset)) { keys.append($0.int64(0)) }
      return keys
    }
  }

  /// The recordings with those keys, in their order; throws `.recordingForgotten` if one was deleted meanwhile.
  package func rows(_ keys: [Int64], of catalogue: CatalogueID) throws(StoreError) -> [Recording] {
    var rows: [Recording] = []
    try read { db in
      try forEachRow(keys, "id, fields", db) { rows.append(recording($0, catalogue)) }
    }
    return rows
  }

  /// Calls `body` with the id of each row of the list, in its order.
  package func forEachID(of query: CatalogueQuery, _ body: (String) -> Void) throws(StoreError) {
    try read { db in
      if let queryRow = try queryRow(of: query, db) { try forEachID(of: queryRow, db, body) }
    }
  }

  func forEachID(of queryRow: QueryRow, _ db: Database, _ body: (String) -> Void) throws {
    try SQLStatement(db, "SELECT id FROM entry JOIN recording USING (recording_id) WHERE query_id = ? ORDER BY page, position")
      .forEach(.int(queryRow.queryID)) { body($0.text(0)) }
  }

  /// Calls `body` with the fields of the recordings with those keys, in their order; throws `.recordingForgotten` if one was
  /// deleted meanwhile.
  ///
  /// The bytes are in SQLite's own memory, which saves an export two copies of every row. They are valid during the call,
  /// and the read lock is held until the last one returns, so `body` must not wait for anything.
  package func forEachRow(_ keys: [Int64], _ body: (UnsafeBufferPointer<UInt8>) -> Void) throws(StoreError) {
    try read { db in
      try forEachRow(keys, "fields", db) { $0.withBytes(0, body) }
    }
  }

  private func forEachRow(_ keys: [Int64], _ columns: String, _ db: Database, _ body: (SQLRow) -> Void) throws {
    if let first = keys.first, let last = keys.last, keys.count > 8, last - first < 2 * Int64(keys.count),
      zip(keys, keys.dropFirst()).allSatisfy(<)
    {
      // Stored one after the other, as most rows of a list were.
      var at = 0
      let range = try SQLStatement(
        db, "SELECT \(columns), recording_id FROM recording WHERE recording_id BETWEEN ? AND ? ORDER BY recording_id")
      let key = range.columnCount - 1
      try range.forEach(.int(first), .int(last)) { row in
        guard row.int64(key) == keys[at] else { return }
        body(row)
        at += 1
      }
      guard at == keys.count else { throw StoreError.recordingForgotten }
      return
    }
    let statement = try SQLStatement(db, "SELECT \(columns) FROM recording WHERE recording_id = ?")
    for key in keys {
      guard try statement.first(.int(key), body: body) != nil else { throw StoreError.recordingForgotten }
    }
  }

  /// One recording, whatever list it is in.
  package func recording(_ id: RecordingID) throws(StoreError) -> Recording? {
    try read { db in
      try SQLStatement(
        db, "SELECT id, fields FROM recording JOIN catalogue USING (catalogue_id) WHERE catalogue.name = ? AND id = ?"
      ).first(.text(id.catalogue.rawValue), .text(id.value)) { recording($0, id.catalogue) }
    }
  }

  func recording(_ row: SQLRow, _ catalogue: CatalogueID) -> Recording {
    Recording(id: RecordingID(catalogue: catalogue, value: row.text(0)), fields: RecordingFields(canonical: row.bytes(1)))
  }

  /// The page with that position of the list, and the offset in it, from the page records alone.
  private func pageAndOffset(_ position: Int, in queryRow: QueryRow, _ db: Database) throws -> (page: Int, offset: Int)? {
    let position = Int64(position)
    var before: Int64 = 0
    return try SQLStatement(db, "SELECT number, row_count + carried_count FROM page WHERE query_id = ? ORDER BY number")
      .firstValue(.int(queryRow.queryID)) { row in
        let start = before
        before += Int64(row.count(1))
        return position < before ? (row.count(0), Int(position - start)) : nil
      }
  }

  /// The names of the fields that a catalogue has sent, in the order of their first appearance.
  package func fieldNames(of catalogue: CatalogueID) throws(StoreError) -> [String] {
    try read { db in
      try SQLStatement(
        db, "SELECT field.name FROM field JOIN catalogue USING (catalogue_id) WHERE catalogue.name = ? ORDER BY field_id"
      ).map(.text(catalogue.rawValue)) { $0.text(0) }
    }
  }
}
