import ChirperModel

/// A reader of the rows of one list of the store, which caches the rows read last. A row
/// that cannot be read at once is read on a different thread.
final class RecordingCache: StoredRows {
  /// Reads from the store.
  struct Source: Sendable {
    /// The thread for rows that could not be read at once.
    let executor: QueueExecutor
    /// The rows at the positions now, cut to the list's end; `nil` if that would wait and
    /// `waits` is `false`.
    let rows: @Sendable (_ positions: Range<Int>, _ waits: Bool) throws(StoreError) -> [Recording]?
    let ids: @Sendable (_ positions: Range<Int>?) throws(StoreError) -> [RecordingID]
    /// Called on the executor with the result, for rows that a screen asked for.
    let wereRead: @Sendable (Result<Void, StoreError>) -> Void
  }

  private let catalogue: CatalogueID
  private let source: Source
  private let cache = Locked(Cache())

  private struct Cache: Sendable {
    /// The rows read last, by their position divided by `RecordingCache.blockSize`; the latest used
    /// are at the end.
    var blocks: [(number: Int, rows: [Recording])] = []
    /// Counts how often the rows were removed, so that rows read before that are not cached after
    /// it.
    var removals = 0
    /// The blocks of the rows that were removed because they may have changed.
    var outdated: [Int] = []
    /// The blocks that are being read on the executor, and those of them for which a screen
    /// shows placeholders.
    var reading: Set<Int> = []
    var awaited: Set<Int> = []

    mutating func use(_ number: Int) -> [Recording]? {
      guard let index = blocks.lastIndex(where: { $0.number == number }) else { return nil }
      if index < blocks.count - 1 { blocks.append(blocks.remove(at: index)) }
      return blocks.last?.rows
    }

    mutating func add(_ rows: [Recording], as number: Int, unless removalsSince: Int) {
      guard removals == removalsSince else { return }
      // Another thread may have read the same rows meanwhile.
      blocks.removeAll { $0.number == number }
      blocks.append((number, rows))
      if blocks.count > RecordingCache.blockLimit { blocks.removeFirst() }
    }
  }

  /// Rows that are read at once.
  static let blockSize = 100
  /// Blocks that are cached: more than a screen shows. They are read again after each change of the
  /// store (`isCurrent`).
  static let blockLimit = 4
  /// The distance to the end of a block at which the use of a row has the next block read.
  private static let distance = 25

  init(catalogue: CatalogueID, _ source: Source) {
    self.catalogue = catalogue
    self.source = source
  }

  func read(_ positions: Range<Int>) throws(StoreError) -> [Recording] {
    try source.rows(positions, true) ?? []
  }

  func ids(_ positions: Range<Int>?) throws(StoreError) -> [RecordingID] {
    try source.ids(positions)
  }

  func row(at position: Int) -> Recording {
    let (number, index) = position.quotientAndRemainder(dividingBy: Self.blockSize)
    let rows = cache.withLock { $0.use(number) } ?? readAtOnce(number)
    guard let rows else {
      readLater(number, isAwaited: true)
      return Recording(missingAt: position, of: catalogue)
    }
    if index >= Self.blockSize - Self.distance, rows.count == Self.blockSize {
      readLater(number + 1)
    }
    if index < Self.distance, number > 0 { readLater(number - 1) }
    return rows.indices.contains(index)
      ? rows[index] : Recording(missingAt: position, of: catalogue)
  }

  private func positions(_ number: Int) -> Range<Int> {
    (number * Self.blockSize)..<((number + 1) * Self.blockSize)
  }

  /// The rows of a block; `nil` if reading would have to wait, or failed. The thread that
  /// may wait finds out the error.
  private func readAtOnce(_ number: Int) -> [Recording]? {
    let removals = cache.withLock(\.removals)
    guard let rows = try? source.rows(positions(number), false) else { return nil }
    cache.withLock { $0.add(rows, as: number, unless: removals) }
    return rows
  }

  private func readLater(_ number: Int, isAwaited: Bool = false) {
    let begins = cache.withLock { cache in
      if isAwaited { cache.awaited.insert(number) }
      return !cache.blocks.contains { $0.number == number } && cache.reading.insert(number).inserted
    }
    guard begins else { return }
    Task(executorPreference: source.executor) { [weak self] in self?.readWaiting(number) }
  }

  private func readWaiting(_ number: Int) {
    let removals = cache.withLock(\.removals)
    let result = Result { () throws(StoreError) in try source.rows(positions(number), true) ?? [] }
    let isAwaited = cache.withLock { cache in
      cache.reading.remove(number)
      if case .success(let rows) = result { cache.add(rows, as: number, unless: removals) }
      return cache.awaited.remove(number) != nil
    }
    guard isAwaited else { return }
    source.wereRead(result.map { _ in })
    // The screen still has nothing in their place.
    if case .failure(let error) = result, error.isBusy { readLater(number, isAwaited: true) }
  }

  /// Whether the cached rows are still the rows of the list; reads them again.
  func isCurrent() -> Bool {
    cache.withLock(\.blocks).allSatisfy {
      (try? source.rows(positions($0.number), true)) == $0.rows
    }
  }

  /// The rows changed. `readOutdated` reads those that were cached.
  func removeAll() {
    cache.withLock { cache in
      cache.outdated = cache.blocks.isEmpty ? cache.outdated : cache.blocks.map(\.number)
      cache.blocks = []
      cache.removals += 1
    }
  }

  /// Reads the rows again that a screen has used, so that it finds them when it shows the change.
  func readOutdated() {
    let (numbers, removals) = cache.withLock { cache in
      defer { cache.outdated = [] }
      return (cache.outdated, cache.removals)
    }
    for number in numbers {
      guard let rows = try? source.rows(positions(number), true) else { return }
      cache.withLock { $0.add(rows, as: number, unless: removals) }
    }
  }

  /// Nobody shows the rows any more.
  func forget() {
    cache.withLock { cache in
      cache = Cache(removals: cache.removals + 1, reading: cache.reading)
    }
  }
}
