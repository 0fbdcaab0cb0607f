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
    filter?.positions = matches.positions
    filter?.isWhole = matches.isWhole
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
    // The rows of the text before stay until the first answer, or each letter would blank the table.
    filter = RowFilter(text: text, positions: appliedFilter?.positions ?? Array(0..<count), isApplied: true)
    restart()
    return [.filter(text)]
  }

  /// Every row again; the matches stay for n and N, and the selection stays on its recording.
  mutating func leaveFilter() {
    guard let filter = appliedFilter else { return }
    let position = filter.positions.indices.contains(selection.selected) ? filter.positions[selection.selected] : 0
    self.filter?.isApplied = false
    selection.top += position - selection.selected
    selection.selected = position
    window.isStale = true
  }

  /// Goes to the next or previous row with the filter's text; `false` where there is none that way.
  mutating func goToMatch(forward: Bool) -> Bool {
    guard let filter else { return false }
    if filter.isApplied {
      let target = selection.selected + (forward ? 1 : -1)
      guard filter.positions.indices.contains(target) else { return false }
      selection.selected = target
      return true
    }
    let here = selection.selected
    let target = forward ? filter.positions.first { $0 > here } : filter.positions.last { $0 < here }
    guard let target else { return false }
    selection.selected = target
    return true
  }

  private mutating func restart() {
    selection = Selection()
    selectedID = nil
    window.isStale = true
  }
}
