import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// The ids of a query's list in its order of this moment, without reading its rows and without those that are deleted meanwhile.
  /// In steps, so that others read and write between them.
  package func ids(of query: CatalogueQuery) throws(StoreError) -> [RecordingID] {
    try ids(of: keys(of: query), in: query.catalogue)
  }

  /// The ids of those recordings of a catalogue, in that order, likewise.
  package func ids(of keys: ListKeys, in catalogue: CatalogueID) throws(StoreError) -> [RecordingID] {
    var ids: [RecordingID] = []
    ids.reserveCapacity(keys.count)
    for start in stride(from: 0, to: keys.count, by: 5000) {
      ids += try read { db in
        try keys[start..<(start + 5000)].compactMap { key in
          try db.firstRow("SELECT id FROM recording WHERE recording_id = ?", key) { $0.text(0) }
        }
      }.map { RecordingID(catalogue: catalogue, value: $0) }
    }
    return ids
  }

  /// The keys of a list's rows in order, with which `rows` and `forEachRow` read them later; no lock is held meanwhile.
  package func keys(of query: CatalogueQuery, in range: Range<Int>? = nil) throws(StoreError) -> ListKeys {
    try read { db in try keys(of: query, in: range ?? 0..<Int.max, db) }
  }

  func keys(of query: CatalogueQuery, in range: Range<Int>, _ db: Database) throws -> ListKeys {
    var keys = ListKeys()
    let range = range.clamped(to: 0..<Int.max)
    guard let queryRow = try queryRow(of: query, db), let start = try pageAndOffset(range.lowerBound, in: queryRow, db) else {
      return keys
    }
    try db.forEachRow(
      "SELECT recording_id FROM entry WHERE query_id = ? AND page >= ? ORDER BY page, position LIMIT ? OFFSET ?",
      queryRow.queryID, start.page, range.count, start.offset
    ) { keys.append($0.int64(0)) }
    return keys
  }

  /// The page with that position of the list, and the offset in it, from the page records alone.
  private func pageAndOffset(_ position: Int, in queryRow: QueryRow, _ db: Database) throws -> (page: Int, offset: Int)? {
    var before: Int64 = 0
    var found: (page: Int, offset: Int)?
    try db.forEachRow(
      "SELECT number, row_count + carried_count FROM page WHERE query_id = ? ORDER BY number", queryRow.queryID
    ) { row in
      let start = before
      before += Int64(row.count(1))
      if found == nil, position < before { found = (row.count(0), Int(Int64(position) - start)) }
    }
    return found
  }

  /// - Parameter column: that of the id; the next one is that of the fields.
  func recording(_ row: SQLRow, _ catalogue: CatalogueID, at column: Int32 = 0) -> Recording {
    Recording(
      id: RecordingID(catalogue: catalogue, value: row.text(column)), fields: RecordingFields(canonical: row.bytes(column + 1)))
  }

  /// Calls `body` with the key and those columns of the recordings with those keys.
  func forEachRow(
    _ keys: [Int64], _ columns: String, ifStored: Bool = false, _ db: Database, _ body: (SQLRow) -> Void
  ) throws {
    let select = "SELECT recording_id, \(columns) FROM recording WHERE recording_id"
    if !ifStored, let first = keys.first, let last = keys.last, keys.count > 8, first < last,
      UInt64(bitPattern: last &- first) < 2 * UInt64(keys.count), zip(keys, keys.dropFirst()).allSatisfy(<)
    {
      // Stored one after the other, as most rows of a list were.
      var at = 0
      try db.forEachRow(select + " BETWEEN ? AND ? ORDER BY recording_id", first, last) { row in
        guard row.int64(0) == keys[at] else { return }
        body(row)
        at += 1
      }
      guard at == keys.count else { throw try missing(keys[at], db) }
      return
    }
    for key in keys {
      guard try db.firstRow(select + " = ?", key, body: body) != nil || ifStored else { throw try missing(key, db) }
    }
  }

  /// The error for a key that no recording has: it was deleted meanwhile, unless a list still has it.
  private func missing(_ key: Int64, _ db: Database) throws -> any Error {
    let isListed = try db.firstRow(
      "SELECT 1 FROM entry WHERE recording_id = ?1 UNION ALL SELECT 1 FROM departure WHERE recording_id = ?1", key
    ) { _ in true }
    return isListed == nil ? StoreError.recordingForgotten : Self.damaged("a list has a recording that is not stored")
  }

  /// The names of the fields that a catalogue has sent, in the order of their first appearance.
  package func fieldNames(of catalogue: CatalogueID) throws(StoreError) -> [String] {
    try read { db in
      try db.rows(
        "SELECT field.name FROM field JOIN catalogue USING (catalogue_id) WHERE catalogue.name = ? ORDER BY field_id",
        catalogue.rawValue
      ) { $0.text(0) }
    }
  }
}
