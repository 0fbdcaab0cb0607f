import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// What one run reports as new and gone while the list changes between its requests.
@Suite struct RunChangesTests {
  private let catalogue = ModelCatalogue(rows: ["r1", "r2", "r3", "r4", "r5", "r6"])
  private let clock = ManualClock()
  private let store: RecordingStore
  private let repository: RecordingRepository
  private let query: CatalogueQuery

  init() throws {
    let fetcher = catalogue
    store = try .inMemory()
    repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in
      fetcher
    }
    query = catalogue.query("q", pageSize: 2)
  }

  private typealias Change = @Sendable (inout [ModelCatalogue.Row]) -> Void

  /// Fetches the list on the day after, twice if `verify`; each change comes just before the
  /// answer to that request.
  private func fetch(verify: Bool = false, _ changes: [Int: Change] = [:]) async -> FetchReport {
    clock.advance(by: .seconds(86_400))
    catalogue.clearHistory()
    catalogue.beforeEachAnswer { upstream, _ in
      changes[upstream.requests.count]?(&upstream.rows)
      return nil
    }
    return await repository.fetch(query, FetchPlan(.all, verify: verify))
  }

  private func ids(_ keys: [Int64]) throws -> [String] {
    try store.recordings(keys).map(\.recording.id.value)
  }

  private func gone() throws -> [String] {
    try ids(store.readableKeys(of: query, .left, since: .distantPast).keys)
  }
  private func new() throws -> [String] {
    try ids(store.readableKeys(of: query, .entered, since: .distantPast).keys)
  }

  private func date(_ event: ListEvent, _ id: String) throws -> Date? {
    let recording = try #require(
      try store.recording(RecordingID(catalogue: query.catalogue, value: id)))
    return try store.dates(event, of: [recording.key], in: query)[0]
  }

  @Test func `what one pass misses and the next one finds is neither new nor gone`() async throws {
    _ = await fetch()
    _ = await fetch([1: { $0.insert(.init("n"), at: 2) }])
    let entered = try #require(try date(.entered, "n"))
    // After page 1 was read, one of its rows leaves, so that `n` moves onto it, and one enters at
    // the end.
    let exchange: Change = { rows in
      rows.remove(at: 0)
      rows.append(.init("z"))
    }
    let report = await fetch(verify: true, [2: exchange])
    #expect(report.stored?.completeness == .verified)
    #expect((report.new, report.newIDs, report.gone, report.goneIDs) == (1, ["z"], 1, ["r1"]))
    #expect(try store.audit(of: query).ids == catalogue.ids)
    #expect(try date(.entered, "n") == entered)
    #expect((try new(), try gone()) == (["n", "z"], ["r1"]))
  }

  @Test func `a row of the first reading that one pass misses is not new`() async throws {
    _ = await fetch()
    let exchange: Change = { rows in
      rows.remove(at: 0)
      rows.append(.init("z"))
    }
    let report = await fetch(verify: true, [2: exchange])
    #expect((report.newIDs, report.goneIDs) == (["z"], ["r1"]))
    #expect((try new(), try gone()) == (["z"], ["r1"]))
  }

  @Test func `a run that ends between two passes reports the list that it leaves`() async throws {
    _ = await fetch()
    let exchange: Change = { rows in
      rows.remove(at: 0)
      rows.append(.init("z"))
    }
    // `r3` moved onto page 1 after that was read.
    let first = await fetch([2: exchange])
    #expect((first.newIDs, first.goneIDs, first.stored?.completeness) == (["z"], ["r3"], .complete))
    #expect(first.stored?.unconfirmedDepartures == 1)
    #expect(try gone() == ["r3"])
    #expect(first.foundAgain == 0)
    let second = await fetch()
    #expect((second.newIDs, second.goneIDs) == (["r3"], ["r1"]))
    #expect((second.foundAgain, second.foundAgainIDs) == (1, ["r3"]))
    #expect((second.stored?.completeness, second.stored?.unconfirmedDepartures) == (.complete, 1))
    #expect(try gone() == ["r1"])
    let third = await fetch()
    #expect((third.new, third.foundAgain) == (0, 0))
    #expect((third.stored?.completeness, third.stored?.unconfirmedDepartures) == (.verified, 0))
  }

  @Test func `departures are unconfirmed as far as arrivals of their walk cancel them out`() async {
    _ = await fetch()
    let fewer = await fetch([1: { $0.removeFirst(2) }])
    #expect((fewer.gone, fewer.stored?.unconfirmedDepartures) == (2, 0))
    let more = await fetch([1: { $0.append(.init("x")) }])
    #expect((more.new, more.stored?.unconfirmedDepartures) == (1, 0))
    let both = await fetch([
      1: { rows in
        rows.removeFirst(2)
        rows.append(.init("y"))
      }
    ])
    #expect((both.gone, both.new, both.stored?.unconfirmedDepartures) == (2, 1, 1))
  }

  @Test func `a walk over two runs and pages taken over confirm no departure`() async {
    _ = await fetch()
    clock.advance(by: .seconds(86_400))
    catalogue.clearHistory()
    catalogue.beforeEachAnswer { upstream, _ in
      guard upstream.requests.count == 2 else { return nil }
      upstream.rows.remove(at: 0)
      upstream.rows.insert(.init("z"), at: 3)
      return nil
    }
    // `z` is on page 2, which the first run reads; `r3` moved onto page 1.
    #expect(await repository.fetch(query, FetchPlan(.pages(2))).newIDs == ["z"])
    let rest = await repository.fetch(query, FetchPlan(.all))
    #expect((rest.newIDs, rest.goneIDs, rest.stored?.completeness) == ([], ["r3"], .complete))
    #expect(rest.stored?.unconfirmedDepartures == 1)
    let reused = await repository.fetch(query, FetchPlan(.all, maxAge: .seconds(3600)))
    #expect(reused.stored?.unconfirmedDepartures == 1)
  }

  @Test func `what enters and leaves within one run is neither, and stays stored`() async throws {
    _ = await fetch()
    let report = await fetch([1: { $0.insert(.init("x"), at: 0) }, 2: { $0.remove(at: 0) }])
    #expect((report.new, report.newIDs, report.gone, report.goneIDs) == (0, [], 0, []))
    #expect((try new(), try gone()) == ([], []))
    let id = RecordingID(catalogue: query.catalogue, value: "x")
    #expect(try await repository.recording(id) != nil)
    // No list had it before or after a run, so it is found for the first time, not again.
    let listed = await fetch([1: { $0.insert(.init("x"), at: 0) }])
    #expect((listed.newIDs, listed.foundAgain) == (["x"], 0))
    #expect(await fetch([1: { $0.remove(at: 0) }]).goneIDs == ["x"])
    #expect(try await repository.forget(query)?.recordings == 7)
    #expect(try await repository.recording(id) == nil)
  }

  @Test
  func `what left a list before a run, and comes and goes during it, left it on its earlier day`()
    async throws
  {
    _ = await fetch()
    #expect(await fetch([1: { $0.remove(at: 1) }]).goneIDs == ["r2"])
    let left = try #require(try date(.left, "r2"))
    let report = await fetch([1: { $0.insert(.init("r2"), at: 0) }, 2: { $0.remove(at: 0) }])
    #expect((report.new, report.foundAgain, report.gone) == (0, 0, 0))
    #expect(report.foundAgainIDs.isEmpty)
    #expect((try new(), try gone(), try date(.left, "r2")) == ([], ["r2"], left))
  }
}
