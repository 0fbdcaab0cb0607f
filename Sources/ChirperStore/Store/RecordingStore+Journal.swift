import ChirperModel
import Foundation
import GRDB

/// The way in which a store keeps a transaction whole when the program is killed or the
/// power fails. The file says which one it has, so each program that opens it uses that
/// one.
package enum Journal: Hashable, Sendable {
  /// The pages that a transaction changes are saved before in a file that is deleted at its
  /// end. The whole store is one file then, which also opens where nothing can be written.
  /// Nobody reads while a transaction is being written to it.
  case rollback
  /// Changes are appended to a second file, the write-ahead log, and copied into the store later.
  /// Reads never wait for writes, and run side by side. For a directory that only one app uses.
  case wal
}

extension RecordingStore {
  /// Whether the file's header says that it has a write-ahead log. For a file that SQLite could not
  /// open: to close one that SQLite has open would release its locks.
  static func hasLog(_ path: String) -> Bool {
    let header = try? FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: 20)
    return header.map { $0.count == 20 && $0[18] == 2 } ?? false
  }

  /// The store with that journal, opened again if it has to be.
  func changed(to journal: Journal) throws -> RecordingStore {
    let (name, mode) = journal == .wal ? ("WAL", "wal") : ("DELETE", "delete")
    let found = try queue.writeWithoutTransaction {
      try String.fetchOne($0, sql: "PRAGMA journal_mode = \(name)")
    }
    guard found == mode else {
      throw StoreError(
        .cannotOpen(
          path: path, detail: "a write-ahead log cannot be used on its file system"))
    }
    guard journal == .wal else { return self }
    // Not opened so at first: only a file without tables can be made one that gives back space
    // (decision 0018), and only a store of this version may be changed.
    try queue.close()
    let pool = try DatabasePool(path: path, configuration: Self.configuration(readOnly: false))
    // GRDB has set it to NORMAL, with which a failure of the power takes back what was stored last.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return try RecordingStore(path: path, queue: pool, migrations: migrations)
  }
}
