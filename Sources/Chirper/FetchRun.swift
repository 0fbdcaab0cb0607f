import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// One fetch: the shell around `Walk` that asks, waits, retries and stores as the state machine says.
struct FetchRun {
  let store: RecordingStore
  let fetcher: any PageFetcher
  let query: SearchQuery
  let plan: FetchPlan
  let dependencies: Dependencies
  let observe: @Sendable (FetchEvent) -> Void

  var report = FetchReport()
  /// Whether additions may be asked for in place of a walk.
  private let allowsIncrementalSync: Bool

  /// Tries of one page, the first among them.
  static let tryLimit = 5
  /// Tries when there is no network at all: waiting for one is the user's decision.
  static let offlineTryLimit = 2

  init(
    store: RecordingStore, fetcher: any PageFetcher, query: SearchQuery, plan: FetchPlan, allowsIncrementalSync: Bool,
    dependencies: Dependencies, observe: @escaping @Sendable (FetchEvent) -> Void
  ) {
    self.store = store
    self.fetcher = fetcher
    self.query = query
    self.plan = plan
    self.allowsIncrementalSync = allowsIncrementalSync
    self.dependencies = dependencies
    self.observe = observe
  }

  /// Runs to the goal or to the first thing that ends it; what was done stands in the report either way.
  mutating func run() async -> FetchReport {
    do {
      try await walk()
    } catch {
      report.failure = error
    }
    do throws(StoreError) {
      report.stored = try store.stored(query)
    } catch {
      report.failure = report.failure ?? .store(error)
    }
    return report
  }

  private mutating func walk() async throws(SearchError) {
    let startedAt = dependencies.now()
    let before = try storing { () throws(StoreError) in try store.stored(query) }
    observe(.stored(before))
    let lock = try await takeLock()
    defer { withExtendedLifetime(lock.lock) {} }
    let status = try storing { () throws(StoreError) in try store.walkStatus(of: query) }
    if lock.waited, let status, Walk.reaches(plan.goal, status), !plan.verify || status.claim == .verified,
      status.pages.values.contains(where: { $0.fetchedAt >= startedAt })
    {
      report.joined = true
      return
    }
    if allowsIncrementalSync, let before, try await syncIncrementally(to: before) { return }
    let now = dependencies.now()
    var walk = Walk(
      goal: plan.goal, verify: plan.verify, status: status, totals: before?.totals,
      freshSince: plan.maxAge.map { now.addingTimeInterval(-($0 / .seconds(1))) }, now: now)
    var action = walk.start()
    while true {
      let pass = walk.pass
      switch action {
      case .done: return
      case .ask(let page, let startsWalk, let adopting):
        observe(.asking(page: page, of: walk.pageCount))
        action = try await ask(page, startsWalk: startsWalk, adopting: adopting, &walk)
      case .close(let giveUp):
        let closing = try storing { () throws(StoreError) in
          try store.closeWalk(of: query, giveUp: giveUp, now: dependencies.now())
        }
        report.gone += closing.gone
        if let claim = closing.claim { observe(.closed(claim, gone: closing.gone)) }
        action = walk.handle(.closed(closing.claim))
      }
      if walk.pass > pass {
        report.failedPages = []
        observe(walk.isVerifying ? .verifying : .startingOver(pass: walk.pass))
      }
    }
  }

  /// Asks for one page and stores it, and tells the walk how that went.
  private mutating func ask(
    _ number: Int, startsWalk: Bool, adopting: Set<Int>, _ walk: inout Walk
  ) async throws(SearchError) -> Walk.Action {
    let page: RecordingPage
    do {
      page = try await fetch(number, of: query)
    } catch .fetch(let error, let catalogue, let page) where error != .cancelled {
      observe(.failed(page: number, error))
      let endsRun = error.scope != .page
      let action = walk.handle(.failed(page: number, ends: endsRun))
      if endsRun || (action == .done && report.pagesFetched == 0 && report.failedPages.isEmpty) {
        throw .fetch(error, catalogue: catalogue, page: page)
      }
      report.failedPages.append(FetchReport.FailedPage(number: number, error: error))
      return action
    }
    let (outcome, stored) = try storing { () throws(StoreError) in
      try store.store(page, of: query, startsWalk: startsWalk, adopting: adopting, now: dependencies.now())
    }
    report.new += outcome.new
    report.changed += outcome.changed
    report.skipped += outcome.skipped
    report.pagesFetched += 1
    observe(.page(number: number, stored))
    return walk.handle(.stored(outcome))
  }

  /// Asks for a page until it comes, its error is one that does not pass, or the tries are used up.
  mutating func fetch(_ number: Int, of query: SearchQuery) async throws(SearchError) -> RecordingPage {
    var attempt = 1
    while true {
      try await waitForTurn(page: number)
      report.requests += 1
      let error: FetchError
      do {
        return try await fetcher.page(number, of: query)
      } catch let failure {
        error = failure
      }
      if error == .cancelled { throw .cancelled }
      var isLast = !error.isTransient || attempt >= Self.tryLimit
      if case .offline = error, attempt >= Self.offlineTryLimit { isLast = true }
      try storing { () throws(StoreError) in try pacer.pause(for: error, isLast: isLast) }
      if isLast { throw failure(error, number) }
      attempt += 1
      if error.retryAfter == nil {
        try await wait(backoff(before: attempt), .backoff(error, attempt: attempt))
      }
    }
  }

  /// Waits until a request may be made.
  private func waitForTurn(page: Int) async throws(SearchError) {
    let pacer = pacer
    do throws(RequestPacer.Refusal) {
      try await pacer.waitForTurn { observe(.waiting($0, $1)) }
    } catch {
      switch error {
      case .rateLimited(let wait): throw failure(.rateLimited(retryAfter: wait), page)
      case .cancelled: throw .cancelled
      case .store(let error): throw .store(error)
      }
    }
  }

  private var pacer: RequestPacer {
    RequestPacer(store: store, catalogue: query.catalogue, interval: interval, dependencies: dependencies)
  }

  /// The plan can only slow down a catalogue's own host; elsewhere it stands alone.
  private var interval: Duration { max(fetcher.minimumInterval, plan.interval ?? .zero) }

  /// Capped exponential backoff with full jitter: any time up to 0.5 s, 1 s, 2 s … 30 s.
  private func backoff(before attempt: Int) -> Duration {
    let cap = min(30, 0.5 * Double(1 << (attempt - 2)))
    return .seconds(cap * dependencies.random())
  }

  /// Waits while another process walks the query.
  private func takeLock() async throws(SearchError) -> (lock: WalkLock, waited: Bool) {
    var waited = false
    while true {
      if let lock = try storing({ () throws(StoreError) in try WalkLock.take(query, in: store) }) {
        return (lock, waited)
      }
      if !waited { observe(.waiting(.zero, .otherProcess)) }
      waited = true
      try await sleep(.milliseconds(100))
    }
  }

  private func wait(_ duration: Duration, _ reason: WaitReason) async throws(SearchError) {
    observe(.waiting(duration, reason))
    try await sleep(duration)
  }

  private func sleep(_ duration: Duration) async throws(SearchError) {
    do {
      try await dependencies.sleep(duration)
    } catch {
      throw .cancelled
    }
  }

  private func failure(_ error: FetchError, _ page: Int) -> SearchError {
    .fetch(error, catalogue: query.catalogue, page: page)
  }

  func storing<T>(_ body: () throws(StoreError) -> T) throws(SearchError) -> T {
    do {
      return try body()
    } catch {
      throw .store(error)
    }
  }
}
