import ChirperModel
import Foundation
import GRDB

/// A stored recording, and the facts that a search may ask for besides its fields.
package struct StoredRecording: Sendable {
  package let key: Int64
  package internal(set) var recording: Recording
  /// The time at which the recording was first stored, UTC.
  package let storedAt: Date
  /// The time since which it has its fields, UTC; that of `storedAt` if they never changed.
  package let fieldsSince: Date
  /// The numbers of the lists that it is in, and of those that it left; both are empty if they were
  /// not asked for.
  package internal(set) var lists: [Int64] = []
  package internal(set) var leftLists: [Int64] = []
  /// Whether it left a list and is in none; `false` if that was not asked for.
  package internal(set) var isUnlisted = false
  /// The time at which it entered each of its lists that had been read before; empty if the
  /// lists were not asked for.
  package internal(set) var entered: [Int64: Date] = [:]
  /// The time of its last change; `nil` if it never changed, or if the lists were not asked
  /// for.
  package internal(set) var changedAt: Date?
}

extension RecordingStore {
  /// The recordings with the lowest keys above `key`, in the order of their keys: the order in
  /// which they were first stored. No lock is held between two calls, so a search of the whole
  /// store never blocks a fetch.
  ///
  /// - Parameters:
  ///   - lastKey: keys above it are left out.
  ///   - asksWhetherListed: whether `isUnlisted` is read, also without the lists.
  package func recordings(
    after key: Int64, through lastKey: Int64 = .max, limit: Int, withLists: Bool,
    asksWhetherListed: Bool = false
  ) throws(StoreError) -> [StoredRecording] {
    try read { db in
      let keys = try db.rows(
        "SELECT recording_id FROM recording WHERE recording_id > ? AND recording_id <= ? ORDER BY recording_id LIMIT ?",
        key,
        lastKey, limit
      ) { $0.int64(0) }
      // A page that a damaged file has lost looks like recordings that were never stored.
      let isLost = try db.hasRow(
        """
        SELECT 1 FROM entry WHERE recording_id > ? AND recording_id <= ?
          AND NOT EXISTS (SELECT 1 FROM recording WHERE recording_id = entry.recording_id)
        """, key, keys.count < limit ? lastKey : keys.last)
      if isLost { throw Self.damaged(Self.lostRecording) }
      return try recordings(keys, withLists: withLists, asksWhetherListed: asksWhetherListed, db)
    }
  }

  /// The recordings with those keys, in their order.
  ///
  /// - Parameters:
  ///   - ifStored: leaves out those that were deleted meanwhile, for which this throws
  ///     `.recordingForgotten` otherwise.
  ///   - asksWhetherListed: whether `isUnlisted` is read, also without the lists.
  package func recordings(
    _ keys: [Int64], ifStored: Bool = false, withLists: Bool = false,
    asksWhetherListed: Bool = false
  ) throws(StoreError) -> [StoredRecording] {
    try read { db in
      let rows = try recordings(
        keys, ifStored: ifStored, withLists: withLists, asksWhetherListed: asksWhetherListed, db)
      // What was deleted meanwhile is in no list.
      if rows.count < keys.count {
        try checkAreNotListed(Set(keys).subtracting(rows.map(\.key)), db)
      }
      return rows
    }
  }

  /// The recording with that id; `nil` if it is not stored.
  package func recording(_ id: RecordingID, withLists: Bool = false) throws(StoreError)
    -> StoredRecording?
  {
    try read { db in
      try key(of: id, db).flatMap {
        try recordings([$0], ifStored: true, withLists: withLists, db).first
      }
    }
  }

  /// Whether a recording left a list and is in none.
  private func isUnlisted(_ key: Int64, _ db: Database) throws -> Bool {
    try db.hasRow(
      """
      SELECT 1 FROM departure WHERE recording_id = ?1
        AND NOT EXISTS (SELECT 1 FROM entry WHERE recording_id = ?1)
      """, key)
  }

  /// Returns the ids of stored recordings, without those that are in no list any more.
  package func listedIDs(among ids: some Sequence<RecordingID>) throws(StoreError) -> Set<
    RecordingID
  > {
    try read { db in
      Set(try ids.filter { id in try key(of: id, db).map { try !isUnlisted($0, db) } ?? false })
    }
  }

  /// The key of each of the recordings; `nil` for one that is not stored.
  package func keys(of ids: [RecordingID]) throws(StoreError) -> [Int64?] {
    try read { db in
      var keys = [Int64?](repeating: nil, count: ids.count)
      for (catalogue, positions) in Dictionary(grouping: ids.indices, by: { ids[$0].catalogue }) {
        guard let number = try storedID(of: catalogue, db) else { continue }
        // In their order, each page of SQLite's index is read once.
        for position in positions.sorted(by: { ids[$0].value < ids[$1].value }) {
          keys[position] = try key(of: ids[position].value, in: number, db)
        }
      }
      return keys
    }
  }

  /// The stored ids that are the id of one of a catalogue's records, a hyphen, and more.
  package func ids(
    ofRecords records: [String], in catalogue: CatalogueID
  ) throws(StoreError) -> Set<RecordingID> {
    try read { db in
      var ids: Set<RecordingID> = []
      guard let number = try storedID(of: catalogue, db) else { return ids }
      for record in records.sorted() {
        // A full stop comes next after a hyphen.
        try db.forEachRow(
          "SELECT id FROM recording WHERE catalogue_id = ? AND id >= ? AND id < ?", number,
          "\(record)-", "\(record)."
        ) { ids.insert(RecordingID(catalogue: catalogue, value: $0.text(0))) }
      }
      return ids
    }
  }

  /// The queries whose lists contain one of the recordings.
  package func queries(containing ids: [RecordingID]) throws(StoreError) -> Set<CatalogueQuery> {
    try read { db in
      var queries: Set<CatalogueQuery> = []
      let select = "\(QueryRow.select) JOIN entry USING (query_id) WHERE recording_id = ?"
      for id in ids {
        guard let key = try key(of: id, db) else { continue }
        try db.forEachRow(select, key) { queries.insert(try QueryRow($0).query) }
      }
      return queries
    }
  }

  private func key(of id: RecordingID, _ db: Database) throws -> Int64? {
    try storedID(of: id.catalogue, db).flatMap { try key(of: id.value, in: $0, db) }
  }

  /// The key of the recording with that id in a catalogue, which is given by its number; `nil` if
  /// it is not stored.
  func key(of id: String, in catalogue: Int64, _ db: Database) throws -> Int64? {
    try db.firstRow(
      "SELECT recording_id FROM recording WHERE catalogue_id = ? AND id = ?", catalogue, id
    ) { $0.int64(0) }
  }

  /// The highest key; 0 in a store without recordings. Costs one step in the index.
  package func lastKey() throws(StoreError) -> Int64 {
    try read { db in try lastKey(db) }
  }

  func lastKey(_ db: Database) throws -> Int64 {
    try db.firstRow("SELECT max(recording_id) FROM recording") { $0.int64(0) } ?? 0
  }

  /// The stored queries by the numbers that `StoredRecording` has.
  package func listNumbers() throws(StoreError) -> [Int64: CatalogueQuery] {
    try read { db in
      let queryRows = try db.rows(QueryRow.select, body: QueryRow.init)
      return Dictionary(queryRows.map { ($0.queryID, $0.query) }) { first, _ in first }
    }
  }

  func recordings(
    _ keys: [Int64], ifStored: Bool = false, withLists: Bool = false,
    asksWhetherListed: Bool = false, _ db: Database
  ) throws -> [StoredRecording] {
    var catalogues: [Int64: CatalogueID] = [:]
    try db.forEachRow("SELECT catalogue_id, name FROM catalogue") {
      catalogues[$0.int64(0)] = CatalogueID(rawValue: $0.text(1))
    }
    var rows: [StoredRecording] = []
    var labelled: [Int] = []
    let columns = """
      id, fields, catalogue_id, stored_at, changed_at,
      EXISTS (SELECT 1 FROM label
        WHERE label.catalogue_id = recording.catalogue_id AND label.id = recording.id)
      """
    try forEachRow(keys, columns, ifStored: ifStored, db) { row in
      let recording = recording(row, catalogues[row.int64(3)] ?? CatalogueID(rawValue: ""), at: 1)
      if row.int(6) == 1 { labelled.append(rows.count) }
      rows.append(
        StoredRecording(
          key: row.int64(0), recording: recording, storedAt: row.date(4), fieldsSince: row.date(5)))
    }
    for index in labelled {
      rows[index].recording.labels = try labels(of: rows[index].recording.id, db)
    }
    guard withLists else {
      for index in rows.indices where asksWhetherListed {
        rows[index].isUnlisted = try isUnlisted(rows[index].key, db)
      }
      return rows
    }
    for index in rows.indices {
      // One statement, which reads no more than the index if nothing entered, left or changed.
      try db.forEachRow(
        """
        SELECT 0, query_id, NULL FROM entry WHERE recording_id = ?1
        UNION ALL SELECT 1, query_id, NULL FROM departure WHERE recording_id = ?1
        UNION ALL SELECT 2, query_id, entered_at FROM arrival WHERE recording_id = ?1
        UNION ALL SELECT 3, NULL, changed_at FROM change WHERE recording_id = ?1
        """, rows[index].key
      ) { row in
        switch row.int(0) {
        case 0: rows[index].lists.append(row.int64(1))
        case 1: rows[index].leftLists.append(row.int64(1))
        case 2: rows[index].entered[row.int64(1)] = row.date(2)
        default: rows[index].changedAt = max(rows[index].changedAt ?? .distantPast, row.date(2))
        }
      }
      rows[index].isUnlisted = rows[index].lists.isEmpty && !rows[index].leftLists.isEmpty
    }
    return rows
  }
}
