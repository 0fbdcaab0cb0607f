import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper

@Suite struct FetchRunTests {
  private let catalogue = ModelCatalogue(rows: (1...10).map { "r\($0)" })
  private let clock = ManualClock()
  private let repository: RecordingRepository
  private let query: CatalogueQuery

  init() throws {
    let fetcher = catalogue
    repository = RecordingRepository(
      store: try .inMemory(), dependencies: clock.dependencies(random: 1)
    ) { _ in fetcher }
    query = catalogue.query("q", pageSize: 2)
  }

  private func failing(_ page: Int, _ error: FetchError, times: Int) {
    let start = catalogue.now.requests.filter { $0 == page }.count
    catalogue.beforeEachAnswer { upstream, asked in
      asked == page && upstream.requests.filter { $0 == page }.count <= start + times ? error : nil
    }
  }

  @Test func `the same command continues after the last stored page`() async {
    _ = await repository.fetch(query, FetchPlan(.pages(3)))
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(catalogue.now.requests == [1, 2, 3, 4, 5])
    #expect(report.stored?.completeness == .complete)
  }

  @Test func `a fetch whose pages are all stored starts again from page 1`() async {
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    #expect(catalogue.now.requests == [1, 2, 1, 2])
  }

  @Test func `a page that is appended is stored before old pages are read again`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(4)))
    clock.advance(by: .seconds(3 * 86_400))
    failing(1, .offline(host: "h"), times: 100)
    let report = await repository.fetch(query, FetchPlan(.pages(5)))
    #expect((report.stored?.count, report.stored?.pagesStored, report.pagesFetched) == (10, 5, 1))
    #expect(report.stored?.completeness == .partial(pages: 5, of: 5))
    clock.advance(by: .seconds(60))
    catalogue.beforeEachAnswer { _, _ in nil }
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness == .complete)
    #expect(catalogue.now.requests.suffix(4) == [1, 2, 3, 4])
  }

  @Test func `a later page with another total makes the run request the earlier pages again`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    catalogue.change { $0.insert(.init("new"), at: 0) }
    _ = await repository.fetch(query, FetchPlan(.pages(3)))
    #expect(catalogue.now.requests == [1, 2, 3, 1, 2, 3])
    #expect(
      try repository.rows(of: query, in: 0..<6).map(\.id.value) == Array(catalogue.ids.prefix(6)))
  }

  @Test func `a transient error is tried five times with growing waits`() async {
    failing(1, FetchError(.timedOut(host: "h", phase: .firstByte)), times: 4)
    let report = await repository.fetch(query, FetchPlan(.pages(1)))
    #expect(report.requests == 5)
    #expect(report.failure == nil)
    #expect(clock.slept == [.seconds(0.5), .seconds(1), .seconds(2), .seconds(4)])
  }

  @Test func `a Retry-After is obeyed`() async {
    failing(2, .rateLimited(retryAfter: .seconds(20)), times: 1)
    let report = await repository.fetch(query, FetchPlan(.pages(2)))
    #expect(report.failure == nil)
    #expect(clock.slept == [.seconds(20)])
  }

  @Test func `a long Retry-After ends the run, and the next run obeys it without a request`() async
  {
    failing(1, .rateLimited(retryAfter: .seconds(7200)), times: 1)
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(
      report.failure
        == .fetch(.rateLimited(retryAfter: .seconds(7200)), catalogue: query.catalogue, page: 1))
    #expect(await repository.fetch(query, FetchPlan(.all)).requests == 0)
    clock.advance(by: .seconds(7201))
    #expect(await repository.fetch(query, FetchPlan(.all)).failure == nil)
  }

  @Test
  func `a page that keeps failing leaves all others stored, and only that page is requested next`()
    async
  {
    failing(3, .serverBusy(status: 500, retryAfter: nil), times: 5)
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.failedPages.map(\.number) == [3])
    #expect((report.failure, report.stored?.count, report.stored?.next) == (nil, 8, 3))
    catalogue.beforeEachAnswer { _, _ in nil }
    catalogue.clearHistory()
    let next = await repository.fetch(query, FetchPlan(.all))
    #expect(catalogue.now.requests == [3])
    #expect(next.stored?.completeness == .complete)
  }

  @Test func `a refused key stops the run and changes no row`() async {
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    failing(3, .keyRefused(status: 401, message: nil), times: 9)
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.requests == 1)
    #expect(
      report.failure
        == .fetch(.keyRefused(status: 401, message: nil), catalogue: query.catalogue, page: 3))
    #expect(report.stored?.count == 4)
  }

  @Test func `pages younger than the maximum age are not requested`() async {
    _ = await repository.fetch(query, FetchPlan(.all))
    clock.advance(by: .seconds(100))
    catalogue.clearHistory()
    #expect(await repository.fetch(query, FetchPlan(.all, maxAge: .seconds(200))).requests == 0)
    #expect(await repository.fetch(query, FetchPlan(.all, maxAge: .seconds(50))).requests == 5)
  }

  @Test func `a page from the future is requested again`() async {
    clock.advance(by: .seconds(9000))
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    clock.advance(by: .seconds(-9000))
    #expect(await repository.fetch(query, FetchPlan(.pages(1), maxAge: .seconds(60))).requests == 1)
  }

  @Test func `a second pass verifies the list, and one that differs does not`() async {
    let report = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(report.requests == 10)
    #expect(report.stored?.completeness == .verified)
    catalogue.change { $0.swapAt(0, 9) }
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness == .complete)
  }

  @Test
  func
    `a recording that changes twice during a run counts once, and a new one that changes is new`()
    async
  {
    let edits = Atomic(0)
    catalogue.beforeEachAnswer { upstream, page in
      guard page == 1 else { return nil }
      upstream.rows[0].text = "edit \(edits.add(1, ordering: .relaxed).newValue)"
      return nil
    }
    let first = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect((first.new, first.changed) == (10, 0))
    let edited = edits.load(ordering: .relaxed)
    let second = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(edits.load(ordering: .relaxed) >= edited + 2)
    #expect((second.new, second.changed, second.changedIDs.count) == (0, 1, 1))
  }

  @Test
  func
    `an edit that the fetch of another list finds ends what is claimed of every list with the recording`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.all, verify: true))
    let other = catalogue.query("other", pageSize: 5)
    catalogue.change { $0[3].text = "edited" }
    _ = await repository.fetch(other, FetchPlan(.pages(1)))
    #expect(try await repository.stored(query)?.completeness == .complete)
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness == .verified)
  }

  @Test(arguments: [0, 4])
  func `a list that falls is read once more, and its rows stay until a later run finds the same`(
    left: Int
  ) async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    let all = catalogue.now.rows
    catalogue.change { $0 = Array($0.prefix(left)) }
    catalogue.clearHistory()
    catalogue.beforeEachAnswer { upstream, _ in
      if upstream.requests.count == max(1, left / 2) + 1 { upstream.rows = all }
      return nil
    }
    let hiccup = await repository.fetch(query, FetchPlan(.all))
    #expect((hiccup.gone, hiccup.stored?.count, hiccup.stored?.completeness) == (0, 10, .complete))
    catalogue.beforeEachAnswer { _, _ in nil }
    catalogue.change { $0 = Array($0.prefix(left)) }
    catalogue.clearHistory()
    clock.advance(by: .seconds(1))
    let seenAt = clock.now
    let first = await repository.fetch(query, FetchPlan(.all))
    #expect((first.gone, first.stored?.count, first.requests) == (0, 10, max(1, left / 2) * 2))
    #expect(first.stored?.completeness == .shifted(rows: 10, total: left))
    #expect(first.stored?.fall == StoredQuery.Fall(found: left, seenAt: seenAt))
    // Twelve hours have not passed, whatever else is read meanwhile.
    for _ in 0..<2 {
      clock.advance(by: .seconds(21_000))
      let again = await repository.sync(try #require(first.stored))
      #expect((again.gone, again.stored?.count, again.requests) == (0, 10, max(1, left / 2)))
      #expect(again.stored?.fall?.seenAt == seenAt)
    }
    clock.advance(by: .seconds(2000))
    let last = await repository.sync(try #require(first.stored))
    #expect((last.gone, last.stored?.count, last.requests) == (10 - left, left, max(1, left / 2)))
    #expect((last.stored?.fall, last.stored?.completeness) == (nil, .complete))
  }

  @Test func `a fall is believed at once by a second reading of the whole list`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    catalogue.change { $0 = Array($0.prefix(4)) }
    let few = await repository.fetch(query, FetchPlan(.pages(2), verify: true))
    #expect((few.gone, few.stored?.fall?.found) == (0, 4))
    let all = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect((all.gone, all.stored?.count, all.stored?.completeness) == (6, 4, .verified))
  }

  @Test func `a list that comes back after a fall is complete, and may fall anew`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    let all = catalogue.now.rows
    for _ in 0..<2 {
      catalogue.change { $0 = [] }
      #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness.word == "shifted")
      clock.advance(by: .seconds(86_400))
      catalogue.change { $0 = all }
      let back = await repository.fetch(query, FetchPlan(.all))
      #expect((back.new, back.gone, back.stored?.completeness) == (0, 0, .complete))
      #expect(back.stored?.fall == nil)
    }
  }

  @Test func `what a later run has lost besides is not what the first one found`() async throws {
    _ = await repository.fetch(query, FetchPlan(.all))
    catalogue.change { $0 = Array($0.prefix(4)) }
    _ = await repository.fetch(query, FetchPlan(.all))
    clock.advance(by: .seconds(86_400))
    catalogue.change { $0 = Array($0.prefix(1)) }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(
      (report.gone, report.stored?.fall) == (0, StoredQuery.Fall(found: 1, seenAt: clock.now)))
  }

  @Test func `an empty answer between full ones empties no list that fell before`() async {
    _ = await repository.fetch(query, FetchPlan(.all))
    catalogue.beforeEachAnswer { upstream, _ in
      upstream.fault = .empty
      return nil
    }
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.fall?.found == 0)
    clock.advance(by: .seconds(86_400))
    catalogue.clearHistory()
    // The total of page 2 differs, so the run begins again, with one empty answer.
    catalogue.beforeEachAnswer { upstream, _ in
      if upstream.requests.count == 2 { upstream.rows.append(.init("r11")) }
      if upstream.requests.count == 3 { upstream.fault = .empty }
      return nil
    }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(catalogue.now.requests == [1, 2, 1, 1, 2, 3, 4, 5, 6])
    #expect((report.new, report.gone, report.stored?.completeness) == (1, 0, .complete))
    #expect(report.stored?.fall == nil)
  }

  @Test func `a short list that falls is believed if two readings find the same`() async throws {
    catalogue.change { $0 = Array($0.prefix(9)) }
    _ = await repository.fetch(query, FetchPlan(.all))
    catalogue.change { $0 = [] }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect((report.requests, report.gone, report.stored?.completeness) == (2, 9, .complete))
  }

  @Test func `an empty answer is asked for again also by the run after the one that got it`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.all))
    let all = catalogue.now.rows
    catalogue.change { $0 = [] }
    let task = Task { [repository, query] in
      await repository.fetch(query, FetchPlan(.all)) { event in
        if case .page = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    #expect(await task.value.failure == .cancelled)
    catalogue.change { $0 = all }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect((report.gone, report.stored?.count, report.stored?.completeness) == (0, 10, .complete))
  }

  @Test
  func `an empty answer in the last pass of a run decides nothing, in that run and in the next`()
    async
  {
    _ = await repository.fetch(query, FetchPlan(.all))
    let all = catalogue.now.rows
    // An id on two pages makes the run begin again, until its last pass.
    catalogue.change { $0[7] = $0[0] }
    catalogue.clearHistory()
    catalogue.beforeEachAnswer { upstream, page in
      if page == 1, upstream.requests.count(where: { $0 == 1 }) == Walk.passLimit {
        upstream.fault = .empty
      }
      return nil
    }
    let doubtful = await repository.fetch(query, FetchPlan(.all))
    #expect(catalogue.now.requests.count(where: { $0 == 1 }) == Walk.passLimit)
    #expect((doubtful.gone, doubtful.stored?.completeness.word) == (0, "shifted"))
    #expect(doubtful.stored?.fall == nil)
    clock.advance(by: .seconds(86_400))
    catalogue.change { $0 = all }
    catalogue.clearHistory()
    catalogue.beforeEachAnswer { upstream, _ in
      if upstream.requests.count == 1 { upstream.fault = .empty }
      return nil
    }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect((report.gone, report.stored?.count, report.stored?.completeness) == (0, 10, .complete))
  }

  @Test func `an id on two pages ends shifted with every row, after a bounded number of passes`()
    async
  {
    catalogue.change { $0[7] = $0[0] }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.stored?.completeness == .shifted(rows: 9, total: 10))
    #expect(report.requests <= 4 * 5)
  }

  @Test func `two fetches of one query at once request each page once`() async throws {
    let fetcher = catalogue
    // The clock must not run through the whole wait while the other fetch has not had a turn.
    let waiting = clock.dependencies(leastSleep: .milliseconds(100))
    let repository = RecordingRepository(store: try .inMemory(), dependencies: waiting) { _ in
      fetcher
    }
    // The first answer comes only after the other fetch waits for it, however slow the machine is.
    let waits = DispatchSemaphore(value: 0)
    catalogue.beforeEachAnswer { _, page in
      if page == 1 { _ = waits.wait(timeout: .now() + 60) }
      return nil
    }
    let observe: @Sendable (FetchEvent) -> Void = {
      if case .waiting(_, .otherProcess) = $0 { waits.signal() }
    }
    async let one = repository.fetch(query, FetchPlan(.all), observe: observe)
    async let two = repository.fetch(query, FetchPlan(.all), observe: observe)
    let reports = await [one, two]
    #expect(catalogue.now.requests == [1, 2, 3, 4, 5])
    #expect(reports.filter(\.joined).count == 1)
  }

  @Test func `a fetch waits a minute for another one that makes no progress`() async throws {
    let fetcher = catalogue
    let store = try RecordingStore.inMemory()
    let repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in
      fetcher
    }
    let lock = try WalkLock.acquire(query, in: store)
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.failure == .store(StoreError(.queryInUse())))
    #expect(report.requests == 0)
    #expect(clock.slept.reduce(.zero, +) == .seconds(60))
    withExtendedLifetime(lock) {}
  }

  @Test func `an empty result is stored as complete`() async throws {
    catalogue.change { $0 = [] }
    let report = await repository.fetch(query, FetchPlan(.pages(1)))
    #expect(report.stored?.completeness == .complete)
    #expect(try await repository.snapshot(of: query).state == .empty)
  }

  @Test func `a query that is forgotten while it is fetched stays forgotten`() async throws {
    let (repository, query) = (repository, query)
    let report = await repository.fetch(query, FetchPlan(.all)) { event in
      if case .page(3, _) = event { _ = try? repository.forget(query) }
    }
    #expect(report.failure == .store(StoreError(.queryForgotten)))
    #expect(try await repository.stored(query) == nil)
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness == .complete)
  }

  @Test func `a list that is forgotten while a sync asks for page 1, or before, stays forgotten`()
    async throws
  {
    let (repository, query) = (repository, query)
    let stored = try #require(await repository.fetch(query, FetchPlan(.all)).stored)
    let report = await repository.sync(stored) { event in
      if case .requesting = event { _ = try? repository.forget(query) }
    }
    #expect(report.failure == .store(StoreError(.queryForgotten)))
    #expect(try await repository.stored(query) == nil)
    #expect(await repository.sync(stored).failure == .store(StoreError(.queryForgotten)))
    #expect(try await repository.stored(query) == nil)
  }

  @Test func `a query that is forgotten before its walk is closed ends the run with an error`()
    async throws
  {
    let (repository, query) = (repository, query)
    let report = await repository.fetch(query, FetchPlan(.all)) { event in
      if case .page(5, _) = event { _ = try? repository.forget(query) }
    }
    #expect(report.failure == .store(StoreError(.queryForgotten)))
    #expect(report.requests == 5)
    #expect(try await repository.stored(query) == nil)
  }
}
