import Chirper
import ChirperFormats
import ChirperModel
import Foundation

extension Screen {
  /// The frame for the present state and size; nothing else has an influence on it.
  func render() -> Frame {
    if case .text(let top) = pane { return paneFrame(top: top) }
    if case .counts(let counts) = pane { return frame(of: counts) }
    var frame = listFrame()
    if case .question(let stored) = pane {
      frame.lines[size.rows - 1] = line(question(about: stored), .strong)
    }
    if case .prompt(let prompt) = pane {
      let (line, column) = promptLine(prompt)
      frame.lines[size.rows - 1] = line
      frame.cursor = Frame.Position(row: size.rows - 1, column: column)
    }
    return frame
  }

  /// The lines for rows: the ones left by the title, the notes, the headings, the footer
  /// and the bottom line.
  var rowsHeight: Int { max(1, size.rows - linesAbove - linesBelow) }

  private var linesAbove: Int { size.rows < 3 ? 0 : size.rows < 5 ? 1 : 2 + notes.count }
  private var linesBelow: Int { size.rows < 2 ? 0 : size.rows < 8 ? 1 : 2 }

  private func listFrame() -> Frame {
    let list =
      table?.render(
        columns: size.columns, height: rowsHeight, playback: playback, now: now, timeZone: timeZone)
      ?? greeting ?? queries.render(size: size, height: rowsHeight, now: now)
    let isMarked = size.rows < 5 && !notices.isEmpty
    var lines = [line((isMarked ? "made up · " : "") + list.title, .strong)]
    lines += notes.map { line($0, .warning) } + [list.headings]
    lines = Array(lines.prefix(linesAbove))
    lines += list.rows.lines.prefix(rowsHeight)
    lines += Array(repeating: Line(), count: linesAbove + rowsHeight - lines.count)
    let bottom = bottomLine()
    // A prompt takes the bottom line, so a notice moves up to the footer.
    var footer = list.footer.line(columns: size.columns)
    if case .prompt(let prompt) = pane {
      if bottom.isNotice { footer = bottom.line }
      if let fault = prompt.fault { footer = line(fault.text, .warning) }
    }
    if linesBelow == 2 {
      lines += [footer, bottom.line]
    } else if linesBelow == 1 {
      // If only one has room, a notice comes first.
      lines.append(bottom.isNotice ? bottom.line : footer)
    }
    let cursor = list.rows.selected.map { Frame.Position(row: linesAbove + $0, column: 0) }
    return Frame(lines: lines, cursor: cursor)
  }

  struct RenderedList {
    var title: String
    var headings: Line
    var rows: VisibleRows
    var footer: Footer
  }

  /// The rows of a list in sight, and the index of the selected one among them.
  typealias VisibleRows = (lines: [Line], selected: Int?)

  /// The line below the rows: the state of the list and the key to press next.
  struct Footer: Equatable {
    let text: String
    let hint: String?
    let style: Style

    init(_ text: String, hint: String? = nil, style: Style = .plain) {
      self.text = text
      self.hint = hint
      self.style = style
    }

    /// Cuts the text and keeps the hint, unless the hint takes more than half of the line.
    func line(columns: Int) -> Line {
      let end = hint.map { " · " + $0 } ?? ""
      let room = columns - DisplayWidth.columns(end)
      let start = room < columns / 2 ? text : CellText.cut(text, columns: room).text
      return Line(start + end, columns: columns, style: style)
    }
  }

  /// The lines below the title: the notices about the catalogue, and the way to get real
  /// recordings if the key is not set. A small screen has room only for the first, that
  /// rows are made up, and a smaller one has that in the title.
  private var notes: [String] {
    guard size.rows >= Self.rowsForNotes else {
      return size.rows < 5
        ? [] : notices.prefix(1).map { CellText.cut($0, columns: size.columns).text }
    }
    return (notices + keyNotes).flatMap { CellText.wrapped($0, columns: size.columns) }
  }

  /// The notices that people must read about the rows shown.
  private var notices: [String] {
    switch table?.subject {
    case .list(_, let catalogue)?: [catalogue.notice].compactMap(\.self)
    case .everythingStored?: table?.filter?.answer.notices ?? []
    case nil: []
    }
  }

  /// The way to get real recordings, if the key is not set.
  private var keyNotes: [String] {
    let defaultCatalogue = Catalogues.defaultCatalogue
    guard isFallback, let key = defaultCatalogue.keyHelpAddress.map(UserFacingError.howToGetAKey)
    else {
      return []
    }
    switch table?.subject {
    case .list(_, let catalogue)?: return catalogue.isBuiltIn ? [key] : []
    case .everythingStored?: return []
    // The offers say all of it.
    case nil where catalogueName != nil || !offers.isEmpty: return []
    case nil:
      let sample = Catalogues.defaultWithoutKey
      let notes = [
        "No \(defaultCatalogue.name) key is set, so / searches the \(sample.name) catalogue.",
        sample.notice, key,
        UserFacingError.withoutKey,
      ]
      return notes.compactMap(\.self)
    }
  }

  private static let rowsForNotes = 16

  /// The lists to begin with, each with its key and what it does; `nil` if something is stored.
  private var greeting: RenderedList? {
    guard !offers.isEmpty else { return nil }
    let keys = offers.count == 1 ? "1" : "1 to \(offers.count)"
    var lines = [line("Press \(keys) to begin, or / and type a name.")]
    for (index, catalogue) in offers.enumerated() {
      guard let first = catalogue.firstList else { continue }
      let effect = missingKey(of: catalogue) ?? first.effect
      lines += [Line(), line("\(index + 1)  \(first.action)", .strong)]
      lines += CellText.wrapped(effect, columns: max(1, size.columns - 3)).map { line("   \($0)") }
    }
    var list = queries.render(size: size, height: rowsHeight, now: now)
    list.headings = Line()
    list.rows.lines = lines
    return list
  }

  /// A line that is cut at the width of the screen.
  func line(_ text: String, _ style: Style = .plain) -> Line {
    Line(text, columns: size.columns, style: style)
  }

  var noticeLine: Line? { notice.map { line($0.text, .strong) } }

  private func bottomLine() -> (line: Line, isNotice: Bool) {
    if let noticeLine { return (noticeLine, true) }
    if let line = playbackLine(keys: nil) { return (line, false) }
    let keys =
      switch table?.subject {
      case nil: "Enter opens · / search · C catalogue · s stored · D forgets · ? keys · q quit"
      case .everythingStored?:
        "s search · f narrow · Enter detail · p play · Esc back · ? keys · q quit"
      case .list?: "/ search · C catalogue · f filter · s stored · Enter · p play · ? keys · q quit"
      }
    return (line(keys, .faint), false)
  }

  func playbackLine(keys: String?) -> Line? {
    let end = keys.map { " · " + $0 } ?? ""
    switch playback {
    case .playing(let id, let part):
      let times = part.map { "\(RecordingDetails.Annotation.text($0)) of " } ?? ""
      return line("♪ playing \(times)\(id.value) · p stops\(end)", .good)
    case .downloading(let id, let received, let total):
      let share =
        total.map { $0 > 0 ? ": \(min(100, Int64(received) * 100 / Int64($0)))%" : "" } ?? ""
      return line("downloading the audio of \(id.value)\(share) · p stops\(end)")
    case .idle, .finished, .failed: return nil
    }
  }

  private func promptLine(_ prompt: Prompt) -> (Line, cursorColumn: Int) {
    let label =
      switch prompt.kind {
      case .search: catalogueName.map { "search \($0): " } ?? "search: "
      case .storedSearch: "search everything stored: "
      case .filter: "filter: "
      case .export: "export to: "
      }
    let labelColumns = min(label.count, max(0, size.columns - 2))
    let room = size.columns - labelColumns
    let text = prompt.editor.text
    let cursor = prompt.editor.cursor
    // From where the text cannot be read it has another style.
    let good = prompt.fault.map { min(text.count, $0.position - 1) } ?? text.count
    func part(_ range: Range<Int>, _ style: Style) -> [(cell: CellText.Cell, style: Style)] {
      CellText(String(text.dropFirst(range.lowerBound).prefix(range.count))).cells.map {
        ($0, style)
      }
    }
    // The text just before the cursor stays visible, with one column for the cursor itself.
    var before = part(0..<min(good, cursor), prompt.editor.isSelected ? .selected : .plain)
    before += part(min(good, cursor)..<cursor, .warning)
    while before.reduce(0, { $0 + $1.cell.columns }) > room - 1 { before.removeFirst() }
    let beforeColumns = before.reduce(0) { $0 + $1.cell.columns }
    var line = Line(Line.Span(text: String(label.prefix(labelColumns)), style: .strong))
    for style in [Style.selected, .plain, .warning] {
      let cells = before.filter { $0.style == style }
      if !cells.isEmpty {
        line.spans.append(Line.Span(text: cells.map(\.cell.text).joined(), style: style))
      }
    }
    var left = room - beforeColumns
    for (range, style) in [
      (cursor..<max(good, cursor), Style.plain), (max(good, cursor)..<text.count, .warning),
    ]
    where !range.isEmpty {
      let cut = CellText.cut(
        String(text.dropFirst(range.lowerBound).prefix(range.count)), columns: left)
      line.spans.append(Line.Span(text: cut.text, style: style))
      left -= cut.columns
    }
    // A small screen has no line above for the reason.
    if let fault = prompt.fault, linesBelow < 2, left > 4 {
      line.spans.append(
        Line.Span(text: "  " + CellText.cut(fault.text, columns: left - 2).text, style: .warning))
    }
    return (line, labelColumns + beforeColumns)
  }

  /// The keys stay in sight, however long the query is.
  private func question(about stored: StoredQuery) -> String {
    let end =
      " and its audio (\(stored.query.catalogue), \(Plural.words(stored.count, "row")))? y: yes, any other key: no"
    let room = size.columns - DisplayWidth.columns("forget " + end)
    return "forget " + CellText.cut(stored.query.typed, columns: max(8, room)).text + end
  }
}
