import ChirperModel
import Foundation

/// The progress of the latest walk of a query.
package struct WalkStatus: Equatable, Sendable {
  /// Whether the walk has not reached its end and been closed.
  package let isOpen: Bool
  /// The result of the last closed walk; `nil` if none was closed, or if a later walk found
  /// a difference.
  package let completeness: StoredQuery.Completeness?
  /// Every stored page by its number.
  package let pages: [Int: PageRecord]

  /// The facts about a stored page, without its rows.
  package struct PageRecord: Equatable, Sendable {
    /// Whether the latest walk read it; otherwise an earlier one did.
    package let isInWalk: Bool
    package let fetchedAt: Date
    package let next: Int?
    package let nextToken: PageRequest.Token?
    /// Records of the page, as the totals count them.
    package let records: Int
  }
}

/// The result of closing a walk.
package struct WalkClosing: Equatable, Sendable {
  /// The claim of the closed walk; `nil` if the walk stays open, because its pages
  /// disagree, or because of `fallenTo`.
  package let completeness: StoredQuery.Completeness?
  /// The rows that it removed from the list.
  package var removed: [MovedRow] = []
  /// The number of rows that the walk found, if it is less than half of the list and the
  /// service must be asked once more.
  package var fallenTo: Int?
}

/// The facts by which the closing of a walk may believe that the walk has found less than
/// half of the list.
package struct FallCheck: Equatable, Sendable {
  /// The number of rows that the walk before in this run found, if it was less than half of
  /// the list; `nil` if this is the first.
  var foundBefore: Int?
  /// Whether the other rows may have been read a moment ago, so that one empty answer decides
  /// nothing: this run has begun a walk before that did not find so few rows, or continues the walk
  /// of an earlier run.
  var isRestart = false
  /// Whether this run makes no further walk.
  var isLast = false
  /// Whether two walks of this run are enough for a list of any size, because the user asked for a
  /// second reading.
  var believesTwo = false
  /// Whether each row of a file could be read; `nil` for the answers of a service. A file that was
  /// read in full cannot be half an answer, and a row that could not be read may be any row that the
  /// walk did not find.
  var isFileReadInFull: Bool?

  package init(
    foundBefore: Int? = nil, isRestart: Bool = false, isLast: Bool = false,
    believesTwo: Bool = false, isFileReadInFull: Bool? = nil
  ) {
    self.foundBefore = foundBefore
    self.isRestart = isRestart
    self.isLast = isLast
    self.believesTwo = believesTwo
    self.isFileReadInFull = isFileReadInFull
  }
}
