import ChirperModel
import Foundation
import GRDB
import Testing

@testable import ChirperStore

/// Stores with a write-ahead log.
@Suite struct JournalTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "chirper-\(UUID().uuidString)")
  private let now = Date(timeIntervalSince1970: 1_780_000_000)
  private let query = CatalogueQuery(
    catalogue: .sample, identity: "q", pageSize: 2, typed: "Q", requestText: "en:Q")

  private func cleanUp() { try? FileManager.default.removeItem(at: directory) }

  private func page(_ ids: [String]) -> RecordingPage {
    RecordingPage(
      number: 1,
      recordings: ids.map {
        Recording(
          id: RecordingID(catalogue: .sample, value: $0),
          fields: RecordingFields(canonical: #"{"id":"\#($0)"}"#))
      }, totals: nil, next: nil)
  }

  private func file(_ suffix: String, in directory: URL? = nil) -> String {
    (directory ?? self.directory).appendingPathComponent(RecordingStore.fileName).path + suffix
  }

  private func exists(_ suffix: String, in directory: URL? = nil) -> Bool {
    FileManager.default.fileExists(atPath: file(suffix, in: directory))
  }

  private func mode(_ store: RecordingStore?) throws -> String? {
    try store?.queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
  }

  /// The files of a store as a killed program leaves them, in another directory.
  private func copyAfterKill() throws -> URL {
    let copy = directory.appendingPathComponent("killed")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: file(suffix), toPath: file(suffix, in: copy))
    }
    return copy
  }

  @Test func `with a write-ahead log nobody who reads waits for a transaction`() throws {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory, journal: .wal)
    _ = try store.store(page(["a", "b"]), of: query, startsWalk: true, now: now)
    #expect(try store.rows(of: query, in: 0..<2).count == 2)
    try store.write { db in
      try db.execute(sql: "UPDATE query SET walk_open = 1")
      // On other connections of this store, and of another one.
      #expect(try store.stored(query)?.count == 2)
      #expect(try store.rows(of: query, in: 0..<2, waits: false)?.count == 2)
      let other = try RecordingStore.readable(in: directory)
      #expect(try other.stored(query)?.count == 2)
    }
    let version = try store.version()
    _ = try store.store(page(["a", "c"]), of: query, startsWalk: true, now: now)
    #expect(try store.version() != version)
    #expect(try store.rows(of: query, in: 0..<2, waits: false)?.map(\.id.value) == ["a", "c"])
    #expect(try store.diagnosis(of: directory).problems == [])
    // What is stored stays stored when the power fails, as with the other journal.
    #expect(
      try store.queue.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        == 2)
  }

  @Test func `a store keeps its journal until another is chosen, which needs the store for itself`()
    throws
  {
    defer { cleanUp() }
    var store: RecordingStore? = try .writable(in: directory)
    #expect(try mode(store) == "delete")
    // Others may have it open meanwhile.
    var other: RecordingStore? = try .writable(in: directory, journal: .wal)
    _ = try other?.store(page(["a", "b"]), of: query, startsWalk: true, now: now)
    #expect(try store?.stored(query)?.count == 2)
    // As the command opens it.
    store = try .writable(in: directory)
    #expect(try mode(store) == "wal" && exists("-wal"))
    #expect(throws: StoreError(.busy(path: file(""), holder: nil))) {
      try RecordingStore.writable(in: directory, journal: .rollback)
    }
    (store, other) = (nil, nil)
    #expect(!exists("-wal") && !exists("-shm"))
    store = try .writable(in: directory, journal: .rollback)
    #expect(try mode(store) == "delete")
    #expect(try store?.stored(query)?.count == 2)
  }

  @Test func `a store that is refused keeps its journal`() throws {
    defer { cleanUp() }
    for (sql, error) in [
      (
        "PRAGMA user_version = 99",
        StoreError(.newer(path: file(""), version: 99, known: Migrations.all.count))
      ),
      ("PRAGMA application_id = 1", StoreError(.notOurs(path: file("")))),
    ] {
      let store = try RecordingStore.writable(in: directory)
      try store.queue.writeWithoutTransaction { try $0.execute(sql: sql) }
      try store.queue.close()
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file("")))
      #expect(throws: error) { try RecordingStore.writable(in: directory, journal: .wal) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: file(""))) == bytes)
      #expect(!exists("-wal"))
      cleanUp()
    }
  }

  @Test func `a log that a killed program left is read, with and without the intention to write`()
    throws
  {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory, journal: .wal)
    _ = try store.store(page(["a", "b"]), of: query, startsWalk: true, now: now)
    let copy = try copyAfterKill()
    #expect(try RecordingStore.readOnly(file: file("", in: copy)).stored(query)?.count == 2)
    #expect(try RecordingStore.readable(in: copy).stored(query)?.count == 2)
    #expect(try RecordingStore.writable(in: copy).stored(query)?.count == 2)
    #expect(try RecordingStore.writable(in: copy).diagnosis(of: copy).problems == [])
  }

  @Test func `a store with a log in a folder where nothing can be written says so`() throws {
    defer { cleanUp() }
    var store: RecordingStore? = try .writable(in: directory, journal: .wal)
    _ = try store?.store(page(["a", "b"]), of: query, startsWalk: true, now: now)
    store = nil
    // Its index cannot be opened, as on a read-only card: SQLite follows no link.
    try FileManager.default.createSymbolicLink(
      atPath: file("-shm"), withDestinationPath: file("-nothing"))
    let detail =
      "it has a write-ahead log, so its folder must be one that can be written: use a copy of it, or a backup"
    #expect(throws: StoreError(.cannotOpen(path: file(""), detail: detail))) {
      try RecordingStore.readOnly(file: file(""))
    }
  }

  @Test func `a backup has no write-ahead log`() throws {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory, journal: .wal)
    _ = try store.store(page(["a", "b"]), of: query, startsWalk: true, now: now)
    let copy = directory.appendingPathComponent("copy")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    try store.backup(to: file("", in: copy)) { _, _ in }
    #expect(!exists("-wal", in: copy) && !exists("-shm", in: copy))
    let restored = try RecordingStore.writable(in: copy)
    #expect(try mode(restored) == "delete")
    #expect(try restored.stored(query)?.count == 2)
    #expect(try mode(store) == "wal")
  }

  @Test(arguments: [Journal.rollback, .wal])
  func `a backup has no file beside it while it is made, which a signal would leave`(
    journal: Journal
  ) throws {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory, journal: journal)
    // More than one step of the copy.
    let remarks = String(repeating: "x", count: 1_000_000)
    let recordings = (1...20).map { id in
      Recording(
        id: RecordingID(catalogue: .sample, value: "\(id)"),
        fields: RecordingFields(canonical: #"{"id":"\#(id)","rmk":"\#(remarks)"}"#))
    }
    let page = RecordingPage(number: 1, recordings: recordings, totals: nil, next: nil)
    _ = try store.store(page, of: query, startsWalk: true, now: now)
    let copy = directory.appendingPathComponent("copy")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    var seen: [[String]] = []
    try store.backup(to: file("", in: copy)) { _, _ in
      seen.append((try? FileManager.default.contentsOfDirectory(atPath: copy.path)) ?? [])
    }
    #expect(seen.count > 1 && seen.allSatisfy { $0 == [RecordingStore.fileName] }, "\(seen)")
    #expect(try RecordingStore.readable(in: copy).stored(query)?.count == 20)
  }

  @Test func `a repair reads the log, and leaves none for the new file`() throws {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory, journal: .wal)
    _ = try store.store(page(["a", "b"]), of: query, startsWalk: true, now: now)
    let copy = try copyAfterKill()
    let repair = try #require(try StoreRepair(directory: copy, now: now).run())
    #expect(repair.kept.rows == 2 && repair.lost == Repair.Counts())
    #expect(!exists("-wal", in: copy) && !exists("-shm", in: copy))
    #expect(try RecordingStore.readable(in: copy).stored(query)?.count == 2)
    // A store that is open, against the rule, keeps the log from being emptied: it goes where the
    // damaged file goes.
    let kept = try #require(try StoreRepair(directory: directory, now: now).run())
    #expect(kept.kept.rows == 2)
    #expect(!exists("-wal") && FileManager.default.fileExists(atPath: kept.damagedCopy + "-wal"))
    let repaired = try RecordingStore.writable(in: directory)
    #expect(try repaired.diagnosis(of: directory).problems == [])
    #expect(try repaired.rows(of: query, in: 0..<2).map(\.id.value) == ["a", "b"])
    withExtendedLifetime(store) {}
  }
}
