import ChirperModel
import ChirperStore
import Foundation

/// What is known of one query's list: what is stored, what its loads are doing, and how they ended. A value that takes what
/// happened; the snapshot that a screen gets follows from it alone.
///
/// Everything that happens has a number, and later things have higher ones, so that a screen can be shown only what
/// happened since it came.
struct ListStatus: Sendable {
  let query: CatalogueQuery
  /// What the store holds; `nil` if it was not read yet.
  private(set) var stored: Result<StoredQuery?, StoreError>?
  /// Another number after each change of the rows.
  private(set) var generation = 0
  /// The loads under way; all but the first wait for it.
  private var loads: [(number: Int, step: LoadStep)] = []
  /// Of the last load, if it failed.
  private var failure: LoadError?
  /// When a load failed last, and when the network answered last.
  private var failedAt = 0
  private var answeredAt = 0

  /// A shorter wait for the rate limit is not shown; see `LoadStep.waiting`.
  private static let shortestShownWait: Duration = .seconds(5)

  init(_ query: CatalogueQuery) {
    self.query = query
  }

  /// Whether the store was read, and could be.
  var isRead: Bool {
    if case .success? = stored { true } else { false }
  }

  private var known: StoredQuery? {
    if case .success(let stored)? = stored { stored } else { nil }
  }

  /// The store was read.
  mutating func read(_ stored: Result<StoredQuery?, StoreError>) { self.stored = stored }

  /// Rows entered, left or moved, or have other fields.
  mutating func rowsChanged() { generation += 1 }

  /// The query was removed from the store.
  mutating func forgotten() {
    failure = nil
    rowsChanged()
  }

  /// A load began, which has that number from now on.
  mutating func loadBegan(_ number: Int) {
    failure = nil
    loads.append((number, .starting))
  }

  /// - Parameters:
  ///   - load: the load's number.
  ///   - number: of the event.
  ///   - now: the time, UTC.
  mutating func load(_ load: Int, did event: FetchEvent, _ number: Int, now: Date) {
    switch event {
    case .failed, .lookedUp, .waiting(..<Self.shortestShownWait, .rateLimit): break
    case .stored(let stored):
      // What is known already may be newer.
      if !isRead { self.stored = .success(stored) }
    case .requesting(let page, let pages):
      let isStored = page <= known?.pagesStored ?? 0
      setStep(of: load, isStored ? .refreshing(page: page, of: pages) : .loading(page: page, of: pages))
    case .page(number: _, let stored):
      self.stored = .success(stored)
      answeredAt = number
    case .closed(_, let gone): if gone > 0 { rowsChanged() }
    case .waiting(_, .otherProcess(let holder)):
      setStep(of: load, .waiting(until: nil, .otherProcess(holder: holder)))
    case .waiting(let wait, let reason):
      setStep(of: load, .waiting(until: now.addingTimeInterval(wait / .seconds(1)), reason))
    case .startingOver(let pass): setStep(of: load, .startingOver(pass: pass))
    case .verifying: setStep(of: load, .verifying)
    }
  }

  private mutating func setStep(of load: Int, _ step: LoadStep) {
    if let index = loads.firstIndex(where: { $0.number == load }) { loads[index].step = step }
  }

  /// A load ended.
  mutating func load(_ load: Int, ended report: FetchReport, _ number: Int) {
    loads.removeAll { $0.number == load }
    // An incremental sync, and another process that was waited for, store rows without an event.
    if report.new + report.changed + report.gone > 0 || report.joined { rowsChanged() }
    if let failure = report.shownFailure(of: query) {
      self.failure = failure
      failedAt = number
    } else if report.failure == nil {
      failure = nil
      if report.requests > 0 || report.joined { answeredAt = number }
    }
  }

  /// The snapshot for a screen.
  ///
  /// - Parameters:
  ///   - rows: reads the rows of the list.
  ///   - since: the number of the moment when the screen came. Failures before that are not its failures, and what the
  ///     network brought before that was, for this screen, in the store.
  ///   - awaitsNetwork: whether the rows are hidden until the network answered or failed.
  func snapshot(of rows: any StoredRows, since: Int = 0, awaitsNetwork: Bool = false) -> ListSnapshot {
    let load = loadState(since: since)
    let isHidden = awaitsNetwork && answeredAt < since && failedAt < since
    guard !isHidden, let stored = known else {
      return ListSnapshot(
        query: query, state: isHidden ? .loading : .derived(from: .nothing, load: storeFailure ?? load), origin: nil,
        count: 0, totals: nil, pagesStored: 0, completeness: .partial(pages: 0, of: nil), load: load)
    }
    let list = RecordingList(rows, count: stored.count, generation: generation)
    return ListSnapshot(
      query: stored.query, state: .derived(from: .pages(rows: list, next: stored.next), load: load),
      origin: Origin(
        place: answeredAt > since ? .network : .store, oldestFetchedAt: stored.oldestFetchedAt,
        newestFetchedAt: stored.newestFetchedAt),
      count: stored.count, totals: stored.totals, pagesStored: stored.pagesStored, completeness: stored.completeness,
      load: load)
  }

  private func loadState(since: Int) -> LoadState {
    if let load = loads.first { return .loading(load.step) }
    if let failure, failedAt > since { return .failed(failure) }
    return .idle
  }

  /// Why the store could not be read.
  private var storeFailure: LoadState? {
    if case .failure(let error)? = stored { .failed(.store(error)) } else { nil }
  }
}

extension FetchReport {
  /// The failure that a screen shows; none if the load was cancelled.
  fileprivate func shownFailure(of query: CatalogueQuery) -> LoadError? {
    if let failure { return failure == .cancelled ? nil : failure }
    return failedPages.first.map { .fetch($0.error, catalogue: query.catalogue, page: $0.number) }
  }
}
