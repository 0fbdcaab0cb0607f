import ChirperModel
import Foundation
import GRDB

/// The source of truth: everything that is ever shown is read from it, the network only writes into it.
///
/// This module is the only one that knows SQL. Its surface: this type with its named reads and writes, each of which
/// keeps the rules of a list by itself, in one transaction; the values they take and give; `WalkLock`.
public struct RecordingStore: Sendable {
  /// The file, as errors name it.
  package let path: String
  let queue: DatabaseQueue

  /// The file's name inside the data directory.
  package static let fileName = "chirper.sqlite"
  /// Marks the file as chirper's: "ChRp".
  static let applicationID = 0x4368_5270
  /// How long a statement waits for another process's lock, in seconds.
  static let busyTimeout = 10.0

  /// A store in memory, for as long as the value lives.
  package static func inMemory() throws(StoreError) -> RecordingStore {
    try translating(":memory:") {
      let store = try RecordingStore(path: ":memory:", queue: DatabaseQueue(configuration: configuration(readOnly: false)))
      try store.migrate()
      return store
    }
  }

  /// Opens the store of a directory for writing, creating both (the directory with mode 0700) and bringing an older
  /// schema up to date.
  package static func writable(in directory: URL) throws(StoreError) -> RecordingStore {
    let path = directory.appendingPathComponent(fileName).path
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw unusable(directory: directory, path: path)
    }
    try checkIsFile(path)
    return try writable(file: path)
  }

  /// Opens a file, which is created where it is not there yet.
  static func writable(file path: String) throws(StoreError) -> RecordingStore {
    try translating(path) {
      let store = try RecordingStore(
        path: path, queue: DatabaseQueue(path: path, configuration: configuration(readOnly: false)))
      try store.migrate()
      return store
    }
  }

  /// Opens the store of a directory for reading; where there is none it is an empty one, and nothing is created.
  package static func readable(in directory: URL) throws(StoreError) -> RecordingStore {
    let path = directory.appendingPathComponent(fileName).path
    guard FileManager.default.fileExists(atPath: path) else {
      var isDirectory: ObjCBool = false
      if FileManager.default.fileExists(atPath: directory.path, isDirectory: &isDirectory), !isDirectory.boolValue {
        throw unusable(directory: directory, path: path)
      }
      return try inMemory()
    }
    // A journal left by a killed process can only be played back by a connection that may write.
    if access(path, W_OK) == 0, access(directory.path, W_OK) == 0 { return try writable(in: directory) }
    try checkIsFile(path)
    return try translating(path) {
      let store = try RecordingStore(
        path: path, queue: DatabaseQueue(path: path, configuration: configuration(readOnly: true)))
      try store.checkVersion()
      return store
    }
  }

  static func configuration(readOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(busyTimeout)
    configuration.label = "chirper"
    if !readOnly {
      configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // A page of 500 recordings changes about 3 MB; spilled out of SQLite's own 2 MB it would be written twice.
        try db.execute(sql: "PRAGMA cache_size = -8192")
      }
    }
    return configuration
  }

  private static func checkIsFile(_ path: String) throws(StoreError) {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
      throw .damaged(path: path, detail: "it is a directory, not a database")
    }
  }

  /// Says why a directory cannot hold the store, by trying what the system thinks of it.
  private static func unusable(directory: URL, path: String) -> StoreError {
    var isDirectory: ObjCBool = false
    var existing = directory
    while !FileManager.default.fileExists(atPath: existing.path, isDirectory: &isDirectory), existing.path.count > 1 {
      existing.deleteLastPathComponent()
    }
    if !isDirectory.boolValue { return .cannotOpen(path: path, detail: "\(existing.path) is a file, not a directory") }
    if access(existing.path, W_OK) != 0 { return .readOnly(path: existing.path) }
    return .cannotOpen(path: path, detail: "the directory \(directory.path) cannot be created")
  }
}

extension RecordingStore {
  /// Runs in one read transaction, which ends before this returns.
  func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
    try Self.translating(path) { try queue.read(body) }
  }

  /// Runs in one IMMEDIATE transaction, committed whole or not at all.
  func write<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
    try Self.translating(path) { try queue.write(body) }
  }

  /// The one place where SQLite's errors become ours.
  static func translating<T>(_ path: String, _ body: () throws -> T) throws(StoreError) -> T {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch let error as DatabaseError {
      let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: throw .damaged(path: path, detail: detail)
      case .SQLITE_FULL: throw .diskFull(path: path)
      case .SQLITE_IOERR: throw .inputOutput(path: path, detail: detail)
      case .SQLITE_READONLY: throw .readOnly(path: path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: throw .busy(path: path)
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: throw .cannotOpen(path: path, detail: detail)
      default: throw .unexpected(path: path, detail: detail)
      }
    } catch {
      // What a row holds is not what the schema promises: only a damaged file does that.
      throw .damaged(path: path, detail: "\(error)")
    }
  }
}
