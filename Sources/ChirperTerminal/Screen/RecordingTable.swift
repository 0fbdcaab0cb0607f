import Chirper
import ChirperFormats
import ChirperModel

/// The table of one list: how the list stands, and the rows around those in sight, never all of them.
package struct RecordingTable: Sendable {
  package let query: SearchQuery
  let catalogue: Catalogue
  /// `nil` until the store answered.
  var snapshot: Snapshot?
  var load: LoadProgress?
  var selection = Selection()
  var window = RowWindow()
  /// The selected recording, to find it again where rows came in above it.
  var selectedID: RecordingID?
  /// The widest value seen so far per column; it only grows, so that columns do not jump while rows pass.
  var widths: [Int]
  var sort: ListSort?
  var filter: RowFilter?
  /// The page that was asked for because the last row came near; each is asked for once.
  var pageAsked: Int?

  init(_ query: SearchQuery, catalogue: Catalogue) {
    self.query = query
    self.catalogue = catalogue
    widths = catalogue.tableColumns.map { DisplayWidth.columns($0.heading) }
  }

  /// Rows of what is shown: of the filter where one is on, else of the list.
  package var count: Int { appliedFilter?.matchCount ?? snapshot?.count ?? 0 }

  /// What the positions of the rows shown count.
  var rowSource: RowSource { appliedFilter?.matchCount == nil ? .list : .matches }

  var appliedFilter: RowFilter? {
    guard let filter, filter.isApplied else { return nil }
    return filter
  }

  /// The selected recording, where its row is read.
  package var selected: Recording? { selection.selected < count ? window[selection.selected]?.recording : nil }

  /// Rows that were read, by their position in what is shown.
  struct RowWindow: Equatable, Sendable {
    /// The positions asked for; the list may have ended before the last.
    var range = 0..<0
    var rows: [Row] = []
    /// Whether the list has changed since.
    var isStale = false

    subscript(position: Int) -> Row? {
      let index = position - range.lowerBound
      return rows.indices.contains(index) ? rows[index] : nil
    }
  }

  /// A recording and the text of each column.
  struct Row: Equatable, Sendable {
    let recording: Recording
    let cells: [String]
  }

  /// Rows with a text: only those are shown while it is applied, and n and N go to them otherwise.
  struct RowFilter: Equatable, Sendable {
    var text: String
    /// Rows that match, so far; of the text before until the first answer. `nil` where there is none yet: every row is
    /// shown until then, because each letter would blank the table otherwise.
    var matchCount: Int?
    /// Whether every row was checked for this text.
    var isComplete = false
    var isApplied = true
  }
}
