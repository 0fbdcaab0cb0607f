import ChirperModel
import Foundation

/// How far the latest walk of a query came.
package struct WalkStatus: Equatable, Sendable {
  /// Until the walk reached its end and was closed.
  package let isOpen: Bool
  package let claim: Completeness?
  /// Every stored page by its number.
  package let pages: [Int: PageRecord]

  package struct PageRecord: Equatable, Sendable {
    /// Whether the latest walk read it; else it is left from an earlier one.
    package let isInWalk: Bool
    package let fetchedAt: Date
    package let next: Int?
    package let rows: Int

    package init(isInWalk: Bool, fetchedAt: Date, next: Int?, rows: Int) {
      self.isInWalk = isInWalk
      self.fetchedAt = fetchedAt
      self.next = next
      self.rows = rows
    }
  }

  package init(isOpen: Bool, claim: Completeness?, pages: [Int: PageRecord]) {
    self.isOpen = isOpen
    self.claim = claim
    self.pages = pages
  }
}

/// What storing a page did, and what it tells of the walk.
package struct PageOutcome: Equatable, Sendable {
  package let number: Int
  package let next: Int?
  package let totals: Totals?
  /// Recordings that entered the list with this page.
  package let new: Int
  /// Recordings whose fields changed.
  package let changed: Int
  /// Rows the page brought that the walk had not met.
  package let rows: Int
  package let skipped: Int
  /// Another total than the walk's other pages had, an id met twice, or an overlap that does not match: the walk
  /// cannot end complete.
  package let isShifted: Bool

  package init(
    number: Int, next: Int?, totals: Totals?, new: Int, changed: Int, rows: Int, skipped: Int, isShifted: Bool
  ) {
    self.number = number
    self.next = next
    self.totals = totals
    self.new = new
    self.changed = changed
    self.rows = rows
    self.skipped = skipped
    self.isShifted = isShifted
  }
}

/// What closing a walk did.
package struct WalkClosing: Equatable, Sendable {
  /// `nil`: the walk is not consistent and stays open.
  package let claim: Completeness?
  /// Recordings that left the list.
  package let gone: Int

  package init(claim: Completeness?, gone: Int) {
    self.claim = claim
    self.gone = gone
  }
}
