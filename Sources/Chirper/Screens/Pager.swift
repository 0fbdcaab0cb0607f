import ChirperModel
import Foundation

/// Hands a screen successive states of one query, and loads more when asked.
///
/// One load runs at a time. A call that asks for what is already being loaded, or waits to
/// be loaded, joins it; any other load waits until the one before has ended. The next page
/// goes first: a refresh that has not stored a page yet begins again after it. A load stops
/// when `cancel` is called, or when every task that waits for it was cancelled; the pages
/// that arrived until then are stored.
public actor Pager {
  /// The query that it was made for. If nothing is found, it shows the list of a further form of
  /// it, which `ListSnapshot.query` says.
  public nonisolated let query: CatalogueQuery
  /// The list's snapshots, for any number of observers, each with the newest first; they end when
  /// the pager is released.
  ///
  /// An observer does not keep the pager, but a closure that names the pager does: make the loop
  /// over a copy.
  ///
  ///     let snapshots = pager.snapshots
  ///     Task { [weak self] in
  ///       for await snapshot in snapshots { self?.show(snapshot) }
  ///     }
  public nonisolated let snapshots: ListSnapshot.Updates

  private let repository: RecordingRepository
  private let policy: ReadPolicy
  /// The loads, of which the first is running and the rest wait.
  private(set) var loads: [Load] = []
  private var failed: LoadKind?
  private var lastCaller = 0
  /// The last row near the end that appeared, with its distance, and whether pages are being loaded
  /// for it.
  private let appeared = Locked<(position: Int, distance: Int)?>(nil)
  private var isLoadingPages = false
  #if Collection
  /// Numbers the calls of `show`, of which the last decides.
  private let lastShow = Locked(0)
  #endif

  enum LoadKind: Hashable {
    case refresh
    case refreshIfOlder(than: Duration)
    case nextPage
  }

  struct Load {
    let kind: LoadKind
    var callers: [Int: CheckedContinuation<FetchReport?, Never>] = [:]
    /// The task of the load; `nil` while it waits for the load before it.
    var task: Task<Void, Never>?
    /// Whether the load is about to end, so that nobody may join it.
    var isCancelled = false
    /// Whether the load is about to end, and begins again after the next page.
    var isOvertaken = false
    /// Whether it refreshes a stored list and has not stored a page.
    let canBeOvertaken = Locked(false)
    /// The result of the load. It is set before a snapshot shows that the load has ended,
    /// because an observer of that snapshot may ask for a new load.
    let report = Locked<FetchReport?>(nil)
    var hasEnded: Bool { report.withLock { $0 != nil } }
  }

  /// A pager that has read and requested nothing yet; `snapshots` reads the store, and
  /// `start` loads.
  ///
  /// - Parameters:
  ///   - repository: the repository, which reads, requests and stores the pages.
  ///   - query: the list that is shown.
  ///   - policy: the loads of `start`, and whether stored rows are shown before that.
  public init(
    _ repository: RecordingRepository, query: CatalogueQuery,
    policy: ReadPolicy = .storeThenNetwork
  ) {
    self.repository = repository
    self.query = query
    self.policy = policy
    snapshots = ListSnapshot.Updates(
      publisher: repository.publisher,
      scope: repository.publisher.scope(
        of: query, in: repository, awaitsNetwork: policy == .networkThenStore))
  }

  deinit {
    snapshots.publisher.end(snapshots.scope)
  }

  /// Loads the pages that the policy asks for besides the stored ones; `nil` if it asks for
  /// nothing.
  @discardableResult
  public func start() async -> FetchReport? {
    switch policy {
    case .storeOnly: nil
    case .storeThenNetwork, .networkThenStore: await load(.refresh)
    case .ifOlder(let age): await load(.refreshIfOlder(than: age))
    }
  }

  /// Loads the page after the last, before a refresh that has stored nothing yet; `nil` if the end
  /// was reached.
  @discardableResult
  public func loadNextPage() async -> FetchReport? {
    await load(.nextPage)
  }

  /// The default distance to the last row, in rows, at which the next page is loaded.
  public static let distance = 20

  /// Loads the next page if the row is one of the last of the list and there are more
  /// upstream; to be called for every row that appears. Returns at once.
  ///
  /// Rows that appear while a page is being loaded count, too. If the page was so short
  /// that they are among the last again, the next one follows. After a failure nothing is
  /// loaded until `retry` or a different load has succeeded. While `show` hides rows,
  /// nothing is loaded, because a filter that finds little would load the whole list. Offer
  /// `loadNextPage` if the snapshot's `canLoadMore` is `true`. `cancel` ends the load.
  ///
  /// - Parameters:
  ///   - position: the position of the row in the snapshot's `rows`, from 0.
  ///   - distance: the distance to the last row, in rows, at which the next page is loaded.
  public nonisolated func rowAppeared(at position: Int, distance: Int = Pager.distance) {
    guard isNearEnd((position, distance)) else { return }
    appeared.withLock { $0 = (max(position, $0?.position ?? 0), distance) }
    Task { await loadPages() }
  }

  private nonisolated func isNearEnd(_ row: (position: Int, distance: Int)) -> Bool {
    guard !snapshots.scope.hidesRows,
      let stored = snapshots.publisher.known(snapshots.scope.query)
    else { return false }
    return stored.next != nil && row.position >= stored.count - row.distance
  }

  private func loadPages() async {
    guard !isLoadingPages else { return }
    isLoadingPages = true
    defer { isLoadingPages = false }
    noteFirstEnd()
    // After a failure the row still waits, for `retry`.
    while failed == nil, let row = appeared.withLock(\.self) {
      guard isNearEnd(row) else {
        // Not one that appeared just now.
        appeared.withLock { if $0?.position == row.position { $0 = nil } }
        continue
      }
      guard let report = await load(.nextPage), report.failure != .cancelled else { break }
    }
  }

  #if Collection
  /// Shows the rows of the list that satisfy a search, in the order of `sort`; all in the
  /// catalogue's order if neither is given.
  ///
  /// Only `ListSnapshot.rows` changes. The state, the counts and the loads stay those of
  /// the list. The rows are selected on a thread of the store, and again after each change
  /// of the list. Until that is done, the screen keeps the rows that it has. For 100,000
  /// rows that takes up to a second, less if the search index decides.
  ///
  /// - Parameters:
  ///   - filter: the search that rows must satisfy to be shown.
  ///   - sort: keys, the most important first.
  /// - Throws: `SearchExpressionError` for a list that is not stored, `StoreError`, and
  ///   `CancellationError` soon after the task is cancelled; the rows shown stay as they
  ///   are. A later call makes an earlier one that still runs end without effect. Calls of
  ///   one actor, such as the main actor, count in the order in which it makes them.
  public nonisolated(nonsending) func show(
    where filter: SearchExpression? = nil, sort: [SortKey] = []
  ) async throws {
    // Still on the caller's actor, so that calls are numbered in the order in which it makes them.
    let number = lastShow.withLock { number in
      number += 1
      return number
    }
    let isWhole = filter == nil && sort.isEmpty
    let query = await withTaskExecutorPreference(repository.store.showing) {
      [scope = snapshots.scope] in repository.publisher.findList(of: scope) ?? scope.query
    }
    let arrangement = isWhole ? nil : RowArrangement(repository, query, where: filter, sort: sort)
    try await arrangement?.select()
    let scope = snapshots.scope
    lastShow.withLock { last in
      guard last == number else { return }
      scope.arrangement.withLock { $0 = arrangement?.moved(to: scope.query) }
    }
    await withTaskExecutorPreference(repository.store.showing) {
      repository.publisher.arrangementChanged(of: scope.query)
    }
  }
  #endif

  /// The snapshot of the store, if it can be read without waiting.
  nonisolated var snapshotAtOnce: ListSnapshot? {
    snapshots.publisher.snapshotAtOnce(snapshots.scope)
  }

  /// Requests page 1 again, and the other stored pages if it shows a change (see
  /// `Pager.ReadPolicy.storeThenNetwork`); the first page if nothing is stored.
  /// `RecordingRepository.sync` also finds changes that no first page shows.
  @discardableResult
  public func refresh() async -> FetchReport? {
    await load(.refresh)
  }

  /// Repeats the load of this pager that failed last; a refresh if none did.
  @discardableResult
  public func retry() async -> FetchReport? {
    noteFirstEnd()
    let report = await load(failed ?? .refresh)
    // The rows that are shown do not appear again.
    Task { await loadPages() }
    return report
  }

  /// A screen may know of a failure before the load has left the queue.
  private func noteFirstEnd() {
    if let first = loads.first, let report = first.report.withLock({ $0 }) {
      noteEnd(of: first.kind, report)
    }
  }

  /// Stops every load and returns when they have ended; pages that arrived are stored. A
  /// load that is started afterwards, also before this returns, runs as usual.
  public func cancel() async {
    appeared.withLock { $0 = nil }
    for load in loads.dropFirst() { resume(load, with: .cancelled) }
    loads.removeLast(max(0, loads.count - 1))
    cancelRunning()
    await loads.first?.task?.value
  }

  // MARK: The queue of loads

  /// Joins a load of that kind or adds one, and waits for its end.
  private func load(_ kind: LoadKind) async -> FetchReport? {
    guard !Task.isCancelled else { return .cancelled }
    lastCaller += 1
    let caller = lastCaller
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let index =
          loads.firstIndex { $0.kind == kind && !$0.isCancelled && !$0.hasEnded } ?? loads.count
        if index < loads.count {
          loads[index].callers[caller] = continuation
        } else {
          let load = Load(kind: kind, callers: [caller: continuation])
          loads.insert(load, at: kind == .nextPage ? min(1, loads.count) : loads.count)
          if kind == .nextPage { overtakeFirst() }
        }
        runFirst()
      }
    } onCancel: {
      Task { await self.stopWaiting(caller) }
    }
  }

  private func overtakeFirst() {
    guard loads.count > 1, !loads[0].isCancelled, loads[0].canBeOvertaken.withLock(\.self) else {
      return
    }
    loads[0].isOvertaken = true
    loads[0].task?.cancel()
  }

  private func runFirst() {
    guard let first = loads.first, first.task == nil else { return }
    loads[0].task = Task { [repository, scope = snapshots.scope] in
      let report = await Self.run(first, of: scope, in: repository)
      ended(first.kind, report)
    }
  }

  private func ended(_ kind: LoadKind, _ report: FetchReport?) {
    let load = loads.removeFirst()
    if load.isOvertaken, report?.failure == .cancelled {
      loads.insert(Load(kind: kind, callers: load.callers), at: min(1, loads.count))
    } else {
      if let report { noteEnd(of: kind, report) }
      resume(load, with: report)
    }
    runFirst()
  }

  private func noteEnd(of kind: LoadKind, _ report: FetchReport) {
    if report.failure == .cancelled { return }
    failed = report.failure != nil || !report.failedPages.isEmpty ? kind : nil
  }

  /// A caller's task was cancelled: its load stops if nobody else waits for it.
  private func stopWaiting(_ caller: Int) {
    guard let index = loads.firstIndex(where: { $0.callers[caller] != nil }) else { return }
    // The last caller of the running load waits for its end, so that nothing runs after it.
    if index == 0, loads[0].callers.count == 1 { return cancelRunning() }
    loads[index].callers.removeValue(forKey: caller)?.resume(returning: .cancelled)
    if loads[index].callers.isEmpty { loads.remove(at: index) }
  }

  private func cancelRunning() {
    guard !loads.isEmpty else { return }
    loads[0].isCancelled = true
    loads[0].isOvertaken = false
    loads[0].task?.cancel()
  }

  private func resume(_ load: Load, with report: FetchReport?) {
    for continuation in load.callers.values { continuation.resume(returning: report) }
  }

  /// - Returns: `nil` if there is nothing to load.
  private static func run(
    _ load: Load, of scope: SnapshotScope, in repository: RecordingRepository
  ) async -> FetchReport? {
    let (query, stored, firstPage) = await withTaskExecutorPreference(repository.store.loading) {
      let query = repository.publisher.findList(of: scope) ?? scope.query
      let pages = (try? repository.store.walkStatus(of: query))?.pages
      return (query, try? repository.stored(query), pages?[1])
    }
    func run(
      _ plan: FetchPlan, _ kind: FetchRun.Kind = .fetch, appends: Bool = false
    ) async -> FetchReport {
      await repository.load(query, plan, kind, appends: appends) { report in
        load.report.withLock { $0 = report }
      } observe: { event in
        if case .page = event { load.canBeOvertaken.withLock { $0 = false } }
      }
    }
    switch load.kind {
    case .refreshIfOlder(let limit):
      if let stored, let firstPage {
        let age = repository.dependencies.now().timeIntervalSince(
          max(firstPage.fetchedAt, stored.checkedAt ?? .distantPast))
        // A time in the future is of a clock that was ahead.
        if age >= 0, .seconds(age) < limit { return nil }
      }
      fallthrough
    case .refresh:
      guard let stored, !stored.isMiss else {
        let plan = stored.map { RecordingRepository.syncPlan(of: $0) }
        return await ask(load, of: scope, in: repository, again: plan)
      }
      load.canBeOvertaken.withLock { $0 = true }
      return await run(RecordingRepository.syncPlan(of: stored), .refresh)
    case .nextPage:
      guard let stored else { return await ask(load, of: scope, in: repository) }
      guard let next = stored.next else { return nil }
      return await run(FetchPlan(.pages(next)), appends: true)
    }
  }

  /// Asks for one form of the query after the other, until one finds something. The screen shows
  /// that it is loading until the last has answered.
  ///
  /// - Parameter plan: how the query itself is asked again.
  private static func ask(
    _ load: Load, of scope: SnapshotScope, in repository: RecordingRepository,
    again plan: FetchPlan? = nil
  ) async -> FetchReport? {
    let publisher = repository.publisher
    let report = await repository.loadForms(of: scope.asked) { form in
      await withTaskExecutorPreference(repository.store.loading) {
        publisher.show(form, in: scope, isAsking: true)
      }
      guard let plan, form == scope.asked else {
        return await repository.load(form, FetchPlan(.pages(1)))
      }
      return await repository.load(form, plan, .refresh)
    }
    load.report.withLock { $0 = report }
    await withTaskExecutorPreference(repository.store.loading) {
      publisher.show(report.stored?.query ?? scope.asked, in: scope)
    }
    return report
  }
}

extension FetchReport {
  fileprivate static let cancelled = FetchReport(failure: .cancelled)
}
