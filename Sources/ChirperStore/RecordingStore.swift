import ChirperModel
import Foundation
import GRDB
import GRDBSQLite

/// The SQLite database of all lists. Everything that is shown of a list is read from it,
/// and the answers of catalogues are written to it.
///
/// The tables are made by the files in `Migrations/`; all other SQL is in this module. Each
/// write that changes a list keeps its rules (Sources/ARCHITECTURE.md) in one transaction. The
/// surface of the module is this type with the values that it takes and returns,
/// `WalkLock`, `LockHolder`, `StoreRepair`, `Migrations`, and `TableFile`, which writes
/// databases for other programs.
package struct RecordingStore: Sendable {
  /// The path of the file, for error messages and for the locks next to it.
  package let path: String
  /// One connection; with a write-ahead log, one that writes and several that read.
  let queue: any DatabaseWriter
  /// The file that `queue` has open; `nil` for a store in memory.
  let file: FileIdentity?
  let screens = ScreenConnection()
  /// The thread on which loads use the store. They wait there for the database, and for
  /// other processes, without one of Swift's shared threads.
  package let loading = QueueExecutor("chirper.loading")
  /// The thread on which catalogues are asked and their answers read, while loads use the
  /// store. Many loads at once would keep Swift's shared threads from every other task.
  package let asking = QueueExecutor("chirper.asking")
  /// The thread on which screens read the store.
  package let showing = QueueExecutor("chirper.showing")
  #if Collection
  /// The thread on which the search index is written.
  package let indexing = QueueExecutor("chirper.indexing")
  let searchIndex = Locked(SearchIndexState())
  #endif
  /// The migrations that made the tables.
  let migrations: [Migration]

  init(path: String, queue: any DatabaseWriter, migrations: [Migration] = Migrations.all) throws {
    self.path = path
    self.queue = queue
    self.migrations = migrations
    file = path == Self.memoryPath ? nil : FileIdentity(path)
    // Between the two the file may have been replaced.
    guard file == nil || !queue.writeWithoutTransaction(Self.hasMoved) else {
      throw StoreError(.replaced(path: path))
    }
  }

  /// The file's name inside the data directory.
  package static let fileName = "chirper.sqlite"
  package static let memoryPath = ":memory:"
  /// Identifies the file as chirper's: "chrp".
  static let applicationID = 0x6368_7270
  /// The time for which a statement waits for a different process's lock, in seconds.
  static let busyTimeout = 10.0
  /// The least time for which it waits, in seconds: longer than a usual commit takes.
  static let leastBusyTimeout = 0.05

  /// A store in memory, which lives as long as the value.
  package static func inMemory(migrations: [Migration] = Migrations.all) throws(StoreError)
    -> RecordingStore
  {
    try writable(file: memoryPath, migrations: migrations)
  }

  /// Opens the store in a directory for writing. Creates both if needed (the directory with
  /// mode 0700), and migrates a store of an older version.
  ///
  /// - Parameters:
  ///   - journal: the journal; the file's own if `nil`.
  ///   - migrations: the migrations; only tests pass different ones.
  package static func writable(
    in directory: URL, journal: Journal? = nil, migrations: [Migration] = Migrations.all
  ) throws(StoreError) -> RecordingStore {
    let path = directory.appendingPathComponent(fileName).path
    try checkFiles(path)
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw unusable(directory: directory, path: path)
    }
    return try writable(file: path, journal: journal, migrations: migrations)
  }

  /// Opens a file, or creates it, and migrates it.
  static func writable(
    file path: String, journal: Journal? = nil, migrations: [Migration] = Migrations.all
  ) throws(StoreError) -> RecordingStore {
    try translating(path) {
      let folder = OpenFolder(path.folderOfPath)
      // SQLite gives its journals the permissions of the database. An existing file is not opened:
      // to close it would release the locks of other connections.
      if let folder, folder.groupMode != nil {
        close(folder.create((path as NSString).lastPathComponent))
      }
      let store = try open(path, readOnly: false, migrations)
      try store.migrate()
      return if let journal { try store.changed(to: journal) } else { store }
    }
  }

  /// Opens the store in a directory for reading. If the directory has none, opens an empty
  /// one in memory and creates nothing.
  package static func readable(in directory: URL) throws(StoreError) -> RecordingStore {
    let path = directory.appendingPathComponent(fileName).path
    try checkFiles(path)
    guard FileManager.default.fileExists(atPath: path) else {
      let kind = FileKind(directory.path) ?? FileKind(directory.path, followsLinks: false)
      guard kind == nil || kind == .directory else {
        throw unusable(directory: directory, path: path)
      }
      if access(path, F_OK) != 0, errno == EACCES {
        let request = FileOwner(denying: path, R_OK)?.request(toShare: directory.path)
        throw StoreError(
          .cannotOpen(path: path, detail: request ?? String(cString: strerror(EACCES))))
      }
      return try inMemory()
    }
    // Only a connection that may write can play back the journal that a killed process left.
    let folder = resolved(path).folderOfPath
    guard access(path, W_OK) == 0, access(folder, W_OK) == 0 else {
      return try readOnly(file: path)
    }
    let store = try writable(file: path)
    try translating(path) {
      try store.queue.writeWithoutTransaction {
        try $0.execute(sql: "PRAGMA cache_size = -\(readerCache)")
      }
    }
    return store
  }

  /// Opens a file that can only be read. One that would have to be migrated is refused.
  static func readOnly(file path: String, migrations: [Migration] = Migrations.all)
    throws(StoreError) -> RecordingStore
  {
    try translating(path) {
      let store = try open(path, readOnly: true, migrations)
      let version = try store.queue.read { try store.schemaVersion($0) }
      guard version > 0 else { throw StoreError(.readOnly(path: path)) }
      guard version == migrations.count else {
        let detail =
          "it has version \(version) and can only be read, so it cannot be brought to version \(migrations.count)"
        throw StoreError(.cannotOpen(path: path, detail: detail))
      }
      return store
    }
  }

  private static func open(_ path: String, readOnly: Bool, _ migrations: [Migration]) throws
    -> RecordingStore
  {
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration(readOnly: readOnly))
      return try RecordingStore(path: path, queue: queue, migrations: migrations)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // Nothing but pragmas has run: SQLite does not know the format of the schema that the header
      // names.
      throw StoreError(.damaged(path: path, detail: error.message ?? "its schema cannot be read"))
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CANTOPEN && readOnly && hasLog(path)
    {
      let detail =
        "it has a write-ahead log, so its folder must be one that can be written: use a copy of it, or a backup"
      throw StoreError(.cannotOpen(path: path, detail: detail))
    }
  }

  /// The size of the reader's cache in KiB. A reader reads most pages once, so a larger
  /// cache gains nothing, and takes a third of the time of a short export.
  private static let readerCache = 256

  static func configuration(readOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(busyTimeout)
    configuration.label = "chirper"
    configuration.prepareDatabase { db in
      // Also `true` of the connections of a pool that read.
      let readOnly = db.configuration.readonly
      // A page of a list changes about 3 MB, and the next one changes much of the same.
      try db.execute(sql: "PRAGMA cache_size = -\(readOnly ? readerCache : 8192)")
      if !readOnly {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // Nothing in a file may call a function that has effects.
        try db.execute(sql: "PRAGMA trusted_schema = OFF")
        // What a transaction changes is written once, at its end, if it is less than 8 MB.
        try db.execute(sql: "PRAGMA cache_spill = 2000")
      }
    }
    return configuration
  }

  /// Refuses a named pipe, for which SQLite would wait without end, and a link to a missing
  /// file, which SQLite would create elsewhere.
  private static func checkFiles(_ path: String) throws(StoreError) {
    switch FileKind(path) ?? FileKind(path, followsLinks: false) {
    case .file?, nil: break
    case .link?:
      throw StoreError(
        .cannotOpen(path: path, detail: "it is a link to a file that does not exist"))
    case let kind?:
      throw StoreError(.damaged(path: path, detail: "it is a \(kind.rawValue), not a database"))
    }
    let file = resolved(path)
    for suffix in SQLiteCompanion.suffixes {
      if let kind = FileKind(file + suffix, followsLinks: false), kind != .file {
        throw StoreError(
          .damaged(
            path: file + suffix, detail: "it is a \(kind.rawValue), not a part of the database"))
      }
    }
  }

  /// The file that a link leads to; the same path if it is not a link.
  static func resolved(_ path: String) -> String {
    guard FileKind(path, followsLinks: false) == .link, let real = realpath(path, nil) else {
      return path
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// The reason why a directory cannot hold the store.
  private static func unusable(directory: URL, path: String) -> StoreError {
    var existing = directory
    while FileKind(existing.path) == nil, existing.path.count > 1 {
      existing.deleteLastPathComponent()
    }
    guard FileKind(existing.path) == .directory else {
      return StoreError(
        .cannotOpen(path: path, detail: "\(existing.path) is a file, not a directory"))
    }
    if access(existing.path, W_OK) != 0 { return StoreError(.readOnly(path: existing.path)) }
    return StoreError(
      .cannotOpen(path: path, detail: "the directory \(directory.path) cannot be created"))
  }
}
