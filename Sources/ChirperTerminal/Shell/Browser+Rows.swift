import Chirper
import ChirperFormats
import ChirperModel
import ChirperPlatform
import Foundation

/// The rows near the visible ones.
extension Browser {
  /// Reads them before the next key is handled, so that the key finds them. While a search is typed no key waits longer than
  /// a frame: the rows of the answer before go, and those of this one follow.
  func read(_ range: Range<Int>, of source: RowSource) {
    rowReads.cancel()
    do throws(StoreError) {
      guard let read = try rowRead(range, of: source) else { return }
      guard screen.isTypingSearch else { return apply(read.result, range, of: source) }
      let answer = FirstAnswer()
      rowReads.start { [eventSink] number in
        let result = read.result
        if !answer.give(result) { eventSink.yield(.rows(number, result, range, source)) }
      }
      if let result = answer.wait(.milliseconds(15)) { return apply(result, range, of: source) }
      send(source == .found ? .foundRows(range, []) : .rows(range, [], kept: [], new: []))
    } catch {
      apply(.failure(error), range, of: source)
    }
  }

  func apply(_ result: Result<ScreenEvent, StoreError>, _ range: Range<Int>, of source: RowSource) {
    switch result {
    case .success(let event): send(event)
    case .failure(let error):
      send(source == .found ? .foundRows(range, []) : .rows(range, [], kept: [], new: []))
      // A recording was deleted, or no longer satisfies the search.
      if source == .found, case .recordingForgotten = error, let wanted = stored.wanted {
        searchStored(wanted.search, wanted.sort)
      } else {
        send(.notice(UserFacingError(error).problem))
      }
    }
  }

  /// `nil` where nothing is shown, and where the order of the rows is not known before the search that is typed has answered.
  private func rowRead(_ range: Range<Int>, of source: RowSource) throws(StoreError) -> RowRead? {
    func read(_ rows: RowRead.Rows) -> RowRead {
      RowRead(repository: setup.repository, range: range, rows: rows, now: setup.dependencies.now())
    }
    if source == .found { return stored.results.map { read(.found($0)) } }
    guard let list else { return nil }
    if source == .matches, let matches = list.matches {
      return read(.some(matches.reader.subset(at: Array(matches.positions[range.clamped(to: matches.positions.indices)]))))
    }
    guard list.sort != nil else { return read(.list(list.query)) }
    if list.reader == nil, screen.isTypingSearch { return nil }
    if list.reader == nil {
      self.list?.reader = try setup.repository.reader(of: list.query, sort: [list.sort].compactMap(\.self))
    }
    return self.list?.reader.map { read(.some($0.subset(at: Array(range.clamped(to: 0..<$0.count))))) }
  }
}

/// Rows that one thread reads and another waits for, not longer than a frame.
private final class FirstAnswer: Sendable {
  private enum State {
    case open, late
    case given(Result<ScreenEvent, StoreError>)
  }

  private let state = Locked(State.open)
  private let isGiven = DispatchSemaphore(value: 0)

  /// `false` if nobody waits for it any more.
  func give(_ result: Result<ScreenEvent, StoreError>) -> Bool {
    let isInTime = state.withLock { state in
      guard case .open = state else { return false }
      state = .given(result)
      return true
    }
    isGiven.signal()
    return isInTime
  }

  /// `nil` if it was not given in that time.
  func wait(_ time: DispatchTimeInterval) -> Result<ScreenEvent, StoreError>? {
    _ = isGiven.wait(timeout: .now() + time)
    return state.withLock { state in
      if case .given(let result) = state { return result }
      state = .late
      return nil
    }
  }
}

/// A read of the rows at some positions.
struct RowRead: Sendable {
  let repository: RecordingRepository
  let range: Range<Int>
  let rows: Rows
  let now: Date

  /// Which rows the positions count.
  enum Rows: Sendable {
    /// Those of the list in the catalogue's order.
    case list(CatalogueQuery)
    /// Exactly these.
    case some(ListReader)
    case found(SearchResults)
  }

  /// A row is marked as new for so long, in seconds.
  private static let newFor: TimeInterval = 7 * 86_400

  /// Reads the rows.
  var result: Result<ScreenEvent, StoreError> {
    do throws(StoreError) { return .success(try event()) } catch { return .failure(error) }
  }

  private func event() throws(StoreError) -> ScreenEvent {
    let reader: ListReader
    switch rows {
    case .found(let results): return .foundRows(range, try results.rows(range))
    case .list(let query): reader = try repository.reader(of: query, window: range)
    case .some(let rows): reader = rows
    }
    let rows = try reader.rows(0..<reader.count)
    let since = now.addingTimeInterval(-Self.newFor)
    let new = zip(rows, try reader.dates(0..<reader.count)).lazy.filter { ($1 ?? .distantPast) >= since }.map(\.0.id)
    return .rows(range, rows, kept: Set(rows.map(\.id).filter(repository.audio.keeps)), new: Set(new))
  }
}

extension AudioLibrary {
  /// Whether the audio of a recording is kept.
  func keeps(_ id: RecordingID) -> Bool {
    // An id that no file can be named after has no audio either.
    (try? kept(id)) ?? nil != nil
  }
}
