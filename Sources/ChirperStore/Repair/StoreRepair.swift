import ChirperModel
import Foundation
import GRDB

/// What `doctor --repair` did.
public struct Repair: Equatable, Sendable {
  /// Where the damaged file stands now.
  public let damagedCopy: String
  public let kept: Counts
  /// What the damaged file says of things it no longer holds; what left no trace cannot be counted.
  public let lost: Counts
  /// Queries, as they were typed, whose list is no longer whole: their next fetch asks for what is missing.
  public let incomplete: [String]

  public struct Counts: Equatable, Sendable {
    public var queries = 0
    public var pages = 0
    /// Rows of lists.
    public var rows = 0
    public var recordings = 0

    public init(queries: Int = 0, pages: Int = 0, rows: Int = 0, recordings: Int = 0) {
      self.queries = queries
      self.pages = pages
      self.rows = rows
      self.recordings = recordings
    }
  }
}

/// Makes a sound store of what is readable in a damaged one.
///
/// A new file is built beside the old one and takes its name in one step, after the old one got a second name; cut off
/// anywhere before that, everything is as it was. A database that is newer, or not chirper's, is left alone.
package struct StoreRepair {
  private let directory: URL
  private let now: Date
  private let path: String
  /// Files that stand beside the store while the repair is under way.
  private let scratch: String

  package init(directory: URL, now: Date) {
    self.directory = directory
    self.now = now
    path = directory.appendingPathComponent(RecordingStore.fileName).path
    scratch = path + ".repair-\(UInt32.random(in: 0 ... .max))"
  }

  /// `nil` where there is no file.
  package func run() throws(StoreError) -> Repair? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard access(directory.path, W_OK) == 0 else { throw .readOnly(path: directory.path) }
    let fresh = scratch + ".sqlite"
    defer { for end in ["", "-journal"] { for file in [fresh, scratch + ".copy"] { unlink(file + end) } } }
    return try RecordingStore.translating(path) {
      let store = try RecordingStore.writable(file: fresh)
      let report = try salvage(into: store)
      let problems = try store.diagnosis(of: directory).problems
      guard problems.isEmpty else {
        throw StoreError.unexpected(path: path, detail: "the repaired copy is not sound: \(problems[0])")
      }
      try store.queue.close()
      let damaged = try exchange(fresh)
      return Repair(damagedCopy: damaged, kept: report.kept, lost: report.lost, incomplete: report.incomplete)
    }
  }

  /// Reads the file itself where SQLite opens it, else a copy of it whose first pages are made new.
  private func salvage(into store: RecordingStore) throws -> Rebuild.Report {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
      return Rebuild.Report()
    }
    if let report = try rebuild(from: path, into: store) { return report }
    guard try graft(to: scratch + ".copy") else { return Rebuild.Report() }
    return try rebuild(from: scratch + ".copy", into: store) ?? Rebuild.Report()
  }

  /// `nil` where SQLite cannot even read which tables there are.
  private func rebuild(from file: String, into store: RecordingStore) throws -> Rebuild.Report? {
    var isOpen = false
    do {
      // A journal left by a killed process is played back by opening.
      let damaged = try DatabaseQueue(path: file, configuration: RecordingStore.configuration(readOnly: false))
      defer { try? damaged.close() }
      try damaged.read { _ = try RecordingStore.pending($0, path) }
      // The write lock keeps other processes out until the new file has its name.
      var report: Rebuild.Report?
      try damaged.writeWithoutTransaction { old in
        try old.inTransaction(.immediate) {
          // With a damaged schema nothing could be asked for by its name.
          guard try store.queue.read({ try Self.schema($0) }) == Self.schema(old) else { return .rollback }
          let salvage = try Salvage(old)
          isOpen = true
          report = try store.queue.write { new in try Rebuild(old: salvage, new: new, now: now.milliseconds).run() }
          return .rollback
        }
      }
      return report
    } catch let error as DatabaseError where !isOpen && Self.unreadable.contains(error.resultCode) {
      return nil
    }
  }

  private static func schema(_ db: Database) throws -> [String] {
    var words: [String] = []
    try SQLStatement(db, "SELECT type, name, sql FROM sqlite_schema ORDER BY name").forEach { row in
      words += [row.text(0), row.text(1), row.text(2)]
    }
    return words
  }

  private static let unreadable: [ResultCode] = [
    .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CANTOPEN, .SQLITE_IOERR,
  ]

  /// Copies the file and gives the copy the header and the schema of a new store: both are the same in every store, and
  /// without them SQLite reads nothing. `false` where there is not even a page to read.
  private func graft(to copy: String) throws -> Bool {
    let pageSize = 4096
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let pages = bytes.count / pageSize
    guard pages > 1 else { return false }
    let model = scratch + ".copy"
    let roots: Set<Int> = try {
      let store = try RecordingStore.writable(file: model)
      defer { try? store.queue.close() }
      return try store.queue.read { try Set(Int.fetchAll($0, sql: "SELECT rootpage FROM sqlite_schema")) }
    }()
    let fresh = try Data(contentsOf: URL(fileURLWithPath: model))
    unlink(model)
    // Of a new store each page that is no table's or index's root belongs to the schema.
    for page in 1...(fresh.count / pageSize) where !roots.contains(page) && page <= pages {
      let range = (page - 1) * pageSize..<page * pageSize
      bytes.replaceSubrange(range, with: fresh[range])
    }
    // The file's size in pages, and an empty free list.
    for (offset, value) in [(28, pages), (32, 0), (36, 0)] {
      for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte)) }
    }
    try bytes.prefix(pages * pageSize).write(to: URL(fileURLWithPath: copy))
    return true
  }

  /// Gives the old file a second name and then its first one to the new file, so that at every moment a store stands
  /// under its name.
  private func exchange(_ fresh: String) throws -> String {
    let name = Self.damagedName(path, now)
    var isDirectory: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    if isDirectory.boolValue {
      guard rename(path, name) == 0 else { throw failure(name) }
    } else {
      // A journal that could not be played back belongs to the old file; under the old name it would be played into the new.
      for end in ["", "-journal"] where FileManager.default.fileExists(atPath: path + end) {
        if link(path + end, name + end) != 0 {
          // A file system without links, such as that of a memory card.
          do {
            try FileManager.default.copyItem(atPath: path + end, toPath: name + end)
          } catch {
            unlink(name + end)
            throw failure(name)
          }
        }
      }
      unlink(path + "-journal")
    }
    guard rename(fresh, path) == 0 else { throw failure(path) }
    let folder = open(directory.path, O_RDONLY | O_CLOEXEC)
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

  /// `chirper.sqlite.damaged-20261121T101500Z`, with a number behind where that is taken.
  private static func damagedName(_ path: String, _ now: Date) -> String {
    var time = time_t(now.timeIntervalSince1970)
    var parts = tm()
    gmtime_r(&time, &parts)
    var digits = [CChar](repeating: 0, count: 40)
    strftime(&digits, digits.count, "%Y%m%dT%H%M%SZ", &parts)
    let stamp = String(decoding: digits.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
