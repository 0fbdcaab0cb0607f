import ChirperModel
import ChirperPlatform
import ChirperStore
import Foundation

/// Publishes snapshots: keeps what the store holds of each query and what its loads are doing, and sends every observer a
/// new snapshot after a change.
///
/// A page that was stored comes with what the store then holds of the query, so its snapshot needs no read. The store is
/// read when a load ends, and when it has another version than when it was read, which is checked when a screen comes and
/// once a second while there are observers.
final class SnapshotPublisher: Sendable {
  private let store: RecordingStore
  /// For the time until which a load waits.
  private let now: @Sendable () -> Date
  private let state: Locked<State>
  /// Held from reading the store until the snapshots are sent, so that no observer gets an older one last. A read may
  /// wait for another process, so a screen that begins or ends observing does not take this lock.
  private let changes = NSLock()

  /// How often the store is checked for changes by others while there are observers.
  static let pollInterval: Duration = .seconds(1)
  /// A shorter wait for the rate limit is not shown; see `LoadStep.waiting`.
  private static let shortestShownWait: Duration = .seconds(5)

  private struct State: Sendable {
    var lists: [CatalogueQuery: List] = [:]
    var observers: [Int: Observer] = [:]
    /// The version of the store that was compared with `lists` last.
    var version: StoreVersion?
    var polling: Task<Void, Never>?
    private var lastNumber = 0

    /// Numbers scopes, observers, loads, arrivals and failures in the order in which they came.
    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    var observedQueries: Set<CatalogueQuery> { Set(observers.values.map(\.scope.query)) }

    func observers(of query: CatalogueQuery) -> [Observer] { observers.values.filter { $0.scope.query == query } }
  }

  /// What is known of one query.
  private struct List: Sendable {
    let rows: RecordingCache
    /// What the store holds; `nil`: not read yet, or out of date.
    var stored: Result<StoredQuery?, StoreError>?
    /// Another number after each change of the rows.
    var generation = 0
    /// The loads under way; all but the first wait for it.
    var loads: [(number: Int, step: LoadStep)] = []
    /// Of the last load, if it failed.
    var failure: LoadError?
    /// When a load failed last, and when the network answered last.
    var failedAt = 0
    var answeredAt = 0

    mutating func rowsChanged() {
      generation += 1
      rows.removeAll()
    }

    var known: StoredQuery? {
      if case .success(let stored)? = stored { stored } else { nil }
    }

    /// Whether the store was read, and could be.
    var isRead: Bool {
      if case .success? = stored { true } else { false }
    }

    /// Why the store could not be read.
    var storeFailure: LoadState? {
      if case .failure(let error)? = stored { .failed(.store(error)) } else { nil }
    }

    /// Failures before `since` do not count: they ended before the screen came.
    func loadState(since: Int) -> LoadState {
      if let load = loads.first { return .loading(load.step) }
      if let failure, failedAt > since { return .failed(failure) }
      return .idle
    }
  }

  private struct Observer: Sendable {
    let scope: SnapshotScope
    let continuation: AsyncStream<ListSnapshot>.Continuation
  }

  init(store: RecordingStore, now: @escaping @Sendable () -> Date) {
    self.store = store
    self.now = now
    state = Locked(State())
  }
}

/// Observers.
extension SnapshotPublisher {
  /// What happens from now on; see `SnapshotScope`.
  func scope(of query: CatalogueQuery, awaitsNetwork: Bool = false) -> SnapshotScope {
    SnapshotScope(query: query, since: state.withLock { $0.nextNumber() }, awaitsNetwork: awaitsNetwork)
  }

  /// A new observer, which gets the newest snapshot first. Returns at once; the store is read elsewhere.
  func observe(_ scope: SnapshotScope) -> AsyncStream<ListSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: ListSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    let number: Int? = state.withLock { state in
      guard !scope.hasEnded.withLock(\.self) else { return nil }
      let number = state.nextNumber()
      state.observers[number] = Observer(scope: scope, continuation: continuation)
      state.polling = state.polling ?? poll()
      return number
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    Task { [weak self] in self?.publish(scope.query) }
    return stream
  }

  /// Ends every stream of a scope, also those that are still to come.
  func end(_ scope: SnapshotScope) {
    let ended = state.withLock { state in
      scope.hasEnded.withLock { $0 = true }
      return state.observers.filter { $0.value.scope === scope }
    }
    // Outside the lock, because it calls `remove`.
    for observer in ended.values { observer.continuation.finish() }
  }

  private func remove(_ number: Int) {
    state.withLock { state in
      guard let query = state.observers.removeValue(forKey: number)?.scope.query else { return }
      if state.observers(of: query).isEmpty { state.lists[query]?.rows.removeAll() }
      guard state.observers.isEmpty else { return }
      state.polling?.cancel()
      state.polling = nil
    }
  }

  /// Looks for changes by others until it is cancelled.
  private func poll() -> Task<Void, Never> {
    Task { [weak self] in
      // Not `Dependencies.sleep`: with a clock that skips time this would run without a pause.
      while (try? await Task.sleep(for: Self.pollInterval)) != nil { self?.publishChangesOfOthers() }
    }
  }
}

/// Loads.
extension SnapshotPublisher {
  /// A load of the query began.
  ///
  /// - Returns: its number, for the other calls.
  func loadBegan(of query: CatalogueQuery) -> Int {
    change(query) { list, number in
      list.failure = nil
      list.loads.append((number, .starting))
      return number
    }
  }

  /// A page of the query was stored; its `.page` event follows.
  func pageWasStored(_ page: PageOutcome, of query: CatalogueQuery) {
    guard page.changesRows || page.changed > 0 else { return }
    changes.withLock { state.withLock { $0.lists[query, default: list(of: query)].rowsChanged() } }
    if page.changed > 0 { recordingsChanged(besides: query) }
  }

  func load(_ load: Int, of query: CatalogueQuery, did event: FetchEvent) {
    switch event {
    case .failed, .lookedUp: break
    case .stored(let stored):
      // What is known already may be newer.
      change(query) { list, _ in if !list.isRead { list.stored = .success(stored) } }
    case .requesting(let page, let pages):
      step(load, of: query) { stored in
        page <= stored?.pagesStored ?? 0 ? .refreshing(page: page, of: pages) : .loading(page: page, of: pages)
      }
    case .page(number: _, let stored):
      change(query) { list, number in
        list.stored = .success(stored)
        list.answeredAt = number
      }
    case .closed(_, let gone):
      change(query, reading: true) { list, _ in
        if gone > 0 { list.rowsChanged() }
      }
    case .waiting(let wait, .rateLimit) where wait < Self.shortestShownWait: break
    case .waiting(_, let reason) where reason.isOtherProcess: step(load, of: query) { _ in .waiting(until: nil, reason) }
    case .waiting(let wait, let reason):
      let until = now().addingTimeInterval(wait / .seconds(1))
      step(load, of: query) { _ in .waiting(until: until, reason) }
    case .startingOver(let pass): step(load, of: query) { _ in .startingOver(pass: pass) }
    case .verifying: step(load, of: query) { _ in .verifying }
    }
  }

  private func step(_ load: Int, of query: CatalogueQuery, _ step: (StoredQuery?) -> LoadStep) {
    change(query) { list, _ in
      guard let index = list.loads.firstIndex(where: { $0.number == load }) else { return }
      list.loads[index].step = step(list.known)
    }
  }

  func load(_ load: Int, of query: CatalogueQuery, ended report: FetchReport) {
    change(query, reading: true) { list, number in
      list.loads.removeAll { $0.number == load }
      // An incremental sync, and another process that was waited for, store rows without an event.
      if report.new + report.changed + report.gone > 0 || report.joined { list.rowsChanged() }
      if let failure = report.shownFailure(of: query) {
        list.failure = failure
        list.failedAt = number
      } else if report.failure == nil {
        list.failure = nil
        if report.requests > 0 || report.joined { list.answeredAt = number }
      }
    }
    if report.changed > 0 { recordingsChanged(besides: query) }
  }

  /// The query was removed from the store.
  func forgot(_ query: CatalogueQuery) {
    change(query, reading: true) { list, _ in
      list.failure = nil
      list.rowsChanged()
    }
  }
}

/// ListSnapshots.
extension SnapshotPublisher {
  /// Of what is stored now, and of the load state of this process.
  func snapshot(of query: CatalogueQuery) throws(StoreError) -> ListSnapshot {
    let known = changes.withLock {
      checkVersion()
      if !state.withLock({ $0.lists[query]?.isRead ?? false }) { read(query) }
      return state.withLock { $0.lists[query] ?? list(of: query) }
    }
    _ = try known.stored?.get()
    return snapshot(of: query, known, scope: nil)
  }

  /// Changes what is known of a query, and sends its observers the new snapshot.
  ///
  /// - Parameters:
  ///   - reading: whether to read first what the store holds.
  ///   - body: gets the next number.
  private func change<T>(
    _ query: CatalogueQuery, reading: Bool = false, _ body: (_ list: inout List, _ number: Int) -> T
  ) -> T {
    changes.withLock {
      if reading { read(query) }
      let result = state.withLock { state in
        let number = state.nextNumber()
        return body(&state.lists[query, default: list(of: query)], number)
      }
      send(query)
      return result
    }
  }

  private func publish(_ query: CatalogueQuery) {
    changes.withLock {
      checkVersion()
      send(query)
    }
  }

  private func publishChangesOfOthers() {
    changes.withLock {
      guard checkVersion() else { return }
      for query in state.withLock(\.observedQueries) { send(query) }
    }
  }

  /// Finds out whether the store was changed and, if so, which lists; `true` if it was changed.
  @discardableResult
  private func checkVersion() -> Bool {
    let version = try? store.version()
    let lists = state.withLock { state in
      guard state.version != version else { return nil as [CatalogueQuery: List]? }
      state.version = version
      return state.lists
    }
    guard let lists else { return false }
    // A page that was stored again has another time, and a recording that another list changed is compared if it was read.
    for (query, list) in lists where read(query) != list.stored || !list.rows.isCurrent() {
      state.withLock { $0.lists[query]?.rowsChanged() }
    }
    return true
  }

  /// Recordings have other fields now, and other lists may contain them too.
  private func recordingsChanged(besides query: CatalogueQuery) {
    changes.withLock {
      state.withLock { state in
        for other in state.lists.keys where other != query { state.lists[other]?.rowsChanged() }
      }
      for other in state.withLock(\.observedQueries) where other != query { send(other) }
    }
  }

  @discardableResult
  private func read(_ query: CatalogueQuery) -> Result<StoredQuery?, StoreError> {
    let stored = Result { () throws(StoreError) in try store.stored(query) }
    state.withLock { $0.lists[query, default: list(of: query)].stored = stored }
    return stored
  }

  private func list(of query: CatalogueQuery) -> List {
    let store = store
    return List(
      rows: RecordingCache(catalogue: query.catalogue) { range throws(StoreError) in
        try store.rows(of: query, in: range)
      } ids: { () throws(StoreError) in
        try store.ids(of: query)
      })
  }

  /// Sends a query's observers the current snapshot; they skip one that they had.
  private func send(_ query: CatalogueQuery) {
    let (isObserved, isRead) = state.withLock { state in
      (!state.observers(of: query).isEmpty, state.lists[query]?.isRead ?? false)
    }
    guard isObserved else { return }
    if !isRead { read(query) }
    state.withLock { state in
      guard let list = state.lists[query] else { return }
      for observer in state.observers(of: query) {
        observer.continuation.yield(snapshot(of: query, list, scope: observer.scope))
      }
    }
  }

  private func snapshot(of query: CatalogueQuery, _ list: List, scope: SnapshotScope?) -> ListSnapshot {
    let since = scope?.since ?? 0
    let load = list.loadState(since: since)
    let isHidden = scope?.awaitsNetwork == true && list.answeredAt < since && list.failedAt < since
    guard !isHidden, let stored = list.known else {
      return ListSnapshot(
        query: query, state: isHidden ? .loading : .derived(from: .nothing, load: list.storeFailure ?? load), origin: nil,
        count: 0, totals: nil, pagesStored: 0, completeness: .partial(pages: 0, of: nil), load: load)
    }
    let rows = RecordingList(list.rows, count: stored.count, generation: list.generation)
    return ListSnapshot(
      query: stored.query, state: .derived(from: .pages(rows: rows, next: stored.next), load: load),
      origin: Origin(
        place: list.answeredAt > since ? .network : .store, oldestFetchedAt: stored.oldestFetchedAt,
        newestFetchedAt: stored.newestFetchedAt),
      count: stored.count, totals: stored.totals, pagesStored: stored.pagesStored, completeness: stored.completeness,
      load: load)
  }
}

extension FetchReport {
  /// The failure that a screen shows; none where the load was cancelled.
  fileprivate func shownFailure(of query: CatalogueQuery) -> LoadError? {
    if let failure { return failure == .cancelled ? nil : failure }
    return failedPages.first.map { .fetch($0.error, catalogue: query.catalogue, page: $0.number) }
  }
}

extension WaitReason {
  fileprivate var isOtherProcess: Bool {
    if case .otherProcess = self { true } else { false }
  }
}
