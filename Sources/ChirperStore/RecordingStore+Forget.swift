import ChirperModel
import GRDB

/// What forgetting a query removed.
public struct Forgotten: Equatable, Sendable {
  public let pages: Int
  /// Rows of the list.
  public let rows: Int
  /// Recordings that no other query holds, and that are gone with it.
  public let recordings: Int
}

extension RecordingStore {
  /// Removes a query, its pages, and the recordings that only it held, now or before they left its list; `nil` where it
  /// is not stored.
  package func forget(_ query: SearchQuery) throws(StoreError) -> Forgotten? {
    try write { db in
      guard let head = try head(of: query, db) else { return nil }
      let stored = try storedQuery(head, db)
      var held: [Int64] = []
      try SQLStatement(
        db,
        """
        SELECT recording_id FROM entry WHERE query_id = ?1
        UNION ALL SELECT recording_id FROM departure WHERE query_id = ?1
        """
      ).forEach(.int(head.queryID)) { held.append($0.int64(0)) }
      try SQLStatement(db, "DELETE FROM query WHERE query_id = ?").run(.int(head.queryID))
      let before = db.totalChangesCount
      for recording in held {
        try SQLStatement(
          db,
          """
          DELETE FROM recording WHERE recording_id = ?1
            AND NOT EXISTS (SELECT 1 FROM entry WHERE recording_id = ?1)
            AND NOT EXISTS (SELECT 1 FROM departure WHERE recording_id = ?1)
          """
        ).run(.int(recording))
      }
      return Forgotten(pages: stored.pagesStored, rows: stored.count, recordings: db.totalChangesCount - before)
    }
  }
}
