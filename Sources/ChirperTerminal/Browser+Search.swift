import Chirper
import ChirperFormats
import ChirperModel

/// A search of everything stored, and its results.
struct StoredSearch: Sendable {
  var running = LatestTask(on: QueueExecutor("chirper.search"))
  /// The search that is wanted and its order; `nil` if nothing is searched for.
  var wanted: (search: TypedExpression, sort: SortKey?)?
  /// The results; those of an earlier text until the first answer for the latest.
  var results: SearchResults?
}

/// The filter of the list, and the search of everything stored: both run on a thread of their own,
/// and the next letter cancels them.
extension Browser {
  /// Searches the rows of the list and shows the matches found so far; `nil` ends the search.
  func filter(_ search: TypedExpression?) {
    guard let search, let list else {
      list?.filtering.cancel()
      list?.matches = nil
      return
    }
    let query = list.query
    let sort = list.sort
    let known = list.reader
    self.list?.filtering.start { [eventSink, repository] turn in
      Self.run(search, of: .matches, turn, eventSink) {
        func report(
          _ positions: [Int], of reader: ListReader, by matcher: StoredMatcher, isComplete: Bool
        ) {
          let isMissed = isComplete && positions.isEmpty
          let count = MatchCount(
            text: search.text, count: positions.count, isComplete: isComplete,
            otherNames: matcher.otherNames,
            meant: isMissed ? SearchTag.corrections(of: search.text).first : nil)
          eventSink.yield(
            .answer(turn) {
              $0.show(
                count,
                BrowsedList.Matches(positions: positions, reader: reader, search: search.text)
              )
            }
          )
        }
        do {
          let matcher = try StoredMatcher(search.expression, in: repository, rowsOf: [query])
          let reader = try known ?? ListReader(repository, [query], sort: [sort].compactMap(\.self))
          var reportedAt = ContinuousClock.now
          var interval = Self.firstReport
          let positions = try reader.positions(matching: matcher) { found in
            guard reportedAt.duration(to: .now) > interval else { return }
            reportedAt = .now
            interval = Self.reportInterval
            report(found(), of: reader, by: matcher, isComplete: false)
          }
          try Task.checkCancellation()
          let shown = sort == nil ? try reader.ranked(positions, by: matcher) : positions
          report(shown, of: reader, by: matcher, isComplete: true)
        } catch let error as StoreError where error.reason == .recordingForgotten {
          let snapshot = try repository.snapshot(of: query)
          eventSink.yield(.answer(turn) { $0.showRemoval(snapshot, search) })
        }
      }
    }
  }

  private func show(_ count: MatchCount, _ matches: BrowsedList.Matches) {
    list?.matches = matches
    // The next letter searches the same rows.
    list?.reader = matches.reader
    send(.matches(count, of: .matches))
  }

  /// Shows the list without the rows that a different process removed during the search.
  private func showRemoval(_ snapshot: ListSnapshot, _ search: TypedExpression) {
    list?.reader = nil
    let turn = list?.filtering.turn
    show(snapshot)
    // A list that the screen had not seen starts the search again.
    if list?.filtering.turn === turn { filter(search) }
  }

  /// Searches everything stored; `nil` ends the search and forgets its results.
  func searchStored(_ search: TypedExpression?, _ sort: SortKey?) {
    guard let search else {
      stored.running.cancel()
      stored.wanted = nil
      stored.results = nil
      return
    }
    stored.wanted = (search, sort)
    stored.running.start { [eventSink, repository] turn in
      Self.run(search, of: .found, turn, eventSink) {
        var reportedAt = ContinuousClock.now
        let results = try repository.search(
          search.expression, sort: [sort].compactMap(\.self), ranked: sort == nil, distinct: true
        ) { done, total in
          let done = Double(done) / Double(total)
          guard reportedAt.duration(to: .now) > Self.reportInterval else { return }
          reportedAt = .now
          eventSink.yield(
            .answer(turn) {
              $0.send(.matches(MatchCount(text: search.text, done: done), of: .found))
            })
        }
        let near = results.matched == 0 ? try repository.names(near: search.text) : []
        try Task.checkCancellation()
        eventSink.yield(.answer(turn) { $0.show(results, of: search, meant: near.first) })
      }
    }
  }

  private func show(_ results: SearchResults, of search: TypedExpression, meant: String?) {
    stored.results = results
    let notices = results.catalogues.compactMap { results.catalogue($0)?.notice }
    let count = MatchCount(
      text: search.text, count: results.matched, isComplete: true, searched: results.searched,
      unlisted: results.unlisted, copies: results.leftOutCopies, otherNames: results.otherNames,
      meant: meant, notices: notices)
    send(.matches(count, of: .found))
  }

  /// Runs a search, and shows why it ended early; if it was cancelled, the answer of a later one
  /// follows.
  private static func run(
    _ search: TypedExpression, of shown: ShownRows, _ turn: LatestTask.Turn,
    _ eventSink: AsyncStream<Event>.Continuation,
    _ body: () throws -> Void
  ) {
    let failure: ScreenEvent
    do {
      return try body()
    } catch is CancellationError {
      return
    } catch let error as SearchExpressionError {
      failure = .refused(search.text, TypedExpression.Fault(error))
    } catch {
      failure = .searchFailed(search.text, of: shown, reason: UserFacingError.of(error).problem)
    }
    eventSink.yield(.answer(turn) { $0.send(failure) })
  }

  private static let firstReport: Duration = .milliseconds(15)
  private static let reportInterval: Duration = .milliseconds(100)
}
