import ChirperModel
import ChirperStore
import Foundation

/// Publishes snapshots: the shell around the `ListStatus` of each query, which reads the
/// store and sends every observer a new snapshot after a change. A page that was stored
/// comes with the facts that the store then has. Otherwise the store is read when a load
/// ends, and when its version has changed. That is checked when a screen comes and once a
/// second while there are observers.
///
/// A query is known for as long as a screen, a load or a snapshot holds its rows. Then it
/// is forgotten, so that an app that searches all day neither grows nor reads lists again
/// that nobody shows.
final class SnapshotPublisher: Sendable {
  private let store: RecordingStore
  private let now: @Sendable () -> Date
  private let state = Locked(State())
  /// A lock that is held from reading the store until the snapshots are sent, so that no
  /// observer gets an older one last. A read may wait for a different process, so a screen
  /// that begins or ends observing does not take this lock.
  private let changes = Locked(())

  private struct State: Sendable {
    var lists: [CatalogueQuery: List] = [:]
    var observers: [Int: Observer] = [:]
    /// The observers of the store as a whole.
    var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    /// The version of the store that was compared with `lists` last.
    var version: [Int]?
    var polling: Task<Void, Never>?
    private var lastNumber = 0
    private var limit = 16

    /// Numbers scopes, observers and everything that happens to a list.
    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    var scopes: [SnapshotScope] { observers.values.map(\.scope) }

    var observedQueries: Set<CatalogueQuery> { Set(scopes.map(\.query)) }

    func observers(of query: CatalogueQuery) -> [Observer] {
      observers.values.filter { $0.scope.query == query }
    }

    mutating func add(_ list: List, of query: CatalogueQuery) {
      if lists.count >= limit {
        lists = lists.filter { $0.value.rows != nil }
        limit = 2 * lists.count + 16
      }
      lists[query] = list
    }
  }

  private struct List: Sendable {
    var status: ListStatus
    /// The reader of the rows; `nil` once nobody holds it.
    weak var rows: RecordingCache?
  }

  /// A load that is under way.
  struct Load: Sendable {
    fileprivate let number: Int
    /// Retained, so that the query is known until it ends.
    fileprivate let rows: RecordingCache
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

  /// The events of a query of a repository from now on.
  func scope(
    of query: CatalogueQuery, in repository: RecordingRepository, awaitsNetwork: Bool = false
  ) -> SnapshotScope {
    SnapshotScope(
      asked: query, in: repository, rows: rows(of: query),
      since: state.withLock { $0.nextNumber() }, awaitsNetwork: awaitsNetwork)
  }

  /// Lets a scope show the list of what it asks for, if it shows one without rows.
  ///
  /// - Parameter waits: whether to wait for the store, and to send the scope's observers a snapshot.
  /// - Returns: The query of the list that it shows; `nil` if the store does not know it at once.
  @discardableResult
  func findList(of scope: SnapshotScope, waits: Bool = true) -> CatalogueQuery? {
    let shown = scope.shown.withLock(\.self)
    let isFound = known(shown.query)?.count ?? 0 > 0 || !waits && shown.query != scope.asked
    if shown.isAsking || isFound { return shown.query }
    guard let list = try? scope.repository.list(of: scope.asked, waits: waits) else { return nil }
    if list != shown.query { show(list, in: scope, sends: waits) }
    return list
  }

  /// Lets a scope show the list of a form of what it asks for.
  ///
  /// - Parameter isAsking: whether further forms are asked if this one finds nothing.
  func show(
    _ query: CatalogueQuery, in scope: SnapshotScope, isAsking: Bool = false, sends: Bool = true
  ) {
    let shown = SnapshotScope.Shown(query: query, rows: rows(of: query), isAsking: isAsking)
    scope.shown.withLock { $0 = shown }
    #if Collection
    scope.arrangement.withLock { $0 = $0?.moved(to: query) }
    #endif
    if sends { changes.withLock { _ in send(query) } }
  }

  /// A new observer, which gets the newest snapshot first. Returns at once; the store is read
  /// elsewhere.
  func observe(_ scope: SnapshotScope) -> AsyncStream<ListSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ListSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      guard !scope.hasEnded.withLock(\.self) else { return continuation.finish() }
      let number = state.nextNumber()
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
      state.observers[number] = Observer(scope: scope, continuation: continuation)
      poll(&state)
    }
    Task(executorPreference: store.showing) { [weak self] in
      self?.publishChangesOfOthers(and: scope)
    }
    return stream
  }

  /// A value at once, then one whenever the store, or downloaded audio, may have changed; at least
  /// one a second.
  func changesOfStore() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      let number = state.nextNumber()
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
      state.watchers[number] = continuation
      poll(&state)
    }
    continuation.yield()
    return stream
  }

  /// Notes that this process has written something.
  func storeMayHaveChanged() {
    for watcher in state.withLock(\.watchers).values { watcher.yield() }
  }

  /// Looks once a second for changes by other processes, until the last observer ends.
  private func poll(_ state: inout State) {
    guard state.polling == nil else { return }
    // Not `RecordingRepository.Dependencies.sleep`: with a clock that skips time this would run without a pause.
    state.polling = Task(executorPreference: store.showing) { [weak self] in
      while (try? await Task.sleep(for: .seconds(1))) != nil {
        self?.publishChangesOfOthers()
        self?.storeMayHaveChanged()
      }
    }
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
      state.watchers[number] = nil
      if let query = state.observers.removeValue(forKey: number)?.scope.query,
        state.observers(of: query).isEmpty
      {
        state.lists[query]?.rows?.forget()
      }
      guard state.observers.isEmpty, state.watchers.isEmpty else { return }
      state.polling?.cancel()
      state.polling = nil
    }
  }

  // MARK: What happens to a list

  /// A load of the query began, perhaps of its next page; returns it, for the other calls.
  func loadBegan(of query: CatalogueQuery, appends: Bool) -> Load {
    let rows = rows(of: query)
    return change(query) { status, number in
      status.loadBegan(number, appends: appends)
      return Load(number: number, rows: rows)
    }
  }

  /// A page of the query was stored; its `.page` event follows.
  func pageWasStored(_ page: PageOutcome, of query: CatalogueQuery) {
    defer { storeMayHaveChanged() }
    guard page.changesRows || page.changed > 0 else { return }
    changes.withLock { _ in update(query) { status, _ in status.rowsChanged() } }
    recordingsChanged(page.changedIDs, besides: query)
  }

  func load(_ load: Load, of query: CatalogueQuery, did event: FetchEvent) {
    let now = now()
    // Rows may have left the list.
    let reading = if case .closed = event { true } else { false }
    change(query, reading: reading) { status, number in
      status.load(load.number, did: event, number, now: now)
    }
  }

  func load(_ load: Load, of query: CatalogueQuery, ended report: FetchReport) {
    change(query, reading: true) { status, number in status.load(load.number, ended: report, number)
    }
    let isComplete = report.changedIDs.count >= report.changed
    recordingsChanged(report.changedIDs, isComplete: isComplete, besides: query)
  }

  func forgot(_ query: CatalogueQuery) {
    change(query, reading: true) { status, _ in status.forgotten() }
  }

  /// Notes that recordings have different fields now. Different lists may contain them too.
  ///
  /// - Parameter isComplete: whether the ids are those of all recordings that changed.
  private func recordingsChanged(
    _ ids: [String], isComplete: Bool = true, besides query: CatalogueQuery
  ) {
    guard !ids.isEmpty || !isComplete else { return }
    changes.withLock { _ in
      var others = Set(state.withLock(\.lists).filter { $0.value.rows != nil }.keys)
      others.remove(query)
      guard !others.isEmpty else { return }
      let recordings = ids.map { RecordingID(catalogue: query.catalogue, value: $0) }
      // If they cannot be looked up, any list may contain them.
      if isComplete, let containing = try? store.queries(containing: recordings) {
        others.formIntersection(containing)
      }
      for other in others {
        update(other) { status, _ in status.rowsChanged() }
        send(other)
      }
    }
  }

  /// Rows that a screen asked for are there now, or cannot be read.
  func rowsWereRead(_ result: Result<Void, StoreError>, of query: CatalogueQuery) {
    changes.withLock { _ in
      // Not `update`, which would remove the rows.
      state.withLock { state in
        let number = state.nextNumber()
        state.lists[query]?.status.rowsWereRead(result, number)
      }
      send(query)
    }
  }

  // MARK: Snapshots

  func snapshot(of query: CatalogueQuery) throws(StoreError) -> ListSnapshot {
    let rows = rows(of: query)
    let status = changes.withLock { _ in
      checkVersion()
      return currentStatus(of: query)
    }
    _ = try status.stored?.get()
    return status.snapshot(of: rows)
  }

  /// The snapshot for a scope if it can be made at once, from known facts, or by reading
  /// without waiting.
  func snapshotAtOnce(_ scope: SnapshotScope) -> ListSnapshot? {
    guard let query = findList(of: scope, waits: false) else { return nil }
    var status = state.withLock { $0.lists[query]?.status } ?? ListStatus(query)
    if !status.isRead {
      guard let stored = (try? store.shown(query, waits: false)) ?? nil else { return nil }
      status.stored = .success(stored)
      // A row of this snapshot may appear before the list is read again.
      state.withLock { state in
        let number = state.nextNumber()
        guard var list = state.lists[query], !list.status.isRead else { return }
        list.status.wasRead(.success(stored), number)
        state.lists[query] = list
      }
    }
    return snapshot(status, for: scope)
  }

  /// The facts that the store holds about a query, as far as it was read; never waits.
  func known(_ query: CatalogueQuery) -> StoredQuery? {
    state.withLock { $0.lists[query]?.status.known }
  }

  /// A number that differs after each change of the rows.
  func generation(of query: CatalogueQuery) -> Int {
    state.withLock { $0.lists[query]?.status.generation ?? 0 }
  }

  #if Collection
  /// Notes that a screen shows different rows of its list, or is to show different rows
  /// since they could be read.
  func arrangementChanged(of query: CatalogueQuery) {
    changes.withLock { _ in send(query) }
  }
  #endif

  private func currentStatus(of query: CatalogueQuery) -> ListStatus {
    let status = update(query) { status, _ in status }
    guard !status.isRead else { return status }
    read(query)
    return update(query) { status, _ in status }
  }

  /// Changes the facts about a query, after reading the store if `reading`, and sends its
  /// observers the snapshot.
  private func change<T>(
    _ query: CatalogueQuery, reading: Bool = false,
    _ body: (_ status: inout ListStatus, _ number: Int) -> T
  ) -> T {
    let rows = rows(of: query)
    defer {
      // What else happens to a list writes no row.
      if reading { storeMayHaveChanged() }
      withExtendedLifetime(rows) {}
    }
    return changes.withLock { _ in
      if reading { read(query) }
      let result = update(query, body)
      send(query)
      return result
    }
  }

  private func update<T>(
    _ query: CatalogueQuery, _ body: (_ status: inout ListStatus, _ number: Int) -> T
  ) -> T {
    let rows = rows(of: query)
    return state.withLock { state in
      let number = state.nextNumber()
      var list = state.lists[query] ?? List(status: ListStatus(query), rows: rows)
      let generation = list.status.generation
      let result = body(&list.status, number)
      if list.status.generation != generation { rows.removeAll() }
      state.lists[query] = list
      return result
    }
  }

  /// - Parameter new: a scope whose list is published whether it has changed or not.
  private func publishChangesOfOthers(and new: SnapshotScope? = nil) {
    let changed = changes.withLock { _ in checkVersion() }
    let scopes = changed == nil ? new.map { [$0] } ?? [] : state.withLock(\.scopes)
    for scope in scopes { findList(of: scope) }
    changes.withLock { _ in
      for list in state.withLock(\.observedQueries)
      where changed?.contains(list) == true || list == new?.query { send(list) }
    }
  }

  /// Finds out whether the store was changed and, if so, which lists.
  ///
  /// - Returns: the queries whose snapshot is different now; `nil` if the store is as it was.
  @discardableResult
  private func checkVersion() -> Set<CatalogueQuery>? {
    let version = try? store.version()
    let (isChanged, lists) = state.withLock { state in
      defer { state.version = version }
      return (state.version != version, state.lists)
    }
    guard isChanged else { return nil }
    var changed: Set<CatalogueQuery> = []
    // A page that was stored again has another time, and a recording that another list changed is
    // compared if it was read.
    for (query, list) in lists {
      guard let rows = list.rows else { continue }
      if list.status.couldNotBeReadAgain { changed.insert(query) }
      guard case .success(let stored) = read(query) else {
        changed.insert(query)
        continue
      }
      let isKnown = (try? list.status.stored?.get()) == .some(stored)
      var isCurrent = isKnown && !list.status.lacksRows && rows.isCurrent()
      #if Collection
      // Each reads its rows again.
      for observer in state.withLock({ $0.observers(of: query) }) {
        let arrangement = observer.scope.arrangement.withLock(\.self)
        if arrangement?.isCurrent() == false { isCurrent = false }
      }
      #endif
      guard !isCurrent else { continue }
      update(query) { status, _ in status.rowsChanged() }
      changed.insert(query)
    }
    return changed
  }

  @discardableResult
  private func read(_ query: CatalogueQuery) -> Result<StoredQuery?, StoreError> {
    let stored = Result { () throws(StoreError) in try store.shown(query) }
    update(query) { status, number in status.wasRead(stored, number) }
    return stored
  }

  /// The reader of the rows of a list. Callers get one reader for as long as somebody holds
  /// it.
  private func rows(of query: CatalogueQuery) -> RecordingCache {
    state.withLock { state in
      if let rows = state.lists[query]?.rows { return rows }
      let source = RecordingCache.Source(executor: store.showing) {
        [store] positions, waits throws(StoreError) in
        try store.rows(of: query, in: positions, waits: waits)
      } ids: { [store] positions throws(StoreError) in
        try store.ids(of: store.keys(of: query, in: positions), in: query.catalogue)
      } wereRead: { [weak self] result in
        self?.rowsWereRead(result, of: query)
      }
      let rows = RecordingCache(catalogue: query.catalogue, source)
      state.add(List(status: ListStatus(query), rows: rows), of: query)
      return rows
    }
  }

  /// Sends a query's observers the current snapshot; they skip one that they had.
  private func send(_ query: CatalogueQuery) {
    guard state.withLock({ $0.observedQueries.contains(query) }) else { return }
    let status = currentStatus(of: query)
    state.withLock { $0.lists[query]?.rows }?.readOutdated()
    for observer in state.withLock({ $0.observers(of: query) }) {
      observer.continuation.yield(snapshot(status, for: observer.scope))
    }
  }

  private func snapshot(_ status: ListStatus, for scope: SnapshotScope) -> ListSnapshot {
    let shown = scope.shown.withLock(\.self)
    var snapshot = status.snapshot(
      of: shown.rows, since: scope.since, awaitsNetwork: scope.awaitsNetwork)
    // The end of one load is not that of the pager's, for which `Pager.Load.report` is set.
    if shown.isAsking {
      if !snapshot.isLoading { snapshot.load = .loading(.starting) }
      guard snapshot.count > 0 else {
        return ListSnapshot(
          query: status.query, state: .loading, stored: nil, from: nil, load: snapshot.load)
      }
    }
    if snapshot.source != nil {
      #if Collection
      snapshot.shownRows = scope.arrangement.withLock(\.self)?.rows(of: status.generation)
      #endif
    }
    return snapshot
  }
}
