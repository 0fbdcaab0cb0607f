import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// Syncs of a list whose catalogue says what was updated since a time, as iNaturalist does.
@Suite struct UpdateSyncTests {
  /// 9 pages of 3 records: 79, 76 … 1.
  let catalogue = ModelCatalogue(
    "model", kind: .updates, records: (0..<27).map { .init("\($0 * 3 + 1)", uploaded: $0 * 3 + 1) })
  let clock = ManualClock()
  let store: RecordingStore
  let repository: RecordingRepository
  let query: CatalogueQuery

  init() async throws {
    let fetcher = catalogue
    store = try RecordingStore.inMemory()
    repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in
      fetcher
    }
    query = catalogue.query("q", pageSize: 3)
    let report = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(report.stored?.completeness == .verified)
    catalogue.clearHistory()
    clock.advance(by: .seconds(86_400))
  }

  private func sync() async throws -> FetchReport {
    await repository.sync(try #require(try repository.stored(query)))
  }

  private func expectUpstreamsList() throws {
    let rows = try repository.rows(of: query, in: 0..<100)
    #expect(rows.map(\.id.value) == catalogue.ids)
    #expect(rows.map { $0.text("text") ?? "" } == catalogue.texts)
  }

  @Test
  func
    `nothing new costs three requests and one for a page that is read again, and claims at most complete`()
    async throws
  {
    let walkedAt = try await repository.stored(query)?.walkedAt
    let report = try await sync()
    #expect(report.failure == nil && report.isIncremental)
    #expect((report.requests, report.pagesFetched, report.recheckedPages) == (4, 0, [1]))
    #expect((report.new, report.changed, report.gone) == (0, 0, 0))
    #expect(report.stored?.completeness == .complete)
    #expect(report.stored?.checkedAt == clock.now)
    #expect(report.stored?.walkedAt == walkedAt)
    try expectUpstreamsList()
  }

  @Test
  func
    `new, entering, changed and removed records are found without a walk, on the pages of the service`()
    async throws
  {
    catalogue.change { rows in
      rows.append(.init("90", uploaded: 90))
      rows.append(.init("20", uploaded: 91))
      rows.removeAll { ["79", "40", "1"].contains($0.id) }
      for index in rows.indices where ["76", "37"].contains(rows[index].id) {
        rows[index].text = "xxxx"
        rows[index].uploaded = 92
      }
    }
    let gone = Set(try repository.rows(of: query, in: 0..<100).map(\.id.value)).subtracting(
      catalogue.ids)
    let report = try await sync()
    #expect(report.failure == nil && report.isIncremental)
    #expect(Set(report.goneIDs) == gone)
    #expect(Set(report.newIDs).isSuperset(of: ["90", "20"]))
    #expect(report.requests < 9)
    try expectUpstreamsList()
    // A walk finds every page as it was stored.
    let walk = await repository.fetch(query, FetchPlan(.all))
    #expect((walk.new, walk.changed, walk.gone) == (0, 0, 0))
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness == .verified)
  }

  @Test
  func
    `a change that the service does not date is found within the limit, and each page keeps the time of its reading`()
    async throws
  {
    // Without a new time of its update.
    catalogue.change { $0[$0.count / 2].text = "renamed" }
    var days = 0
    while try !repository.rows(of: query, in: 0..<100).contains(where: {
      $0.text("text") == "renamed"
    }) {
      let report = try await sync()
      #expect(report.isIncremental && report.stored?.completeness == .complete)
      let oldest = try #require(report.stored?.oldestFetchedAt)
      #expect(clock.now.timeIntervalSince(oldest) <= 14 * 86_400)
      days += 1
      try #require(days <= 14)
      clock.advance(by: .seconds(86_400))
    }
    #expect(days > 1)
    try expectUpstreamsList()
  }

  @Test(arguments: 1...4)
  func `a change between two requests is not lost`(request: Int) async throws {
    catalogue.change { $0.removeAll { $0.id == "40" } }
    let counter = Locked(0)
    catalogue.beforeEachAnswer { upstream, _ in
      let count = counter.withLock { count in
        count += 1
        return count
      }
      guard count == request else { return nil }
      upstream.rows.removeAll { $0.id == "4" }
      upstream.rows.append(.init("95", uploaded: 95))
      upstream.rows.append(.init("5", uploaded: 96))
      return nil
    }
    _ = try await sync()
    // What came after the last request that shows it is found by the next sync.
    let report = try await sync()
    #expect(report.failure == nil)
    try expectUpstreamsList()
  }

  @Test func `a service that refuses what a sync asks for is read in full`() async throws {
    catalogue.change { $0.append(.init("90", uploaded: 90)) }
    let isFirst = Locked(true)
    catalogue.beforeEachAnswer { _, _ in
      isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst ? .refused(status: 422, message: "only_id is unknown") : nil
      }
    }
    let report = try await sync()
    #expect(report.failure == nil && !report.isIncremental)
    #expect(report.pagesFetched == 11)
    try expectUpstreamsList()
  }

  @Test func `more changes than half of the list are read in full`() async throws {
    catalogue.change { rows in
      for index in rows.indices.dropFirst(10) { rows[index].uploaded = 100 }
    }
    #expect(try await sync().pagesFetched == 10)
    try expectUpstreamsList()
  }

  @Test func `a list of few pages is read in full`() async throws {
    for count in [13, 6] {
      catalogue.change { $0.removeFirst(count) }
      #expect(try await sync().isIncremental)
    }
    #expect(try await sync().pagesFetched == 4)
    try expectUpstreamsList()
  }

  @Test func `the loss of more than half of the list is believed when a later walk finds it, too`()
    async throws
  {
    catalogue.change { $0.removeFirst(18) }
    let before = try repository.rows(of: query, in: 0..<100).map(\.id.value)
    let first = try await sync()
    #expect((first.isIncremental, first.pagesFetched, first.gone) == (false, 8, 0))
    #expect(first.stored?.completeness.word == "shifted")
    #expect(Set(try repository.rows(of: query, in: 0..<100).map(\.id.value)) == Set(before))
    clock.advance(by: .seconds(43_200))
    let report = try await sync()
    #expect((report.isIncremental, report.pagesFetched) == (false, 4))
    #expect(report.stored?.completeness == .complete)
    #expect(Set(report.goneIDs) == Set(before).subtracting(catalogue.ids))
    try expectUpstreamsList()
  }
}
