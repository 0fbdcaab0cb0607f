import Chirper
import ChirperFormats
import ChirperModel

/// The number of the rows shown with each value of a detail, as bars to choose from.
struct CountsPane: Equatable, Sendable {
  /// The index of the detail in `keys`.
  let keyIndex: Int
  /// The counts; `nil` until the rows were counted.
  var counts: RecordingCounts?
  var cursor = Cursor()

  /// The keys that a filter can ask for; species under all of their names.
  static let keys = CountKey.all.filter { $0.isSearchable && $0 != .scientificName }
  var key: CountKey { Self.keys[keyIndex] }
  var rows: [RecordingCounts.Row] { counts?.rows ?? [] }
}

extension Screen {
  mutating func openCounts(_ keyIndex: Int = 0) {
    guard let table, table.count > 0 else { return showNotice("no rows to count") }
    pane = .counts(CountsPane(keyIndex: keyIndex))
    actions.append(.count(CountsPane.keys[keyIndex], of: table.shownRows))
  }

  mutating func show(_ counts: RecordingCounts) {
    guard case .counts(var shown) = pane, [shown.key] == counts.keys else { return }
    shown.counts = counts
    pane = .counts(shown)
  }

  mutating func run(_ command: KeyTable.Command, in counts: CountsPane) {
    switch command {
    case .count, .right: openCounts((counts.keyIndex + 1) % CountsPane.keys.count)
    case .left: openCounts((counts.keyIndex + CountsPane.keys.count - 1) % CountsPane.keys.count)
    case .open: filter(by: counts)
    case .back, .quit: pane = .none
    default:
      var counts = counts
      guard let move = move(command, height: countsHeight) else { return }
      counts.cursor.move(move, count: counts.rows.count, height: countsHeight)
      pane = .counts(counts)
    }
  }

  /// Shows the rows of the selected bar that were shown before.
  private mutating func filter(by counts: CountsPane) {
    guard counts.rows.indices.contains(counts.cursor.selected) else { return }
    let terms = counts.key.terms(for: counts.rows[counts.cursor.selected].values[0])
    let before = table?.appliedFilter?.text
    let text = [before, terms].compactMap(\.self).joined(separator: " ")
    pane = .none
    if let before { barFilters.append((text, before)) }
    filter(by: text)
  }

  private mutating func filter(by text: String) {
    do throws(SearchExpressionError) {
      actions += table?.setFilter(try TypedExpression(text)) ?? []
      if table?.query == nil { lastStoredSearch = text }
    } catch {
      showNotice(UserFacingError(error).problem)
    }
  }

  /// Goes back to the search that a bar was chosen in; `false` if the rows are not those of a bar.
  mutating func leaveBar() -> Bool {
    guard let bar = barFilters.popLast() else { return false }
    guard table?.appliedFilter?.text == bar.text else {
      barFilters = []
      return false
    }
    filter(by: bar.before)
    return true
  }

  private var countsHeight: Int { max(1, size.rows - 2) }

  func frame(of counts: CountsPane) -> Frame {
    var cursor = counts.cursor
    cursor.clamp(count: counts.rows.count, height: countsHeight)
    let total =
      counts.counts.map { " of \(Plural.words($0.total, "recording")), \($0.missing[0]) without" }
      ?? ": counting"
    let bars = bars(of: counts, cursor)
    return paneFrame(
      [line(counts.key.name + total, .strong)] + bars.lines,
      below: line("l another detail · Enter filters by the bar · Esc goes back", .faint),
      cursorRow: bars.selected.map { 1 + $0 } ?? 0)
  }

  private func bars(of counts: CountsPane, _ cursor: Cursor) -> VisibleRows {
    let rows = counts.rows
    let columns = size.columns
    let names = rows.map {
      (counts.counts?.valuesForPeople(of: $0) ?? $0.values)[0].text(separator: ", ") ?? ""
    }
    let name = min(columns / 2, names.reduce(0) { max($0, DisplayWidth.columns($1)) })
    let most = rows.reduce(1) { max($0, $1.count) }
    let number = String(most).count
    return cursor.rows(of: rows.count, height: countsHeight, columns: columns) { index, sign in
      let count = CellText.fitted("\(rows[index].count)", columns: number, alignRight: true)
      let bar = CountTable.bar(
        Double(rows[index].count) / Double(most), columns: max(1, columns - name - number - 6))
      return "\(sign) " + CellText.fitted(names[index], columns: name) + "  \(count)  \(bar)"
    }
  }
}
