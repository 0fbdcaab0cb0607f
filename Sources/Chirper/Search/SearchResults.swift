import ChirperModel
import ChirperStore

/// What a search of everything stored found: counts, and recordings to be read in batches. It keeps their keys, packed to a few
/// bytes each, and no lock.
public struct SearchResults: Sendable {
  /// Recordings that were looked at: all that are stored.
  public fileprivate(set) var searched = 0
  /// Recordings found, by catalogue.
  public fileprivate(set) var matchedByCatalogue: [CatalogueID: Int] = [:]
  fileprivate let matcher: StoredMatcher
  fileprivate let lists: [Int64: CatalogueQuery]
  fileprivate let keptAudio: KeptAudio
  fileprivate(set) var keys = ListKeys()
  var repository: RecordingRepository { matcher.repository }

  /// Recordings found.
  public var matched: Int { matchedByCatalogue.values.reduce(0, +) }

  /// Those of the recordings found, in the order of `RecordingRepository.catalogues`; those that it does not have come last.
  package var catalogues: [CatalogueID] {
    let known = repository.catalogues.map(\.id).filter { matchedByCatalogue[$0] != nil }
    return known + matchedByCatalogue.keys.filter { !known.contains($0) }.sorted { $0.rawValue < $1.rawValue }
  }

  /// The catalogue of that id, if the repository has it.
  package func catalogue(_ id: CatalogueID) -> Catalogue? { repository.catalogue(id) }

  /// Recordings that can be read: those found, or those in the window that was asked for.
  public var count: Int { keys.count }

  /// The recordings at those positions, from 0, cut to the end; throws `.recordingForgotten` if one was deleted meanwhile, or
  /// changed so that the search no longer finds it.
  public func rows(_ range: Range<Int>) throws(StoreError) -> [FoundRecording] {
    var found: [FoundRecording] = []
    for row in try repository.store.recordings(keys[range], withLists: true) {
      let details = repository.details(of: row.recording)
      guard matcher.matches(row, details) else { throw .recordingForgotten }
      found.append(recording(row, details))
    }
    return found
  }

  fileprivate func recording(_ row: StoredRecording, _ details: RecordingDetails) -> FoundRecording {
    FoundRecording(
      recording: row.recording, details: details, lists: row.lists.sorted().compactMap { lists[$0] },
      leftLists: row.leftLists.sorted().compactMap { lists[$0] }, isAudioKept: keptAudio[row.recording.id] != nil,
      firstSeenAt: row.storedAt)
  }
}

extension RecordingRepository {
  /// Searches every stored recording, of all lists and catalogues, each once.
  ///
  /// The index decides about most recordings; the others are read. No lock is held between segments and batches, so a fetch can
  /// go on meanwhile; each recording counts as it was when it was read. Memory does not grow with the store.
  ///
  /// - Parameters:
  ///   - expression: what recordings must satisfy.
  ///   - sort: keys, the most important first; without, the recordings that were stored first come first.
  ///   - distinct: leaves out each copy (`alsoIn`) of a recording that is found too; of several copies whose original is not
  ///     found, all but the first that was stored.
  ///   - window: the recordings to keep for `SearchResults.rows`, by position from 0; all if `nil`.
  ///   - progress: called after each batch with the part of the store that is done, from 0 to 1.
  /// - Throws: `SearchExpressionError` for a list that is not stored, `StoreError`, and `CancellationError` soon after the task
  ///   is cancelled.
  public func search(
    _ expression: SearchExpression, sort: [SearchSort] = [], distinct: Bool = false, window: Range<Int>? = nil,
    progress: (Double) -> Void = { _ in }
  ) throws -> SearchResults {
    let matcher = try StoredMatcher(expression, in: self)
    let window = window ?? 0..<Int.max
    let keptAudio = audio.keptFiles(of: catalogues.map(\.id))
    let results = SearchResults(matcher: matcher, lists: try store.listNumbers(), keptAudio: keptAudio)
    let lastKey = Double(max(1, try store.lastKey()))
    var pass = SearchPass(results, sort, distinct: distinct, window: window)
    let columns = sort.compactMap { if case .detail(let column) = $0.column, column.indexColumn != nil { column } else { nil } }
    // What a recording is a copy of is not in the index.
    let hasValues = columns.count == sort.count && !distinct
    var key = Int64.min
    while true {
      try Task.checkCancellation()
      var step = SearchStep.scan(through: .max)
      if matcher.isIndexed { step = try store.find(matcher.matcher, after: key, columns: hasValues ? columns : nil) }
      switch step {
      case .segment(let answer):
        try pass.add(answer)
        key = answer.lastKey
      case .scan(let through):
        let rows = try store.recordings(after: key, through: through, limit: Self.searchBatch, withLists: pass.needsLists)
        for row in rows { try pass.add(row) }
        if rows.isEmpty, through == .max { return pass.finish() }
        key = rows.count < Self.searchBatch && through < .max ? through : rows.last?.key ?? through
      }
      progress(min(1, Double(key) / lastKey))
    }
  }

  /// Recordings that are read at once; one of iNaturalist can have 50 kB.
  static let searchBatch = 250
}

private struct SearchPass {
  private var results: SearchResults
  let needsLists: Bool
  private let sort: [SearchSort]
  private var found: FoundKeys
  private let isDistinct: Bool
  /// Originals that are not found, of which a copy was.
  private var seenOriginals: Set<RecordingID> = []

  init(_ results: SearchResults, _ sort: [SearchSort], distinct: Bool, window: Range<Int>) {
    self.results = results
    self.sort = sort
    found = FoundKeys(sort, window: window)
    isDistinct = distinct
    needsLists = results.matcher.needsLists || sort.contains { $0.column == .lists || $0.column == .leftLists }
  }

  /// Adds a recording that the index does not decide, if it satisfies the search.
  mutating func add(_ row: StoredRecording) throws(StoreError) {
    results.searched += 1
    let details = results.repository.details(of: row.recording)
    guard results.matcher.matches(row, details), try !isCopy(of: details.alsoIn) else { return }
    let id = row.recording.id.catalogue
    results.matchedByCatalogue[id, default: 0] += 1
    let recording = sort.isEmpty ? nil : results.recording(row, details)
    let catalogue = sort.isEmpty ? nil : results.catalogue(id)
    found.append(row.key) { [sort] in recording?.sortValue(of: sort[$0].column, in: catalogue) ?? .nothing }
  }

  /// Whether the search finds that original, or has found another copy of it, and each is wanted once.
  private mutating func isCopy(of original: RecordingID?) throws(StoreError) -> Bool {
    guard isDistinct, let original else { return false }
    let row = try results.repository.store.recording(original, withLists: results.matcher.needsLists)
    if let row, results.matcher.matches(row) { return true }
    return !seenOriginals.insert(original).inserted
  }

  /// Adds the recordings of a segment that satisfy the search; reads those that the index cannot decide.
  mutating func add(_ answer: SegmentAnswer) throws {
    results.searched += answer.decidedCount
    for (catalogue, count) in answer.counts { results.matchedByCatalogue[catalogue, default: 0] += count }
    var rank = 0
    func addCertain(before key: Int64) {
      while rank < answer.certain.count, answer.certain[rank] < key {
        found.append(answer.certain[rank]) { SortValue(number: answer.values[$0][rank]) }
        rank += 1
      }
    }
    for start in stride(from: 0, to: answer.undecided.count, by: RecordingRepository.searchBatch) {
      try Task.checkCancellation()
      let batch = Array(answer.undecided[start...].prefix(RecordingRepository.searchBatch))
      for row in try results.repository.store.recordings(batch, ifStored: true, withLists: needsLists) {
        addCertain(before: row.key)
        try add(row)
      }
    }
    addCertain(before: .max)
  }

  consuming func finish() -> SearchResults {
    results.keys = found.keys()
    return results
  }
}

/// Gathers the keys of found recordings in the order asked for, and forgets those outside of the window.
struct FoundKeys {
  private let sort: [SearchSort]
  private let window: Range<Int>
  private var count = 0
  /// Without a sort key: the window's keys.
  private var unsorted = ListKeys()
  private var sortedKeys: [Int64] = []
  /// The values of each key in turn, in one array: an array for each recording would take four times the memory.
  private var values: [SortValue] = []
  /// Whether the first of `sortedKeys`, as many as the window ends with, are in order.
  private var isFull = false

  init(_ sort: [SearchSort], window: Range<Int>) {
    self.sort = sort
    self.window = window
  }

  /// - Parameter value: the value of the sort key with that number; called only where it is needed.
  mutating func append(_ key: Int64, _ value: (Int) -> SortValue) {
    defer { count += 1 }
    guard !sort.isEmpty else {
      if window.contains(count) { unsorted.append(key) }
      return
    }
    for index in sort.indices { values.append(value(index)) }
    sortedKeys.append(key)
    if isFull, !comes(sortedKeys.count - 1, before: window.upperBound - 1) {
      // It comes after the window.
      sortedKeys.removeLast()
      values.removeLast(sort.count)
      return
    }
    // A search for the first fifty keeps a few thousand, however many there are.
    if window.upperBound < Int.max / 8, sortedKeys.count >= window.upperBound * 4 + 4096 {
      keepFirst(window.upperBound)
      isFull = window.upperBound > 0
    }
  }

  consuming func keys() -> ListKeys {
    guard !sort.isEmpty else { return unsorted }
    keepFirst(sortedKeys.count)
    return ListKeys(sortedKeys[window.clamped(to: 0..<sortedKeys.count)])
  }

  private mutating func keepFirst(_ limit: Int) {
    // Swift's sort is stable: equal recordings stay in the order in which they were stored.
    let order = sortedKeys.indices.sorted { comes($0, before: $1) }.prefix(limit)
    let width = sort.count
    sortedKeys = order.map { sortedKeys[$0] }
    values = order.flatMap { index in values[(index * width)..<((index + 1) * width)] }
  }

  private func comes(_ left: Int, before right: Int) -> Bool {
    for (offset, part) in sort.enumerated() {
      let (value, other) = (values[left * sort.count + offset], values[right * sort.count + offset])
      if value.comes(before: other, descending: part.descending) { return true }
      if other.comes(before: value, descending: part.descending) { return false }
    }
    return false
  }
}
