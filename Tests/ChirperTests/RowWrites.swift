@testable import ChirperStore

/// Counts what is written to the rows of recordings and lists, by triggers of its own on the store's connection.
struct RowWrites {
  private let store: RecordingStore

  init(of store: RecordingStore) throws {
    self.store = store
    try store.write { db in
      try SQLStatement(db, "CREATE TEMP TABLE row_write (what TEXT)").run()
      for table in ["recording", "entry"] {
        for change in ["INSERT", "UPDATE", "DELETE"] {
          try SQLStatement(
            db,
            """
            CREATE TEMP TRIGGER \(table)_\(change) AFTER \(change) ON \(table)
            BEGIN INSERT INTO row_write VALUES ('\(change) \(table)'); END
            """
          ).run()
        }
      }
    }
  }

  func count() throws -> Int {
    try store.read { db in try SQLStatement(db, "SELECT count(*) FROM row_write").first { $0.int(0) } ?? 0 }
  }
}
