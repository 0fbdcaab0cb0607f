import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The rows near the visible ones.
extension Browser {
  /// Reads rows before the next key is handled, so that the key finds them. While a search
  /// is typed no key waits longer than a frame: the rows of the answer before go, and the
  /// rows of this one follow.
  func read(_ range: Range<Int>, of shown: ShownRows) {
    rowReads.cancel()
    do throws(StoreError) {
      guard let read = try rowRead(range, of: shown) else { return }
      guard screen.isTypingSearch else { return send(try read()) }
      let (answer, isGiven) = (
        Locked<Result<ScreenEvent, StoreError>?>(nil), DispatchSemaphore(value: 0)
      )
      rowReads.start { [eventSink] turn in
        let result = Result(catching: read)
        answer.withLock { $0 = result }
        isGiven.signal()
        eventSink.yield(.answer(turn) { $0.showRows(result, range, of: shown) })
      }
      if isGiven.wait(timeout: .now() + .milliseconds(15)) == .success,
        let result = answer.withLock(\.self)
      {
        // The event with the same rows is ignored.
        rowReads.cancel()
        return showRows(result, range, of: shown)
      }
      send(.noRows(range, of: shown))
    } catch {
      showRows(.failure(error), range, of: shown)
    }
  }

  private func showRows(
    _ result: Result<ScreenEvent, StoreError>, _ range: Range<Int>, of shown: ShownRows
  ) {
    switch result {
    case .success(let event): send(event)
    case .failure(let error):
      send(shown == .found ? .noRows(range, of: shown) : .rowsFailed(range))
      // A recording was deleted, or no longer satisfies the search.
      if shown == .found, error.reason == .recordingForgotten, let wanted = stored.wanted {
        searchStored(wanted.search, wanted.sort)
      } else {
        send(.notice(UserFacingError(error).problem))
      }
    }
  }

  /// A function that reads the rows; `nil` if nothing is shown, or if their order is not
  /// known before the search that is typed has answered.
  private func rowRead(
    _ range: Range<Int>, of shown: ShownRows
  ) throws(StoreError) -> (@Sendable () throws(StoreError) -> ScreenEvent)? {
    if shown == .found {
      guard let results = stored.results else { return nil }
      return { () throws(StoreError) in .foundRows(range, try results.rows(range)) }
    }
    guard let list else { return nil }
    let newSince = dependencies.now().addingTimeInterval(-Self.newFor)
    let repository = repository
    let query = list.query
    var sorted: ListReader?
    if shown == .matches, let matches = list.matches {
      sorted = matches.reader.subset(
        at: Array(matches.positions[range.clamped(to: matches.positions.indices)]))
    } else if let sort = list.sort {
      if list.reader == nil, screen.isTypingSearch { return nil }
      if list.reader == nil {
        self.list?.reader = try ListReader(repository, [query], sort: [sort])
      }
      sorted = self.list?.reader.map { $0.subset(at: Array(range.clamped(to: 0..<$0.count))) }
    }
    return { [sorted] () throws(StoreError) in
      let reader =
        if let sorted { sorted } else { try ListReader(repository, [query], window: range) }
      let rows = try reader.rows(0..<reader.count)
      let dates = try reader.dates(0..<reader.count)
      let new = zip(rows, dates).filter { ($1 ?? .distantPast) >= newSince }.map(\.0.id)
      return .rows(
        range, rows, downloaded: Set(rows.map(\.id).filter(repository.audio.hasDownloaded)),
        new: Set(new))
    }
  }

  /// The time for which a row is marked as new, in seconds.
  private static let newFor: TimeInterval = 7 * 86_400
}

extension ScreenEvent {
  fileprivate static func noRows(_ range: Range<Int>, of shown: ShownRows) -> ScreenEvent {
    shown == .found ? .foundRows(range, []) : .rows(range, [], downloaded: [], new: [])
  }
}

extension AudioLibrary {
  func hasDownloaded(_ id: RecordingID) -> Bool {
    // An id that no file can be named after has no audio either.
    (try? downloadedFile(of: id)) != nil
  }
}
