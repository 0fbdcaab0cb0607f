import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// One fetch or sync: waits for other processes, then syncs, or walks if that is not
/// enough. Its parts throw different errors; `run` makes one kind of error of them.
struct FetchRun {
  /// The work before pages are walked.
  enum Kind {
    /// The pages are walked at once.
    case fetch
    /// The catalogue is asked for changes, if it can be.
    case sync
    /// The catalogue is asked as in a sync. If that is not enough, page 1 decides whether
    /// the list is walked.
    case refresh
  }

  let context: FetchContext
  let kind: Kind
  var requester: PageRequester
  private var report: FetchReport { requester.report }

  private var store: RecordingStore { context.store }

  /// Runs to the goal, or to the first failure that ends it. The report has the result
  /// either way.
  mutating func run() async -> FetchReport {
    do {
      try await fetch()
    } catch {
      requester.report.failure = LoadError(error)
    }
    do throws(StoreError) {
      requester.report.stored = try store.stored(requester.query)
    } catch {
      requester.report.failure = report.failure ?? .store(error)
    }
    context.log.debug(
      "fetch ended",
      [
        "requests": "\(report.requests)", "pages": "\(report.pagesFetched)", "new": "\(report.new)",
        "changed": "\(report.changed)", "gone": "\(report.gone)",
        "failure": "\(report.failure.map { "\($0)" } ?? "none")",
      ])
    return report
  }

  private mutating func fetch() async throws {
    let query = requester.query
    let startedAt = context.dependencies.now()
    let before = try store.stored(query)
    // A list that was forgotten before its turn in a sync of several.
    if kind == .sync, before == nil { throw StoreError(.queryForgotten) }
    if let imported = before?.imported {
      throw StoreError(.listIsImported(address: imported.address))
    }
    context.log.debug(
      "\(kind)",
      [
        "goal": "\(context.plan.goal)", "pageSize": "\(query.pageSize)",
        "stored": "\(before.map { "\($0.count) rows, \($0.completeness.word)" } ?? "nothing")",
      ])
    context.observe(.stored(before))
    var waited = false
    let lock = try await context.dependencies.lock { [store] in
      try WalkLock.acquire(query, in: store)
    } progress: {
      try store.stored(query)
    } willWait: {
      waited = true
      context.observe(.waiting(.zero, .otherProcess(holder: WalkLock.holder(of: query, in: store))))
    }
    guard let lock else {
      throw StoreError(.queryInUse(holder: WalkLock.holder(of: query, in: store)))
    }
    defer { withExtendedLifetime(lock) {} }
    let status = try store.walkStatus(of: query)
    if waited {
      let seconds = Duration.seconds(context.dependencies.now().timeIntervalSince(startedAt))
      context.log.debug("waited for another process", ["seconds": seconds.logged])
    }
    if waited, let status, Walk.reaches(context.plan.goal, status),
      !context.plan.verify || status.completeness == .verified,
      status.pages.values.contains(where: { $0.fetchedAt >= startedAt })
    {
      requester.report.joined = true
      context.log.debug("another process has fetched the same")
      return
    }
    try await update(from: status, stored: before)
  }

  /// Syncs, or walks if that does not do.
  private mutating func update(from status: WalkStatus?, stored before: StoredQuery?) async throws {
    var status = status
    var pages = PageWalker.Pages.requested
    if kind != .fetch, let current = status {
      switch try await finding(from: current) {
      case .unchanged:
        context.log.debug("page 1 is as it is stored, so nothing else is requested")
        return
      case .upToDate:
        requester.report.isIncremental = true
        context.log.debug(
          "the sync needs no walk", ["recheckedPages": "\(report.recheckedPages)"])
        return
      case .walk(let reason, let found):
        context.log.debug("the sync walks", ["because": "\(reason)"])
        pages = found
      }
      status = try store.walkStatus(of: requester.query)
    }
    var walk = PageWalker(from: status, stored: before, pages: pages, context)
    try await walk.run(&requester)
    // The pages of a sync by updates were not requested.
    guard report.isIncremental, let before, let status = try store.walkStatus(of: requester.query)
    else { return }
    guard try await !PageRecheck(of: status, since: before.syncedAt, context).run(&requester) else {
      return
    }
    requester.report.isIncremental = false
    context.log.debug(
      "the sync walks", ["because": "a page that was read again differs"])
    walk = PageWalker(
      from: try store.walkStatus(of: requester.query), stored: before, pages: .requested, context)
    try await walk.run(&requester)
  }

  private mutating func finding(from status: WalkStatus) async throws -> SyncFinding {
    let finding = try await sync(from: status)
    guard kind == .refresh, case .walk(_, .requested) = finding,
      let stored = try store.stored(requester.query),
      stored.skipped == 0, status.pages[1] != nil
    else { return finding }
    // A list that was whole and is not complete has changed already, and a shifted one is to be
    // repaired.
    guard stored.walkedAt == nil && !stored.completeness.isShifted || stored.isComplete else {
      return finding
    }
    return try await checkFirstPage(of: stored)
  }

  /// Requests page 1; if it is as it is stored, so is the list, as far as one request shows.
  private mutating func checkFirstPage(of stored: StoredQuery) async throws -> SyncFinding {
    try await requester.findNames(stored: stored.query.requestText)
    let query = requester.query
    context.observe(.requesting(page: 1, of: stored.totals?.pages))
    let page = try await requester.page(PageRequest(query: query, number: 1, isReread: true))
    guard try requester.confirm(page) else {
      return .walk(because: "page 1 differs", .first(page, readAt: requester.askedAt))
    }
    requester.report.pagesFetched += 1
    if let stored = try store.stored(query) { context.observe(.page(number: 1, stored)) }
    return .unchanged
  }

  private mutating func sync(from status: WalkStatus) async throws -> SyncFinding {
    guard let stored = try store.stored(requester.query), stored.skipped == 0, stored.isComplete
    else {
      return .walk(because: "the list is not complete")
    }
    if stored.totals?.isEstimate == true {
      return .walk(because: "the catalogue only estimates its total")
    }
    switch context.fetcher.catalogue.incrementalSync {
    case .uploads(let sync)?:
      return try await UploadSyncRun(sync: sync, stored: stored, context: context).run(
        from: status, &requester)
    #if Collection
    case .updates(let sync)?:
      return try await UpdateSyncRun(sync: sync, stored: stored, context: context).run(
        from: status, &requester)
    #endif
    case nil: return .walk(because: "the catalogue cannot be asked for what changed")
    }
  }
}

enum SyncFinding {
  /// The list is up to date.
  case upToDate
  /// Page 1 is as it is stored.
  case unchanged
  /// A walk over these pages brings the list up to date; it is needed for that reason.
  case walk(because: String, PageWalker.Pages = .requested)
}

extension StoredQuery {
  /// Whether the store vouches for the whole list.
  package var isComplete: Bool { completeness == .complete || completeness == .verified }

  /// The time at which a sync or a walk last brought it up to date.
  package var syncedAt: Date { max(checkedAt ?? .distantPast, newestFetchedAt) }
}

extension StoredQuery.Completeness {
  fileprivate var isShifted: Bool { if case .shifted = self { true } else { false } }
}

extension LoadError {
  /// The one kind of error that a run ends with.
  init(_ error: any Error) {
    switch error {
    case let error as LoadError: self = error
    case let error as StoreError: self = .store(error)
    // Apart from these two only `RecordingRepository.Dependencies.sleep` throws, when the task is cancelled.
    default: self = .cancelled
    }
  }
}
