import ChirperModel
import ChirperStore
import Foundation

/// The walk over a query's pages as a pure state machine: it is told what happened and says what to do next.
///
/// It knows page numbers and nothing of how a service counts them, of time, of the network or of SQL. A walk that sees
/// upstream move starts over, at most `passLimit` times in one run, so its requests are bounded: each pass asks a page
/// once, and pages that bring nothing end the pass: three in a row of which no record can be read, or one of none but
/// rows that were met before.
struct Walk {
  /// What to do next.
  enum Action: Equatable {
    /// Ask for the page; the store begins a new walk with it where `startsWalk`, taking over the pages in `adopting`.
    case ask(page: Int, startsWalk: Bool, adopting: Set<Int>)
    /// The last page was read: close the walk; `giveUp`: even if its pages disagree.
    case close(giveUp: Bool)
    case done
  }

  /// What happened.
  enum Event {
    case stored(PageOutcome)
    /// The page could not be had; `ends`: no other can be had either.
    case failed(page: Int, ends: Bool)
    case closed(Completeness?)
  }

  /// Passes over the pages in one run, the first among them.
  static let passLimit = 4
  /// This many pages in a row that cannot be had, or of which nothing can be read, end the run: the catalogue is ill, not
  /// a page.
  static let failureLimit = 3

  private let goal: Int
  private let verify: Bool
  /// From 1; more once the walk started over.
  private(set) var pass = 1
  /// Whether this pass looks again at a complete list.
  private(set) var isVerifying = false
  /// Pages the walk has read, each with the next it named.
  private var read: [Int: Int?] = [:]
  /// Distinct rows on them.
  private var rows = 0
  /// Pages that failed in this pass.
  private var failed: Set<Int> = []
  private var failuresInARow = 0
  /// Every page before this one was read or failed.
  private var cursor = 1
  /// What the catalogue last said.
  private var totals: Totals?
  /// The next page asked for begins a new walk.
  private var startsWalk = true
  private var adopting: Set<Int> = []
  private var isSatisfied = false

  /// Plans a walk from what is stored.
  ///
  /// - Parameters:
  ///   - status: of the latest walk; an open one is continued where the goal lies beyond it.
  ///   - freshSince: pages fetched at this time or later are not asked for again; `nil`: none is spared.
  ///   - now: a page from the future is not fresh.
  init(goal: FetchPlan.Goal, verify: Bool, status: WalkStatus?, totals: Totals?, freshSince: Date?, now: Date) {
    switch goal {
    case .pages(let count): self.goal = count
    case .all: self.goal = .max
    }
    self.verify = verify
    self.totals = totals
    guard let status else { return }
    let isFresh = { (mark: WalkStatus.PageRecord) in freshSince.map { mark.fetchedAt >= $0 && mark.fetchedAt <= now } ?? false }
    let inWalk = status.pages.filter(\.value.isInWalk)
    let isContinued = status.isOpen && (freshSince == nil || inWalk.values.allSatisfy(isFresh))
    let spared = isContinued ? inWalk : status.pages.filter { isFresh($0.value) }
    for (number, mark) in spared {
      read[number] = .some(mark.next)
      rows += mark.rows
    }
    if isContinued {
      startsWalk = false
    } else {
      adopting = Set(spared.keys)
    }
    guard missing() == nil else { return }
    if freshSince != nil, !(isContinued && reachedEnd) {
      isSatisfied = true
    } else if !(isContinued && reachedEnd) {
      beginPass()
    }
  }

  /// Whether the latest walk alone reaches the goal.
  static func reaches(_ goal: FetchPlan.Goal, _ status: WalkStatus) -> Bool {
    guard status.isOpen else { return true }
    guard case .pages(let count) = goal else { return false }
    return (1...count).allSatisfy { status.pages[$0]?.isInWalk == true }
  }

  /// Pages in all, as far as the catalogue has said.
  var pageCount: Int? { totals?.pages }

  /// What to do first.
  mutating func start() -> Action {
    isSatisfied ? .done : next()
  }

  /// What to do after that.
  mutating func handle(_ event: Event) -> Action {
    switch event {
    case .stored(let outcome):
      startsWalk = false
      adopting = []
      failuresInARow = outcome.rows == 0 && outcome.skipped > 0 ? failuresInARow + 1 : 0
      read[outcome.number] = .some(outcome.next)
      rows += outcome.rows
      totals = outcome.totals
      let isBeyondTotal = totals.map { rows > $0.recordings } ?? false
      if outcome.isShifted || isBeyondTotal {
        if pass < Self.passLimit { return startOver() }
        // No further pass is left; the rest is read once, but never pages that bring nothing.
        if outcome.rows == 0 || isBeyondTotal { return goal == .max ? .close(giveUp: true) : .done }
      }
      if failuresInARow >= Self.failureLimit, outcome.next != nil { return .done }
    case .failed(let page, let ends):
      failed.insert(page)
      failuresInARow += 1
      if ends || startsWalk || failuresInARow >= Self.failureLimit { return .done }
    case .closed(let claim):
      return afterClosing(claim)
    }
    return next()
  }

  private mutating func afterClosing(_ claim: Completeness?) -> Action {
    switch claim {
    case nil: return pass < Self.passLimit ? startOver() : .close(giveUp: true)
    case .complete where verify && pass < Self.passLimit: return startOver(verifying: true)
    case .complete, .verified, .shifted, .partial: return .done
    }
  }

  private mutating func startOver(verifying: Bool = false) -> Action {
    pass += 1
    isVerifying = verifying
    beginPass()
    return next()
  }

  private mutating func beginPass() {
    read = [:]
    rows = 0
    failed = []
    failuresInARow = 0
    cursor = 1
    startsWalk = true
    adopting = []
  }

  private mutating func next() -> Action {
    if let page = missing() { return .ask(page: page, startsWalk: startsWalk, adopting: adopting) }
    return reachedEnd ? .close(giveUp: false) : .done
  }

  /// Whether every page up to one that names no next was read.
  private var reachedEnd: Bool {
    failed.isEmpty && read[cursor] == .some(nil)
  }

  /// The first page up to the goal that was neither read nor failed; `nil` where none is left. The cursor then stands
  /// on the last page, or beyond the goal.
  private mutating func missing() -> Int? {
    while cursor <= goal {
      if let next = read[cursor] {
        guard let next else { return nil }
        cursor = next
      } else if failed.contains(cursor) {
        // Behind a page that failed there is another where the totals, or pages read before, say so; a catalogue
        // without totals is asked.
        guard totals.map({ cursor < $0.pages }) ?? true || read.keys.contains(where: { $0 > cursor }) else { return nil }
        cursor += 1
      } else {
        return cursor
      }
    }
    return nil
  }
}
