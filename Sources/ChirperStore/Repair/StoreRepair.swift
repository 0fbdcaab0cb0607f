import ChirperModel
import Foundation
import GRDB
import GRDBSQLite

/// What `doctor --repair` did.
public struct Repair: Equatable, Sendable {
  /// The path that the damaged file has now.
  public let damagedCopy: String
  /// What is in the new store.
  public let kept: Counts
  /// What was lost, as far as the rest of the file refers to it; what left no trace cannot be counted.
  public let lost: Counts
  /// Queries, as they were typed, whose list is no longer whole; their next fetch requests what is missing.
  public let incomplete: [String]

  /// Numbers of things in a store.
  public struct Counts: Equatable, Sendable {
    /// Lists.
    public var queries = 0
    /// Pages of lists.
    public var pages = 0
    /// Rows of lists.
    public var rows = 0
    /// Recordings.
    public var recordings = 0

    /// Numbers of things.
    public init(queries: Int = 0, pages: Int = 0, rows: Int = 0, recordings: Int = 0) {
      self.queries = queries
      self.pages = pages
      self.rows = rows
      self.recordings = recordings
    }
  }
}

/// Builds a sound store from what is readable in a damaged one, of whatever schema version.
///
/// A new file is built beside the old one, which is then linked to a second name, and the new one renamed over it. If the
/// repair is killed before that, nothing has changed. A database that is newer, or not chirper's, is left alone.
package struct StoreRepair {
  private let directory: URL
  private let now: Date
  /// The file itself, where a link that stays leads to it.
  private let path: String
  /// The path that the repair's own files begin with.
  private let temporary: String
  private let damagedName: String

  package init(directory: URL, now: Date) {
    self.directory = directory
    self.now = now
    path = RecordingStore.resolved(directory.appendingPathComponent(RecordingStore.fileName).path)
    damagedName = Self.damagedName(path, now)
    temporary = path + ".repair-\(UInt32.random(in: 0 ... .max))"
  }

  /// `nil` if there is no file.
  package func run() throws(StoreError) -> Repair? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    if FileKind(path) == .device { throw .cannotOpen(path: path, detail: "it is a device, not a database") }
    let folder = path.folderOfPath
    guard access(folder, W_OK) == 0 else { throw .readOnly(path: folder) }
    try moveOddCompanions()
    let fresh = temporary + ".sqlite"
    defer { for suffix in ["", "-journal"] { for file in [fresh, temporary + ".copy"] { unlink(file + suffix) } } }
    return try RecordingStore.translating(path) {
      let report = try salvage(into: fresh) ?? Rebuild.Report()
      let store = try RecordingStore.writable(file: fresh)
      let problems = try store.diagnosis(of: directory).problems
      guard problems.isEmpty else {
        throw StoreError.unexpected(path: path, detail: "the repaired copy is not sound: \(problems[0])")
      }
      try store.queue.close()
      let damaged = try replaceStore(with: fresh)
      return Repair(damagedCopy: damaged, kept: report.kept, lost: report.lost, incomplete: report.incomplete)
    }
  }

  /// Reads the file itself if SQLite can read its schema, otherwise a copy of it with a new schema; `nil`, with nothing
  /// created, if nothing can be read.
  private func salvage(into fresh: String) throws -> Rebuild.Report? {
    guard FileKind(path) == .file else { return nil }
    if let report = try rebuild(from: path, into: fresh) { return report }
    guard try copyWithNewSchema(to: temporary + ".copy") else { return nil }
    return try rebuild(from: temporary + ".copy", into: fresh)
  }

  /// Moves aside what has the name of a journal and is none: SQLite would wait for a named pipe.
  private func moveOddCompanions() throws(StoreError) {
    for suffix in RecordingStore.companions {
      guard let kind = FileKind(ofLinkOr: path + suffix), kind != .file else { continue }
      guard rename(path + suffix, damagedName + suffix) == 0 else { throw failure(path + suffix) }
    }
  }

  /// `nil`, with nothing created, if the file does not have the schema of one of the versions.
  private func rebuild(from file: String, into fresh: String) throws -> Rebuild.Report? {
    var isReading = false
    do {
      // Opening plays back a journal that a killed process left.
      let damaged = try DatabaseQueue(path: file, configuration: RecordingStore.configuration(readOnly: false))
      defer { try? damaged.close() }
      _ = try damaged.read { try RecordingStore.headerVersion(of: $0, path) }
      // The write lock keeps other processes out until the new file has its name.
      var report: Rebuild.Report?
      try damaged.writeWithoutTransaction { old in
        try old.inTransaction(.immediate) {
          guard let version = try Self.version(ofSchemaIn: old) else { return .rollback }
          let salvage = try Salvage(old)
          isReading = true
          // Of the same version, so that the migrations later find every row as they would have in a sound file.
          let store = try RecordingStore.writable(file: fresh, version: version)
          defer { try? store.queue.close() }
          report = try store.queue.write { new in try Rebuild(old: salvage, new: new, now: now.milliseconds).run() }
          return .rollback
        }
      }
      return report
    } catch let error as DatabaseError where !isReading && Self.unreadable.contains(error.resultCode) {
      return nil
    }
  }

  /// The version whose tables the database has, whatever else was added. Not the number in the header, which may be damaged
  /// as well.
  private static func version(ofSchemaIn db: Database) throws -> Int? {
    let schema = try schema(of: db)
    return try (1...Migrations.all.count).reversed().first { version in
      try RecordingStore.inMemory(version: version).queue.read { try Self.schema(of: $0) }.isSubset(of: schema)
    }
  }

  /// Type, name and statement of everything that belongs to a table that a repair copies.
  private static func schema(of db: Database) throws -> Set<[String]> {
    var schema: Set<[String]> = []
    try SQLStatement(db, "SELECT type, name, sql, tbl_name FROM sqlite_schema").forEach { row in
      guard CopiedTable.all.contains(where: { $0.name == row.text(3) }) else { return }
      schema.insert([row.text(0), row.text(1), row.text(2)])
    }
    return schema
  }

  /// The first page of each of those tables and indexes.
  private static func roots(of db: Database) throws -> [String: Int] {
    var roots: [String: Int] = [:]
    try SQLStatement(db, "SELECT name, rootpage, tbl_name FROM sqlite_schema").forEach { row in
      guard CopiedTable.all.contains(where: { $0.name == row.text(2) }) else { return }
      roots[row.text(0)] = row.int(1)
    }
    return roots
  }

  private static let unreadable: [ResultCode] = [
    .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CANTOPEN, .SQLITE_IOERR,
  ]

  /// Copies the file, without its first page, into a database with a schema of its own, whose tables then get the first
  /// pages of the old ones; `false` if there is not even a page to copy.
  ///
  /// Where the old schema cannot say where a table begins, it is taken to begin where it does in a new store: the first
  /// migration creates almost every table that is copied, so these have the same first pages in most stores. Where that is
  /// wrong, `Rebuild` reads another page as that table, and leaves out rows that cannot be its own. The new schema is written
  /// after the old pages for the same reason.
  private func copyWithNewSchema(to copy: String) throws -> Bool {
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    let pages = old.count / Self.pageSize
    guard pages > 1 else { return false }
    let version = Self.version(inHeader: old) ?? Migrations.all.count
    let isOld = !Self.hasPointerMap(old)
    let newStore = try RecordingStore.inMemory(version: version, isOld: isOld).queue.read { try Self.roots(of: $0) }
    let roots = self.roots(in: old, orAsIn: newStore)
    let page = { (number: Int) in old[(number - 1) * Self.pageSize..<number * Self.pageSize] }

    let empty = try DatabaseQueue(path: copy)
    try empty.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
    try empty.close()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
    defer { try? file.close() }
    let size = Self.originalSize(of: old, isOld: isOld)
    // The header's size in pages; pages that were cut off are zeros, which SQLite refuses.
    try file.write(Data((0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }), at: 28)
    try file.write(old[Self.pageSize..<pages * Self.pageSize], at: Self.pageSize)
    try file.truncate(atOffset: UInt64(size) * UInt64(Self.pageSize))

    let store = try RecordingStore.writable(file: copy, version: version)
    let newRoots = try store.queue.read { try Self.roots(of: $0) }
    try store.queue.close()
    for (name, root) in roots where root <= pages {
      if let newRoot = newRoots[name] { try file.write(page(root), at: (newRoot - 1) * Self.pageSize) }
    }
    return true
  }

  /// The first pages that the file's own schema names, as far as it can be read and they can be right; for the others, those
  /// of a new store, unless the file has another table there.
  private func roots(in old: Data, orAsIn newStore: [String: Int]) -> [String: Int] {
    let kind = { (root: Int) -> Bool? in
      guard (2...old.count / Self.pageSize).contains(root) else { return nil }
      // Inner pages and leaves of a table by row id; all others are those of an index.
      return [5, 13].contains(old[(root - 1) * Self.pageSize])
    }
    let tables: Set = ["catalogue", "field", "recording", "query"]
    let named = readableRoots().filter { name, root in newStore[name] != nil && kind(root) == tables.contains(name) }
    let counts = Dictionary(named.map { ($0.value, 1) }, uniquingKeysWith: +)
    let certain = named.filter { counts[$0.value] == 1 }
    return newStore.filter { counts[$0.value] == nil }.merging(certain) { $1 }
  }

  /// What a damaged schema still says about the first pages of tables and indexes.
  private func readableRoots() -> [String: Int] {
    var db: OpaquePointer?
    defer { sqlite3_close(db) }
    guard sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { return [:] }
    // With this setting SQLite works with the part of a schema that it understands. The first statement fails all the same.
    sqlite3_exec(db, "PRAGMA writable_schema = ON", nil, nil, nil)
    var roots: [String: Int] = [:]
    for _ in 1...2 {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(db, "SELECT name, rootpage FROM sqlite_schema", -1, &statement, nil) == SQLITE_OK else { continue }
      while sqlite3_step(statement) == SQLITE_ROW {
        guard let name = sqlite3_column_text(statement, 0) else { continue }
        roots[String(cString: name)] = Int(clamping: sqlite3_column_int64(statement, 1))
      }
    }
    return roots
  }

  private static let pageSize = 4096

  /// Whether the file has the layout of decision 0018. Its second page maps pages to their parents, and the map begins with
  /// an entry for a first page of a table; in an older file the second page is itself the first page of a table.
  private static func hasPointerMap(_ old: Data) -> Bool {
    let (second, third) = (old[pageSize], old.count > 2 * pageSize ? old[2 * pageSize] : 0)
    if second == 1 { return true }
    if [2, 5, 10, 13].contains(second) { return false }
    // The second page is damaged. The third is the first one of a table here, and of an index in an older file.
    return third == 5 || third == 13
  }

  /// The number of pages the file had before its end was cut off, as its header or its inner pages say: a page that is
  /// gone must not be taken for one of the new schema's.
  private static func originalSize(of old: Data, isOld: Bool) -> Int {
    let pages = old.count / pageSize
    // A larger number is damage.
    let limit = pages * 64 + 4096
    return old.withUnsafeBytes { bytes in
      let number = { (offset: Int) in (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
      var size = max(pages, number(28) <= limit ? number(28) : 0)
      // A map has five bytes for each page that follows it.
      let isMap = { (page: Int) in !isOld && (page - 1) % (pageSize / 5 + 1) == 0 }
      for page in 1..<pages where !isMap(page) && [2, 5].contains(bytes[page * pageSize]) {
        // An inner page: its last child, then its cells, each of which begins with a child.
        let start = page * pageSize
        let cells = min(Int(bytes[start + 3]) << 8 | Int(bytes[start + 4]), (pageSize - 12) / 2)
        var children = [number(start + 8)]
        for cell in 0..<cells {
          let offset = Int(bytes[start + 12 + 2 * cell]) << 8 | Int(bytes[start + 13 + 2 * cell])
          if offset <= pageSize - 4 { children.append(number(start + offset)) }
        }
        size = children.reduce(size) { $1 <= limit ? max($0, $1) : $0 }
      }
      return size
    }
  }

  /// The schema version in the file's header; `nil` if the header is damaged.
  private static func version(inHeader bytes: Data) -> Int? {
    let number = { (offset: Int) in bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    guard number(68) == RecordingStore.applicationID else { return nil }
    let version = number(60)
    return (1...Migrations.all.count).contains(version) ? version : nil
  }

  /// Gives the old file a second name and renames the new one over the first, so that there is a store under that name at
  /// every moment. Returns the second name.
  private func replaceStore(with fresh: String) throws -> String {
    let name = damagedName
    if FileKind(path) != .file {
      guard rename(path, name) == 0 else { throw failure(name) }
    } else {
      // A journal that could not be played back belongs to the old file; under its name it would be played into the new one.
      for suffix in ["", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
        if link(path + suffix, name + suffix) != 0 {
          // A file system without links, such as that of a memory card.
          do {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: name + suffix)
          } catch {
            unlink(name + suffix)
            throw failure(name)
          }
        }
      }
      unlink(path + "-journal")
    }
    guard rename(fresh, path) == 0 else { throw failure(path) }
    let folder = open(path.folderOfPath, O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      _ = fsync(folder)
      close(folder)
    }
    return name
  }

  private func failure(_ file: String) -> StoreError {
    switch errno {
    case ENOSPC, EDQUOT: .diskFull(path: file)
    case EROFS, EACCES, EPERM: .readOnly(path: file)
    case let code: .inputOutput(path: file, detail: String(cString: strerror(code)))
    }
  }

  /// `chirper.sqlite.damaged-20261121T101500Z`, followed by a number if that exists.
  private static func damagedName(_ path: String, _ now: Date) -> String {
    var time = time_t(clamping: Int64(now.timeIntervalSince1970))
    var parts = tm()
    gmtime_r(&time, &parts)
    var digits = [CChar](repeating: 0, count: 40)
    strftime(&digits, digits.count, "%Y%m%dT%H%M%SZ", &parts)
    let stamp = String(decoding: digits.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    let base = "\(path).damaged-\(stamp)"
    var name = base
    var count = 1
    while FileManager.default.fileExists(atPath: name) {
      count += 1
      name = "\(base)-\(count)"
    }
    return name
  }
}

extension FileHandle {
  /// Writes the bytes at that offset.
  fileprivate func write(_ bytes: Data, at offset: Int) throws {
    try seek(toOffset: UInt64(offset))
    try write(contentsOf: bytes)
  }
}
