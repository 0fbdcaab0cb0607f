import ChirperModel
import Foundation

/// How far the latest walk of a query came.
package struct WalkStatus: Equatable, Sendable {
  /// Until the walk reached its end and was closed.
  package let isOpen: Bool
  /// What the last closed walk showed; `nil` if there is none, or a later walk found a difference.
  package let completeness: Completeness?
  /// Every stored page by its number.
  package let pages: [Int: PageRecord]

  /// What is stored about a page, without its rows.
  package struct PageRecord: Equatable, Sendable {
    /// Whether the latest walk read it; otherwise an earlier one did.
    package let isInWalk: Bool
    package let fetchedAt: Date
    package let next: Int?
    package let nextToken: PageToken?
    /// Records of the page, as the totals count them.
    package let records: Int
  }
}

/// What closing a walk did.
package struct WalkClosing: Equatable, Sendable {
  /// `nil`: the walk's pages disagree, and it stays open.
  package let completeness: Completeness?
  /// The rows that it removed from the list.
  package var removed: [MovedRow] = []
  /// The ids of these rows.
  package var goneIDs: [String] { removed.map(\.id) }
}
