import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper

@Suite struct PagerTests {
  private let catalogue = ModelCatalogue(rows: ["a", "b", "c", "d", "e"])
  private let gate: GatedCatalogue
  private let clock = ManualClock()
  private let repository: RecordingRepository
  private let query: CatalogueQuery

  init() throws {
    let gate = GatedCatalogue(catalogue)
    self.gate = gate
    repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies()) {
      _ in gate
    }
    query = catalogue.query("q", pageSize: 2)
  }

  /// Returns once a request is at the closed gate.
  private func request(after count: Int = 0) async throws {
    try await eventually { gate.requests > count }
  }

  @Test func `a first search goes through the states in order`() async throws {
    let pager = Pager(repository, query: query)
    let screen = SnapshotLog(pager.snapshots)
    #expect(try await screen.first { _ in true }?.state == nil)
    gate.close()
    async let load = pager.start()
    try await request()
    #expect(try await screen.first { $0.state == .loading }?.count == 0)
    gate.open()
    #expect(await load?.pagesFetched == 1)
    let first = try await screen.first { $0.load == .idle && $0.state != nil }
    #expect(first?.ids == ["a", "b"])
    #expect(
      (first?.source, first?.stored?.pagesStored, first?.totals?.recordings) == (.network, 1, 5))
    guard case .paging(_, next: 2) = first?.state else {
      Issue.record("\(String(describing: first?.state))")
      return
    }
    await pager.loadNextPage()
    try await eventually { screen.last?.ids == ["a", "b", "c", "d"] }
    await pager.loadNextPage()
    try await eventually { screen.last?.load == .idle && screen.last?.completeness == .complete }
    #expect(screen.last?.state == .populated(try await repository.snapshot(of: query).rows))
    #expect(screen.last?.ids == ["a", "b", "c", "d", "e"])
    #expect(await pager.loadNextPage() == nil)
    #expect(catalogue.now.requests == [1, 2, 3])
    await screen.leave()
  }

  @Test func `what is stored is shown before any request is made`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    catalogue.clearHistory()
    let pager = Pager(repository, query: query)
    var states = pager.snapshots.makeAsyncIterator()
    let first = await states.next()
    #expect(first?.ids == ["a", "b"])
    #expect(first?.source == .store)
    #expect(catalogue.now.requests == [])
  }

  @Test func `the fresh policy hides the store until the network has answered`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    let pager = Pager(repository, query: query, policy: .networkThenStore)
    var states = pager.snapshots.makeAsyncIterator()
    #expect(await states.next()?.state == .loading)
    await pager.start()
    #expect(await states.next()?.ids == ["a", "b"])
  }

  @Test func `the fresh policy shows the store once a load has failed, also during the next load`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    let pager = Pager(repository, query: query, policy: .networkThenStore)
    catalogue.beforeEachAnswer { _, _ in .keyMissing }
    await pager.start()
    var states = pager.snapshots.makeAsyncIterator()
    #expect(await states.next()?.ids == ["a", "b"])
    gate.close()
    async let load = pager.retry()
    try await request(after: 2)
    let shown = await states.next()
    #expect(shown?.ids == ["a", "b"])
    #expect(shown?.load == .loading(.refreshing(page: 1, of: 3)))
    gate.open()
    _ = await load
  }

  @Test func `the fresh policy shows a list that an incremental sync confirmed`() async throws {
    let xenoCanto = try FakeXenoCanto(
      records: (1...210).map {
        FakeXenoCanto.Record($0, "alba", uploaded: "20\(10 + $0 / 21)-01-01")
      })
    let configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: xenoCanto.server.url], key: { _ in APIKey("k") })
    let make = { (store: RecordingStore) in
      RecordingRepository(store: store, dependencies: clock.dependencies()) {
        Catalogues.fetcher(for: $0, configuration: configuration)
      }
    }
    let birds = try #require(Catalogues.named(.xenoCanto)).query("gen:Genus", pageSize: 50)
    _ = await make(repository.store).fetch(birds, FetchPlan(.all))
    clock.advance(by: .seconds(86_400))
    let pager = Pager(make(repository.store), query: birds, policy: .networkThenStore)
    var states = pager.snapshots.makeAsyncIterator()
    #expect(await states.next()?.state == .loading)
    await pager.start()
    #expect(xenoCanto.requests.count == 5 + 3)
    let shown = await states.next()
    #expect(shown?.ids == xenoCanto.ids)
    #expect(shown?.source == .network)
  }

  @Test func `the fresh policy shows what another process fetched meanwhile`() async throws {
    let lock = Mutex(try WalkLock.acquire(query, in: repository.store))
    let isWaiting = Mutex(false)
    let isStored = Mutex(false)
    var dependencies = clock.dependencies()
    dependencies.sleep = { _ in
      isWaiting.withLock { $0 = true }
      while !isStored.withLock(\.self) { try await Task.sleep(for: .milliseconds(2)) }
    }
    let fetcher = catalogue
    let second = RecordingRepository(store: repository.store, dependencies: dependencies) { _ in
      fetcher
    }
    let pager = Pager(second, query: query, policy: .networkThenStore)
    var states = pager.snapshots.makeAsyncIterator()
    #expect(await states.next()?.state == .loading)
    async let load = pager.start()
    while !isWaiting.withLock(\.self) { try await Task.sleep(for: .milliseconds(2)) }
    let page = try await catalogue.page(1, of: query)
    _ = try repository.store.store(page, of: query, startsWalk: true, now: clock.now)
    lock.withLock { $0 = nil }
    isStored.withLock { $0 = true }
    #expect(await load?.joined == true)
    #expect(await states.next()?.ids == ["a", "b"])
  }

  @Test func `the local policy makes no request`() async throws {
    let pager = Pager(repository, query: query, policy: .storeOnly)
    #expect(await pager.start() == nil)
    #expect(catalogue.now.requests == [])
  }

  @Test func `the age policy requests nothing while page 1 is younger`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    catalogue.clearHistory()
    let pager = Pager(repository, query: query, policy: .ifOlder(than: .seconds(60)))
    await pager.start()
    #expect(catalogue.now.requests == [])
    clock.advance(by: .seconds(120))
    await pager.start()
    #expect(catalogue.now.requests == [1])
    #expect(await pager.start() == nil)
    #expect(catalogue.now.requests == [1])
  }

  @Test func `a failure hides no stored row`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    catalogue.beforeEachAnswer { _, _ in .keyRefused(status: 401, message: nil) }
    let pager = Pager(repository, query: query)
    await pager.loadNextPage()
    let state = try await repository.snapshot(of: query).state
    guard case .error(.fetch(let error, _, page: 2), let cached) = state,
      case .keyRefused = error.reason
    else {
      Issue.record("\(String(describing: state))")
      return
    }
    #expect(cached.map(\.id.value) == ["a", "b"])
  }

  @Test func `a second call joins the one that is running`() async throws {
    let pager = Pager(repository, query: query)
    gate.close()
    async let first = pager.loadNextPage()
    async let second = pager.loadNextPage()
    while await pager.loads.first?.callers.count != 2 {
      try await Task.sleep(for: .milliseconds(1))
    }
    gate.open()
    #expect(await first == second)
    #expect(catalogue.now.requests == [1])
  }

  @Test func `a load that is cancelled keeps what arrived`() async throws {
    let pager = Pager(repository, query: query)
    await pager.loadNextPage()
    gate.close()
    let load = Task { await pager.loadNextPage() }
    try await request(after: 1)
    await pager.cancel()
    #expect(await load.value?.failure == .cancelled)
    #expect(try await repository.snapshot(of: query).ids == ["a", "b"])
  }

  @Test func `a start after a cancel loads, every time`() async throws {
    let pager = Pager(repository, query: query)
    for _ in 1...100 {
      gate.close()
      let requests = gate.requests
      let cancelled = Task { await pager.start() }
      try await request(after: requests)
      await pager.cancel()
      gate.open()
      let report = await pager.start()
      #expect((report?.failure, report?.pagesFetched) == (nil, 1))
      #expect(await cancelled.value?.failure == .cancelled)
    }
  }

  @Test func `a start during a cancel does not join the load that ends`() async throws {
    let pager = Pager(repository, query: query)
    gate.close(evenIfCancelled: true)
    async let first = pager.start()
    try await request()
    let cancel = Task { await pager.cancel() }
    while await pager.loads.first?.isCancelled != true {
      try await Task.sleep(for: .milliseconds(1))
    }
    let second = Task { await pager.start() }
    while await pager.loads.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    gate.open()
    await cancel.value
    #expect(await second.value?.failure == nil)
    _ = await first
    #expect(gate.requests == 2)
  }

  @Test func `a page that is asked for during a refresh is loaded before it`() async throws {
    let pager = Pager(repository, query: query)
    await pager.start()
    gate.close()
    let refresh = Task { await pager.refresh() }
    try await request(after: 1)
    let next = Task { await pager.loadNextPage() }
    // The request of the refresh has ended, and that of the page is at the gate.
    try await request(after: 2)
    let loads = await pager.loads.map(\.kind)
    #expect(loads == [.nextPage, .refresh])
    gate.open()
    #expect(await next.value?.pagesFetched == 1)
    #expect(await refresh.value?.pagesFetched == 1)
    #expect(catalogue.now.requests == [1, 2, 1])
    #expect(try await repository.snapshot(of: query).ids == ["a", "b", "c", "d"])
  }

  @Test func `a page that is asked for once a refresh has found a change is loaded after it`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    catalogue.change { $0.insert(ModelCatalogue.Row("new"), at: 0) }
    let pager = Pager(repository, query: query)
    catalogue.beforeEachAnswer { [gate] _, _ in
      // The request after this one waits.
      gate.close()
      return nil
    }
    let screen = SnapshotLog(pager.snapshots)
    let refresh = Task { await pager.refresh() }
    try await screen.first { $0.ids.first == "new" }
    let next = Task { await pager.loadNextPage() }
    while await pager.loads.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    catalogue.beforeEachAnswer { _, _ in nil }
    gate.open()
    #expect(await refresh.value?.pagesFetched == 2)
    #expect(await next.value?.pagesFetched == 1)
    #expect(try await repository.snapshot(of: query).ids == ["new", "a", "b", "c", "d", "e"])
    await screen.leave()
  }

  @Test func `a refresh requests page 1, and the others if it shows a change`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    let pager = Pager(repository, query: query)
    catalogue.clearHistory()
    clock.advance(by: .seconds(60))
    let same = await pager.start()
    #expect(catalogue.now.requests == [1])
    #expect(
      (same?.pagesFetched, same?.new, same?.changed, same?.stored?.completeness) == (
        1, 0, 0, .complete
      ))
    catalogue.change { $0[0].text = "edited" }
    #expect(await pager.refresh()?.changedIDs == ["a"])
    #expect(catalogue.now.requests == [1, 1])
    catalogue.change { $0.removeLast() }
    let shorter = await pager.refresh()
    #expect((shorter?.gone, shorter?.stored?.completeness) == (1, .complete))
    #expect(catalogue.now.requests == [1, 1, 1, 2])
    #expect(try await repository.snapshot(of: query).ids == ["a", "b", "c", "d"])
  }

  @Test func `a refresh continues the walk of an earlier one that found a change`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    catalogue.change { $0.insert(ModelCatalogue.Row("new"), at: 0) }
    catalogue.beforeEachAnswer { _, page in page == 2 ? .keyMissing : nil }
    let pager = Pager(repository, query: query)
    #expect(await pager.refresh()?.failure != nil)
    catalogue.beforeEachAnswer { _, _ in nil }
    catalogue.clearHistory()
    let report = await pager.refresh()
    #expect((report?.failure, report?.stored?.completeness) == (nil, .complete))
    #expect(try await repository.snapshot(of: query).ids == ["new", "a", "b", "c", "d", "e"])
  }

  @Test func `a page 1 that fails keeps no other page from its turn, but its walk open`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.all))
    catalogue.change { $0.insert(ModelCatalogue.Row("new"), at: 0) }
    catalogue.beforeEachAnswer { _, page in page == 3 ? .malformed("cut") : nil }
    let pager = Pager(repository, query: query)
    #expect(await pager.refresh()?.failedPages.map(\.number) == [3])
    clock.advance(by: .seconds(3 * 86_400))
    catalogue.clearHistory()
    catalogue.beforeEachAnswer { _, page in page == 1 ? .malformed("cut") : nil }
    let second = await pager.refresh()
    // The page that is missing, then those that were read more than a day before.
    #expect(catalogue.now.requests == [3, 1, 2])
    #expect(second?.failedPages.map(\.number) == [1])
    #expect(second?.stored?.completeness == .partial(pages: 3, of: 3))
    catalogue.change { $0.removeFirst() }
    catalogue.clearHistory()
    catalogue.beforeEachAnswer { _, _ in nil }
    let third = await pager.refresh()
    #expect(catalogue.now.requests == [1, 2, 3])
    #expect((third?.gone, third?.stored?.completeness) == (1, .complete))
    #expect(try await repository.snapshot(of: query).ids == ["a", "b", "c", "d", "e"])
  }

  @Test func `a load stops when the only task that waits for it is cancelled`() async throws {
    let pager = Pager(repository, query: query)
    gate.close()
    let screen = Task { await pager.start() }
    try await request()
    screen.cancel()
    #expect(await screen.value?.failure == .cancelled)
    #expect(try await repository.snapshot(of: query).load == .idle)
    gate.open()
    #expect(await pager.start()?.failure == nil)
  }

  @Test func `a load goes on while another task waits for it`() async throws {
    let pager = Pager(repository, query: query)
    gate.close()
    let tasks = (1...3).map { _ in Task { await pager.start() } }
    try await request()
    while await pager.loads.first?.callers.count != 3 {
      try await Task.sleep(for: .milliseconds(1))
    }
    tasks[0].cancel()
    #expect(await tasks[0].value?.failure == .cancelled)
    tasks[2].cancel()
    #expect(await tasks[2].value?.failure == .cancelled)
    gate.open()
    #expect(await tasks[1].value?.pagesFetched == 1)
    #expect(catalogue.now.requests == [1])
  }

  @Test func `a load that waits is dropped when its only task is cancelled`() async throws {
    let pager = Pager(repository, query: query)
    await pager.start()
    gate.close()
    async let refresh = pager.refresh()
    try await request(after: 1)
    let next = Task { await pager.loadNextPage() }
    while await pager.loads.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    next.cancel()
    #expect(await next.value?.failure == .cancelled)
    gate.open()
    #expect(await refresh?.pagesFetched == 1)
    #expect(catalogue.now.requests == [1, 1])
  }

  @Test func `a task that was cancelled before makes no request`() async throws {
    let pager = Pager(repository, query: query)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await pager.start()
    }
    task.cancel()
    #expect(await task.value?.failure == .cancelled)
    #expect(gate.requests == 0)
  }

  @Test func `a retry repeats the load that failed last`() async throws {
    let pager = Pager(repository, query: query)
    await pager.start()
    catalogue.beforeEachAnswer { _, _ in .keyMissing }
    await pager.loadNextPage()
    catalogue.clearHistory()
    catalogue.beforeEachAnswer { _, _ in nil }
    #expect(await pager.retry()?.pagesFetched == 1)
    #expect(catalogue.now.requests == [2])
    await pager.retry()
    #expect(catalogue.now.requests == [2, 1])
  }

  @Test func `a retry by who has just seen the failure is another load`() async throws {
    for number in 0..<20 {
      catalogue.beforeEachAnswer { _, _ in .keyMissing }
      let pager = Pager(repository, query: catalogue.query("q\(number)", pageSize: 2))
      var snapshots = pager.snapshots.makeAsyncIterator()
      async let first = pager.start()
      while let snapshot = await snapshots.next() {
        if case .failed = snapshot.load { break }
      }
      catalogue.beforeEachAnswer { _, _ in nil }
      #expect(await pager.retry()?.pagesFetched == 1)
      #expect(await first?.failure != nil)
    }
  }

  @Test func `the rows at some positions are read, cut to the list`() async throws {
    await repository.fetch(query, FetchPlan(.all))
    let rows = try await repository.snapshot(of: query).rows
    func texts(_ positions: Range<Int>) async throws -> [String] {
      let window = try await rows.rows(in: positions)
      #expect(window.map(\.id) == (try await rows.read(positions).map(\.id)))
      #expect(window.map(\.position) == Array(positions.clamped(to: 0..<5)))
      return window.map(\.id.value)
    }
    #expect(try await texts(3..<9) == ["d", "e"])
    #expect(try await texts(-5..<2) == ["a", "b"])
    #expect(try await texts(-5..<0).isEmpty)
    #expect(try await texts(9..<12).isEmpty)
  }
}
