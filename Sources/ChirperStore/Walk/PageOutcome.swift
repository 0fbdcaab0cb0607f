import ChirperModel

/// What storing a page did, and what it means for the walk.
package struct PageOutcome: Equatable, Sendable {
  package let number: Int
  package let next: Int?
  package let nextToken: PageToken?
  package let totals: Totals?
  /// Recordings that entered the list with this page.
  package let new: Int
  /// Recordings whose fields changed.
  package let changed: Int
  /// The ids of both.
  package let newIDs: [String]
  package let changedIDs: [String]
  /// Rows of the page that the walk had not read before.
  package let rows: Int
  package let skipped: Int
  /// Records of the page, as the totals count them, less the rows that the walk had read before.
  package let records: Int
  /// Whether recordings entered, moved in, or were set aside from the page, so that the list has other rows or another order.
  package let changesRows: Bool
  /// The total differs from that of the walk's other pages, an id came twice, or an overlap does not match: the walk
  /// cannot end complete.
  package let isShifted: Bool
  /// The page names another token than it did when it was stored before, so the pages after it, which were fetched with the
  /// old token, no longer belong to the walk.
  package let outdatesLaterPages: Bool
  /// Whether this is the first page of a new walk.
  package internal(set) var startedWalk: Bool

  package init(
    number: Int, next: Int?, nextToken: PageToken? = nil, totals: Totals?, new: Int, changed: Int, rows: Int, skipped: Int,
    records: Int? = nil, changesRows: Bool = true, isShifted: Bool, outdatesLaterPages: Bool = false, startedWalk: Bool = false,
    newIDs: [String] = [], changedIDs: [String] = []
  ) {
    self.number = number
    self.next = next
    self.nextToken = nextToken
    self.totals = totals
    self.new = new
    self.changed = changed
    self.rows = rows
    self.skipped = skipped
    self.records = records ?? rows + skipped
    self.changesRows = changesRows
    self.isShifted = isShifted
    self.outdatesLaterPages = outdatesLaterPages
    self.startedWalk = startedWalk
    self.newIDs = newIDs
    self.changedIDs = changedIDs
  }
}
