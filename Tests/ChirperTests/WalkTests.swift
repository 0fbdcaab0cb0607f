import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// The rules of the walk's state machine: pages of two rows, and no I/O.
@Suite struct WalkTests {
  private let now = Date(timeIntervalSince1970: 1_780_000_000)

  // MARK: Where a walk begins and ends

  @Test func `a new walk begins with page 1`() {
    var walk = walk()
    #expect(walk.start() == fetch(1, startsWalk: true))
  }

  @Test func `the page that each page names is fetched, and after the last one the walk is closed`()
  {
    var walk = walk()
    _ = walk.start()
    #expect(walk.handle(stored(1, of: 3)) == fetch(2))
    #expect(walk.handle(stored(2, of: 3)) == fetch(3))
    #expect(walk.handle(stored(3, of: 3)) == .close(evenIfShifted: false))
    #expect(walk.handle(.closed(.complete)) == .done)
    #expect(walk.pageCount == 3)
  }

  @Test func `a walk that reaches its goal before the last page is done and stays open`() {
    var walk = walk(.pages(2))
    _ = walk.start()
    #expect(walk.handle(stored(1, of: 3)) == fetch(2))
    #expect(walk.handle(stored(2, of: 3)) == .done)
  }

  // MARK: What is stored already

  @Test func `an open walk that has reached the goal is followed by a new one`() {
    var walk = walk(.pages(2), status: status(isOpen: true, [1, 2], of: 3), totals: totals(3))
    #expect(walk.start() == fetch(1, startsWalk: true))
  }

  @Test func `a closed walk is followed by a new one`() {
    var walk = walk(status: status(isOpen: false, [1, 2], of: 2), totals: totals(2))
    #expect(walk.start() == fetch(1, startsWalk: true))
  }

  @Test func `a new walk reuses fresh pages and fetches the others`() {
    let status = status(isOpen: false, [1, 2, 3], of: 3, ages: [1: 10, 2: 100, 3: 10])
    var walk = walk(status: status, totals: totals(3), freshSince: now - 50)
    #expect(walk.start() == fetch(2, startsWalk: true, reusing: [1, 3]))
    #expect(walk.handle(stored(2, of: 3)) == .close(evenIfShifted: false))
  }

  @Test func `nothing is fetched if every page up to the goal is fresh`() {
    let status = status(isOpen: false, [1, 2, 3], of: 3, ages: [1: 10, 2: 10, 3: 100])
    var short = walk(.pages(2), status: status, totals: totals(3), freshSince: now - 50)
    #expect(short.start() == .done)
    var whole = walk(.all, status: status, totals: totals(3), freshSince: now - 50)
    #expect(whole.start() == fetch(3, startsWalk: true, reusing: [1, 2]))
  }

  @Test func `an open walk with a page that is no longer fresh is not continued`() {
    let status = status(isOpen: true, [1, 2], of: 3, ages: [1: 100, 2: 10])
    var walk = walk(status: status, totals: totals(3), freshSince: now - 50)
    #expect(walk.start() == fetch(1, startsWalk: true, reusing: [2]))
  }

  @Test func `the latest walk reaches a goal if it is closed or has every page`() {
    #expect(Walk.reaches(.all, status(isOpen: false, [1], of: 1)))
    #expect(!Walk.reaches(.all, status(isOpen: true, [1, 2], of: 3)))
    #expect(Walk.reaches(.pages(2), status(isOpen: true, [1, 2], of: 3)))
    #expect(!Walk.reaches(.pages(2), status(isOpen: true, [1, 3], of: 3)))
  }

  @Test func `page 1 is not read again if it is fresh, or if a new walk begins with it`() {
    let status = status(isOpen: true, completeness: .complete, [1, 2], of: 3)
    var fresh = walk(status: status, totals: totals(3), freshSince: now - 50)
    #expect(fresh.start() == fetch(3))
    var short = walk(.pages(2), status: status, totals: totals(3))
    #expect(short.start() == fetch(1, startsWalk: true))
  }

  @Test func `an old page after the last one does not keep a walk open`() {
    // Page 3 failed, page 4 was empty, and page 2, requested again, is the last one now.
    let old = status(isOpen: true, [1, 2, 4], of: 2, ages: [4: 200_000])
    var walk = walk(status: old)
    #expect(walk.start() == .close(evenIfShifted: false))
    #expect(walk.reread(oldPagesOf: old, now: now) == nil)
    // Its pages disagree, so all are requested, and those after the last one leave the list.
    #expect(walk.handle(.closed(nil)) == fetch(1, startsWalk: true))
  }

  // MARK: Upstream changes

  @Test func `a shifted page makes the walk start over from page 1`() {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(stored(1, of: 3))
    #expect(walk.handle(stored(2, of: 3, isShifted: true)) == fetch(1, startsWalk: true))
    #expect((walk.pass, walk.isVerifying) == (2, false))
    #expect(walk.handle(stored(1, of: 3)) == fetch(2))
  }

  @Test func `more rows than the catalogue's total make the walk start over`() {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(stored(1, of: 3))
    #expect(walk.handle(stored(2, of: 3, total: 3)) == fetch(1, startsWalk: true))
  }

  @Test func `records that give several rows are counted as the catalogue's total counts them`() {
    var walk = walk()
    _ = walk.start()
    #expect(walk.handle(stored(1, of: 2, rows: 5, records: 2)) == fetch(2))
    #expect(walk.handle(stored(2, of: 2, rows: 4, records: 2)) == .close(evenIfShifted: false))
  }

  @Test func `the last pass continues after a shifted page with new rows`() {
    var walk = lastPass()
    #expect(walk.handle(stored(1, of: 3, isShifted: true)) == fetch(2))
  }

  @Test func `the last pass ends where the rows are more than the catalogue counts`() {
    var whole = lastPass()
    #expect(whole.handle(stored(1, of: 3, total: 1)) == .close(evenIfShifted: true))
    var short = lastPass(.pages(2))
    #expect(short.handle(stored(1, of: 3, total: 1)) == .done)
  }

  @Test(arguments: [false, true])
  func `three pages in a row without a row that the walk meets for the first time end the run`(
    isShifted: Bool
  ) {
    var walk = lastPass()
    let known = { (page: Int) in
      stored(page, of: 99, rows: 0, records: 0, isShifted: isShifted)
    }
    #expect(walk.handle(stored(1, of: 99)) == fetch(2))
    #expect(walk.handle(known(2)) == fetch(3))
    #expect(walk.handle(known(3)) == fetch(4))
    #expect(walk.handle(stored(4, of: 99, rows: 1)) == fetch(5))
    #expect(walk.handle(known(5)) == fetch(6))
    #expect(walk.handle(known(6)) == fetch(7))
    #expect(walk.handle(known(7)) == .fail(page: 7, FetchError(.endless(pages: 7, announced: 99))))
    // The last page of a list has no next one, whatever it has.
    var whole = lastPass()
    for page in 1...2 { _ = whole.handle(stored(page, of: 3, rows: 0, records: 0)) }
    #expect(whole.handle(stored(3, of: 3, rows: 0)) == .close(evenIfShifted: false))
  }

  @Test func `a list that is verified already, or shifted, is not read again`() {
    for completeness in [StoredQuery.Completeness.verified, .shifted(rows: 2, total: 3)] {
      var walk = walk(verify: true)
      _ = walk.start()
      _ = walk.handle(stored(1, of: 1))
      #expect(walk.handle(.closed(completeness)) == .done)
    }
  }

  // MARK: Answers without an end

  @Test(arguments: [(nil, 200_010), (3, 16), (1_000_000_000, 200_010)] as [(Int?, Int)])
  func
    `a service that names more pages than it announced, and than a list can have, is not asked further`(
      announced: Int?, limit: Int
    )
  {
    var walk = walk()
    _ = walk.start()
    for number in 1..<limit {
      let page = stored(
        number, of: .max, total: .max, pages: announced, hasTotals: announced != nil)
      #expect(walk.handle(page) == fetch(number + 1))
    }
    let last = stored(limit, of: .max, total: .max, pages: announced, hasTotals: announced != nil)
    #expect(
      walk.handle(last)
        == .fail(page: limit, FetchError(.endless(pages: limit, announced: announced))))
  }

  @Test func `a list that falls is read again, and the closing learns what was found before`() {
    var walk = walk(status: status(isOpen: false, [1, 2, 3], of: 3), totals: totals(3))
    _ = walk.start()
    #expect(walk.fallCheck == FallCheck())
    #expect(walk.handle(stored(1, of: 1, rows: 0, total: 0)) == .close(evenIfShifted: false))
    #expect(walk.handle(.fell(to: 0)) == fetch(1, startsWalk: true))
    #expect((walk.pass, walk.isVerifying, walk.fallCheck) == (2, false, FallCheck(foundBefore: 0)))
    #expect(walk.handle(stored(1, of: 1, rows: 0, total: 0)) == .close(evenIfShifted: false))
    #expect(walk.handle(.closed(.shifted(rows: 6, total: 0))) == .done)
  }

  @Test func `what a pass found says nothing of the one after a pass that found more`() {
    let token = PageRequest.Token.after("2", recordsBefore: 2).rawValue
    var walk = walk(status: status(isOpen: false, [1, 2], of: 2), totals: totals(2))
    _ = walk.start()
    _ = walk.handle(stored(1, of: 1, rows: 0, total: 0))
    _ = walk.handle(.fell(to: 0))
    #expect(walk.fallCheck == FallCheck(foundBefore: 0))
    _ = walk.handle(stored(1, of: 2, token: token))
    _ = walk.handle(stored(2, of: 2))
    #expect(walk.recheckTotal() == .recheckFirstPage(isLastPass: false))
    let empty = stored(1, of: 1, rows: 0, total: 0, startedWalk: true)
    #expect(walk.handle(empty) == .close(evenIfShifted: false))
    #expect(walk.fallCheck == FallCheck(isRestart: true))
  }

  @Test func `a page in doubt of a run that was cancelled is not a first answer`() {
    let status = status(isOpen: true, [1, 2, 3], of: 1, records: [1: 0], earlier: [2, 3])
    var walk = walk(status: status, totals: totals(1))
    #expect(walk.start() == .close(evenIfShifted: false))
    #expect(walk.fallCheck == FallCheck(isRestart: true))
    #expect(walk.handle(.fell(to: 0)) == fetch(1, startsWalk: true))
    #expect(walk.fallCheck == FallCheck(isRestart: true))
    #expect(walk.handle(stored(1, of: 1, rows: 0, total: 0)) == .close(evenIfShifted: false))
    #expect(walk.handle(.fell(to: 0)) == fetch(1, startsWalk: true))
    #expect(walk.fallCheck == FallCheck(foundBefore: 0))
  }

  // MARK: Failures

  @Test func `nothing is requested after the last page of the totals failed`() {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(stored(1, of: 2))
    #expect(walk.handle(.failed(page: 2, scope: .page)) == .done)
  }

  @Test func `without totals, the page after one that failed is requested`() {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(stored(1, of: 9, hasTotals: false))
    #expect(walk.handle(.failed(page: 2, scope: .page)) == fetch(3))
  }

  @Test(arguments: [FailureScope.query, .service])
  func `a failure that is not of the page alone ends the run`(scope: FailureScope) {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(stored(1, of: 3))
    #expect(walk.handle(.failed(page: 2, scope: scope)) == .done)
  }

  @Test func `a new walk whose first page fails ends the run`() {
    var walk = walk()
    _ = walk.start()
    #expect(walk.handle(.failed(page: 1, scope: .page)) == .done)
  }

  @Test func `three failures in a row end the run`() {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(stored(1, of: 9))
    #expect(walk.handle(.failed(page: 2, scope: .page)) == fetch(3))
    #expect(walk.handle(.failed(page: 3, scope: .page)) == fetch(4))
    #expect(walk.handle(stored(4, of: 9)) == fetch(5))
    #expect(walk.handle(.failed(page: 5, scope: .page)) == fetch(6))
    #expect(walk.handle(.failed(page: 6, scope: .page)) == fetch(7))
    #expect(walk.handle(.failed(page: 7, scope: .page)) == .done)
  }

  @Test func `three pages in a row without a readable record end the run`() {
    var walk = walk()
    _ = walk.start()
    #expect(walk.handle(stored(1, of: 9, rows: 0, skipped: 2)) == fetch(2))
    #expect(walk.handle(stored(2, of: 9, rows: 0, skipped: 2)) == fetch(3))
    #expect(walk.handle(stored(3, of: 9, rows: 0, skipped: 2)) == .done)
  }

  @Test func `a pass that starts over requests the pages that failed again`() {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(stored(1, of: 4))
    _ = walk.handle(.failed(page: 2, scope: .page))
    #expect(walk.handle(stored(3, of: 4, isShifted: true)) == fetch(1, startsWalk: true))
    #expect(walk.handle(stored(1, of: 4)) == fetch(2))
  }

  // MARK: Tokens

  @Test func `no page after one that failed can be requested with tokens`() {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(stored(1, of: 9, token: "a"))
    #expect(walk.handle(.failed(page: 2, scope: .page)) == .done)
  }

  @Test func `a page after one that failed can be requested if the page before it was read`() {
    let status = status(isOpen: true, [1, 3], of: 9, tokens: [1: "a", 3: "c"])
    var walk = walk(status: status, totals: totals(9))
    #expect(walk.start() == fetch(2, "a"))
    #expect(walk.handle(.failed(page: 2, scope: .page)) == fetch(4, "c"))
  }

  @Test func `a total that every answer says, and one page, need no further answer`() {
    for token in [nil, "a", "300"] {
      var walk = walk()
      _ = walk.start()
      _ = walk.handle(stored(1, of: 2, token: token))
      #expect(walk.handle(stored(2, of: 2)) == .close(evenIfShifted: false))
      #expect(walk.recheckTotal() == nil)
    }
    var short = walk()
    _ = short.start()
    _ = short.handle(stored(1, of: 1))
    #expect(short.recheckTotal() == nil)
    var estimated = walk()
    _ = estimated.start()
    _ = estimated.handle(stored(1, of: 2, token: "2 2", hasTotals: false))
    _ = estimated.handle(stored(2, of: 2, hasTotals: false))
    #expect(estimated.recheckTotal() == nil)
  }

  // MARK: Values

  private func walk(
    _ goal: FetchPlan.Goal = .all, verify: Bool = false, status: WalkStatus? = nil,
    totals: RecordingPage.Totals? = nil,
    freshSince: Date? = nil
  ) -> Walk {
    Walk(
      goal: goal, verify: verify, status: status, totals: totals, freshSince: freshSince, now: now)
  }

  /// A walk in its last pass, with page 1 to be stored next.
  private func lastPass(_ goal: FetchPlan.Goal = .all) -> Walk {
    var walk = walk(goal)
    _ = walk.start()
    while walk.pass < Walk.passLimit { _ = walk.handle(stored(1, of: 3, isShifted: true)) }
    return walk
  }

  private func fetch(
    _ page: Int, _ token: String? = nil, startsWalk: Bool = false, reusing: Set<Int> = []
  ) -> Walk.Action {
    .fetch(
      page: page, token: token.map(PageRequest.Token.init), startsWalk: startsWalk, reusing: reusing
    )
  }

  private func totals(_ pages: Int) -> RecordingPage.Totals {
    RecordingPage.Totals(recordings: pages * 2, pages: pages)
  }

  private func stored(
    _ number: Int, of pages: Int, token: String? = nil, rows: Int = 2, skipped: Int = 0,
    records: Int? = nil,
    total: Int? = nil, pages announced: Int? = nil, hasTotals: Bool = true, isShifted: Bool = false,
    outdatesLaterPages: Bool = false,
    startedWalk: Bool = false
  ) -> Walk.Event {
    .stored(
      PageOutcome(
        number: number, next: number < pages ? number + 1 : nil,
        nextToken: token.map(PageRequest.Token.init),
        totals: hasTotals
          ? RecordingPage.Totals(recordings: total ?? pages * 2, pages: announced ?? pages) : nil,
        rows: rows,
        skipped: skipped, records: records ?? rows + skipped, isShifted: isShifted,
        outdatesLaterPages: outdatesLaterPages,
        startedWalk: startedWalk))
  }

  /// Stored pages, of the latest walk or an earlier one; ages in seconds.
  private func status(
    isOpen: Bool, completeness: StoredQuery.Completeness? = nil, _ numbers: [Int], of pages: Int,
    tokens: [Int: String] = [:],
    ages: [Int: TimeInterval] = [:], records: [Int: Int] = [:], earlier: Set<Int> = []
  ) -> WalkStatus {
    WalkStatus(
      isOpen: isOpen, completeness: isOpen ? completeness : .complete,
      pages: Dictionary(
        uniqueKeysWithValues: numbers.map { number in
          let record = WalkStatus.PageRecord(
            isInWalk: !earlier.contains(number), fetchedAt: now - (ages[number] ?? 0),
            next: number < pages ? number + 1 : nil,
            nextToken: tokens[number].map(PageRequest.Token.init),
            records: records[number] ?? 2)
          return (number, record)
        }))
  }
}
