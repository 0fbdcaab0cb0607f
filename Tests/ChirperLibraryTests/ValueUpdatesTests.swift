import Chirper
import Foundation
import Synchronization
import Testing

/// Observing what is stored, with public API alone. No test waits for a time: each waits for the
/// value.
@Suite(.timeLimit(.minutes(10))) struct ValueUpdatesTests {
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "chirper-\(UUID().uuidString)")
  private let diary = DiaryCatalogue(uploads: false)

  private func repository() throws -> RecordingRepository {
    try RecordingRepository(directory: directory, catalogues: [diary])
  }

  /// The next value that satisfies the condition; every value differs from the one before.
  private static func next<Value>(
    _ values: inout ValueUpdates<Value>.Iterator, where isWanted: (Value) -> Bool
  ) async throws -> Value {
    var last: Value?
    while let value = try await values.next(isolation: nil) {
      #expect(value != last)
      if isWanted(value) { return value }
      last = value
    }
    throw CancellationError()
  }

  @Test(arguments: [true, false])
  func `stored queries are observed, whichever repository changes them`(isOwn: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let (repository, other) = (try repository(), try repository())
    let query = try diary.catalogue.query("birds")
    var queries = repository.values(of: { try await $0.storedQueries() }).makeAsyncIterator()
    #expect(try await queries.next(isolation: nil) == [])
    let writer = isOwn ? repository : other
    _ = await writer.fetch(query, FetchPlan(.all))
    let stored = try await Self.next(&queries) { $0.first?.completeness == .complete }
    #expect(stored.map(\.query) == [query] && stored.first?.count == 30)
    try await writer.forget(query)
    #expect(try await Self.next(&queries, where: \.isEmpty) == [])
  }

  @Test func `a repository whose file was replaced says so everywhere, and opens it again`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let old = try repository()
    let query = try diary.catalogue.query("birds")
    _ = await old.fetch(query, FetchPlan(.all))
    let reader = try ListReader(old, [query])
    var queries = old.values(of: { try await $0.storedQueries() }).makeAsyncIterator()
    var snapshots = old.snapshots(of: query).makeAsyncIterator()
    #expect(try await queries.next(isolation: nil)?.count == 1)
    #expect(await snapshots.next()?.count == 30)
    let file = directory.appending(path: "chirper.sqlite")
    let replaced = StoreError(.replaced(path: file.path))
    let copy = directory.appending(path: "copy.sqlite")
    try await old.backup(to: copy)
    #expect(rename(copy.path, file.path) == 0)

    await #expect(throws: replaced) { try await queries.next(isolation: nil) }
    while let snapshot = await snapshots.next() {
      guard case .error(let error, let rows)? = snapshot.state else { continue }
      #expect(error == .store(replaced) && rows.count == 30)
      break
    }
    #expect(throws: replaced) { try reader.rows(0..<1) }
    #expect(await old.fetch(query, FetchPlan(.all)).failure == .store(replaced))

    let new = try old.reopened()
    #expect(try await new.storedQueries().map(\.count) == [30])
    #expect(await new.fetch(query, FetchPlan(.all)).failure == nil)
    #expect(throws: replaced) { try old.storedQueries() }
  }

  @Test
  func `one recording is observed: when it is stored, when it changes, and when it is forgotten`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let repository = try repository()
    let query = try diary.catalogue.query("birds")
    let id = RecordingID(catalogue: diary.catalogue.id, value: "3")
    var recordings = repository.values(of: { try $0.recording(id) }).makeAsyncIterator()
    #expect(try await recordings.next(isolation: nil) == .some(nil))
    _ = await repository.fetch(query, FetchPlan(.all))
    #expect(try await Self.next(&recordings) { $0 != nil }?.text("note") == nil)
    diary.entries.withLock { $0[3].note = "It was a rhea." }
    _ = await repository.fetch(query, FetchPlan(.all))
    #expect(
      try await Self.next(&recordings) { $0?.text("note") != nil }?.text("note") == "It was a rhea."
    )
    _ = try await repository.forget(query)
    #expect(try await Self.next(&recordings) { $0 == nil } == nil)
  }

  @Test func `a search is observed: what it finds, and what changes of that`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let repository = try repository()
    let query = try diary.catalogue.query("birds")
    let selection = Selection(where: ["source:diary"])
    var results = repository.values(of: { try await $0.rows(of: selection) }).makeAsyncIterator()
    #expect(try await results.next(isolation: nil)?.count == 0)
    _ = await repository.fetch(query, FetchPlan(.all))
    let all = try await Self.next(&results) { $0.count == 30 }
    diary.entries.withLock { $0[3].note = "It was a rhea." }
    _ = await repository.fetch(query, FetchPlan(.all))
    let changed = try await Self.next(&results) { $0 != all }
    let row = try await changed.rows(0..<30).first { $0.recording.id.value == "3" }
    #expect(changed.count == 30 && row?.recording.text("note") == "It was a rhea.")
  }

  @Test(arguments: [true, false])
  func `kept audio is observed, whichever repository keeps or deletes it`(isOwn: Bool) async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let stream = IDCursorCatalogue(upstream: Upstream(count: 3))
    let repository = try RecordingRepository(directory: directory, catalogues: [stream])
    let other = try RecordingRepository(directory: directory, catalogues: [stream])
    let query = try stream.catalogue.query("all")
    _ = await repository.fetch(query, FetchPlan(.all))
    let rows = try repository.rows(of: query, in: 0..<2)
    var downloaded = repository.values(of: { $0.audio.downloadedFiles(of: [stream.catalogue.id]) })
      .makeAsyncIterator()
    #expect(try await downloaded.next(isolation: nil)?[rows[0].id] == nil)
    let writer = isOwn ? repository : other
    for row in rows { _ = try await writer.audio.file(of: row, storesGenerated: true) }
    let both = try await Self.next(&downloaded) { $0[rows[0].id] != nil && $0[rows[1].id] != nil }
    #expect(both[rows[0].id]?.pathExtension == "wav")
    try await writer.audio.remove(rows[0].id)
    #expect(try await Self.next(&downloaded) { $0[rows[0].id] == nil }[rows[1].id] != nil)
  }

  @Test
  func
    `a loop over the stored queries ends when its task is cancelled, and throws what cannot be read`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let repository = try repository()
    let (seen, isSeen) = AsyncStream.makeStream(of: Int.self)
    let loop = Task {
      for try await queries in repository.values(of: { try await $0.storedQueries() }) {
        isSeen.yield(queries.count)
      }
      return true
    }
    for await count in seen {
      #expect(count == 0)
      break
    }
    loop.cancel()
    #expect(try await loop.value)
    let list = SearchExpressionError(.unknownList("nothing", nearest: []), at: 1)
    let selection = Selection(where: ["in:nothing"])
    var results = repository.values(of: { try await $0.rows(of: selection) }).makeAsyncIterator()
    await #expect(throws: list) { try await results.next(isolation: nil) }
  }
}
