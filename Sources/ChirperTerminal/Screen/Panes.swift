import ChirperModel

/// The pane that covers the rows with lines that scroll.
extension Screen {
  var paneHeight: Int { max(1, size.rows - 1) }

  mutating func openPane(_ text: PaneText) {
    pane = .text(top: PaneText.Position())
    paneText = text
  }

  func paneFrame(top: PaneText.Position) -> Frame {
    let height = paneHeight
    let columns = size.columns
    let lines =
      paneText?.lines(from: top, height: height, columns: columns).map { $0.clipped(to: columns) }
      ?? []
    let more =
      paneText.map { top < $0.lastTop(height: height, columns: columns) } ?? false
      ? "j for more · " : ""
    let keys = more + (paneText.map(Self.keys) ?? "") + "Esc goes back"
    return paneFrame(lines, below: playbackLine(keys: "Esc goes back") ?? line(keys, .faint))
  }

  /// A frame of lines that cover the rows, and of one below them if the screen has room for it; a
  /// notice takes its place.
  func paneFrame(_ lines: [Line], below: Line, cursorRow: Int = 0) -> Frame {
    let missing = max(0, size.rows - 1 - lines.count)
    let all = lines + Array(repeating: Line(), count: missing) + [noticeLine ?? below]
    return Frame(
      lines: Array(all.prefix(size.rows)),
      cursor: Frame.Position(row: min(cursorRow, size.rows - 1), column: 0))
  }

  /// The keys for the part of the recording that a pane shows.
  private static func keys(in text: PaneText) -> String {
    guard text.recording != nil else { return "" }
    if text.chosen != nil { return "p plays the annotation · n and N choose · " }
    if !text.parts.isEmpty { return "p plays · n chooses an annotation · " }
    return "p plays · o opens its page · y copies the id · "
  }

  /// Chooses the next annotation that has times, or the one before; from the first back to none.
  mutating func chooseAnnotation(further: Bool) {
    guard case .text(let top) = pane, var text = paneText else { return }
    guard !text.parts.isEmpty else {
      return showNotice("no annotation of this recording has times")
    }
    guard text.choose(further: further) else { return showNotice("no annotation further down") }
    paneText = text
    pane = .text(
      top: text.position(showingChosenFrom: top, height: paneHeight, columns: size.columns))
  }

  mutating func scrollPane(_ move: Cursor.Move) {
    guard case .text(let top) = pane, let text = paneText else { return }
    switch move {
    case .rows(let count), .view(let count):
      pane = .text(
        top: text.position(top, movedBy: count, height: paneHeight, columns: size.columns))
    case .first: pane = .text(top: PaneText.Position())
    case .last: pane = .text(top: text.lastTop(height: paneHeight, columns: size.columns))
    }
  }

  /// Scrolls no further than to the last line, and closes a pane that has lost its recording.
  mutating func clampPane() {
    guard case .text(var top) = pane else { return paneText = nil }
    if let shown = paneText?.recording {
      guard let table, let row = table.selectedRow,
        let catalogue = table.catalogue(of: row.recording)
      else {
        return (pane, paneText) = (.none, nil)
      }
      if shown != row.recording {
        // It was read again and has changed, or another is selected.
        if shown.id != row.recording.id { top = PaneText.Position() }
        let chosen = shown.id == row.recording.id ? paneText?.chosen : nil
        paneText = PaneText(
          recording: row.recording, catalogue: catalogue, lists: row.lists, names: names)
        paneText?.choose(chosen)
      }
    }
    if let paneText {
      pane = .text(top: paneText.clamped(top, height: paneHeight, columns: size.columns))
    }
  }
}
