import ChirperModel
import Foundation

/// The table view as a pure state machine: it handles events, returns actions, and renders a frame from its state and size.
///
/// It does no I/O and reads no clock; the shell (`Browser`) performs the actions and reports their results as events.
struct Screen: Sendable {
  var size: TerminalSize
  var now: Date
  /// For times of day.
  let timeZone: TimeZone
  /// Whether searches ask the built-in catalogue because no key is set.
  let isFallback: Bool
  var queries = StoredQueryPane()
  /// The open list, shown over the stored queries.
  var list: RecordingTable?
  /// The search of everything stored, shown over both until the user goes back.
  var storedSearch: RecordingTable?
  var pane: Pane = .none
  /// The text of the open detail pane.
  var detail: DetailPane?
  var playback: Playback = .idle
  var notice: Notice?
  /// What catalogues were searched for and what was opened, the latest last, each text once.
  private(set) var searches: [String] = []
  /// What everything stored was searched for last.
  var lastStoredSearch = ""

  init(size: TerminalSize, now: Date, timeZone: TimeZone, isFallback: Bool = false) {
    self.size = size
    self.now = now
    self.timeZone = timeZone
    self.isFallback = isFallback
  }

  /// What is shown over the rows.
  enum Pane: Equatable, Sendable {
    case none
    case prompt(Prompt)
    case question(Question)
    case detail(top: DetailPane.Position)
    case help(scrolled: Int)
  }

  /// The line at the bottom that the user types into.
  struct Prompt: Equatable, Sendable {
    enum Kind: Sendable { case search, storedSearch, filter, export }

    let kind: Kind
    var editor: LineEditor
    /// Why the text is not in the language, where it must be; the rows are those of the last text that was.
    var fault: TypedExpression.Fault?
    /// While an earlier search is shown: its index, and what was typed before.
    var recalled: Recalled?

    struct Recalled: Equatable, Sendable {
      let index: Int
      let draft: String
    }

    /// Shows the next older or newer search; after the newest comes what was typed before.
    mutating func showSearch(of searches: [String], older: Bool) {
      let draft = recalled?.draft ?? editor.text
      var index = recalled?.index ?? searches.count
      repeat { index += older ? -1 : 1 } while searches.indices.contains(index) && searches[index] == editor.text
      guard index >= 0 else { return }
      guard index < searches.count else {
        if recalled != nil { editor = LineEditor(draft) }
        recalled = nil
        return
      }
      recalled = Recalled(index: index, draft: draft)
      editor = LineEditor(searches[index])
    }
  }

  /// Whether to forget that query; `y` does so.
  struct Question: Equatable, Sendable {
    let stored: StoredQuery
  }

  /// A sentence that disappears after a few seconds.
  struct Notice: Equatable, Sendable {
    let text: String
    let until: Date
  }

  /// Applies an event and returns what the shell must do for it.
  mutating func handle(_ event: ScreenEvent) -> [ScreenAction] {
    var actions: [ScreenAction] = []
    switch event {
    case .key(let key): actions = handle(key)
    case .resize(let size): self.size = size
    case .tick(let now): tick(now)
    case .queries(let stored):
      queries.queries = stored
      queries.isRead = true
    case .opened(let query, let catalogue):
      list = RecordingTable(.list(query, catalogue))
      storedSearch = nil
      remember(search: query.typed)
      pane = .none
      notice = nil
    case .snapshot(let snapshot):
      if list?.query == snapshot.query { actions = list?.apply(snapshot) ?? [] }
    case .rows(let range, let rows, let kept, let new): list?.apply(rows, kept: kept, new: new, at: range)
    case .kept(let id):
      list?.markKept(id)
      storedSearch?.markKept(id)
    case .matches(let matches): list?.apply(matches)
    case .found(let found): storedSearch?.apply(found)
    case .searching(let text, let done): storedSearch?.show(progress: done, of: text)
    case .foundRows(let range, let rows): storedSearch?.apply(rows, at: range)
    case .searchFailed(let text, .found, let reason): storedSearch?.failFilter(text, reason)
    case .searchFailed(let text, _, let reason): list?.failFilter(text, reason)
    case .refused(let text, let fault): refuse(text, fault)
    case .match(let match, let position): goTo(match, at: position)
    case .playback(let playback): apply(playback)
    case .notice(let text): showNotice(text)
    case .invalidSearch(let text, let reason):
      openPrompt(.search, LineEditor(text))
      showNotice(reason)
    }
    return actions + clampAndRequest()
  }

  /// The table that is shown; `nil` if the stored queries are.
  var table: RecordingTable? {
    get { storedSearch ?? list }
    set { if storedSearch == nil { list = newValue } else { storedSearch = newValue } }
  }

  mutating func remember(search text: String) {
    searches.removeAll { $0 == text }
    searches.append(text)
    if searches.count > Self.searchesKept { searches.removeFirst() }
  }

  mutating func showNotice(_ text: String) {
    notice = Notice(text: text, until: now.addingTimeInterval(Self.noticeSeconds))
  }

  /// Keeps the selection and the panes within their content, and asks for what the screen lacks.
  private mutating func clampAndRequest() -> [ScreenAction] {
    let height = rowsHeight
    queries.selection.clamp(count: queries.queries.count, height: height)
    clampPane()
    return table?.clampAndRequest(height: height) ?? []
  }

  private mutating func tick(_ now: Date) {
    self.now = now
    if let notice, notice.until <= now { self.notice = nil }
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
  private static let searchesKept = 100
}

/// Which row is selected and which is the first visible one; both from 0.
struct Selection: Equatable, Sendable {
  var selected = 0
  var top = 0

  /// How a key moves in rows or in the lines of a pane.
  enum Move {
    /// Down, or up if negative.
    case rows(Int)
    /// By that much of a screen; the visible rows move with the selection.
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

  /// Moves back into the list, with the selected row visible and as little empty space below as possible.
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
}
