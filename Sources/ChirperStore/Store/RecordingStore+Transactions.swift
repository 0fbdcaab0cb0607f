import ChirperModel
import Foundation
import GRDB
import GRDBSQLite

extension RecordingStore {
  /// Runs in one read transaction, which ends before this returns. A body that writes is an error,
  /// and nothing is written.
  ///
  /// GRDB's own `read` sets `PRAGMA query_only` and resets it, and each makes SQLite prepare every
  /// cached statement again.
  func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
    let wait = DatabaseWait()
    return try usingFile {
      try Self.reading(queue) { db in
        try wait.limited(on: db) { try checked(db, wait: wait, body) }
      }
    }
  }

  /// Reads as `read` does, on any connection. Throws the errors of `body` and of SQLite,
  /// and does not check the file.
  static func reading<T>(_ connection: any DatabaseReader, _ body: (Database) throws -> T) throws
    -> T
  {
    try connection.unsafeRead { db in
      try db.beginTransaction(.deferred)
      do {
        let value = try body(db)
        guard sqlite3_txn_state(db.sqliteConnection, "main") != SQLITE_TXN_WRITE else {
          throw WritingRead()
        }
        try db.commit()
        return value
      } catch {
        // Safe to ignore: SQLite has already ended the transaction after some errors.
        try? db.rollback()
        throw error
      }
    }
  }

  /// Runs in one IMMEDIATE transaction, committed whole or not at all.
  func write<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
    let wait = DatabaseWait()
    return try usingFile {
      try queue.writeWithoutTransaction { db in
        try wait.limited(on: db) {
          var values: [T] = []
          try db.inTransaction(.immediate) {
            values.append(try checked(db, wait: wait, body))
            return .commit
          }
          return values[0]
        }
      }
    }
  }

  /// Calls `body` in a transaction. Throws unless the path leads to the file that the store has
  /// open, and its version is the one that this program knows. A repair and a restored backup give
  /// the path a different file, and a
  /// newer program migrates the file while this one has it open.
  ///
  /// Called in each transaction: the version is the one that the transaction reads, and a writer
  /// that waited for a repair's lock sees the new file.
  func checked<T>(
    _ db: Database, wait: DatabaseWait? = nil, _ body: (Database) throws -> T
  ) throws -> T {
    guard file != nil else { return try body(db) }
    try checkPath()
    let version = try db.firstRow("PRAGMA user_version") { $0.int(0) } ?? 0
    // What reads has the database from its first row on.
    wait?.hasEnded()
    guard version <= migrations.count else {
      throw StoreError(.newer(path: path, version: version, known: migrations.count))
    }
    // An older file was copied over it.
    guard version == migrations.count else { throw StoreError(.replaced(path: path)) }
    return try body(db)
  }

  func checkPath() throws(StoreError) {
    let found = FileIdentity(path)
    guard found != file else { return }
    throw StoreError(found == nil ? .removed(path: path) : .replaced(path: path))
  }

  /// A further connection to the file. SQLite would create a file that was removed.
  func newConnection() throws -> DatabaseQueue {
    try checkPath()
    return try DatabaseQueue(
      path: path, configuration: Self.configuration(readOnly: queue.configuration.readonly))
  }

  /// Whether the file that a connection has open does not have its name any more.
  static func hasMoved(_ db: Database) -> Bool {
    var hasMoved: CInt = 0
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  /// Makes a connection leave a write-ahead log where it is when it is closed. SQLite deletes the
  /// log by its name, and that name may belong to the log of the file that has replaced the open
  /// one.
  static func keepLog(_ db: Database) {
    var keeps: CInt = 1
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  /// Runs something that uses the file, and throws only `StoreError`.
  func usingFile<T>(_ body: () throws -> T) throws(StoreError) -> T {
    do throws(StoreError) {
      return try Self.translating(path, body)
    } catch {
      switch error.reason {
      case .replaced, .removed:
        queue.writeWithoutTransaction(Self.keepLog)
        screens.ifOpen { $0.writeWithoutTransaction(Self.keepLog) }
      default: break
      }
      throw error
    }
  }

  /// The error for a value that no store has; `translating` makes `.damaged` of it.
  static func damaged(_ detail: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: detail)
  }

  /// Turns SQLite's errors into ours; nothing else does. A `StoreError` of the body is
  /// thrown as it is. Any other error is a defect of the program and is reported as unexpected,
  /// with its description.
  static func translating<T>(_ path: String, _ body: () throws -> T) throws(StoreError) -> T {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch let error as DatabaseError {
      let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: throw StoreError(.damaged(path: path, detail: detail))
      case .SQLITE_FULL: throw StoreError(.diskFull(path: path))
      case .SQLITE_IOERR: throw StoreError(.inputOutput(path: path, detail: detail))
      case .SQLITE_READONLY: throw .unwritable(path)
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        throw StoreError(.busy(path: path, holder: LockHolder.description(ofLockOn: path)))
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
        let request = FileOwner(denying: path, R_OK)?.request(toShare: path.folderOfPath)
        throw StoreError(.cannotOpen(path: path, detail: request ?? detail))
      default: throw StoreError(.unexpected(path: path, detail: "SQLite reports: \(detail)"))
      }
    } catch {
      throw StoreError(.unexpected(path: path, detail: "\(error)"))
    }
  }
}

/// A defect of the program, which is not one of SQLite's errors.
private struct WritingRead: Error, CustomStringConvertible {
  let description = "a read of the store tried to write"
}
