import GRDB

/// Space that deleted rows leave in the file, and how it goes back to the file system (decision 0018).
extension RecordingStore {
  /// Pages that one transaction moves: 4 MB, so that other processes wait only for a moment.
  private static let pagesPerStep = 1024

  /// Gives the free space of the file back to the file system.
  ///
  /// What was deleted is deleted already, so an error ends only this: on a full disk, while another process holds a lock, or
  /// after a kill, the file stays as long as it was, and the next call continues.
  func giveBackSpace() {
    do {
      var (before, left) = (Int64.max, try queue.read(Self.freePages))
      while left > 0, left < before {
        before = left
        left = try queue.write { db in
          try db.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesPerStep))")
          return try Self.freePages(db)
        }
      }
    } catch {
      return
    }
  }

  private static func freePages(_ db: Database) throws -> Int64 {
    try SQLStatement(db, "PRAGMA freelist_count").first { $0.int64(0) } ?? 0
  }
}
