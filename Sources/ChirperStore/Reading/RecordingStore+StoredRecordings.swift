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
      let catalogues = try catalogueNames(db)
      var rows = try SQLStatement(
        db, Self.selectStored + " WHERE recording_id > ? AND recording_id <= ? ORDER BY recording_id LIMIT ?"
      ).map(.int(key), .int(lastKey), .int(limit)) { stored($0, catalogues) }
      if withLists { try addLists(to: &rows, db) }
      return rows
    }
  }

  /// The recordings with those keys, in their order; throws `.recordingForgotten` if one was deleted meanwhile.
  package func recordings(_ keys: [Int64], withLists: Bool) throws(StoreError) -> [StoredRecording] {
    let rows = try recordings(ifStored: keys, withLists: withLists)
    guard rows.count == keys.count else { throw .recordingForgotten }
    return rows
  }

  /// The same without those that were deleted.
  package func recordings(ifStored keys: [Int64], withLists: Bool) throws(StoreError) -> [StoredRecording] {
    try read { db in
      let catalogues = try catalogueNames(db)
      let statement = try SQLStatement(db, Self.selectStored + " WHERE recording_id = ?")
      var rows = try keys.compactMap { key in try statement.first(.int(key)) { stored($0, catalogues) } }
      if withLists { try addLists(to: &rows, db) }
      return rows
    }
  }

  /// The recording with that id; `nil` if it is not stored.
  package func storedRecording(_ id: RecordingID, withLists: Bool) throws(StoreError) -> StoredRecording? {
    try read { db in
      let catalogues = try catalogueNames(db)
      guard let catalogue = catalogues.first(where: { $0.value == id.catalogue })?.key else { return nil }
      var rows = try SQLStatement(db, Self.selectStored + " WHERE catalogue_id = ? AND id = ?")
        .map(.int(catalogue), .text(id.value)) { stored($0, catalogues) }
      if withLists { try addLists(to: &rows, db) }
      return rows.first
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

  private static let selectStored = "SELECT recording_id, catalogue_id, id, fields, stored_at FROM recording"

  private func stored(_ row: SQLRow, _ catalogues: [Int64: CatalogueID]) -> StoredRecording {
    let id = RecordingID(catalogue: catalogues[row.int64(1)] ?? CatalogueID(rawValue: ""), value: row.text(2))
    return StoredRecording(
      key: row.int64(0), recording: Recording(id: id, fields: RecordingFields(canonical: row.bytes(3))),
      storedAt: Date(milliseconds: row.time(4)))
  }

  private func catalogueNames(_ db: Database) throws -> [Int64: CatalogueID] {
    var names: [Int64: CatalogueID] = [:]
    try SQLStatement(db, "SELECT catalogue_id, name FROM catalogue")
      .forEach { names[$0.int64(0)] = CatalogueID(rawValue: $0.text(1)) }
    return names
  }

  /// Two steps in an index for each recording.
  private func addLists(to rows: inout [StoredRecording], _ db: Database) throws {
    let statement = try SQLStatement(
      db,
      """
      SELECT query_id, 0 FROM entry WHERE recording_id = ?1
      UNION ALL SELECT query_id, 1 FROM departure WHERE recording_id = ?1
      """)
    for index in rows.indices {
      try statement.forEach(.int(rows[index].key)) { rows[index].add(list: $0.int64(0), hasLeft: $0.flag(1)) }
    }
  }
}
