import ChirperModel
import ChirperStore
import Foundation

/// The walk over a query's pages, as a pure state machine: it takes events and returns the
/// next action.
///
/// It starts over, in at most `passLimit` passes per run, when the pages show that upstream
/// changed or has lost most of the list. The requests are bounded: a pass requests each
/// page once, at most one that it then does not need, and no more than `AnswerLimit`
/// allows. It ends early after three pages in a row without a row that the walk meets for
/// the first time.
struct Walk {
  enum Action: Equatable {
    /// Fetch the page and store it. If `startsWalk`, a new walk begins with it, and the stored
    /// pages in `reusing` count as read.
    case fetch(page: Int, token: PageRequest.Token?, startsWalk: Bool, reusing: Set<Int>)
    /// Fetch page 1 again, before an earlier run's walk over a complete list is continued, or
    /// before one is closed that has old pages, or whose total no answer has said since its last
    /// page was read. If it differs from the stored page, it begins a new walk, because the pages
    /// read earlier may be outdated as well; if `isLastPass`, it makes the walk `shifted`.
    case recheckFirstPage(isLastPass: Bool)
    /// The last page was read: close the walk; if `evenIfShifted`, also if its pages disagree.
    case close(evenIfShifted: Bool)
    /// The pages after this one are not requested, for that reason.
    case fail(page: Int, FetchError)
    case done
  }

  enum Event {
    case stored(PageOutcome)
    /// The page could not be fetched, after every attempt.
    case failed(page: Int, scope: FailureScope)
    /// The walk was closed with this claim; `nil` if its pages disagree, and it is still
    /// open.
    case closed(StoredQuery.Completeness?)
    /// The walk found so few rows that the service is asked once more; it is still open.
    case fell(to: Int)
  }

  /// Passes over the pages in one run, including the first.
  static let passLimit = 4
  /// The number of pages in a row that end the run because the service may be failing: they cannot
  /// be fetched, have no readable record, or have only rows that the walk has met.
  static let failureLimit = 3

  /// The most recordings of a list that is read to its end although its query has a tag that is not
  /// known: a service that ignores the tag lists everything else that the query finds.
  static let unknownTagLimit = 10_000

  /// A claim spans at most a day: the most seconds between the reading of a page and the closing of
  /// its walk.
  static let longestSpan = 86_400.0

  /// A page that counts as read.
  private struct ReadPage {
    let next: Int?
    let nextToken: PageRequest.Token?
    let records: Int
    /// Stored before this run, which takes it over.
    let isReused: Bool
  }

  private let goal: Int
  private let verify: Bool
  /// Records of a list that the catalogue serves; `nil` if it serves all.
  private let depth: Int?
  /// The tag of the query that is not known; `nil` if all are.
  private let unknownTag: String?
  private(set) var pass = 1
  /// Whether this pass reads a complete list a second time.
  private(set) var isVerifying = false
  private var read: [Int: ReadPage] = [:]
  /// Records on those pages, as the totals count them; a row that comes again counts once.
  private var records: Int64 = 0
  private var failed: Set<Int> = []
  private var failuresInARow = 0
  /// Pages without a row that the walk meets for the first time.
  private var knownInARow = 0
  /// Every page before this one was read, failed, or cannot be requested.
  private var cursor = 1
  /// The totals of the pages, without estimates.
  private var totals: RecordingPage.Totals?
  private var answers = AnswerLimit()
  /// The number of rows that the pass before this one found, if that was less than half of
  /// the list and this run read all of it.
  private var foundBefore: Int?
  /// The next page that is fetched begins a new walk.
  private var startsWalk = true
  private var reusing: Set<Int> = []
  private var usesTokens = false
  /// The first action of the walk, if it is not to request the first missing page.
  private var firstAction: Action?
  /// Whether this pass has requested old pages again.
  private var hasRereadOldPages = false
  /// The number of the page that was stored last; `nil` before the first of this run.
  private var latest: Int?
  /// Whether page 1 is requested for the sake of its total.
  private var isCheckingTotal = false

  /// - Parameters:
  ///   - verify: read a list that turns out complete a second time.
  ///   - status: the status of the latest walk; an open one is continued if the goal lies
  ///     beyond it.
  ///   - totals: the totals that the catalogue sent last.
  ///   - unknownTag: a tag of the query that is not known.
  ///   - freshSince: pages fetched at this time or later are not fetched again; `nil` if
  ///     every page is.
  ///   - now: a page fetched later than this, by a clock that was ahead, is not fresh.
  init(
    goal: FetchPlan.Goal, verify: Bool, status: WalkStatus?, totals: RecordingPage.Totals?,
    depth: Int? = nil,
    unknownTag: String? = nil, freshSince: Date?, now: Date
  ) {
    switch goal {
    case .pages(let count): self.goal = count
    case .all: self.goal = .max
    }
    self.verify = verify
    self.totals = totals?.exact
    self.depth = depth
    self.unknownTag = unknownTag
    guard let status else { return }
    let isFresh = { (page: WalkStatus.PageRecord) in
      freshSince.map { page.fetchedAt >= $0 && page.fetchedAt <= now } ?? false
    }
    let inWalk = status.pages.filter(\.value.isInWalk)
    let isContinued = status.isOpen && (freshSince == nil || inWalk.values.allSatisfy(isFresh))
    let reused = isContinued ? inWalk : status.pages.filter { isFresh($0.value) }
    for (number, page) in reused {
      add(
        number,
        ReadPage(next: page.next, nextToken: page.nextToken, records: page.records, isReused: true))
    }
    if isContinued {
      startsWalk = false
      // Without a completeness the walk's own pages must add up before it can end complete; with
      // one, equal pages alone verify it.
      if status.completeness != nil, freshSince == nil, inWalk[1] != nil {
        firstAction = .recheckFirstPage(isLastPass: false)
      }
    } else {
      reusing = Set(reused.keys)
    }
    guard nextPage() == nil, !(isContinued && reachedEnd) else { return }
    firstAction = freshSince == nil ? nil : .done
    if freshSince == nil { beginPass() }
  }

  /// Whether that walk alone reaches the goal.
  static func reaches(_ goal: FetchPlan.Goal, _ status: WalkStatus) -> Bool {
    guard status.isOpen else { return true }
    guard case .pages(let count) = goal else { return false }
    return (1...count).allSatisfy { status.pages[$0]?.isInWalk == true }
  }

  /// The number of pages, according to the catalogue's last answer.
  var pageCount: Int? { totals?.pages }

  /// The facts by which the closing of the walk may believe that a list falls.
  var fallCheck: FallCheck {
    FallCheck(
      foundBefore: foundBefore, isRestart: foundBefore == nil && (pass > 1 || hasReusedPages),
      isLast: pass >= Self.passLimit, believesTwo: verify && goal == .max)
  }

  private var hasReusedPages: Bool { read.values.contains(where: \.isReused) }

  mutating func start() -> Action { firstAction ?? next() }

  mutating func handle(_ event: Event) -> Action {
    switch event {
    case .stored(let outcome):
      let wasCheckingTotal = note(outcome)
      if let action = action(after: outcome, wasCheckingTotal: wasCheckingTotal) { return action }
    case .failed(let page, let scope):
      // A page that follows those of an earlier run may no longer exist, or its token may have
      // expired.
      if scope == .query, let before = read[page - 1], before.isReused, pass < Self.passLimit {
        return startOver()
      }
      isCheckingTotal = false
      failed.insert(page)
      failuresInARow += 1
      if scope != .page || startsWalk || failuresInARow >= Self.failureLimit { return .done }
    case .closed(nil): return pass < Self.passLimit ? startOver() : .close(evenIfShifted: true)
    case .fell(let rows):
      // Each run asks twice itself: a page of an earlier run, which may have ended in doubt, is not
      // a first answer.
      return startOver(foundBefore: hasReusedPages ? nil : rows)
    case .closed(let claim?):
      return verify && claim == .complete && pass < Self.passLimit
        ? startOver(verifying: true) : .done
    }
    return next()
  }

  /// Notes what a page that was stored says of the list.
  ///
  /// - Returns: Whether it was requested to check the total.
  private mutating func note(_ outcome: PageOutcome) -> Bool {
    if outcome.startedWalk, !startsWalk {
      pass += 1
      // The pass before this one has read the list, and found no fall.
      foundBefore = nil
      beginPass()
    }
    startsWalk = false
    reusing = []
    latest = outcome.number
    let wasCheckingTotal = isCheckingTotal
    isCheckingTotal = false
    failuresInARow = outcome.rows == 0 && outcome.skipped > 0 ? failuresInARow + 1 : 0
    knownInARow = outcome.rows == 0 ? knownInARow + 1 : 0
    // The reused pages after it were fetched with the token that it named before.
    if outcome.outdatesLaterPages {
      for later in read.keys where later > outcome.number { remove(later) }
    }
    add(
      outcome.number,
      ReadPage(
        next: outcome.next, nextToken: outcome.nextToken, records: outcome.records,
        isReused: false))
    totals = outcome.totals?.exact
    return wasCheckingTotal
  }

  /// The action that a page asks for that was stored; `nil` to go on with the next one.
  private mutating func action(after outcome: PageOutcome, wasCheckingTotal: Bool) -> Action? {
    // A list that would not become complete is not read.
    if goal == .max, let depth, let total = totals?.recordings, total > depth {
      return .fail(page: outcome.number, FetchError(.tooDeep(total: total, limit: depth)))
    }
    if goal == .max, let unknownTag, let total = totals?.recordings, total > Self.unknownTagLimit {
      let error = FetchError(.unknownTag(unknownTag, total: total, limit: Self.unknownTagLimit))
      return .fail(page: outcome.number, error)
    }
    let allowsMore = answers.countAnswer(announced: totals?.pages)
    let isBeyondTotal = totals.map { records > $0.recordings } ?? false
    if outcome.isShifted, wasCheckingTotal, pass >= Self.passLimit {
      return .close(evenIfShifted: true)
    }
    if outcome.isShifted || isBeyondTotal {
      if pass < Self.passLimit { return startOver() }
      // The last pass reads the rest once.
      if isBeyondTotal { return goal == .max ? .close(evenIfShifted: true) : .done }
    }
    guard outcome.next != nil else { return nil }
    if failuresInARow >= Self.failureLimit { return .done }
    guard allowsMore, knownInARow < Self.failureLimit else {
      return .fail(
        page: outcome.number,
        FetchError(.endless(pages: answers.count, announced: answers.announced)))
    }
    return nil
  }

  /// The action before the walk is closed as complete, if pages were read more than a day
  /// before, or by a clock that was a day ahead: they are requested again, page 1 first.
  /// `nil` if no page is so old.
  ///
  /// A list that takes longer than a day to read is not closed, and stays `partial`.
  mutating func reread(oldPagesOf status: WalkStatus, now: Date) -> Action? {
    // A page after the last one, requested because the last one failed, is in no claim and cannot
    // be requested.
    let old = status.pages.filter { number, page in
      page.isInWalk && number <= cursor
        && abs(now.timeIntervalSince(page.fetchedAt)) > Self.longestSpan
    }
    guard !old.isEmpty else { return nil }
    guard !hasRereadOldPages else { return .done }
    hasRereadOldPages = true
    for number in old.keys { remove(number) }
    cursor = 1
    return read[1] == nil ? .recheckFirstPage(isLastPass: false) : next()
  }

  /// The action before the walk is closed as complete, if each total but that of page 1 is
  /// made of the rows that were read and of the rows left: page 1 is requested once more,
  /// unless it was read last. `nil` if no action is needed.
  mutating func recheckTotal() -> Action? {
    let countsWhatIsLeft = read.values.contains { $0.nextToken?.position != nil }
    guard countsWhatIsLeft, totals != nil, latest != 1 else { return nil }
    isCheckingTotal = true
    return .recheckFirstPage(isLastPass: pass >= Self.passLimit)
  }

  private mutating func startOver(verifying: Bool = false, foundBefore: Int? = nil) -> Action {
    pass += 1
    isVerifying = verifying
    self.foundBefore = foundBefore
    beginPass()
    return next()
  }

  private mutating func beginPass() {
    read = [:]
    records = 0
    failed = []
    failuresInARow = 0
    knownInARow = 0
    cursor = 1
    answers = AnswerLimit()
    hasRereadOldPages = false
    startsWalk = true
    reusing = []
  }

  private mutating func add(_ number: Int, _ page: ReadPage) {
    remove(number)
    records += Int64(page.records)
    read[number] = page
    if page.nextToken != nil { usesTokens = true }
  }

  private mutating func remove(_ number: Int) {
    records -= Int64(read.removeValue(forKey: number)?.records ?? 0)
  }

  private mutating func next() -> Action {
    if let page = nextPage() {
      return .fetch(
        page: page, token: read[page - 1]?.nextToken, startsWalk: startsWalk, reusing: reusing)
    }
    guard reachedEnd else { return .done }
    return .close(evenIfShifted: false)
  }

  /// Whether every page up to one that names no next page was read.
  private var reachedEnd: Bool {
    guard failed.isEmpty, let last = read[cursor] else { return false }
    return last.next == nil
  }

  /// The first page up to the goal that is still to be fetched; `nil` if all were, and the
  /// cursor is on the last page or beyond the goal.
  private mutating func nextPage() -> Int? {
    while cursor <= goal {
      if let page = read[cursor] {
        guard let next = page.next else { return nil }
        cursor = next
      } else if failed.contains(cursor) || usesTokens && cursor > 1 && read[cursor - 1] == nil {
        // With tokens, a page can be requested only if the page before it, which names its token,
        // was read.
        guard let following = pageAfterGap() else { return nil }
        cursor = following
      } else {
        return cursor
      }
    }
    return nil
  }

  /// The page to continue with after one that failed; `nil` if nothing shows that there are more
  /// pages.
  private func pageAfterGap() -> Int? {
    let nextRead = read.keys.filter { $0 > cursor }.min()
    if usesTokens { return nextRead }
    // Without totals, only a request shows whether there is another page.
    return totals.map { cursor < $0.pages } ?? true || nextRead != nil ? cursor + 1 : nil
  }
}
