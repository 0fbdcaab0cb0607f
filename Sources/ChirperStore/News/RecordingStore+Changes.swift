import ChirperModel
import Foundation
import GRDB

/// The times at which recordings entered a list after it was first read, left it, or
/// changed, and their earlier versions.
extension RecordingStore {
  /// Stores that a recording entered the list now.
  static func storeArrival(
    of recording: Int64, in queryRow: QueryRow, at now: Int64, _ db: Database
  ) throws {
    try db.run(
      "INSERT OR REPLACE INTO arrival (recording_id, query_id, entered_at) VALUES (?, ?, ?)",
      recording, queryRow.queryID, now)
  }

  /// The `gone_at` of a recording that entered a list and left it within one run: no list before
  /// or after a run had it. It stays in `departure`, so that the store has it until the list is
  /// forgotten, and is not a row that
  /// is gone.
  static let neverListed: Int64 = 0

  /// Removes the row that says that the recording left the list.
  ///
  /// - Returns: The row's `gone_at`; `nil` if the recording had not left.
  static func removeDeparture(of recording: Int64, from queryRow: QueryRow, _ db: Database) throws
    -> Int64?
  {
    let goneAt = try db.firstRow(
      "SELECT gone_at FROM departure WHERE recording_id = ? AND query_id = ?", recording,
      queryRow.queryID
    ) { $0.int64(0) }
    if goneAt != nil {
      try db.run(
        "DELETE FROM departure WHERE recording_id = ? AND query_id = ?", recording, queryRow.queryID
      )
    }
    return goneAt
  }
}

#if Collection
/// A change of a recording since it was first read.
package enum ListEvent: Sendable {
  case entered, left, changed
}

/// A recording as it is, and as it was before it changed.
package struct StoredChange: Sendable {
  package let key: Int64
  package let recording: Recording
  package let earlier: Recording
  /// The time of its last change, UTC.
  package let changedAt: Date
}

extension RecordingStore {
  /// A version of the changes of recordings: the last change and its time. It differs after
  /// every change of a recording's fields.
  package func latestChange() throws(StoreError) -> [Int64] {
    try read { db in
      try ["max(change_id)", "max(changed_at)"].map { latest in
        try db.firstRow("SELECT coalesce(\(latest), 0) FROM change") { $0.int64(0) } ?? 0
      }
    }
  }

  /// The keys of the rows that entered a list at that moment or later, in the list's order. Rows of
  /// its first reading do not count. Costs the rows found.
  func newKeys(of queryRow: QueryRow, since: Date, _ db: Database) throws -> [Int64] {
    let rows = try db.rows(
      """
      SELECT arrival.recording_id, page, position FROM arrival
      JOIN entry ON entry.recording_id = arrival.recording_id AND entry.query_id = arrival.query_id
      WHERE arrival.query_id = ? AND entered_at >= ?
      """, queryRow.queryID, since.milliseconds
    ) { (key: $0.int64(0), page: $0.int(1), position: $0.int(2)) }
    return rows.sorted { ($0.page, $0.position) < ($1.page, $1.position) }.map(\.key)
  }

  /// The keys of a list whose recordings changed at `since` or later. The cost grows with the list,
  /// and with all changes since.
  func changedKeys(among keys: [Int64], since: Date, _ db: Database) throws -> [Int64] {
    let changed = Set(
      try db.rows("SELECT recording_id FROM change WHERE changed_at >= ?", since.milliseconds) {
        $0.int64(0)
      })
    return keys.filter(changed.contains)
  }

  /// The recordings with the keys, in their order, and their versions before their first
  /// change at `since` or later. Recordings that were deleted meanwhile are left out.
  package func changes(of keys: [Int64], since: Date) throws(StoreError) -> [StoredChange] {
    try read { db in
      try recordings(keys, ifStored: true, withLists: true, db).compactMap { row in
        guard let changedAt = row.changedAt else { return nil }
        return try db.firstRow(
          "SELECT fields FROM change WHERE recording_id = ? AND changed_at >= ? ORDER BY change_id LIMIT 1",
          row.key,
          since.milliseconds
        ) {
          StoredChange(
            key: row.key, recording: row.recording,
            earlier: Recording(
              id: row.recording.id, fields: RecordingFields(canonical: $0.bytes(0))),
            changedAt: changedAt)
        }
      }
    }
  }

  /// The fields that a recording had before each of its changes, the latest first.
  package func earlierVersions(of id: RecordingID) throws(StoreError) -> [RecordingFields] {
    let key = try keys(of: [id])[0]
    return try read { db in
      try db.rows("SELECT fields FROM change WHERE recording_id = ? ORDER BY change_id DESC", key) {
        RecordingFields(canonical: $0.bytes(0))
      }
    }
  }

  /// The keys of the recordings that left a list, at that moment or later, the latest first. Costs
  /// the rows that left it.
  func goneKeys(of queryRow: QueryRow, since: Date, _ db: Database) throws -> [Int64] {
    let rows = try db.rows(
      """
      SELECT recording_id, gone_at FROM departure
      WHERE query_id = ? AND gone_at >= ? AND gone_at <> ?
      """,
      queryRow.queryID, since.milliseconds, Self.neverListed
    ) { (key: $0.int64(0), goneAt: $0.int64(1)) }
    return rows.sorted { ($1.goneAt, $0.key) < ($0.goneAt, $1.key) }.map(\.key)
  }

  /// The times of the event for the recordings; `nil` for recordings that did not enter the
  /// list after its first reading, or did not change.
  package func dates(_ event: ListEvent, of keys: [Int64], in query: CatalogueQuery)
    throws(StoreError) -> [Date?]
  {
    try read { db in
      guard let queryRow = try queryRow(of: query, db) else { return keys.map { _ in nil } }
      let dates =
        switch event {
        case .entered: "entered_at FROM arrival"
        case .left: "gone_at FROM departure"
        case .changed: "max(changed_at) FROM change JOIN entry USING (recording_id)"
        }
      return try keys.map { key in
        try db.firstRow(
          "SELECT \(dates) WHERE recording_id = ? AND query_id = ?", key, queryRow.queryID
        ) {
          $0.optionalDate(0)
        } ?? nil
      }
    }
  }
}
#endif
