import Foundation

/// One answer about a query: its state, its age and completeness, and the progress of the
/// load of more rows.
///
/// Copying and comparing snapshots takes no time, however long the list is: see
/// `RecordingList`. Making the first one after a change of the store takes up to some
/// milliseconds, to compare the rows that were read last with it.
public struct ListSnapshot: Equatable, Sendable {
  /// The query that it answers.
  public let query: CatalogueQuery
  /// The state of the list, whichever of its rows a screen shows; `nil` if nothing was fetched and
  /// nothing is being loaded.
  public let state: ListState?
  /// The facts that are stored: rows, totals, the next page, age and completeness; `nil` if nothing
  /// is stored. The next page is known also while a load runs or has failed.
  public let stored: StoredQuery?
  /// The source of the rows; `nil` before there are rows to show.
  public let source: Source?
  /// The progress of the query's load in this process: `refreshing` or `loadingMore`.
  public package(set) var load: LoadState
  /// Whether the load, the last if none is under way, is of the next page.
  package var appends = false

  /// The progress of the load that begins the list, or brings it up to date: for a spinner above
  /// the rows.
  public var refreshing: LoadState { appends ? .idle : load }
  /// The progress of the load of the next page: for a spinner, or a button, below the rows.
  public var loadingMore: LoadState { appends ? load : .idle }

  /// The rows that `Pager.show` selected, in its order; `nil` if the screen shows the list as it
  /// is.
  package var shownRows: RecordingList?

  /// The rows to show, whatever the state: the rows of the list, or the rows that
  /// `Pager.show` selected. A screen reloads if they are not equal to the rows it shows.
  public var rows: RecordingList { shownRows ?? state?.currentRecordings ?? [] }

  /// Whether a load of the query is under way in this process.
  public var isLoading: Bool {
    if case .loading = load { true } else { false }
  }

  /// Whether a next page can be requested: there is one, and no load is under way.
  public var canLoadMore: Bool { stored?.next != nil && !isLoading }

  /// The reason why the last load failed, or why the store cannot be read; `nil` if neither
  /// is the case.
  public var failure: LoadError? {
    if case .error(let error, cached: _) = state { error } else { nil }
  }

  /// Rows in the list; a screen that filters shows fewer.
  public var count: Int { stored?.count ?? 0 }
  package var totals: RecordingPage.Totals? { stored?.totals }
  /// The facts known about the whole list; partial without a page if nothing is stored.
  public var completeness: StoredQuery.Completeness {
    stored?.completeness ?? .partial(pages: 0, of: nil)
  }

  /// - Parameter source: where the rows come from; `nil` if nothing is stored.
  package init(
    query: CatalogueQuery, state: ListState?, stored: StoredQuery?, from source: Source?,
    load: LoadState
  ) {
    self.query = query
    self.state = state
    self.stored = stored
    self.source = source
    self.load = load
  }

  /// A snapshot for previews and tests, with the facts that follow from its state: rows are of the
  /// first pages, which were read from the store.
  ///
  /// - Parameters:
  ///   - state: the state to show.
  ///   - query: the query that it answers.
  ///   - total: the recordings of the list upstream; if `nil`, those of the state.
  ///   - fetchedAt: the time at which the pages were fetched.
  ///   - load: the progress of the load; if `nil`, the error of the state or `idle`.
  public static func preview(
    _ state: ListState?, of query: CatalogueQuery, total: Int? = nil, fetchedAt: Date = .now,
    load: LoadState? = nil
  ) -> ListSnapshot {
    let rows = state?.currentRecordings.count ?? 0
    let pages = RecordingPage.Totals(recordings: rows, pageSize: query.pageSize).pages
    let all = RecordingPage.Totals(recordings: total ?? rows, pageSize: query.pageSize)
    var next: Int?
    var shown = LoadState.idle
    switch state {
    case .paging(_, next: let page): next = page
    case .error(let error, cached: _): shown = .failed(error)
    case .loading: shown = .loading(.starting)
    case nil, .populated, .empty: break
    }
    var stored: StoredQuery?
    if rows > 0 || state == .empty {
      stored = StoredQuery(
        query: query, count: rows, pagesStored: pages, totals: all, next: next,
        completeness: next == nil ? .complete : .partial(pages: pages, of: all.pages),
        oldestFetchedAt: fetchedAt, newestFetchedAt: fetchedAt)
    }
    return ListSnapshot(
      query: query, state: state, stored: stored, from: stored.map { _ in .store },
      load: load ?? shown)
  }

  /// Whether the two differ at most in the progress of the load.
  package func showsSameList(as other: ListSnapshot) -> Bool {
    var other = other
    other.load = load
    return self == other
  }
}

extension ListSnapshot {
  /// The two sources of the rows of a snapshot.
  public enum Source: String, Sendable {
    /// Read from the store without a request.
    case store
    /// Written by the load that this answer belongs to.
    case network
  }
}
