import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// The recordings with the lowest keys above `key`, in the order of their keys: the order in which they were first stored.
  /// No lock is held between two calls, so a search of the whole store never blocks a fetch.
  ///
  /// - Parameter lastKey: keys above it are left out.
  package func recordings(
    after key: Int64, through lastKey: Int64 = .max, limit: Int, withLists: Bool
  ) throws(StoreError) -> [StoredRecording] {
    try read { db in
      let condition = "recording_id > ? AND recording_id <= ? ORDER BY recording_id LIMIT ?"
      return try stored(condition, [[.int(key), .int(lastKey), .int(limit)]], withLists: withLists, db)
    }
  }

  /// The recordings with those keys, in their order; throws `.recordingForgotten` if one was deleted meanwhile.
  package func recordings(_ keys: [Int64], withLists: Bool) throws(StoreError) -> [StoredRecording] {
    try read { db in
      let rows = try stored("recording_id = ?", keys.map { [.int($0)] }, withLists: withLists, db)
      let found = Set(rows.lazy.map(\.key))
      if let key = keys.first(where: { !found.contains($0) }) { throw try missing(key, db) }
      return rows
    }
  }

  /// The same without those that were deleted.
  package func recordings(ifStored keys: [Int64], withLists: Bool) throws(StoreError) -> [StoredRecording] {
    try read { db in try stored("recording_id = ?", keys.map { [.int($0)] }, withLists: withLists, db) }
  }

  /// The recording with that id; `nil` if it is not stored.
  package func storedRecording(_ id: RecordingID, withLists: Bool) throws(StoreError) -> StoredRecording? {
    try read { db in
      let condition = "catalogue_id = (SELECT catalogue_id FROM catalogue WHERE name = ?) AND id = ?"
      return try stored(condition, [[.text(id.catalogue.rawValue), .text(id.value)]], withLists: withLists, db).first
    }
  }

  /// The highest key; 0 in a store without recordings. Costs one step in the index.
  package func lastKey() throws(StoreError) -> Int64 {
    try read { db in try lastKey(db) }
  }

  func lastKey(_ db: Database) throws -> Int64 {
    try SQLStatement(db, "SELECT max(recording_id) FROM recording").first { $0.int64(0) } ?? 0
  }

  /// The stored queries by the numbers that `StoredRecording` has.
  package func listNumbers() throws(StoreError) -> [Int64: CatalogueQuery] {
    try read { db in
      let queryRows = try SQLStatement(db, QueryRow.select).map { try QueryRow($0) }
      return Dictionary(queryRows.map { ($0.queryID, $0.query) }) { first, _ in first }
    }
  }

  /// The recordings that satisfy the condition, for each of those sets of values.
  private func stored(
    _ condition: String, _ values: [[SQLValue]], withLists: Bool, _ db: Database
  ) throws -> [StoredRecording] {
    var catalogues: [Int64: CatalogueID] = [:]
    try SQLStatement(db, "SELECT catalogue_id, name FROM catalogue")
      .forEach { catalogues[$0.int64(0)] = CatalogueID(rawValue: $0.text(1)) }
    var rows: [StoredRecording] = []
    let recording = try SQLStatement(
      db, "SELECT id, fields, recording_id, catalogue_id, stored_at FROM recording WHERE \(condition)")
    for values in values {
      try recording.forEach(values) { row in
        let catalogue = catalogues[row.int64(3)] ?? CatalogueID(rawValue: "")
        rows.append(
          StoredRecording(key: row.int64(2), recording: self.recording(row, catalogue), storedAt: row.date(4)))
      }
    }
    guard withLists else { return rows }
    let lists = try SQLStatement(
      db,
      """
      SELECT query_id, 0 FROM entry WHERE recording_id = ?1
      UNION ALL SELECT query_id, 1 FROM departure WHERE recording_id = ?1
      """)
    for index in rows.indices {
      try lists.forEach(.int(rows[index].key)) { rows[index].add(list: $0.int64(0), hasLeft: $0.flag(1)) }
    }
    return rows
  }
}
