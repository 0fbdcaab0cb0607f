import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// A walk: the shell around `Walk`, which fetches and stores pages as the state machine decides.
struct PageWalker {
  /// The origin of the pages of the first pass.
  enum Pages {
    /// Every page is requested.
    case requested
    /// A sync or a refresh has just read page 1.
    case first(RecordingPage, readAt: Date)
    #if Collection
    /// A sync by updates has made the pages.
    case updated(UpdatedPages)

    var areFromUpdates: Bool { if case .updated = self { true } else { false } }
    #else
    var areFromUpdates: Bool { false }
    #endif
  }

  private let context: FetchContext
  private var walk: Walk
  private var pages: Pages
  /// The list before the walk; `nil` if none was stored.
  private let before: StoredQuery?
  private let earlierPages: Set<Int>
  /// The records that could not be read of each page, which counts once however often it is read.
  private var skipped: [Int: Int] = [:]
  /// The time at which the latest page was read from the catalogue by a server that has answered in
  /// its place (`RecordingPage.readAt`).
  private var readFromServerAt: Date?
  /// Whether the walk began in this run and has read each of its pages, none from a cache.
  private var isReadInFull = false

  init(from status: WalkStatus?, stored: StoredQuery?, pages: Pages, _ context: FetchContext) {
    self.context = context
    self.pages = pages
    before = stored
    earlierPages = status.map { Set($0.pages.keys) } ?? []
    let plan = context.plan
    let now = context.dependencies.now()
    walk = Walk(
      goal: plan.goal, verify: plan.verify, status: status, totals: stored?.totals,
      depth: context.fetcher.catalogue.depth?.records,
      unknownTag: context.fetcher.catalogue.unknownTags(of: context.query).first,
      freshSince: plan.maxAge.map { now.addingTimeInterval(-($0 / .seconds(1))) }, now: now)
  }

  mutating func run(_ requester: inout PageRequester) async throws {
    var action = walk.start()
    while true {
      let pass = walk.pass
      switch action {
      case .done: return
      case .fail(let page, let error):
        throw LoadError.fetch(error, catalogue: requester.query.catalogue, page: page)
      case .fetch(let page, let token, let startsWalk, let reusing):
        action = try await fetchAndStore(
          page, token, startsWalk: startsWalk, reusing: reusing, &requester)
      case .recheckFirstPage(let isLastPass):
        action = try await fetchAndStore(
          1, nil, ifChanged: isLastPass ? .shiftsWalk : .startsWalk, &requester)
      case .close(let evenIfShifted): action = try close(evenIfShifted: evenIfShifted, &requester)
      }
      if walk.pass > pass {
        requester.report.failedPages = []
        context.observe(walk.isVerifying ? .verifying : .startingOver(pass: walk.pass))
      }
    }
  }

  /// Closes the walk, unless pages must be read once more before.
  private mutating func close(
    evenIfShifted: Bool, _ requester: inout PageRequester
  ) throws -> Walk.Action {
    let isFromUpdates = pages.areFromUpdates
    if !evenIfShifted, !isFromUpdates,
      let status = try context.store.walkStatus(of: requester.query),
      let instead = walk.reread(
        oldPagesOf: status, now: readFromServerAt ?? context.dependencies.now())
        ?? walk.recheckTotal()
    {
      return instead
    }
    let closing = try context.store.closeWalk(
      of: requester.query, evenIfShifted: evenIfShifted, during: requester.changes,
      fallCheck: walk.fallCheck, isReadInFull: isReadInFull, isFromUpdates: isFromUpdates,
      now: context.dependencies.now())
    requester.report.isIncremental = isFromUpdates && closing.completeness == .complete
    requester.report.note(removed: closing.removed, in: &requester.changes)
    if let completeness = closing.completeness {
      context.observe(.closed(completeness, gone: closing.removed.count))
    }
    return walk.handle(closing.fallenTo.map(Walk.Event.fell) ?? .closed(closing.completeness))
  }

  private mutating func fetchAndStore(
    _ number: Int, _ token: PageRequest.Token?, startsWalk: Bool = false,
    ifChanged: RecordingStore.PageChange? = nil, reusing: Set<Int> = [],
    _ requester: inout PageRequester
  ) async throws -> Walk.Action {
    try await requester.findNames(stored: before?.query.requestText)
    let isReread = walk.pass > 1 || ifChanged != nil || earlierPages.contains(number)
    let request = PageRequest(
      query: requester.query, number: number, token: token, isReread: isReread)
    let known = try knownPage(number)
    let page: RecordingPage
    if let known {
      page = known.page
    } else {
      context.observe(.requesting(page: number, of: walk.pageCount))
      do {
        page = try await requester.page(request)
        readFromServerAt = page.readAt
      } catch LoadError.fetch(let error, let catalogue, let page) {
        let action = note(error, ofPage: number, &requester)
        guard let action else { throw LoadError.fetch(error, catalogue: catalogue, page: page) }
        return action
      }
    }
    let (outcome, stored) = try context.store.store(
      page, of: request.query, startsWalk: startsWalk,
      // That nothing was found is removed after a while, and may be found again.
      isKnown: before?.isMiss == false, ifChanged: ifChanged, reusing: reusing,
      volatileFields: context.fetcher.catalogue.volatility,
      readAt: known?.readAt ?? requester.askedAt, during: requester.changes,
      now: context.dependencies.now())
    note(outcome, of: page, startedBy: reusing, &requester)
    if known?.isMade != true {
      requester.report.pagesFetched += 1
      context.observe(.page(number: number, stored))
    }
    return walk.handle(.stored(outcome))
  }

  /// The action after a failed page; `nil` if the walk ends with its error.
  private mutating func note(
    _ error: FetchError, ofPage number: Int, _ requester: inout PageRequester
  ) -> Walk.Action? {
    context.observe(.failed(page: number, error))
    // Pages that are requested again are as old.
    if case .serverIsOlder = error.reason { return nil }
    let action = walk.handle(.failed(page: number, scope: error.scope))
    let isFirstResult =
      requester.report.pagesFetched == 0 && requester.report.failedPages.isEmpty
    if action == .done, error.scope != .page || isFirstResult { return nil }
    requester.report.failedPages.append(FetchReport.FailedPage(number: number, error: error))
    return action
  }

  /// A page that needs no request: one that is made of updates, or the first, which a sync has read;
  /// `nil` for the others.
  private mutating func knownPage(
    _ number: Int
  ) throws -> (page: RecordingPage, readAt: Date, isMade: Bool)? {
    #if Collection
    if case .updated(var updated) = pages,
      let (page, readAt) = try updated.next(number, now: context.dependencies.now())
    {
      pages = .updated(updated)
      return (page, readAt, true)
    }
    #endif
    defer { pages = .requested }
    guard number == 1, case .first(let first, let readAt) = pages else { return nil }
    return (first, readAt, false)
  }

  /// Counts what a stored page has.
  private mutating func note(
    _ outcome: PageOutcome, of page: RecordingPage, startedBy reusing: Set<Int>,
    _ requester: inout PageRequester
  ) {
    let number = outcome.number
    if outcome.startedWalk { isReadInFull = reusing.isEmpty }
    if page.isFromCache { isReadInFull = false }
    requester.report.note(
      entered: outcome.entered, changedIDs: outcome.changedIDs, in: &requester.changes)
    requester.report.skipped +=
      outcome.skipped - (skipped.updateValue(outcome.skipped, forKey: number) ?? 0)
    context.log.debug(
      "page stored",
      [
        "page": "\(number)", "rows": "\(page.recordings.count)", "new": "\(outcome.new)",
        "changed": "\(outcome.changed)",
        "skipped": "\(outcome.skipped)", "shifted": "\(outcome.isShifted)",
        "startsWalk": "\(outcome.startedWalk)",
      ])
    context.pageWasStored(outcome)
  }
}
