import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper

@Suite struct PagerTests {
  private let catalogue = ModelCatalogue(rows: ["a", "b", "c", "d", "e"])
  private let clock = ManualClock()
  private let repository: RecordingRepository
  private let query: SearchQuery

  init() throws {
    let fetcher = catalogue
    repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies()) { _ in fetcher }
    query = catalogue.query("q", pageSize: 2)
  }

  private func ids(_ state: SearchState?) -> [String] { state?.currentRecordings.map(\.id.value) ?? [] }

  @Test func `a first search goes through the states in order`() async throws {
    let pager = Pager(repository, query: query)
    var states = pager.snapshots.makeAsyncIterator()
    #expect(await states.next()?.state == nil)
    await pager.start()
    #expect(await states.next()?.state == .loading)
    let first = await states.next()
    #expect(ids(first?.state) == ["a", "b"])
    #expect((first?.origin?.place, first?.pagesStored, first?.totals?.recordings) == (.network, 1, 5))
    await pager.loadNextPage()
    #expect(ids(await states.next()?.state) == ["a", "b", "c", "d"])
    await pager.loadNextPage()
    _ = await states.next()
    let last = await states.next()
    #expect(last?.state == .populated(last?.state?.currentRecordings ?? []))
    #expect(ids(last?.state) == ["a", "b", "c", "d", "e"])
    #expect(last?.completeness == .complete)
    #expect(await pager.loadNextPage() == nil)
    #expect(catalogue.now.requests == [1, 2, 3])
  }

  @Test func `what is stored is shown before any request is made`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    catalogue.clearHistory()
    let pager = Pager(repository, query: query)
    var states = pager.snapshots.makeAsyncIterator()
    let first = await states.next()
    #expect(ids(first?.state) == ["a", "b"])
    #expect(catalogue.now.requests == [])
  }

  @Test func `the fresh policy hides the store until the network has answered`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    let fetcher = catalogue
    let second = RecordingRepository(store: repository.store, dependencies: clock.dependencies()) { _ in fetcher }
    let pager = Pager(second, query: query, policy: .fresh)
    var states = pager.snapshots.makeAsyncIterator()
    #expect(await states.next()?.state == .loading)
    await pager.start()
    #expect(ids(await states.next()?.state) == ["a", "b"])
  }

  @Test func `the fresh policy shows a list that an incremental sync confirmed`() async throws {
    let xenoCanto = try FakeXenoCanto(
      records: (1...210).map { FakeXenoCanto.Record($0, "alba", uploaded: "20\(10 + $0 / 21)-01-01") })
    let configuration = RemoteConfiguration(baseURLs: [.xenoCanto: xenoCanto.server.url], key: { _ in APIKey("k") })
    let make = { (store: RecordingStore) in
      RecordingRepository(store: store, dependencies: clock.dependencies()) {
        Catalogues.fetcher(for: $0, configuration: configuration)
      }
    }
    let birds = try #require(Catalogues.named(.xenoCanto)).query("gen:Genus", pageSize: 50)
    _ = await make(repository.store).fetch(birds, FetchPlan(.all))
    clock.advance(by: .seconds(86_400 * 9))
    let pager = Pager(make(repository.store), query: birds, policy: .fresh)
    var states = pager.snapshots.makeAsyncIterator()
    #expect(await states.next()?.state == .loading)
    await pager.start()
    #expect(xenoCanto.requests.count == 5 + 3)
    let shown = await states.next()
    #expect(ids(shown?.state) == xenoCanto.ids)
    #expect(shown?.origin?.place == .network)
  }

  @Test func `the fresh policy shows what another process fetched meanwhile`() async throws {
    let lock = Mutex(try WalkLock.acquire(query, in: repository.store))
    let isWaiting = Mutex(false)
    var dependencies = clock.dependencies()
    dependencies.sleep = { _ in
      isWaiting.withLock { $0 = true }
      try await Task.sleep(for: .milliseconds(5))
    }
    let fetcher = catalogue
    let second = RecordingRepository(store: repository.store, dependencies: dependencies) { _ in fetcher }
    let pager = Pager(second, query: query, policy: .fresh)
    var states = pager.snapshots.makeAsyncIterator()
    #expect(await states.next()?.state == .loading)
    async let load = pager.start()
    while !isWaiting.withLock(\.self) { try await Task.sleep(for: .milliseconds(2)) }
    let page = try await catalogue.page(1, of: query)
    _ = try repository.store.store(page, of: query, startsWalk: true, now: clock.now)
    lock.withLock { $0 = nil }
    #expect(await load?.joined == true)
    #expect(ids(await states.next()?.state) == ["a", "b"])
  }

  @Test func `the local policy makes no request`() async throws {
    let pager = Pager(repository, query: query, policy: .localOnly)
    #expect(await pager.start() == nil)
    #expect(catalogue.now.requests == [])
  }

  @Test func `the age policy requests only older pages again`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    catalogue.clearHistory()
    let pager = Pager(repository, query: query, policy: .ifOlder(than: .seconds(60)))
    await pager.start()
    #expect(catalogue.now.requests == [])
    clock.advance(by: .seconds(120))
    await pager.start()
    #expect(catalogue.now.requests == [1, 2, 3])
  }

  @Test func `a failure hides no stored row`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    catalogue.beforeEachAnswer { _, _ in .keyRefused(status: 401, message: nil) }
    let pager = Pager(repository, query: query)
    await pager.loadNextPage()
    let state = try repository.snapshot(of: query).state
    guard case .error(.fetch(.keyRefused, _, page: 2), let cached) = state else {
      Issue.record("\(String(describing: state))")
      return
    }
    #expect(cached.map(\.id.value) == ["a", "b"])
  }

  @Test func `a second call joins the one that is running`() async throws {
    let pager = Pager(repository, query: query)
    async let first = pager.loadNextPage()
    async let second = pager.loadNextPage()
    #expect(await first == second)
    #expect(catalogue.now.requests == [1])
  }

  @Test func `a load that is cancelled keeps what arrived`() async throws {
    let pager = Pager(repository, query: query)
    await pager.loadNextPage()
    let (asked, signal) = AsyncStream.makeStream(of: Void.self)
    catalogue.beforeEachAnswer { _, _ in
      signal.finish()
      // The answer comes when the load is cancelled; without that, after a minute.
      for _ in 1...60_000 where !Task.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
      return Task.isCancelled ? .cancelled : nil
    }
    let load = Task { await pager.loadNextPage() }
    for await _ in asked {}
    await pager.cancel()
    #expect(await load.value?.failure == .cancelled)
    #expect(ids(try repository.snapshot(of: query).state) == ["a", "b"])
  }
}
