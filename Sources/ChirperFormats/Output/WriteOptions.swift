import Foundation

/// The options for writing rows, apart from their format.
package struct WriteOptions {
  /// The columns of a list as typed, `nil` for all.
  package var columns: String?
  /// The columns that tables and objects have if none are named.
  package var columnSet = ColumnSet.raw
  /// Cells of a terminal's line; `nil` for a pipe or a file.
  package var terminalWidth: Int?
  /// Styles the line of headings on a terminal.
  package var heading: (String) -> String = { $0 }
  /// Whether characters that a terminal could act on are escaped.
  package var escapesControls = false
  /// Puts `'` before text that a spreadsheet would run.
  package var isSpreadsheetSafe = false
  /// Whether a format with selections of audio files has the rows without a file too.
  package var hasAllRows = false
  /// Whether each object says where the plain words of the search are (`foundIn`).
  package var findsWords = false
  /// Whether the summary has what is known from the details of rows (`ExportSummary.columns`), also
  /// where no column needs these.
  package var describesRows = false
  /// The present time, from which ages are counted.
  package var now: Date
  /// The time that a file says it is of; `nil` for that of the newest page of its lists, so that
  /// equal rows are equal bytes.
  package var fileDate: Date?
  /// Called with the number of rows that are done.
  package var progress: (Int) -> Void = { _ in }

  /// The columns of rows: the fields as sent, the tidy columns, or the columns of a search.
  package enum ColumnSet: Sendable { case raw, tidy, found }

  package init(now: Date) {
    self.now = now
  }
}
