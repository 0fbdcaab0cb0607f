import ChirperModel
import ChirperPlatform
import ChirperStore
import Foundation

/// Publishes snapshots: the shell around the `ListStatus` of each query, which reads the store and sends every observer a new
/// snapshot after a change. A page that was stored comes with what the store then holds. Else the store is read when a load ends,
/// and when its version has changed, which is checked when a screen comes and once a second while there are observers.
final class SnapshotPublisher: Sendable {
  private let store: RecordingStore
  private let now: @Sendable () -> Date
  private let state = Locked(State())
  /// Held from reading the store until the snapshots are sent, so that no observer gets an older one last. A read may
  /// wait for another process, so a screen that begins or ends observing does not take this lock.
  private let changes = Locked(())

  private struct State: Sendable {
    var lists: [CatalogueQuery: List] = [:]
    var observers: [Int: Observer] = [:]
    /// The version of the store that was compared with `lists` last.
    var version: [Int]?
    var polling: Task<Void, Never>?
    private var lastNumber = 0

    /// Numbers scopes, observers and everything that happens to a list.
    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    var observedQueries: Set<CatalogueQuery> { Set(observers.values.map(\.scope.query)) }

    func observers(of query: CatalogueQuery) -> [Observer] { observers.values.filter { $0.scope.query == query } }
  }

  private struct List: Sendable {
    var status: ListStatus
    let rows: RecordingCache

    func snapshot(for scope: SnapshotScope? = nil) -> ListSnapshot {
      status.snapshot(of: rows, since: scope?.since ?? 0, awaitsNetwork: scope?.awaitsNetwork ?? false)
    }
  }

  private struct Observer: Sendable {
    let scope: SnapshotScope
    let continuation: AsyncStream<ListSnapshot>.Continuation
  }

  init(store: RecordingStore, now: @escaping @Sendable () -> Date) {
    self.store = store
    self.now = now
  }

  // MARK: Observers

  /// What happens from now on; see `SnapshotScope`.
  func scope(of query: CatalogueQuery, awaitsNetwork: Bool = false) -> SnapshotScope {
    SnapshotScope(query: query, since: state.withLock { $0.nextNumber() }, awaitsNetwork: awaitsNetwork)
  }

  /// A new observer, which gets the newest snapshot first. Returns at once; the store is read elsewhere.
  func observe(_ scope: SnapshotScope) -> AsyncStream<ListSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: ListSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      guard !scope.hasEnded.withLock(\.self) else { return continuation.finish() }
      let number = state.nextNumber()
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
      state.observers[number] = Observer(scope: scope, continuation: continuation)
      // Not `Dependencies.sleep`: with a clock that skips time this would run without a pause.
      state.polling =
        state.polling
        ?? Task(executorPreference: store.showing) { [weak self] in
          while (try? await Task.sleep(for: .seconds(1))) != nil { self?.publishChangesOfOthers() }
        }
    }
    Task(executorPreference: store.showing) { [weak self] in self?.publishChangesOfOthers(and: scope.query) }
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

  // MARK: What happens to a list

  /// A load of the query began; returns its number, for the other calls.
  func loadBegan(of query: CatalogueQuery) -> Int {
    change(query) { status, number in
      status.loadBegan(number)
      return number
    }
  }

  /// A page of the query was stored; its `.page` event follows.
  func pageWasStored(_ page: PageOutcome, of query: CatalogueQuery) {
    guard page.changesRows || page.changed > 0 else { return }
    changes.withLock { _ in update(query) { status, _ in status.rowsChanged() } }
    if page.changed > 0 { recordingsChanged(besides: query) }
  }

  func load(_ load: Int, of query: CatalogueQuery, did event: FetchEvent) {
    let now = now()
    // Rows may have left the list.
    let reading = if case .closed = event { true } else { false }
    change(query, reading: reading) { status, number in status.load(load, did: event, number, now: now) }
  }

  func load(_ load: Int, of query: CatalogueQuery, ended report: FetchReport) {
    change(query, reading: true) { status, number in status.load(load, ended: report, number) }
    if report.changed > 0 { recordingsChanged(besides: query) }
  }

  func forgot(_ query: CatalogueQuery) {
    change(query, reading: true) { status, _ in status.forgotten() }
  }

  /// Recordings have other fields now, and other lists may contain them too.
  private func recordingsChanged(besides query: CatalogueQuery) {
    changes.withLock { _ in
      for other in state.withLock(\.lists.keys) where other != query { update(other) { status, _ in status.rowsChanged() } }
      for other in state.withLock(\.observedQueries) where other != query { send(other) }
    }
  }

  // MARK: Snapshots

  func snapshot(of query: CatalogueQuery) throws(StoreError) -> ListSnapshot {
    let list = changes.withLock { _ in
      checkVersion()
      return currentList(of: query)
    }
    _ = try list.status.stored?.get()
    return list.snapshot()
  }

  private func currentList(of query: CatalogueQuery) -> List {
    if !state.withLock({ $0.lists[query]?.status.isRead ?? false }) { read(query) }
    return state.withLock { $0.lists[query] ?? newList(of: query) }
  }

  /// Changes what is known of a query, after reading what the store holds if `reading`, and sends its observers the snapshot.
  private func change<T>(
    _ query: CatalogueQuery, reading: Bool = false, _ body: (_ status: inout ListStatus, _ number: Int) -> T
  ) -> T {
    changes.withLock { _ in
      if reading { read(query) }
      let result = update(query, body)
      send(query)
      return result
    }
  }

  private func update<T>(_ query: CatalogueQuery, _ body: (_ status: inout ListStatus, _ number: Int) -> T) -> T {
    state.withLock { state in
      let number = state.nextNumber()
      var list = state.lists[query] ?? newList(of: query)
      let result = body(&list.status, number)
      if list.status.generation != state.lists[query]?.status.generation { list.rows.removeAll() }
      state.lists[query] = list
      return result
    }
  }

  /// - Parameter query: one to publish whether it has changed or not.
  private func publishChangesOfOthers(and query: CatalogueQuery? = nil) {
    changes.withLock { _ in
      let isChanged = checkVersion()
      for observed in state.withLock(\.observedQueries) where isChanged || observed == query { send(observed) }
    }
  }

  /// Finds out whether the store was changed and, if so, which lists; `true` if it was changed.
  @discardableResult
  private func checkVersion() -> Bool {
    let version = try? store.version()
    let (isChanged, lists) = state.withLock { state in
      defer { state.version = version }
      return (state.version != version, state.lists)
    }
    guard isChanged else { return false }
    // A page that was stored again has another time, and a recording that another list changed is compared if it was read.
    for (query, list) in lists where read(query) != list.status.stored || !list.rows.isCurrent() {
      update(query) { status, _ in status.rowsChanged() }
    }
    return true
  }

  @discardableResult
  private func read(_ query: CatalogueQuery) -> Result<StoredQuery?, StoreError> {
    let stored = Result { () throws(StoreError) in try store.stored(query) }
    update(query) { status, _ in status.stored = stored }
    return stored
  }

  private func newList(of query: CatalogueQuery) -> List {
    let rows = RecordingCache(catalogue: query.catalogue) { [store] range throws(StoreError) in
      try store.rows(of: query, in: range)
    } ids: { [store] () throws(StoreError) in
      try store.ids(of: query)
    }
    return List(status: ListStatus(query), rows: rows)
  }

  /// Sends a query's observers the current snapshot; they skip one that they had.
  private func send(_ query: CatalogueQuery) {
    guard state.withLock({ $0.observedQueries.contains(query) }) else { return }
    let list = currentList(of: query)
    for observer in state.withLock({ $0.observers(of: query) }) {
      observer.continuation.yield(list.snapshot(for: observer.scope))
    }
  }
}
