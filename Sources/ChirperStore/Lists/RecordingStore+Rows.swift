import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// The ids of a query's list in its order of this moment, without reading its rows and
  /// without rows that are deleted meanwhile. It reads in steps, so that others read and
  /// write between them.
  package func ids(of query: CatalogueQuery) throws(StoreError) -> [RecordingID] {
    try ids(of: keys(of: query), in: query.catalogue)
  }

  /// The ids of those recordings of a catalogue, in that order, likewise.
  package func ids(of keys: [Int64], in catalogue: CatalogueID) throws(StoreError) -> [RecordingID]
  {
    var ids: [RecordingID] = []
    ids.reserveCapacity(keys.count)
    for batch in keys.batches(of: 5000) {
      ids += try read { db in
        try batch.compactMap { key in
          try db.firstRow("SELECT id FROM recording WHERE recording_id = ?", key) { row in
            guard case let id = row.text(0), !id.isEmpty else {
              throw Self.damaged(Self.emptyRecording)
            }
            return id
          }
        }
      }.map { RecordingID(catalogue: catalogue, value: $0) }
    }
    return ids
  }

  /// The keys of a list's rows in order, with which `rows` and `forEachRow` read them later; no
  /// lock is held meanwhile.
  ///
  /// - Throws: `.damaged` if the list does not have the rows that its pages say.
  package func keys(of query: CatalogueQuery, in range: Range<Int>? = nil) throws(StoreError)
    -> [Int64]
  {
    let read = try readableKeys(of: query, in: range)
    if let damage = read.damage { throw damage }
    return read.keys
  }

  /// The keys of the rows that can be read, and a problem that shows that there were more.
  func readableKeys(
    of query: CatalogueQuery, in range: Range<Int>, _ db: Database
  ) throws -> (keys: [Int64], problem: String?) {
    var keys: [Int64] = []
    let range = range.clamped(to: 0..<Int.max)
    guard let queryRow = try queryRow(of: query, db) else { return (keys, nil) }
    var count = try RowCount(queryRow, in: range, db)
    let isWhole = range.lowerBound == 0 && range.upperBound >= count.total
    guard isWhole || count.start != nil else { return (keys, count.problem) }
    // Of the whole list also what is on pages without a record.
    let start = isWhole ? (page: 1, offset: 0) : count.start ?? (page: 1, offset: 0)
    try db.forEachRow(
      """
      SELECT recording_id, page, position FROM entry WHERE query_id = ? AND page >= ?
      ORDER BY page, position LIMIT ? OFFSET ?
      """,
      queryRow.queryID, start.page, range.count, start.offset
    ) { row in
      keys.append(row.int64(0))
      count.add(page: row.int64(1), position: row.int64(2))
    }
    return (keys, count.problem)
  }

  /// - Parameter column: that of the id; the next one is that of the fields.
  func recording(_ row: SQLRow, _ catalogue: CatalogueID, at column: Int32 = 0) -> Recording {
    Recording(
      id: RecordingID(catalogue: catalogue, value: row.text(column)),
      fields: RecordingFields(canonical: row.bytes(column + 1)))
  }

  /// Calls `body` with the key and the columns of each of the recordings. The first column is the id
  /// or the fields, which are empty in a damaged file only.
  func forEachRow(
    _ keys: [Int64], _ columns: String, ifStored: Bool = false, _ db: Database,
    _ body: (SQLRow) -> Void
  ) throws {
    let select = "SELECT recording_id, \(columns) FROM recording WHERE recording_id"
    func checked(_ row: SQLRow) throws {
      guard row.withBytes(1, { !$0.isEmpty }) else { throw Self.damaged(Self.emptyRecording) }
      body(row)
    }
    if !ifStored, let first = keys.first, let last = keys.last, keys.count > 8, first < last,
      UInt64(bitPattern: last &- first) < 2 * UInt64(keys.count),
      zip(keys, keys.dropFirst()).allSatisfy(<)
    {
      // Stored one after the other, as most rows of a list were.
      var at = 0
      try db.forEachRow(select + " BETWEEN ? AND ? ORDER BY recording_id", first, last) { row in
        // A damaged file can have further rows after the last key.
        guard at < keys.count, row.int64(0) == keys[at] else { return }
        try checked(row)
        at += 1
      }
      guard at == keys.count else { throw try missing(keys[at], db) }
      return
    }
    for key in keys {
      guard try db.firstRow(select + " = ?", key, body: checked) != nil || ifStored else {
        throw try missing(key, db)
      }
    }
  }

  /// The error for a key that no recording has. Either it was deleted meanwhile, or a list
  /// still has it and the file is damaged.
  private func missing(_ key: Int64, _ db: Database) throws -> any Error {
    try checkAreNotListed([key], db)
    return StoreError(.recordingForgotten)
  }

  /// Fails if a list has one of those recordings, which are not stored.
  func checkAreNotListed(_ keys: some Sequence<Int64>, _ db: Database) throws {
    for key in keys where try isListed(key, db) { throw Self.damaged(Self.lostRecording) }
  }

  /// Whether a list has a recording, or had it.
  func isListed(_ key: Int64, _ db: Database) throws -> Bool {
    try db.hasRow(
      "SELECT 1 FROM entry WHERE recording_id = ?1 UNION ALL SELECT 1 FROM departure WHERE recording_id = ?1",
      key)
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
