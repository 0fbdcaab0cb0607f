import Chirper
import ChirperModel

/// What the world tells a table, and the keys that change what it shows.
extension RecordingTable {
  mutating func take(_ snapshot: Snapshot) -> [ScreenAction] {
    // After a failure the page that failed may be asked for again.
    if case .error? = snapshot.state { pageAsked = nil }
    self.snapshot = snapshot
    window.isStale = true
    return filter.map { [.filter($0.text)] } ?? []
  }

  mutating func take(_ matches: FilterMatches) {
    guard filter?.text == matches.text else { return }
    filter?.matchCount = matches.count
    filter?.isComplete = matches.isComplete
    if appliedFilter != nil { window.isStale = true }
  }

  mutating func sort(byColumn number: Int) -> [ScreenAction] {
    guard number > 0 else { return setSort(nil) }
    guard number <= catalogue.tableColumns.count else { return [] }
    let field = catalogue.tableColumns[number - 1].field
    return setSort(ListSort(field: field, descending: sort?.field == field && sort?.descending == false))
  }

  private mutating func setSort(_ sort: ListSort?) -> [ScreenAction] {
    self.sort = sort
    restart()
    return [.sort(sort)] + (filter.map { [.filter($0.text)] } ?? [])
  }

  /// Shows only rows with that text; none: every row again.
  mutating func setFilter(_ text: String) -> [ScreenAction] {
    guard !text.isEmpty else {
      filter = nil
      restart()
      return [.filter(nil)]
    }
    filter = RowFilter(text: text, matchCount: appliedFilter?.matchCount)
    restart()
    return [.filter(text)]
  }

  /// Shows every row again, once the position of the selected match is known.
  mutating func leaveFilter() -> [ScreenAction] {
    guard appliedFilter != nil else { return [] }
    if rowSource == .matches { return [.findMatch(.index(selection.selected))] }
    leaveFilter(at: selection.selected)
    return []
  }

  /// Shows every row again with the selection on its recording; the matches stay for n and N.
  mutating func leaveFilter(at position: Int) {
    filter?.isApplied = false
    selection.top += position - selection.selected
    selection.selected = position
    window.isStale = true
  }

  private mutating func restart() {
    selection = Selection()
    selectedID = nil
    window.isStale = true
  }
}
