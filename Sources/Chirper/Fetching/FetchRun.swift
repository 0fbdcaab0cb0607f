import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// One fetch: the shell around `Walk`, which requests, waits, retries and stores as the state machine decides.
struct FetchRun {
  let store: RecordingStore
  let fetcher: any PageFetcher
  /// As it is sent once its names are known.
  private(set) var query: CatalogueQuery
  let plan: FetchPlan
  let dependencies: Dependencies
  let observe: @Sendable (FetchEvent) -> Void
  /// Called after each page that was stored, before its event.
  var pageWasStored: @Sendable (PageOutcome) -> Void = { _ in }

  var report = FetchReport()
  /// Whether the service has answered in this run; one that has not is not asked as often.
  private var hasAnswered = false
  /// Whether the names of the query are known; they are looked up before the first page is requested.
  private var knowsNames = false
  /// Whether the run may request only what was added, instead of walking.
  private let allowsIncrementalSync: Bool
  /// Page 1 as an incremental sync has just read it; a walk uses it instead of requesting it again.
  var firstPage: RecordingPage?
  /// The pages of a sync by updates; a walk takes these instead of requesting them.
  var updatedPages: UpdatedPages?
  /// The pages that were stored before the walk.
  private var earlierPages: Set<Int> = []

  /// Attempts per page, including the first.
  static let attemptLimit = 5
  /// Attempts without a network, or for a host that has not answered in this run: whether to wait is the user's decision.
  static let offlineAttemptLimit = 2

  init(
    store: RecordingStore, fetcher: any PageFetcher, query: CatalogueQuery, plan: FetchPlan, allowsIncrementalSync: Bool,
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

  /// Runs to the goal, or to the first failure that ends it; either way the report says what was done.
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

  private mutating func walk() async throws(LoadError) {
    let startedAt = dependencies.now()
    let before = try mappingStoreErrors { () throws(StoreError) in try store.stored(query) }
    observe(.stored(before))
    let lock = try await acquireLock()
    defer { withExtendedLifetime(lock.lock) {} }
    var status = try mappingStoreErrors { () throws(StoreError) in try store.walkStatus(of: query) }
    if lock.waited, let status, Walk.reaches(plan.goal, status), !plan.verify || status.completeness == .verified,
      status.pages.values.contains(where: { $0.fetchedAt >= startedAt })
    {
      report.joined = true
      return
    }
    if allowsIncrementalSync, let current = status {
      if try await syncUploads(from: current) { return }
      try await readUpdates(from: current)
      status = try mappingStoreErrors { () throws(StoreError) in try store.walkStatus(of: query) }
    }
    earlierPages = status.map { Set($0.pages.keys) } ?? []
    let now = dependencies.now()
    var walk = Walk(
      goal: plan.goal, verify: plan.verify, status: status, totals: before?.totals,
      freshSince: plan.maxAge.map { now.addingTimeInterval(-($0 / .seconds(1))) }, now: now)
    var action = walk.start()
    while true {
      let pass = walk.pass
      switch action {
      case .done: return
      case .fetch(let page, let token, let startsWalk, let reusing):
        try await findNames(stored: before?.query.sent)
        let request = request(page, token, in: walk)
        action = try await fetchAndStore(request, startsWalk: startsWalk, reusing: reusing, &walk)
      case .recheckFirstPage:
        try await findNames(stored: before?.query.sent)
        let request = PageRequest(query: query, number: 1, isReread: true)
        action = try await fetchAndStore(request, startsWalkIfChanged: true, &walk)
      case .close(let evenIfShifted):
        let closing = try mappingStoreErrors { () throws(StoreError) in
          try store.closeWalk(
            of: query, evenIfShifted: evenIfShifted, isFromUpdates: updatedPages != nil, now: dependencies.now())
        }
        report.isIncremental = updatedPages != nil && closing.completeness == .complete
        report.add(goneIDs: closing.goneIDs)
        if let completeness = closing.completeness { observe(.closed(completeness, gone: closing.gone)) }
        action = walk.handle(.closed(closing.completeness))
      }
      if walk.pass > pass {
        updatedPages = nil
        report.failedPages = []
        observe(walk.isVerifying ? .verifying : .startingOver(pass: walk.pass))
      }
    }
  }

  /// Fetches one page, stores it, and returns the walk's next action.
  private mutating func fetchAndStore(
    _ request: PageRequest, startsWalk: Bool = false, startsWalkIfChanged: Bool = false, reusing: Set<Int> = [],
    _ walk: inout Walk
  ) async throws(LoadError) -> Walk.Action {
    let page: RecordingPage
    var isRequested = true
    do {
      if let updated = try nextUpdatedPage(request.number) {
        page = updated
        isRequested = false
      } else if request.number == 1, let firstPage {
        page = firstPage
        self.firstPage = nil
      } else {
        observe(.requesting(page: request.number, of: walk.pageCount))
        page = try await fetch(request)
      }
    } catch .fetch(let error, let catalogue, let page) where error != .cancelled {
      observe(.failed(page: request.number, error))
      let action = walk.handle(.failed(page: request.number, scope: error.scope))
      let isFirstResult = report.pagesFetched == 0 && report.failedPages.isEmpty
      if action == .done, error.scope != .page || isFirstResult {
        throw .fetch(error, catalogue: catalogue, page: page)
      }
      report.failedPages.append(FetchReport.FailedPage(number: request.number, error: error))
      return action
    }
    let (outcome, stored) = try mappingStoreErrors { () throws(StoreError) in
      try store.store(
        page, of: query, startsWalk: startsWalk, startsWalkIfChanged: startsWalkIfChanged, reusing: reusing,
        volatileFields: fetcher.catalogue.volatileFields, now: dependencies.now())
    }
    report.add(newIDs: outcome.newIDs, changedIDs: outcome.changedIDs)
    report.skipped += outcome.skipped
    pageWasStored(outcome)
    if isRequested {
      report.pagesFetched += 1
      observe(.page(number: request.number, stored))
    }
    if let error = depthError(page) { throw failure(error, request.number) }
    return walk.handle(.stored(outcome))
  }

  /// Where a whole list is asked for, but its last pages would be refused, so that it could not become complete.
  private func depthError(_ page: RecordingPage) -> FetchError? {
    guard plan.goal == .all, let depth = fetcher.catalogue.depth, let total = page.totals?.recordings,
      total > depth.records
    else { return nil }
    return .tooDeep(total: total, limit: depth.records)
  }

  private func request(_ page: Int, _ token: PageToken?, in walk: Walk) -> PageRequest {
    PageRequest(query: query, number: page, token: token, isReread: walk.pass > 1 || earlierPages.contains(page))
  }

  /// Makes sure that the query's names are known, by a request where the catalogue needs one and what was sent for the
  /// stored list does not say.
  mutating func findNames(stored: String?) async throws(LoadError) {
    guard !knowsNames else { return }
    let (fetcher, asked) = (fetcher, query)
    var found = fetcher.knownNames(of: asked, stored: stored)
    if found == nil {
      found = try await attempt(page: 1) { () throws(FetchError) in try await fetcher.lookUpNames(of: asked) }
    }
    guard let found else { return }
    knowsNames = true
    query = found.query
    report.lookup = found.lookup
    if let lookup = found.lookup { observe(.lookedUp(lookup)) }
  }

  /// Fetches a page; repeats the request after a transient error until the attempts are used up.
  mutating func fetch(_ request: PageRequest) async throws(LoadError) -> RecordingPage {
    let fetcher = fetcher
    let page = try await attempt(page: request.number) { () throws(FetchError) in
      let page = try await fetcher.page(request)
      if let fault = page.fault(answering: request) { throw .malformed(fault) }
      return page
    }
    report.redactions += page.redactions
    return page
  }

  /// Makes one request, and again after a transient error until the attempts are used up.
  private mutating func attempt<Answer: Sendable>(
    page: Int, _ ask: () async throws(FetchError) -> Answer
  ) async throws(LoadError) -> Answer {
    var attempt = 1
    while true {
      try await waitForTurn(page: page)
      report.requests += 1
      let error: FetchError
      do throws(FetchError) {
        let answer = try await ask()
        hasAnswered = true
        return answer
      } catch let failure {
        error = failure
      }
      if error == .cancelled { throw .cancelled }
      var isLast = !error.isTransient || attempt >= Self.attemptLimit
      switch error {
      case .offline: isLast = isLast || attempt >= Self.offlineAttemptLimit
      case .unreachable: isLast = isLast || !hasAnswered && attempt >= Self.offlineAttemptLimit
      default: hasAnswered = true
      }
      try mappingStoreErrors { () throws(StoreError) in try pacer.pause(for: error, isLast: isLast) }
      if isLast { throw failure(error, page) }
      attempt += 1
      if error.retryAfter == nil {
        try await wait(backoff(before: attempt), .backoff(error, attempt: attempt))
      }
    }
  }

  /// Waits until a request may be made.
  private func waitForTurn(page: Int) async throws(LoadError) {
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

  /// A plan can lengthen a catalogue's own interval, never shorten it; with another base URL only the plan counts.
  private var interval: Duration { max(fetcher.minimumInterval, plan.interval ?? .zero) }

  /// Capped exponential backoff with full jitter: any time up to 0.5 s, 1 s, 2 s … 30 s.
  private func backoff(before attempt: Int) -> Duration {
    let cap = min(30, 0.5 * Double(1 << (attempt - 2)))
    return .seconds(cap * dependencies.random())
  }

  /// Waits while another process walks the query and stores pages.
  private func acquireLock() async throws(LoadError) -> (lock: WalkLock, waited: Bool) {
    var waited = false
    var wait = LockWait<StoredQuery?>()
    while true {
      if let lock = try mappingStoreErrors({ () throws(StoreError) in try WalkLock.acquire(query, in: store) }) {
        return (lock, waited)
      }
      if !waited { observe(.waiting(.zero, .otherProcess(holder: WalkLock.holder(of: query, in: store)))) }
      waited = true
      let stored = try mappingStoreErrors { () throws(StoreError) in try store.stored(query) }
      guard wait.mayContinue(stored) else { throw .store(.queryInUse(holder: WalkLock.holder(of: query, in: store))) }
      try await sleep(wait.pause)
    }
  }

  private func wait(_ duration: Duration, _ reason: WaitReason) async throws(LoadError) {
    observe(.waiting(duration, reason))
    try await sleep(duration)
  }

  private func sleep(_ duration: Duration) async throws(LoadError) {
    do {
      try await dependencies.sleep(duration)
    } catch {
      throw .cancelled
    }
  }

  private func failure(_ error: FetchError, _ page: Int) -> LoadError {
    .fetch(error, catalogue: query.catalogue, page: page)
  }

  func mappingStoreErrors<T>(_ body: () throws(StoreError) -> T) throws(LoadError) -> T {
    do {
      return try body()
    } catch {
      throw .store(error)
    }
  }
}
