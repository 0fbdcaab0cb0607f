import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// The rows of a snapshot, which are read when they are used.
@Suite struct RecordingListTests {
  private let catalogue = ModelCatalogue(rows: (0..<3000).map { String(format: "r%04d", $0) })
  private let repository: RecordingRepository
  private let query: CatalogueQuery

  init() throws {
    let fetcher = catalogue
    repository = RecordingRepository(
      store: try .inMemory(), dependencies: ManualClock().dependencies()
    ) { _ in fetcher }
    query = catalogue.query("q", pageSize: 500)
  }

  private func rows() throws -> RecordingList { try repository.snapshot(of: query).rows }

  @Test func `a list has its rows at their positions`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    let rows = try rows()
    #expect(rows.count == 3000)
    #expect(rows.map(\.id.value) == catalogue.ids)
    #expect(rows[1234].id.value == "r1234")
    #expect(rows.last?.id.value == "r2999")
    #expect(rows[2990...].map(\.id.value) == Array(catalogue.ids[2990...]))
    #expect(try await rows.ids().map(\.value) == catalogue.ids)
    #expect(try await rows.read(2998..<4000).map(\.id.value) == ["r2998", "r2999"])
  }

  @Test func `the bytes of a row are its fields`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    let reader = try ListReader(repository, [query])
    var bytes: [[UInt8]] = []
    try reader.forEachRow(100..<400) { bytes.append(Array($0)) }
    #expect(bytes.count == 300)
    #expect(bytes == (try reader.rows(100..<400).map { Array($0.fields.bytes) }))
  }

  @Test func `a snapshot reads no row, and a position reads those around it once`() throws {
    let reads = Locked<[Range<Int>]>([])
    let catalogue = CatalogueID(rawValue: "model")
    let source = RecordingCache.Source(executor: QueueExecutor("test")) {
      range, waits throws(StoreError) in
      // None is read ahead.
      if waits { throw StoreError(.recordingForgotten) }
      reads.withLock { $0.append(range) }
      return range.map {
        Recording(
          id: RecordingID(catalogue: catalogue, value: "\($0)"),
          fields: RecordingFields(canonical: #"{"id":1}"#))
      }
    } ids: { _ throws(StoreError) in
      []
    } wereRead: { _ in
    }
    let cache = RecordingCache(catalogue: catalogue, source)
    let rows = RecordingList(cache, count: 1_000_000, generation: 0)
    #expect(rows == rows)
    #expect(reads.withLock(\.self) == [])
    for position in 500_000..<500_100 { #expect(rows[position].id.value == "\(position)") }
    #expect(reads.withLock(\.self) == [500_000..<500_100])
    // The blocks used last are kept, and no more of them than the limit.
    for block in 0..<RecordingCache.blockLimit { _ = rows[block * RecordingCache.blockSize] }
    _ = rows[0]
    #expect(reads.withLock(\.count) == 1 + RecordingCache.blockLimit)
    _ = rows[500_000]
    _ = rows[0]
    _ = rows[RecordingCache.blockSize]
    #expect(reads.withLock(\.count) == 1 + RecordingCache.blockLimit + 2)
  }

  @Test func `a row that cannot be read at once follows in another snapshot`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-tests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let fetcher = catalogue
    let store = try RecordingStore.writable(in: directory)
    let repository = RecordingRepository(store: store, dependencies: ManualClock().dependencies()) {
      _ in fetcher
    }
    _ = await repository.fetch(query, FetchPlan(.all))
    let pager = Pager(repository, query: query, policy: .storeOnly)
    let screen = SnapshotLog(pager.snapshots)
    let shown = try #require(try await screen.first { $0.count == 3000 })
    let other = try RecordingStore.writable(in: directory)
    let (hasBegun, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // As another process that writes for a while, and changes nothing.
    Thread.detachNewThread {
      try? other.queue.writeWithoutTransaction { db in
        try db.inTransaction(.exclusive) {
          hasBegun.signal()
          _ = ends.wait(timeout: .now() + 8)
          return .rollback
        }
      }
    }
    hasBegun.wait()
    let row = shown.rows[1234]
    #expect(row.isMissing && screen.all.count == 1)
    ends.signal()
    let later = try #require(try await screen.first { $0.rows != shown.rows })
    #expect(later.rows[1234].id.value == "r1234" && later.count == 3000)
    await screen.leave()
    withExtendedLifetime(pager) {}
  }

  @Test func `rows that cannot be read are an error, and are read again until they can be`()
    async throws
  {
    let catalogue = CatalogueID(rawValue: "model")
    let results = Locked<[Result<Void, StoreError>]>([])
    let reads = Locked<[Range<Int>]>([])
    let source = RecordingCache.Source(executor: QueueExecutor("test")) {
      range, waits throws(StoreError) in
      if !waits { return nil }
      if results.withLock(\.isEmpty) { throw StoreError(.busy(path: "p")) }
      reads.withLock { $0.append(range) }
      return range.map {
        Recording(
          id: RecordingID(catalogue: catalogue, value: "\($0)"),
          fields: RecordingFields(canonical: #"{"id":1}"#))
      }
    } ids: { _ throws(StoreError) in
      []
    } wereRead: { result in
      results.withLock { $0.append(result) }
    }
    let rows = RecordingList(
      RecordingCache(catalogue: catalogue, source), count: 1000, generation: 0)
    #expect(rows[510].isMissing)
    try await eventually { results.withLock(\.count) == 2 }
    #expect(throws: StoreError(.busy(path: "p"))) { try results.withLock(\.self)[0].get() }
    try results.withLock(\.self)[1].get()
    #expect(rows[510].id.value == "510")
    // The rows before them are read ahead, without a word to the screen.
    try await eventually { reads.withLock(\.self) == [500..<600, 400..<500] }
    #expect(results.withLock(\.count) == 2)
    try await eventually { !rows[499].isMissing }
  }

  @Test func `lists are equal until the rows change`() async throws {
    let small = catalogue.query("small", pageSize: 1000)
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    let before = try rows()
    _ = before[3]
    // The same page again, then another list with the same recordings.
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    _ = await repository.fetch(small, FetchPlan(.pages(1)))
    #expect(try rows() == before)
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    let longer = try rows()
    #expect(longer != before)
    #expect((before.count, longer.count) == (500, 1000))
    // A recording has another text, which the other list's fetch brings.
    catalogue.change { $0[3].text = "edited" }
    _ = await repository.fetch(small, FetchPlan(.pages(1)))
    #expect(try rows() != longer)
    #expect(try rows()[3].text("text") == "edited")
    // Two recordings have changed places.
    let edited = try rows()
    catalogue.change { $0.swapAt(5, 6) }
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    #expect(try rows() != edited)
    #expect(try rows()[5...6].map(\.id.value) == ["r0006", "r0005"])
  }

  @Test func `a position that has no row any more gives a recording without fields`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    let rows = try rows()
    catalogue.change { $0.removeLast(500) }
    _ = await repository.fetch(query, FetchPlan(.all))
    #expect(rows.count == 3000)
    #expect(!rows[2499].isMissing)
    #expect(rows[2500].isMissing && rows[2999].isMissing)
    #expect(rows[2500].id != rows[2501].id)
    #expect(try await rows.ids().count == 2500)
    _ = try await repository.forget(query)
    let missing = rows.filter(\.isMissing)
    #expect(missing.count == 3000)
  }

  @Test func `lists of arrays are compared by their rows`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    let rows = try repository.rows(of: query, in: 0..<3)
    let list: RecordingList = [rows[0], rows[1], rows[2]]
    #expect(list == RecordingList(rows))
    #expect(list != RecordingList(rows.dropLast()))
    #expect(try await list.read(1..<9) == Array(rows[1...]))
    #expect(try await list.ids() == rows.map(\.id))
    #expect(try list != self.rows())
  }

  @Test func `a repository that may only read a store that does not exist fetches nothing`()
    async throws
  {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-tests-\(UUID().uuidString)")
    let repository = try RecordingRepository(directory: directory, access: .read)
    let query = try #require(Catalogues.named(.sample)).query("parrot")
    let report = await repository.fetch(query, FetchPlan(.pages(1)))
    #expect(
      report
        == FetchReport(
          failure: .store(
            StoreError(.readOnly(path: directory.appending(path: "chirper.sqlite").path)))))
    #expect(try await repository.storedQueries() == [])
    #expect(!FileManager.default.fileExists(atPath: directory.path))
  }
}
