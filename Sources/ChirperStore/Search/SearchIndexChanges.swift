import GRDB

/// Notes the changes of recordings by a transaction, so that the search index no longer
/// decides about them.
struct SearchIndexChanges {
  private let db: Database
  /// The last key that a segment has; 0 without segments.
  private let lastIndexedKey: Int64

  /// - Parameter db: inside of the transaction that changes the recordings.
  init(_ db: Database) throws {
    self.db = db
    lastIndexedKey =
      try db.firstRow("SELECT max(last_key) FROM search_segment") { $0.int64(0) } ?? 0
  }

  func noteChange(of key: Int64) throws {
    try db.run(
      "INSERT OR REPLACE INTO search_change (recording_id, change) VALUES (?, ?)", key,
      Int64.random(in: .min ... .max))
  }

  func noteInsertion(of key: Int64) throws {
    // SQLite gives the keys of deleted recordings at the end again.
    if key <= lastIndexedKey { try noteChange(of: key) }
  }

  /// Notes that recordings were deleted. Removes the segments that have no recordings any
  /// more. The notes on them stay, for a segment that is being written.
  func noteDeletion(of keys: [Int64]) throws {
    for key in keys { try noteChange(of: key) }
    try db.run(
      """
      DELETE FROM search_segment WHERE NOT EXISTS
        (SELECT 1 FROM recording WHERE recording_id BETWEEN search_segment.first_key AND search_segment.last_key)
      """)
  }
}
