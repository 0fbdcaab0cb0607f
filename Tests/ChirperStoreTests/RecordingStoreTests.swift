import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

/// The store on a real file in a directory of its own.
@Suite struct RecordingStoreTests {
  private let directory: URL
  private let now = Date(timeIntervalSince1970: 1_780_000_000)
  private let query = SearchQuery(catalogue: .sample, text: "q", pageSize: 2, typed: "Q", sent: "en:Q")

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("chirper-\(UUID().uuidString)")
  }

  private func recording(_ id: String, _ text: String = "") -> Recording {
    Recording(
      id: RecordingID(catalogue: .sample, value: id), fields: RecordingFields(canonical: #"{"id":"\#(id)","t":"\#(text)"}"#))
  }

  private func page(_ number: Int, _ ids: [String], total: Int = 4, next: Int?) -> RecordingPage {
    RecordingPage(
      number: number, recordings: ids.map { recording($0) }, totals: Totals(recordings: total, pages: 2), next: next)
  }

  private func cleanUp() { try? FileManager.default.removeItem(at: directory) }

  @Test func `what is stored is there when the file is opened again`() throws {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory)
    _ = try store.store(page(1, ["a", "b"], next: 2), of: query, startsWalk: true, now: now)
    let again = try RecordingStore.readable(in: directory)
    let stored = try #require(try again.stored(query))
    #expect((stored.count, stored.next, stored.completeness) == (2, 2, .partial(pages: 1, of: 2)))
    #expect((stored.query.typed, stored.query.sent) == ("Q", "en:Q"))
    #expect((stored.oldestFetchedAt, stored.newestFetchedAt) == (now, now))
    #expect(try again.rows(of: query, in: 0..<9).map(\.id.value) == ["a", "b"])
  }

  @Test func `the directory is for its owner alone`() throws {
    defer { cleanUp() }
    _ = try RecordingStore.writable(in: directory)
    let mode = try FileManager.default.attributesOfItem(atPath: directory.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o700)
  }

  @Test func `reading where nothing is stored creates nothing`() throws {
    let store = try RecordingStore.readable(in: directory)
    #expect(try store.storedQueries() == [])
    #expect(!FileManager.default.fileExists(atPath: directory.path))
  }

  @Test func `a recording that stood on a page the walk has not read moves, one it has read stays`() throws {
    let store = try RecordingStore.inMemory()
    _ = try store.store(page(1, ["a", "b"], next: 2), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, ["c", "d"], next: nil), of: query, startsWalk: false, now: now)
    _ = try store.closeWalk(of: query, giveUp: false, now: now)
    // "x" entered at the head: b moved to page 2, d is not met yet.
    let (first, _) = try store.store(page(1, ["x", "a"], total: 5, next: 2), of: query, startsWalk: true, now: now)
    #expect((first.new, first.isShifted) == (1, false))
    #expect(try store.audit(of: query).ids == ["x", "a", "b", "c", "d"])
    let (second, _) = try store.store(page(2, ["a", "b"], total: 5, next: 3), of: query, startsWalk: false, now: now)
    #expect(second.isShifted)
    #expect(try store.audit(of: query).ids == ["x", "a", "b", "c", "d"])
    #expect(try store.audit(of: query).problems == [])
  }

  @Test func `rows leave only when a finished walk did not meet them, and their day is kept`() throws {
    let store = try RecordingStore.inMemory()
    _ = try store.store(page(1, ["a", "b"], next: 2), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, ["c", "d"], next: nil), of: query, startsWalk: false, now: now)
    #expect(try store.closeWalk(of: query, giveUp: false, now: now) == WalkClosing(claim: .complete, gone: 0))
    _ = try store.store(page(1, ["a", "c"], total: 3, next: 2), of: query, startsWalk: true, now: now)
    #expect(try store.audit(of: query).ids == ["a", "c", "b", "d"])
    _ = try store.store(page(2, ["d"], total: 3, next: nil), of: query, startsWalk: false, now: now)
    #expect(try store.closeWalk(of: query, giveUp: false, now: now) == WalkClosing(claim: .complete, gone: 1))
    #expect(try store.audit(of: query).ids == ["a", "c", "d"])
    #expect(try store.recording(RecordingID(catalogue: .sample, value: "b")) != nil)
  }

  @Test func `counts that disagree close only as shifted, and keep every row`() throws {
    let store = try RecordingStore.inMemory()
    _ = try store.store(page(1, ["a", "b"], total: 5, next: 2), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, ["c"], total: 5, next: nil), of: query, startsWalk: false, now: now)
    #expect(try store.closeWalk(of: query, giveUp: false, now: now).claim == nil)
    #expect(try store.closeWalk(of: query, giveUp: true, now: now).claim == .shifted(rows: 3, total: 5))
    #expect(try store.audit(of: query).ids == ["a", "b", "c"])
  }

  @Test func `a changed recording is changed once, for every query that holds it`() throws {
    let store = try RecordingStore.inMemory()
    let other = SearchQuery(catalogue: .sample, text: "r", pageSize: 2, typed: "r", sent: "r")
    _ = try store.store(page(1, ["a"], next: nil), of: query, startsWalk: true, now: now)
    let changed = RecordingPage(number: 1, recordings: [recording("a", "new")], totals: nil, next: nil)
    let (outcome, _) = try store.store(changed, of: other, startsWalk: true, now: now)
    #expect((outcome.new, outcome.changed) == (1, 1))
    #expect(try store.rows(of: query, in: 0..<1).first?.text("t") == "new")
  }

  @Test func `forgetting removes what only that query held`() throws {
    let store = try RecordingStore.inMemory()
    let other = SearchQuery(catalogue: .sample, text: "r", pageSize: 2, typed: "r", sent: "r")
    _ = try store.store(page(1, ["a", "b"], next: nil), of: query, startsWalk: true, now: now)
    _ = try store.store(page(1, ["b"], next: nil), of: other, startsWalk: true, now: now)
    let forgotten = try #require(try store.forget(query))
    #expect((forgotten.pages, forgotten.rows, forgotten.recordings) == (1, 2, 1))
    #expect(try store.forget(query) == nil)
    #expect(try store.audit(of: other).ids == ["b"])
    #expect(try store.recording(RecordingID(catalogue: .sample, value: "a")) == nil)
  }

  @Test func `a window is cut to the list, wherever page borders lie`() throws {
    let store = try RecordingStore.inMemory()
    _ = try store.store(page(1, ["a", "b"], next: 2), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, ["c", "d"], next: nil), of: query, startsWalk: false, now: now)
    for (window, ids) in [(0..<1, ["a"]), (1..<3, ["b", "c"]), (3..<9, ["d"]), (4..<5, []), (2..<2, [])] {
      #expect(try store.rows(of: query, in: window).map(\.id.value) == ids)
      #expect(try store.rows(try store.keys(of: query, in: window)[0..<9], of: .sample).map(\.id.value) == ids)
    }
  }

  @Test func `a newer store and a stranger's are refused`() throws {
    defer { cleanUp() }
    let path = directory.appendingPathComponent("chirper.sqlite").path
    _ = try RecordingStore.writable(in: directory)
    try #require(try sqlite(path, "PRAGMA user_version = 99"))
    #expect(throws: StoreError.newer(path: path, version: 99, known: 1)) { try RecordingStore.writable(in: directory) }
    try #require(try sqlite(path, "PRAGMA application_id = 1"))
    #expect(throws: StoreError.notOurs(path: path)) { try RecordingStore.readable(in: directory) }
  }

  private func sqlite(_ path: String, _ sql: String) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = [path, sql]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
