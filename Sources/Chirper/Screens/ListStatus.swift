import ChirperModel
import Foundation

/// The facts about one query's list: what is stored, the progress of its loads, and how
/// they ended. The snapshot that a screen gets follows from this value alone.
///
/// Every event has a number, and later events have higher ones, so that a screen is shown
/// only the events since it came (`SnapshotScope`).
struct ListStatus: Sendable {
  let query: CatalogueQuery
  /// The facts that the store holds; `nil` if it was not read yet.
  var stored: Result<StoredQuery?, StoreError>?
  /// The error because of which the store could not be read again since, and the error's
  /// number.
  private var readFailure: (error: StoreError, number: Int)?
  /// A number that differs after each change of the rows.
  private(set) var generation = 0
  /// The loads under way; all but the first wait for it.
  private var loads: [(number: Int, step: LoadState.Step, appends: Bool)] = []
  /// Whether the load that ended last was of the next page.
  private var lastAppended = false
  /// The error of the last load, if it failed.
  private var failure: LoadError?
  /// The error of the last read of rows, if it failed, and the error's number.
  private var rowsFailure: (error: StoreError, number: Int)?
  /// The numbers of the last failure, and of the last answer of the network.
  private var failedAt = 0
  private var answeredAt = 0

  init(_ query: CatalogueQuery) {
    self.query = query
  }

  /// Whether the store was read, and could be.
  var isRead: Bool {
    if case .success? = stored { true } else { false }
  }

  /// Whether the store was read before and could not be read again.
  var couldNotBeReadAgain: Bool { readFailure != nil }

  /// The facts that the store holds, if it was read.
  var known: StoredQuery? { (try? stored?.get()) ?? nil }

  /// Whether rows that a screen asked for could not be read.
  var lacksRows: Bool { rowsFailure != nil }

  /// Notes that the store was read. The facts read before are still shown if it cannot be
  /// read now.
  mutating func wasRead(_ result: Result<StoredQuery?, StoreError>, _ number: Int) {
    if case .failure(let error) = result, isRead {
      readFailure = (error, number)
    } else {
      stored = result
      readFailure = nil
    }
  }

  /// Rows entered, left or moved, or have other fields.
  mutating func rowsChanged() {
    generation += 1
    rowsFailure = nil
  }

  /// Notes that rows for which a screen shows placeholders are there now, or could not be
  /// read.
  mutating func rowsWereRead(_ result: Result<Void, StoreError>, _ number: Int) {
    switch result {
    case .success: rowsChanged()
    case .failure(let error): rowsFailure = (error, number)
    }
  }

  mutating func forgotten() {
    failure = nil
    rowsChanged()
  }

  /// A load began; the number is its name.
  ///
  /// - Parameter appends: whether it is of the next page.
  mutating func loadBegan(_ number: Int, appends: Bool) {
    failure = nil
    loads.append((number, .starting, appends))
  }

  /// The load of that number did something, which has a number of its own.
  mutating func load(_ load: Int, did event: FetchEvent, _ number: Int, now: Date) {
    switch event {
    // As `LoadState.Step.waiting` says.
    case .failed, .lookedUp, .asking, .waiting(..<(.seconds(5)), .rateLimit): break
    case .stored(let stored):
      // What is known already may be newer.
      if !isRead { self.stored = .success(stored) }
    case .requesting(let page, let pages):
      let isStored = page <= known?.pagesStored ?? 0
      setStep(
        of: load, isStored ? .refreshing(page: page, of: pages) : .loading(page: page, of: pages))
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

  private mutating func setStep(of load: Int, _ step: LoadState.Step) {
    if let index = loads.firstIndex(where: { $0.number == load }) { loads[index].step = step }
  }

  mutating func load(_ load: Int, ended report: FetchReport, _ number: Int) {
    if let index = loads.firstIndex(where: { $0.number == load }) {
      lastAppended = loads.remove(at: index).appends
    }
    // An incremental sync, and another process that was waited for, store rows without an event.
    if report.new + report.changed + report.gone > 0 || report.joined { rowsChanged() }
    // A load that was cancelled has not failed.
    if report.failure == .cancelled { return }
    let failedPage = report.failedPages.first
    failure =
      report.failure
      ?? failedPage.map { .fetch($0.error, catalogue: query.catalogue, page: $0.number) }
    if failure != nil {
      failedAt = number
    } else if report.requests > 0 || report.joined {
      answeredAt = number
    }
  }

  /// The snapshot for a screen, whose scope has `since` and `awaitsNetwork`; `rows` reads the rows
  /// of the list.
  func snapshot(of rows: any StoredRows, since: Int = 0, awaitsNetwork: Bool = false)
    -> ListSnapshot
  {
    var failed = failure.map { failedAt > since ? LoadState.failed($0) : .idle }
    for case let (error, number)? in [rowsFailure, readFailure] where number > since {
      failed = .failed(.store(error))
    }
    let load = loads.first.map { .loading($0.step) } ?? failed ?? .idle
    let isHidden = awaitsNetwork && answeredAt < since && failedAt < since
    guard !isHidden, let stored = known else {
      var shown = load
      if case .failure(let error)? = self.stored { shown = .failed(.store(error)) }
      return ListSnapshot(
        query: query, state: isHidden ? .loading : .derived(from: .nothing, load: shown),
        stored: nil, from: nil, load: load)
    }
    let list = RecordingList(rows, count: stored.count, generation: generation)
    var snapshot = ListSnapshot(
      query: stored.query, state: .derived(from: .pages(rows: list, next: stored.next), load: load),
      stored: stored, from: answeredAt > since ? .network : .store, load: load)
    snapshot.appends = loads.first?.appends ?? lastAppended
    return snapshot
  }
}
