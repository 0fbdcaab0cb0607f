import ChirperModel

/// Windows of rows, and the next page when the last row comes near.
extension RecordingTable {
  /// What must be asked for so that every row in sight can be drawn and the list goes on.
  mutating func settle(height: Int) -> [ScreenAction] {
    selection.clamp(count: count, height: height)
    var actions: [ScreenAction] = []
    if let range = missing(height: height) {
      actions.append(.read(range, of: rowSource))
    }
    if let page = nextPage(height: height) {
      pageAsked = page
      actions.append(.loadPage(page))
    }
    if !window.isStale, let selected { selectedID = selected.id }
    return actions
  }

  /// Takes the rows that were read; where the list shifted, the selection stays on its recording.
  mutating func take(_ rows: [Recording], at range: Range<Int>) {
    let wasStale = window.isStale
    window = RowWindow(range: range, rows: rows.map { Row(recording: $0, cells: cells(of: $0)) })
    for row in window.rows { widen(for: row) }
    guard wasStale, let selectedID, selected?.id != selectedID,
      let index = rows.firstIndex(where: { $0.id == selectedID })
    else { return }
    let shift = range.lowerBound + index - selection.selected
    selection.selected += shift
    selection.top += shift
  }

  /// The last row is about to come into sight and the state is paging: the next page, unless it was asked for already.
  private func nextPage(height: Int) -> Int? {
    guard case .paging(_, next: let next)? = snapshot?.state, load == nil, appliedFilter == nil, pageAsked != next,
      selection.top + height + Self.foresight >= count
    else { return nil }
    return next
  }

  private func missing(height: Int) -> Range<Int>? {
    let inSight = selection.inSight(count: count, height: height)
    let isRead = window.range.lowerBound <= inSight.lowerBound && inSight.upperBound <= window.range.upperBound
    guard !inSight.isEmpty, window.isStale || !isRead else { return nil }
    return max(0, inSight.lowerBound - height)..<min(count, inSight.upperBound + height)
  }

  /// Rows below the last in sight at which the next page is asked for.
  private static let foresight = 2
}
