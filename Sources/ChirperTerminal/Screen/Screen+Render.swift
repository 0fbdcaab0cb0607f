import ChirperFormats
import ChirperModel
import Foundation

/// The screen as lines of text.
extension Screen {
  /// The frame that follows from state and size, and from nothing else.
  package func render() -> Frame {
    var frame = Frame(lines: [], cursor: nil)
    switch pane {
    case .help(let scrolled): frame = paneFrame(HelpPane.lines(columns: size.columns), scrolled: scrolled)
    case .detail(let scrolled): frame = paneFrame(detailLines, scrolled: scrolled)
    case .none, .prompt: frame = listFrame()
    }
    if case .prompt(let prompt) = pane {
      let (line, column) = promptLine(prompt)
      frame.lines[size.rows - 1] = line
      frame.cursor = Frame.Position(row: size.rows - 1, column: column)
    }
    return frame
  }

  /// Lines that hold rows: what title, headings, footer and the bottom line leave.
  var rowsHeight: Int { max(1, size.rows - linesAbove - linesBelow) }

  private var linesAbove: Int { size.rows < 3 ? 0 : size.rows < 5 ? 1 : 2 }
  private var linesBelow: Int { size.rows < 2 ? 0 : size.rows < 8 ? 1 : 2 }

  private func listFrame() -> Frame {
    let columns = size.columns
    let drawn = drawnRows()
    var lines = [Line(drawn.title, columns: columns, style: .strong), drawn.headings]
    lines.removeLast(2 - linesAbove)
    lines += drawn.rows.prefix(rowsHeight)
    lines += Array(repeating: Line(), count: linesAbove + rowsHeight - lines.count)
    let bottom = bottomLine()
    // A prompt takes the bottom line, and what has just happened moves up.
    let isTyping = if case .prompt = pane { true } else { false }
    let footer =
      isTyping && bottom.isNews ? bottom.line : Line(drawn.footer.text, columns: columns, style: drawn.footer.style)
    if linesBelow == 2 {
      lines += [footer, bottom.line]
    } else if linesBelow == 1 {
      // Too low for both: what has just happened comes first.
      lines.append(bottom.isNews ? bottom.line : footer)
    }
    let cursor = drawn.selected.map { Frame.Position(row: linesAbove + $0, column: 0) }
    return Frame(lines: lines, cursor: cursor)
  }

  /// A list, ready for its place on the screen.
  struct DrawnRows {
    var title: String
    var headings: Line
    var rows: [Line]
    /// The row in sight that is selected, from 0.
    var selected: Int?
    var footer: Footer
  }

  /// The line below the rows: how the list stands and what to do next.
  struct Footer: Equatable {
    var text: String
    var style: Style = .plain
  }

  private func drawnRows() -> DrawnRows {
    switch place {
    case .queries(let list): list.drawn(size: size, height: rowsHeight, now: now)
    case .table(let table):
      table.drawn(columns: size.columns, height: rowsHeight, playback: playback, now: now, timeZone: timeZone)
    }
  }

  private func bottomLine() -> (line: Line, isNews: Bool) {
    if let notice { return (Line(notice.text, columns: size.columns, style: .strong), true) }
    switch playback {
    case .playing(let id): return (Line("♪ \(id.value) plays · p stops", columns: size.columns, style: .good), false)
    case .fetching(let id, let received, let total):
      let share = total.map { $0 > 0 ? " \(min(100, received * 100 / $0)) %" : "" } ?? ""
      return (Line("audio of \(id.value) is coming\(share) · p stops", columns: size.columns), false)
    case .silent, .ended, .failed: break
    }
    let keys =
      switch place {
      case .queries: "Enter opens · / searches · ? keys · q quit"
      case .table: "/ search · f filter · Enter detail · p play · e export · ? keys · q quit"
      }
    return (Line(keys, columns: size.columns, style: .faint), false)
  }

  private func promptLine(_ prompt: Prompt) -> (Line, cursorColumn: Int) {
    let label =
      switch prompt.kind {
      case .search: "search: "
      case .filter: "filter: "
      case .export: "export to: "
      }
    let labelColumns = min(label.count, max(0, size.columns - 2))
    let room = size.columns - labelColumns
    // The end before the cursor stays in sight, with one column for the cursor.
    var before = CellText(prompt.editor.beforeCursor).cells
    while before.reduce(0, { $0 + $1.columns }) > room - 1 { before.removeFirst() }
    let beforeColumns = before.reduce(0) { $0 + $1.columns }
    let after = String(prompt.editor.text.dropFirst(prompt.editor.cursor))
    let line = Line(
      Line.Span(text: String(label.prefix(labelColumns)), style: .strong),
      Line.Span(text: before.map(\.text).joined(), style: .plain),
      Line.Span(text: CellText.cut(after, columns: room - beforeColumns).text, style: .plain))
    return (line, labelColumns + beforeColumns)
  }
}
