import ChirperModel
import Foundation

/// The table view as a pure state machine: events in, actions out, and a frame that follows from its state and size.
///
/// It does no I/O and knows no clock; the shell (`Browser`) does what the actions ask and reports what came of it.
package struct Screen: Sendable {
  package var size: TerminalSize
  package internal(set) var now: Date
  /// For times of day.
  let timeZone: TimeZone
  package internal(set) var place: Place = .queries(QueryList())
  var pane: Pane = .none
  package internal(set) var playback: Playback = .silent
  var notice: Notice?

  package init(size: TerminalSize, now: Date, timeZone: TimeZone) {
    self.size = size
    self.now = now
    self.timeZone = timeZone
  }

  /// What the rows are.
  package enum Place: Sendable {
    case queries(QueryList)
    case table(RecordingTable)
  }

  /// What stands before the rows.
  enum Pane: Equatable, Sendable {
    case none
    case prompt(Prompt)
    case detail(scrolled: Int)
    case help(scrolled: Int)
  }

  struct Prompt: Equatable, Sendable {
    enum Kind: Sendable { case search, filter, export }

    let kind: Kind
    var editor: LineEditor
  }

  /// A sentence that goes away.
  struct Notice: Equatable, Sendable {
    let text: String
    let until: Date
  }

  /// Takes an event and says what it asks of the world.
  package mutating func handle(_ event: ScreenEvent) -> [ScreenAction] {
    var actions: [ScreenAction] = []
    switch event {
    case .key(let key): actions = press(key)
    case .resize(let size): self.size = size
    case .tick(let now): tick(now)
    case .queries(let queries): take(queries)
    case .opened(let query, let catalogue):
      place = .table(RecordingTable(query, catalogue: catalogue))
      pane = .none
      notice = nil
    case .snapshot(let snapshot):
      actions = inTable { $0.query == snapshot.query ? $0.take(snapshot) : [] }
    case .rows(let range, let rows):
      _ = inTable {
        $0.take(rows, at: range); return []
      }
    case .load(let progress):
      _ = inTable {
        $0.load = progress; return []
      }
    case .matches(let matches):
      _ = inTable {
        $0.take(matches); return []
      }
    case .match(let match, let position): goTo(match, at: position)
    case .playback(let playback): take(playback)
    case .notice(let text): say(text)
    case .refused(let text, let reason):
      ask(.search, LineEditor(text))
      say(reason)
    }
    return actions + settle()
  }

  /// Changes the table, where one is shown.
  mutating func inTable(_ change: (inout RecordingTable) -> [ScreenAction]) -> [ScreenAction] {
    guard case .table(var table) = place else { return [] }
    // One owner at a time, or the rows would be copied.
    place = .queries(QueryList())
    defer { place = .table(table) }
    return change(&table)
  }

  mutating func say(_ text: String) {
    notice = Notice(text: text, until: now.addingTimeInterval(Self.noticeSeconds))
  }

  private mutating func settle() -> [ScreenAction] {
    let height = rowsHeight
    if case .queries(var list) = place {
      list.selection.clamp(count: list.queries.count, height: height)
      place = .queries(list)
    }
    clampPane()
    return inTable { $0.settle(height: height) }
  }

  private mutating func tick(_ now: Date) {
    self.now = now
    if let notice, notice.until <= now { self.notice = nil }
  }

  private mutating func take(_ queries: [StoredQuery]) {
    var list = QueryList()
    if case .queries(let old) = place { list = old }
    list.queries = queries
    list.isRead = true
    place = .queries(list)
  }

  private mutating func take(_ playback: Playback) {
    self.playback = playback
    switch playback {
    case .ended(let id): say("\(id.value) has ended")
    case .failed(let id, let reason): say("\(id.value): \(reason)")
    case .silent, .fetching, .playing: break
    }
  }

  private static let noticeSeconds = 6.0
}
