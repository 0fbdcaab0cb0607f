import Chirper
import ChirperFormats
import ChirperModel

/// A search of everything stored, and what it found.
struct StoredSearch: Sendable {
  var running = LatestSearch()
  /// What is searched for, and in which order; `nil` where nothing is.
  var wanted: (search: TypedExpression, sort: ListSort?)?
  /// Of an earlier text until the first answer for the latest.
  var results: SearchResults?
}

/// What a search outside the loop answers.
enum SearchAnswer: Sendable {
  case matches(BrowsedList.Matches)
  /// Another process removed rows during the search; the list without them.
  case rowsRemoved(ListSnapshot, TypedExpression)
  case found(SearchResults, text: String)
  /// For the screen as it is.
  case event(ScreenEvent)
}

/// The filter of the list, and the search of everything stored: both run on a thread of their own, and the next letter
/// cancels them.
extension Browser {
  /// Shows the answer, unless it is that of an earlier letter.
  func apply(_ answer: SearchAnswer) {
    switch answer {
    case .matches(let matches):
      list?.matches = matches
      // The next letter searches the same rows.
      list?.reader = matches.reader
      send(.matches(FilterMatches(text: matches.text, count: matches.positions.count, isComplete: matches.isComplete)))
    case .rowsRemoved(let snapshot, let search):
      list?.reader = nil
      let number = list?.filtering.number
      handleListEvent(.snapshot(snapshot))
      // A list that the screen had not seen starts the search again.
      if list?.filtering.number == number { filter(search) }
    case .found(let results, let text):
      stored.results = results
      let notices = results.catalogues.compactMap { results.catalogue($0)?.notice }
      send(.found(FoundMatches(text: text, count: results.matched, searched: results.searched, notices: notices)))
    case .event(let event): send(event)
    }
  }

  func filter(_ search: TypedExpression?) {
    guard let search, let list else {
      list?.filtering.cancel()
      list?.matches = nil
      return
    }
    let scan = FilterScan(
      repository: setup.repository, query: list.query, sort: list.sort, reader: list.reader, search: search)
    self.list?.filtering.start { [eventSink, id = list.id] number in
      do {
        do {
          try scan.run { eventSink.yield(.filter(id, number, .matches($0))) }
        } catch StoreError.recordingForgotten {
          eventSink.yield(.filter(id, number, .rowsRemoved(try scan.repository.snapshot(of: scan.query), search)))
        }
      } catch is CancellationError {
        // The answer of a later search follows.
      } catch {
        eventSink.yield(.filter(id, number, .event(Self.failure(of: search, error) { .filterFailed(search.text, reason: $0) })))
      }
    }
  }

  /// Searches everything stored; `nil` ends the search and forgets what it found.
  func searchStored(_ search: TypedExpression?, _ sort: ListSort?) {
    guard let search else {
      stored.running.cancel()
      (stored.wanted, stored.results) = (nil, nil)
      return
    }
    stored.wanted = (search, sort)
    let column = sort.flatMap { sort in SearchColumn.all.first { $0.name == sort.field } }
    let order = column.map { [SearchSort($0, descending: sort?.descending ?? false)] } ?? []
    stored.running.start { [eventSink, repository = setup.repository] number in
      var reportedAt = ContinuousClock.now
      do {
        let results = try repository.search(search.expression, sort: order) { done in
          guard reportedAt.duration(to: .now) > Self.progressInterval else { return }
          reportedAt = .now
          eventSink.yield(.storedSearch(number, .event(.searching(search.text, done: done))))
        }
        eventSink.yield(.storedSearch(number, .found(results, text: search.text)))
      } catch is CancellationError {
        // The answer of a later search follows.
      } catch {
        eventSink.yield(
          .storedSearch(number, .event(Self.failure(of: search, error) { .searchFailed(search.text, reason: $0) })))
      }
    }
  }

  private static func failure(
    of search: TypedExpression, _ error: any Error, _ event: (_ reason: String) -> ScreenEvent
  ) -> ScreenEvent {
    if let error = error as? SearchExpressionError { return .refused(search.text, TypedExpression.Fault(error)) }
    return event(UserFacingError(library: error)?.problem ?? "\(error)")
  }

  private static let progressInterval: Duration = .milliseconds(100)
}
