import ChirperModel

/// Panes in place of the rows: lines that scroll.
extension Screen {
  var paneHeight: Int { max(1, size.rows - 1) }

  var detailLines: [Line] {
    guard case .table(let table) = place, let recording = table.selected else { return [] }
    return DetailPane(recording: recording, catalogue: table.catalogue).lines(columns: size.columns)
  }

  func paneFrame(_ content: [Line], scrolled: Int) -> Frame {
    var lines = content.dropFirst(scrolled).prefix(paneHeight).map { $0.clipped(to: size.columns) }
    lines += Array(repeating: Line(), count: paneHeight - lines.count)
    if size.rows > 1 {
      let more = content.count > scrolled + paneHeight ? "j or PgDn for more · " : ""
      let text = notice?.text ?? "\(more)Esc goes back"
      lines.append(Line(text, columns: size.columns, style: notice == nil ? .faint : .strong))
    }
    return Frame(lines: lines, cursor: Frame.Position(row: 0, column: 0))
  }

  mutating func scrollPane(to line: Int) {
    switch pane {
    case .help: pane = .help(scrolled: line)
    case .detail: pane = .detail(scrolled: line)
    case .none, .prompt: break
    }
  }

  /// No further than the last line at the bottom; a pane without its recording closes.
  mutating func clampPane() {
    switch pane {
    case .help(let scrolled):
      pane = .help(scrolled: clamped(scrolled, HelpPane.lines(columns: size.columns).count))
    case .detail(let scrolled):
      let count = detailLines.count
      pane = count == 0 ? .none : .detail(scrolled: clamped(scrolled, count))
    case .none, .prompt: break
    }
  }

  private func clamped(_ scrolled: Int, _ count: Int) -> Int {
    max(0, min(scrolled, count - paneHeight))
  }
}
