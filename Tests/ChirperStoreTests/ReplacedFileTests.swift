import ChirperModel
import Foundation
import GRDB
import Testing

@testable import ChirperStore

/// A store whose file is replaced, removed or migrated by a newer program while it is open.
@Suite struct ReplacedFileTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "chirper-\(UUID().uuidString)")
  private let now = Date(timeIntervalSince1970: 1_780_000_000)
  private let query = CatalogueQuery(
    catalogue: .sample, identity: "q", pageSize: 2, typed: "Q", requestText: "en:Q")
  private var path: String { directory.appendingPathComponent(RecordingStore.fileName).path }

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

  private func filled(_ ids: [String], in directory: URL? = nil, journal: Journal? = nil) throws
    -> RecordingStore
  {
    let store = try RecordingStore.writable(in: directory ?? self.directory, journal: journal)
    _ = try store.store(page(ids), of: query, startsWalk: true, now: now)
    return store
  }

  /// A store in another directory, with one other recording, takes the place of the file.
  private func replace(journal: Journal? = nil) throws {
    let other = directory.appendingPathComponent("other")
    _ = try filled(["z"], in: other, journal: journal)
    #expect(rename(other.appendingPathComponent(RecordingStore.fileName).path, path) == 0)
  }

  /// What every way to use the store throws; `nil` for one that throws nothing.
  private func errors(of store: RecordingStore, hasScreen: Bool) -> [String: StoreError?] {
    func error(_ body: () throws(StoreError) -> Void) -> StoreError? {
      do throws(StoreError) { try body() } catch { return error }
      return nil
    }
    var errors: [String: StoreError?] = [
      "read": error { () throws(StoreError) in _ = try store.stored(query) },
      "screen": error { () throws(StoreError) in _ = try store.rows(of: query, in: 0..<2) },
      "version": error { () throws(StoreError) in _ = try store.version() },
      "page": error { () throws(StoreError) in
        _ = try store.store(page(["b"]), of: query, startsWalk: true, now: now)
      },
      "forget": error { () throws(StoreError) in _ = try store.forget(query) },
      "pacing": error { () throws(StoreError) in
        _ = try store.reserveRequest(to: .sample, interval: .seconds(1), now: now)
      },
      "diagnosis": error { () throws(StoreError) in _ = try store.diagnosis(of: directory) },
      "backup": error { () throws(StoreError) in
        try store.backup(to: directory.appendingPathComponent("backup").path) { _, _ in }
      },
      "index": error { () throws(StoreError) in _ = try store.dropSearchIndex() },
    ]
    // Without its connection it reads nothing at once.
    if hasScreen {
      errors["screen at once"] = error { () throws(StoreError) in
        _ = try store.rows(of: query, in: 0..<2, waits: false)
      }
    }
    return errors
  }

  private func contents() throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(arguments: [true, false])
  func `a file that a newer program migrated is neither read nor written`(hasScreen: Bool) throws {
    defer { cleanUp() }
    let store = try filled(["a"])
    if hasScreen { _ = try store.version() }
    let newer = Migrations.all.count + 1
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.execute(sql: "PRAGMA user_version = \(newer)") }
    try other.close()
    let before = try contents()
    for (use, error) in errors(of: store, hasScreen: hasScreen) {
      #expect(
        error == StoreError(.newer(path: path, version: newer, known: Migrations.all.count)),
        "\(use)")
    }
    #expect(try contents() == before)
    // It was migrated back, as when a backup was copied over it.
    let back = try DatabaseQueue(path: path)
    try back.write { try $0.execute(sql: "PRAGMA user_version = \(Migrations.all.count)") }
    #expect(try store.stored(query)?.count == 1)
  }

  @Test(arguments: [true, false])
  func `a file that takes the place of the open one is neither read nor written`(
    hasScreen: Bool
  ) throws {
    defer { cleanUp() }
    let store = try filled(["a"])
    let version = hasScreen ? try store.version() : nil
    try replace()
    let before = try contents()
    for (use, error) in errors(of: store, hasScreen: hasScreen) {
      #expect(error == StoreError(.replaced(path: path)), "\(use)")
    }
    #expect(try contents() == before)
    let opened = try RecordingStore.writable(in: directory)
    #expect(try opened.rows(of: query, in: 0..<2).map(\.id.value) == ["z"])
    if let version { #expect(try opened.version() != version) }
  }

  @Test(arguments: [true, false])
  func `a file that was moved away is not created again, and is used when it is back`(
    hasScreen: Bool
  ) throws {
    defer { cleanUp() }
    let store = try filled(["a"])
    if hasScreen { _ = try store.version() }
    #expect(rename(path, path + ".away") == 0)
    for (use, error) in errors(of: store, hasScreen: hasScreen) {
      #expect(error == StoreError(.removed(path: path)), "\(use)")
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(rename(path + ".away", path) == 0)
    #expect(try store.rows(of: query, in: 0..<2).map(\.id.value) == ["a"])
  }

  @Test func `closing a store whose file was replaced leaves the write-ahead log of the new one`()
    throws
  {
    defer { cleanUp() }
    var store: RecordingStore? = try filled(["a"], journal: .wal)
    _ = try store?.version()
    // As a repair does it.
    for suffix in SQLiteCompanion.suffixes { unlink(path + suffix) }
    try replace(journal: .wal)
    let opened = try RecordingStore.writable(in: directory)
    _ = try opened.store(page(["y", "z"]), of: query, startsWalk: true, now: now)
    #expect(throws: StoreError(.replaced(path: path))) { try store?.stored(query) }
    store = nil
    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    let third = try RecordingStore.writable(in: directory)
    #expect(try third.rows(of: query, in: 0..<2).map(\.id.value) == ["y", "z"])
    #expect(try third.diagnosis(of: directory).problems == [])
  }

  @Test
  func `what was stored before a repair's file has its name is in it, and nothing is stored after`()
    async throws
  {
    defer { cleanUp() }
    let store = try filled(["first"])
    let (query, now) = (query, now)
    let pages = (0..<5000).lazy.map { [self] in page(["\($0)"]) }
    let writer = Task.detached(executorPreference: QueueExecutor("writer")) {
      var last: String?
      do throws(StoreError) {
        for page in pages where !Task.isCancelled {
          _ = try store.store(page, of: query, startsWalk: true, now: now)
          last = page.recordings[0].id.value
          // SQLite's lock has no queue: without a pause the repair could wait for its turn in vain.
          usleep(20_000)
        }
        return (last, StoreError?.none)
      } catch {
        return (last, error)
      }
    }
    defer { writer.cancel() }
    while try store.rows(of: query, in: 0..<1).first?.id.value == "first" {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try StoreRepair(directory: directory, now: now).run() != nil)
    let (last, error) = await writer.value
    #expect(error == StoreError(.replaced(path: path)))
    let rows = try RecordingStore.readable(in: directory).rows(of: query, in: 0..<100)
    #expect(last != nil && rows.first?.id.value == last)
  }
}
