import GRDB

/// Space that deleted rows leave in the file, and how it goes back to the file system (decision 0018).
extension RecordingStore {
  /// Pages that one transaction moves: 4 MB, so that other processes wait only for a moment.
  private static let pagesPerStep = 1024
  /// Bytes up to which a file of the old layout is rewritten for any free space; above, a quarter of it must be free.
  private static let smallFile: Int64 = 64 << 20

  /// Lets an empty file give back space later. Has no effect on a file with tables.
  func chooseLayout() throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
  }

  /// Gives the free space of the file back to the file system.
  ///
  /// What was deleted is deleted already, so an error ends only this: on a full disk, while another process holds a lock, or
  /// after a kill, the file stays as long as it was, and the next call continues.
  func giveBackSpace() {
    do {
      let (free, pages, pageSize, isIncremental) = try queue.read { db in
        (
          try Self.number("freelist_count", db), try Self.number("page_count", db), try Self.number("page_size", db),
          try Self.number("auto_vacuum", db) == 2
        )
      }
      guard free > 0 else { return }
      guard isIncremental else {
        guard pages * pageSize <= Self.smallFile || free >= pages / 4 else { return }
        try chooseLayout()
        return try queue.vacuum()
      }
      var (before, left) = (Int64.max, free)
      while left > 0, left < before {
        before = left
        left = try queue.write { db in
          try db.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesPerStep))")
          return try Self.number("freelist_count", db)
        }
      }
    } catch {
      return
    }
  }

  private static func number(_ pragma: String, _ db: Database) throws -> Int64 {
    try SQLStatement(db, "PRAGMA \(pragma)").first { $0.int64(0) } ?? 0
  }
}
