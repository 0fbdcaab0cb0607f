import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The table view as a pure state machine. It handles events, returns actions, and renders
/// a frame from its state and size.
///
/// It does no I/O and reads no clock; the shell (`Browser`) performs the actions and
/// reports their results as events.
struct Screen: Sendable {
  var size: TerminalSize
  var now: Date
  /// The time zone for times of day.
  let timeZone: TimeZone
  /// Whether no key is set, so that searches ask the built-in catalogue until a different one is
  /// chosen.
  var isFallback = false
  /// The catalogue of searches, once a different one was chosen.
  var catalogueName: String?
  var queries = StoredQueryPane()
  /// The open list, shown over the stored queries.
  var list: RecordingTable?
  /// The names of animals in the language that was chosen.
  var names: ShownNames?
  /// The search of everything stored, shown over both until the user goes back.
  var storedSearch: RecordingTable?
  var pane: Pane = .none
  /// The text of the pane that covers the rows.
  var paneText: PaneText?
  var playback: Playback = .idle
  /// A sentence that disappears after a few seconds.
  var notice: (text: String, until: Date)?
  /// The searches of catalogues and the lists that were opened, the latest last, each text
  /// once.
  private(set) var searches: [String] = []
  var lastStoredSearch = ""
  /// The searches that bars of counts made, each in the one before it.
  var barFilters: [(text: String, before: String)] = []
  /// The actions that the shell must take for the event at hand.
  var actions: [ScreenAction] = []

  /// The part of the screen shown over the rows.
  enum Pane: Equatable, Sendable {
    case none
    case prompt(Prompt)
    /// Whether to forget that query; `y` does so.
    case question(StoredQuery)
    /// A recording, or the keys.
    case text(top: PaneText.Position)
    case counts(CountsPane)
  }

  /// The line at the bottom that the user types into.
  struct Prompt: Equatable, Sendable {
    enum Kind: Sendable { case search, storedSearch, filter, export }

    let kind: Kind
    var editor: LineEditor
    /// The reason why the text is not in the language, if it must be; the rows are those of
    /// the last text that was.
    var fault: TypedExpression.Fault?
    /// The index of an earlier search while it is shown.
    var recalled: Int?
    /// The text that was typed before that.
    var draft = ""
    /// The texts that what was typed may become, that text last, after Tab.
    var completions: [String] = []

    /// Shows the next completion.
    mutating func complete() {
      guard let index = completions.firstIndex(of: editor.text) else { return }
      editor = LineEditor(completions[(index + 1) % completions.count])
    }

    /// Shows the next older or newer search. The text that was typed before comes after the
    /// newest.
    mutating func showSearch(of searches: [String], older: Bool) {
      if recalled == nil { draft = editor.text }
      var index = recalled ?? searches.count
      repeat {
        index += older ? -1 : 1
      } while searches.indices.contains(index) && searches[index] == editor.text
      guard index >= 0 else { return }
      guard index < searches.count else {
        if recalled != nil { editor = LineEditor(draft) }
        recalled = nil
        return
      }
      recalled = index
      editor = LineEditor(searches[index])
    }
  }

  mutating func handle(_ event: ScreenEvent) -> [ScreenAction] {
    actions = []
    switch event {
    case .key(let key): handle(key)
    case .resize(let size): self.size = size
    case .tick(let now):
      self.now = now
      if let notice, notice.until <= now { self.notice = nil }
    case .queries(let stored):
      queries.queries = stored
      queries.isRead = true
    case .opened(let query, let catalogue):
      list = RecordingTable(.list(query, catalogue), names: names)
      storedSearch = nil
      remember(search: query.typed)
      pane = .none
      notice = nil
    case .snapshot(let snapshot):
      if list?.query == snapshot.query { actions = list?.apply(snapshot) ?? [] }
    case .rows(let range, let rows, let downloaded, let new):
      list?.apply(rows, downloaded: downloaded, new: new, at: range)
    case .rowsFailed(let range): list?.keepRows(at: range)
    case .downloaded(let id):
      list?.markDownloaded(id)
      storedSearch?.markDownloaded(id)
    case .completions(let completions):
      if case .prompt(var prompt) = pane, prompt.editor.text == completions.last {
        prompt.completions = completions
        showCompletion(of: prompt)
      }
    case .matches(let matches, of: .found): storedSearch?.apply(matches)
    case .matches(let matches, _): list?.apply(matches)
    case .foundRows(let range, let rows): storedSearch?.apply(rows, at: range)
    case .searchFailed(let text, .found, let reason): storedSearch?.failFilter(text, reason)
    case .searchFailed(let text, _, let reason): list?.failFilter(text, reason)
    case .refused(let text, let fault): refuse(text, fault)
    case .match(let match, let position): goTo(match, at: position)
    case .counts(let counts): show(counts)
    case .playback(let playback): apply(playback)
    case .catalogue(let catalogue):
      catalogueName = catalogue.name
      showNotice("/ searches \(catalogue.name)")
    case .suggestion(let name, let words): list?.suggestion = (name, words)
    case .notice(let text): showNotice(text)
    case .invalidSearch(let text, let reason):
      openPrompt(.search, LineEditor(text))
      showNotice(reason)
    }
    let height = rowsHeight
    queries.cursor.clamp(count: queries.queries.count, height: height)
    clampPane()
    return actions + (table?.clampAndRequest(height: height) ?? [])
  }

  /// The catalogues whose first lists are offered while nothing is stored, in the order of their
  /// keys `1`, `2` …; empty if something is stored, or if that is not known yet.
  var offers: [Catalogue] {
    guard table == nil, queries.isRead, queries.queries.isEmpty else { return [] }
    return Catalogues.all.filter { $0.firstList != nil }.reversed()
  }

  /// What keeps a catalogue from being asked; `nil` if nothing does.
  func missingKey(of catalogue: Catalogue) -> String? {
    guard isFallback, let address = catalogue.keyHelpAddress else { return nil }
    return "\(catalogue.name) needs a key. \(UserFacingError.howToGetAKey(at: address))"
  }

  /// The table that is shown; `nil` if the stored queries are.
  var table: RecordingTable? {
    get { storedSearch ?? list }
    set { if storedSearch == nil { list = newValue } else { storedSearch = newValue } }
  }

  mutating func remember(search text: String) {
    searches.removeAll { $0 == text }
    searches.append(text)
    if searches.count > Self.rememberedSearches { searches.removeFirst() }
  }

  mutating func showNotice(_ text: String) {
    notice = (text, now.addingTimeInterval(Self.noticeSeconds))
  }

  private mutating func apply(_ playback: Playback) {
    self.playback = playback
    switch playback {
    case .finished(let id): showNotice("finished playing \(id.value)")
    case .failed(let id, let reason): showNotice("\(id.value): \(reason)")
    case .idle, .downloading, .playing: break
    }
  }

  private static let noticeSeconds = 6.0
  private static let rememberedSearches = 100
}

/// The cursor of a list: the row that is selected and the first visible one, both from 0.
struct Cursor: Equatable, Sendable {
  var selected = 0
  var top = 0

  /// The movement of a key, in rows or in the lines of a pane.
  enum Move {
    /// Down, or up if negative.
    case rows(Int)
    /// A part of a screen, in rows; the visible rows move with the cursor.
    case view(Int)
    case first, last
  }

  mutating func move(_ move: Move, count: Int, height: Int) {
    switch move {
    case .rows(let rows): selected += rows
    case .view(let rows):
      selected += rows
      top += rows
    case .first: selected = 0
    case .last: selected = count - 1
    }
    clamp(count: count, height: height)
  }

  /// Moves back into the list, with the selected row visible and as little empty space below as
  /// possible.
  mutating func clamp(count: Int, height: Int) {
    selected = max(0, min(selected, count - 1))
    top = max(0, min(top, count - height))
    if selected < top { top = selected }
    if selected >= top + height { top = selected - height + 1 }
  }

  func visible(count: Int, height: Int) -> Range<Int> {
    let end = max(0, min(top + height, count))
    return min(top, end)..<end
  }

  /// Draws the visible rows.
  ///
  /// - Parameter text: returns a row as one text that begins with `sign`, or `nil` if the row was
  ///   not read yet.
  func rows(
    of count: Int, height: Int, columns: Int, text: (_ row: Int, _ sign: String) -> String?
  ) -> Screen.VisibleRows {
    let visible = visible(count: count, height: height)
    let lines = visible.map { row in
      let isSelected = row == selected
      guard let text = text(row, isSelected ? ">" : " ") else {
        return Line(isSelected ? ">" : "", columns: columns)
      }
      let style = isSelected ? Style.selected : .plain
      return Line(Line.Span(text: CellText.fitted(text, columns: columns), style: style))
    }
    return (lines, visible.isEmpty ? nil : selected - visible.lowerBound)
  }
}
