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
  /// The facts that are stored; `nil` if nothing is.
  let stored: StoredQuery?
  private let source: Origin.Source?
  /// The progress of the query's load in this process: `refresh` or `append`.
  public package(set) var load: LoadState
  /// Whether the load, the last if none is under way, is of the next page.
  package var appends = false

  /// The progress of the load that begins the list, or brings it up to date: for a spinner above
  /// the rows.
  public var refresh: LoadState { appends ? .idle : load }
  /// The progress of the load of the next page: for a spinner, or a button, below the rows.
  public var append: LoadState { appends ? load : .idle }

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
  public var canLoadMore: Bool { nextPage != nil && !isLoading }

  /// The reason why the last load failed, or why the store cannot be read; `nil` if neither
  /// is the case.
  public var failure: LoadError? {
    if case .error(let error, cached: _) = state { error } else { nil }
  }

  /// The origin of the rows; `nil` if nothing is stored.
  public var origin: ListSnapshot.Origin? {
    guard let source, let stored else { return nil }
    return Origin(
      source: source, oldestFetchedAt: stored.oldestFetchedAt,
      newestFetchedAt: stored.newestFetchedAt)
  }
  /// Rows in the list.
  public var count: Int { stored?.count ?? 0 }
  /// The totals that the catalogue sent last; `nil` if it sends none or was never requested.
  public var totals: RecordingPage.Totals? { stored?.totals }
  /// Pages stored.
  public var pagesStored: Int { stored?.pagesStored ?? 0 }
  /// The number of the next page upstream, also while a load runs or has failed; `nil` if nothing
  /// is stored or the end was reached.
  public var nextPage: Int? { stored?.next }
  /// The part of the upstream list that the store can vouch for.
  public var completeness: StoredQuery.Completeness {
    stored?.completeness ?? .partial(pages: 0, of: nil)
  }
  /// The facts about a list that is `shifted` because a walk found less than half of it;
  /// `nil` for every other list.
  public var fall: StoredQuery.Fall? { stored?.fall }
  /// The recordings that left a `complete` list while as many entered it, which no total shows. The
  /// next walk confirms that they left.
  public var unconfirmedDepartures: Int { stored?.unconfirmedDepartures ?? 0 }

  /// - Parameter source: the origin of the rows; `nil` if nothing is stored.
  package init(
    query: CatalogueQuery, state: ListState?, stored: StoredQuery?, from source: Origin.Source?,
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
    let pages = max(1, (rows + query.pageSize - 1) / query.pageSize)
    let all = RecordingPage.Totals(
      recordings: total ?? rows,
      pages: (max(1, total ?? rows) + query.pageSize - 1) / query.pageSize)
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
  /// The origin of an answer.
  public struct Origin: Hashable, Sendable {
    /// The two sources of an answer.
    public enum Source: String, Sendable {
      /// Read from the store without a request.
      case store
      /// Written by the load that this answer belongs to.
      case network
    }

    /// Store or network.
    public let source: Source
    /// A second name of `source`.
    public var place: Source { source }
    /// The time at which the oldest page of the list was fetched, UTC.
    public let oldestFetchedAt: Date
    /// The time at which the newest page of the list was fetched, UTC.
    public let newestFetchedAt: Date

    /// An origin as the repository makes it, for previews and tests too.
    public init(source: Source, oldestFetchedAt: Date, newestFetchedAt: Date) {
      self.source = source
      self.oldestFetchedAt = oldestFetchedAt
      self.newestFetchedAt = newestFetchedAt
    }
  }
}
