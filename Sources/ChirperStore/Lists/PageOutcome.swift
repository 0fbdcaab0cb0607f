import ChirperModel

/// The result of storing a page, and its meaning for the walk.
package struct PageOutcome: Equatable, Sendable {
  package let number: Int
  package let next: Int?
  package let nextToken: PageRequest.Token?
  package let totals: RecordingPage.Totals?
  /// The rows that entered the list with this page.
  package var entered: [MovedRow] = []
  /// The ids of recordings whose fields changed.
  package var changedIDs: [String] = []
  package var new: Int { entered.count }
  package var changed: Int { changedIDs.count }
  /// Rows of the page that the walk had not read before.
  package let rows: Int
  package let skipped: Int
  /// Records of the page, as the totals count them, less the rows that the walk had read before.
  package let records: Int
  /// Whether recordings entered, moved in, or were set aside from the page, so that the
  /// list has different rows or a different order.
  package var changesRows = true
  /// The total differs from that of the walk's other pages, an id came twice, or an overlap does
  /// not match: the walk cannot end complete.
  package var isShifted: Bool
  /// Whether the page names a different token than when it was stored before. The pages
  /// after it were fetched with the old token and no longer belong to the walk.
  package var outdatesLaterPages = false
  /// Whether this is the first page of a new walk.
  package var startedWalk = false
}
