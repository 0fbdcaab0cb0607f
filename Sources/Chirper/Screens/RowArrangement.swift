#if Collection

import ChirperModel
import ChirperStore

/// The rows of its list that a screen shows, and their order. They are selected on a thread of
/// their own, again after each change of the list; until that is done, the screen shows those that
/// were selected before.
final class RowArrangement: Sendable {
  let query: CatalogueQuery
  /// The search that rows must satisfy; `nil` if every row is shown.
  let filter: SearchExpression?
  private let sort: [SortKey]
  private let repository: RecordingRepository
  private let executor = QueueExecutor("chirper.arranging")
  private let state = Locked(State())

  private struct State: Sendable {
    var rows: RecordingCache?
    var count = 0
    /// A number that differs after each change of `rows`, and of the rows that it can read.
    var version = 0
    /// The generation of the list when the rows were selected, and none before that; `wanted` is
    /// the generation now.
    var generation = -1
    var wanted = 0
    var isSelecting = false
  }

  init(
    _ repository: RecordingRepository, _ query: CatalogueQuery, where filter: SearchExpression?,
    sort: [SortKey]
  ) {
    self.repository = repository
    self.query = query
    self.filter = filter
    self.sort = sort
  }

  /// An arrangement of a list by the same search and order: this one, if the list is its own.
  func moved(to query: CatalogueQuery) -> RowArrangement {
    query == self.query ? self : RowArrangement(repository, query, where: filter, sort: sort)
  }

  /// Selects the rows for the first time.
  ///
  /// - Throws: `SearchExpressionError` for a list that is not stored, `StoreError`, and
  ///   `CancellationError`.
  func select() async throws {
    // Before the list is read: a change meanwhile selects them again.
    let generation = repository.publisher.generation(of: query)
    try await withTaskExecutorPreference(executor) { try select(generation) }
  }

  private func select(_ generation: Int) throws {
    var reader = try ListReader(repository, [query], sort: sort)
    if let filter {
      reader = reader.subset(
        at: try reader.positions(matching: StoredMatcher(filter, in: repository, rowsOf: [query])))
    }
    try Task.checkCancellation()
    let rows = cache(of: reader.keys)
    state.withLock { state in
      state.rows = rows
      state.count = reader.count
      state.generation = generation
      state.version += 1
    }
  }

  private func cache(of keys: [Int64]) -> RecordingCache {
    let store = repository.store
    let query = query
    return RecordingCache(
      catalogue: query.catalogue,
      RecordingCache.Source(executor: store.showing) { positions, waits throws(StoreError) in
        let wanted = keys.within(positions)
        guard let stored = try store.recordings(wanted, waits: waits) else { return nil }
        let recordings = Dictionary(stored.map { ($0.key, $0.recording) }) { first, _ in first }
        return zip(positions, wanted).map {
          recordings[$1] ?? Recording(missingAt: $0, of: query.catalogue)
        }
      } ids: { positions throws(StoreError) in
        try store.ids(of: positions.map(keys.within) ?? keys, in: query.catalogue)
      } wereRead: { [weak self] result in
        self?.rowsWereRead(result)
      })
  }

  private func rowsWereRead(_ result: Result<Void, StoreError>) {
    switch result {
    case .success:
      state.withLock { $0.version += 1 }
      repository.publisher.arrangementChanged(of: query)
    case .failure: repository.publisher.rowsWereRead(result, of: query)
    }
  }

  /// The rows to show; none before they were selected. Selects them anew if the list has changed
  /// since.
  func rows(of generation: Int) -> RecordingList {
    let (rows, begins) = state.withLock { state in
      state.wanted = generation
      let begins = state.generation != generation && !state.isSelecting
      state.isSelecting = state.isSelecting || begins
      return (
        state.rows.map { RecordingList($0, count: state.count, generation: state.version) } ?? [],
        begins
      )
    }
    if begins { Task(executorPreference: executor) { [weak self] in self?.selectAgain() } }
    return rows
  }

  private func selectAgain() {
    let wanted = state.withLock(\.wanted)
    do {
      try select(wanted)
      repository.publisher.arrangementChanged(of: query)
    } catch {
      let failure = error as? StoreError
      if let failure { repository.publisher.rowsWereRead(.failure(failure), of: query) }
      // Another process is writing; `select` has waited for it.
      if failure?.isBusy != true { state.withLock { $0.generation = wanted } }
    }
    let isDone = state.withLock { state in
      state.isSelecting = state.generation != state.wanted
      return !state.isSelecting
    }
    if !isDone { Task(executorPreference: executor) { [weak self] in self?.selectAgain() } }
  }

  /// Whether the rows that were read are still the stored ones; reads them again.
  func isCurrent() -> Bool { state.withLock(\.rows)?.isCurrent() ?? true }
}

#endif
