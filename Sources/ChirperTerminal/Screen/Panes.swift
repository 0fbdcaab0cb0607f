import ChirperFormats
import ChirperModel

/// Panes that cover the rows: lines that scroll.
extension Screen {
  var paneHeight: Int { max(1, size.rows - 1) }

  /// - Parameter lines: those in sight.
  func paneFrame(_ lines: some Sequence<Line>, hasMore: Bool, keys: String) -> Frame {
    var lines = lines.prefix(paneHeight).map { $0.clipped(to: size.columns) }
    lines += Array(repeating: Line(), count: paneHeight - lines.count)
    if size.rows > 1 {
      var bottom = Line((hasMore ? "j or PgDn for more · " : "") + keys, columns: size.columns, style: .faint)
      if let message = playbackLine(keys: "Esc goes back") { bottom = message }
      if let notice { bottom = Line(notice.text, columns: size.columns, style: .strong) }
      lines.append(bottom)
    }
    return Frame(lines: lines, cursor: Frame.Position(row: 0, column: 0))
  }

  func helpFrame(scrolled: Int) -> Frame {
    let lines = HelpPane.lines(columns: size.columns)
    return paneFrame(
      lines.dropFirst(scrolled), hasMore: lines.count > scrolled + paneHeight, keys: "Esc goes back")
  }

  func detailFrame(top: DetailPane.Position) -> Frame {
    guard let detail else { return paneFrame([], hasMore: false, keys: "Esc goes back") }
    return paneFrame(
      detail.lines(from: top, height: paneHeight, columns: size.columns),
      hasMore: top < detail.lastTop(height: paneHeight, columns: size.columns),
      keys: "p plays · o opens its page · y copies the id · Esc goes back")
  }

  mutating func scrollPane(_ move: Selection.Move) {
    let columns = size.columns
    switch (pane, move) {
    case (.help(let top), .rows(let count)), (.help(let top), .view(let count)): pane = .help(scrolled: top + count)
    case (.help, .first): pane = .help(scrolled: 0)
    case (.help, .last): pane = .help(scrolled: HelpPane.lines(columns: columns).count)
    case (.detail(let top), .rows(let count)), (.detail(let top), .view(let count)):
      guard let detail else { return }
      pane = .detail(top: detail.position(top, movedBy: count, height: paneHeight, columns: columns))
    case (.detail, .first): pane = .detail(top: DetailPane.Position())
    case (.detail, .last):
      guard let detail else { return }
      pane = .detail(top: detail.lastTop(height: paneHeight, columns: columns))
    case (.none, _), (.prompt, _), (.question, _): break
    }
  }

  /// Scrolls no further than to the last line, and closes a detail pane that has lost its recording.
  mutating func clampPane() {
    switch pane {
    case .help(let scrolled):
      pane = .help(scrolled: max(0, min(scrolled, HelpPane.lines(columns: size.columns).count - paneHeight)))
    case .detail(let top):
      guard let table, let row = table.selectedRow, let catalogue = table.catalogue(of: row.recording) else {
        (pane, detail) = (.none, nil)
        return
      }
      let recording = row.recording
      var top = top
      if detail?.recording != recording {
        // The recording was read again and has changed, or another is selected.
        if detail?.recording.id != recording.id { top = DetailPane.Position() }
        detail = DetailPane(recording: recording, catalogue: catalogue, lists: row.lists)
      }
      if let detail { pane = .detail(top: detail.clamped(top, height: paneHeight, columns: size.columns)) }
      return
    case .none, .prompt, .question: break
    }
    detail = nil
  }
}

/// Every key, from the key table, and the signs left of a row.
enum HelpPane {
  static func lines(columns: Int) -> [Line] {
    let keys = KeyTable.bindings.map { ($0.label, $0.help) }
    let width = min((keys + marks).map { DisplayWidth.columns($0.0) }.max() ?? 0, max(1, columns / 3))
    var lines = [Line("keys", columns: columns, style: .strong)]
    lines += keys.flatMap { explained($0, width: width, columns: columns) }
    lines += [Line(), Line("left of a row and of the headings", columns: columns, style: .strong)]
    return lines + marks.flatMap { explained($0, width: width, columns: columns) }
  }

  private static let marks = [
    (">", "the selected row"), ("♪", "its audio is playing"), ("↓", "its audio is being downloaded"),
    ("•", "its audio is kept and plays offline"), ("*", "it entered the list in the last seven days"),
    ("‹ ›", "there are more columns on that side"),
  ]

  private static func explained(_ item: (String, String), width: Int, columns: Int) -> [Line] {
    CellText.wrapped(item.1, columns: max(1, columns - width - 2)).enumerated().map { index, part in
      let label = CellText.fitted(index == 0 ? item.0 : "", columns: width)
      return Line(Line.Span(text: label, style: .strong), Line.Span(text: "  " + part, style: .plain))
    }
  }
}
