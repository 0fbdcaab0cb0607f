import ChirperModel
import ChirperStore
import Foundation
import Testing

@testable import Chirper

/// The state machine alone: what it asks for next after each event.
@Suite struct WalkTests {
  private static let now = Date(timeIntervalSince1970: 1_780_000_000)

  /// - Parameters:
  ///   - stored: numbers of the stored pages, of so many; the last one names no next page.
  ///   - old: those of them that an earlier walk read.
  private func walk(
    _ goal: FetchPlan.Goal = .all, verify: Bool = false, stored: [Int] = [], of count: Int = 3, old: [Int] = [],
    isOpen: Bool = true, freshSince: Date? = nil, fetchedAt: Date = now
  ) -> Walk {
    let pages = stored.map { number in
      let page = WalkStatus.PageRecord(
        isInWalk: !old.contains(number), fetchedAt: fetchedAt, next: number < count ? number + 1 : nil, rows: 2)
      return (number, page)
    }
    return Walk(
      goal: goal, verify: verify,
      status: stored.isEmpty ? nil : WalkStatus(isOpen: isOpen, claim: nil, pages: Dictionary(uniqueKeysWithValues: pages)),
      totals: stored.isEmpty ? nil : Totals(recordings: 2 * count, pages: count), freshSince: freshSince, now: Self.now)
  }

  /// A page that arrived, of so many with two rows each.
  private func page(
    _ number: Int, of count: Int = 3, rows: Int = 2, skipped: Int = 0, total: Int? = nil, isShifted: Bool = false
  ) -> Walk.Event {
    .stored(
      PageOutcome(
        number: number, next: number < count ? number + 1 : nil,
        totals: Totals(recordings: total ?? 2 * count, pages: count), new: rows, changed: 0, rows: rows, skipped: skipped,
        isShifted: isShifted))
  }

  private func ask(_ number: Int, startsWalk: Bool = false, adopting: Set<Int> = []) -> Walk.Action {
    .ask(page: number, startsWalk: startsWalk, adopting: adopting)
  }

  @Test func `a new walk asks for every page and closes after the last`() {
    var walk = walk()
    #expect(walk.start() == ask(1, startsWalk: true))
    #expect(walk.handle(page(1)) == ask(2))
    #expect(walk.handle(page(2)) == ask(3))
    #expect(walk.pageCount == 3)
    #expect(walk.handle(page(3)) == .close(giveUp: false))
    #expect(walk.handle(.closed(.complete)) == .done)
  }

  @Test func `a walk to a page before the last does not close`() {
    var walk = walk(.pages(2))
    #expect(walk.start() == ask(1, startsWalk: true))
    #expect(walk.handle(page(1)) == ask(2))
    #expect(walk.handle(page(2)) == .done)
  }

  @Test func `an open walk continues with the first missing page`() {
    var walk = walk(stored: [1, 3])
    #expect(walk.start() == ask(2))
    #expect(walk.handle(page(2)) == .close(giveUp: false))
  }

  @Test func `an open walk that read every page only has to be closed`() {
    var walk = walk(stored: [1, 2, 3])
    #expect(walk.start() == .close(giveUp: false))
  }

  @Test func `pages of an earlier walk are read again`() {
    var walk = walk(stored: [1, 2, 3], old: [2, 3])
    #expect(walk.start() == ask(2))
  }

  @Test func `a closed walk starts again from page 1`() {
    var walk = walk(stored: [1, 2, 3], isOpen: false)
    #expect(walk.start() == ask(1, startsWalk: true))
  }

  @Test func `a walk whose pages are all fresh makes no request`() {
    var walk = walk(stored: [1, 2, 3], isOpen: false, freshSince: Self.now - 60)
    #expect(walk.start() == .done)
  }

  @Test func `fresh pages of a closed walk are adopted by the next`() {
    var walk = walk(stored: [1, 3], isOpen: false, freshSince: Self.now - 60)
    #expect(walk.start() == ask(2, startsWalk: true, adopting: [1, 3]))
    #expect(walk.handle(page(2)) == .close(giveUp: false))
  }

  @Test(arguments: [-61.0, 1])
  func `pages that are too old or from the future are not fresh`(age: Double) {
    var walk = walk(stored: [1, 2, 3], isOpen: false, freshSince: Self.now - 60, fetchedAt: Self.now + age)
    #expect(walk.start() == ask(1, startsWalk: true))
  }

  @Test func `a shift starts the walk over, at most to the fourth pass`() {
    var walk = walk()
    var action = walk.start()
    for pass in 1..<Walk.passLimit {
      #expect((walk.pass, action) == (pass, ask(1, startsWalk: true)))
      #expect(walk.handle(page(1)) == ask(2))
      action = walk.handle(page(2, isShifted: true))
    }
    #expect(action == ask(1, startsWalk: true))
    #expect(walk.handle(page(1)) == ask(2))
    // The last pass reads the rest once.
    #expect(walk.handle(page(2, isShifted: true)) == ask(3))
    #expect(walk.handle(page(3)) == .close(giveUp: false))
    #expect(walk.handle(.closed(nil)) == .close(giveUp: true))
    #expect(walk.handle(.closed(.shifted(rows: 5, total: 6))) == .done)
  }

  @Test func `more rows than the total count as a shift`() {
    var walk = walk()
    _ = walk.start()
    #expect(walk.handle(page(1, rows: 3, total: 2)) == ask(1, startsWalk: true))
    #expect(walk.pass == 2)
  }

  @Test func `a walk that the store will not close starts over`() {
    var walk = walk(stored: [1, 2, 3])
    #expect(walk.start() == .close(giveUp: false))
    #expect(walk.handle(.closed(nil)) == ask(1, startsWalk: true))
  }

  @Test func `a complete list is read a second time to verify it`() {
    var walk = walk(verify: true, stored: [1, 2, 3])
    #expect(walk.start() == .close(giveUp: false))
    #expect(walk.handle(.closed(.complete)) == ask(1, startsWalk: true))
    #expect(walk.isVerifying)
    for number in 1...3 { _ = walk.handle(page(number)) }
    #expect(walk.handle(.closed(.verified)) == .done)
  }

  @Test func `a page that fails is left out, and the walk does not close`() {
    var walk = walk()
    _ = walk.start()
    _ = walk.handle(page(1))
    #expect(walk.handle(.failed(page: 2, ends: false)) == ask(3))
    #expect(walk.handle(page(3)) == .done)
  }

  @Test func `a failure of the first page, or one that ends the run, stops the walk`() {
    var first = walk()
    _ = first.start()
    #expect(first.handle(.failed(page: 1, ends: false)) == .done)
    var second = walk(stored: [1])
    #expect(second.start() == ask(2))
    #expect(second.handle(.failed(page: 2, ends: true)) == .done)
  }

  @Test func `three failures in a row stop the walk, and a page between them starts the count again`() {
    var walk = walk(stored: [1], of: 9)
    #expect(walk.start() == ask(2))
    #expect(walk.handle(.failed(page: 2, ends: false)) == ask(3))
    #expect(walk.handle(.failed(page: 3, ends: false)) == ask(4))
    #expect(walk.handle(page(4, of: 9)) == ask(5))
    #expect(walk.handle(.failed(page: 5, ends: false)) == ask(6))
    #expect(walk.handle(.failed(page: 6, ends: false)) == ask(7))
    #expect(walk.handle(.failed(page: 7, ends: false)) == .done)
  }

  @Test func `three pages without a readable record stop the walk`() {
    var walk = walk(stored: [1], of: 9)
    #expect(walk.start() == ask(2))
    #expect(walk.handle(page(2, of: 9, rows: 0, skipped: 2)) == ask(3))
    #expect(walk.handle(page(3, of: 9, rows: 0, skipped: 2)) == ask(4))
    #expect(walk.handle(page(4, of: 9, rows: 0, skipped: 2)) == .done)
  }

  @Test func `a walk reaches a goal when it is closed, or has read each page up to it`() {
    func status(isOpen: Bool, _ pages: [Int]) -> WalkStatus {
      let record = WalkStatus.PageRecord(isInWalk: true, fetchedAt: Self.now, next: nil, rows: 1)
      return WalkStatus(isOpen: isOpen, claim: nil, pages: Dictionary(uniqueKeysWithValues: pages.map { ($0, record) }))
    }
    #expect(Walk.reaches(.all, status(isOpen: false, [])))
    #expect(!Walk.reaches(.all, status(isOpen: true, [1, 2])))
    #expect(Walk.reaches(.pages(2), status(isOpen: true, [1, 2])))
    #expect(!Walk.reaches(.pages(2), status(isOpen: true, [2, 3])))
  }
}
