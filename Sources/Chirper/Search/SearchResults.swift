import ChirperModel
import ChirperRemote
import ChirperStore

/// What a search of everything stored found: counts, and recordings to be read in batches.
///
/// It keeps the keys of the recordings, packed to a few bytes each, and no lock.
public struct SearchResults: Sendable {
  /// Recordings that were looked at: all that are stored.
  public let searched: Int
  /// Recordings found, by catalogue.
  public let matchedByCatalogue: [CatalogueID: Int]
  private let reader: FoundReader
  private let keys: RowKeys

  fileprivate init(_ reader: FoundReader, keys: RowKeys, searched: Int, matched: [CatalogueID: Int]) {
    self.reader = reader
    self.keys = keys
    self.searched = searched
    matchedByCatalogue = matched
  }

  /// Recordings found.
  public var matched: Int { matchedByCatalogue.values.reduce(0, +) }

  /// Recordings that can be read: those found, or the part of them that was asked for.
  public var count: Int { keys.count }

  /// The recordings at those positions, from 0, cut to the end.
  ///
  /// - Throws: `.recordingForgotten` where one was deleted meanwhile, or changed so that the search no longer finds it.
  public func rows(_ range: Range<Int>) throws(StoreError) -> [FoundRecording] {
    try reader.rows(keys[range])
  }
}

/// Reads recordings and joins what is known about them.
private struct FoundReader: Sendable {
  let store: RecordingStore
  let matcher: StoredMatcher
  let lists: [Int64: SearchQuery]
  let keptAudio: KeptAudio

  func rows(_ keys: [Int64]) throws(StoreError) -> [FoundRecording] {
    var found: [FoundRecording] = []
    for row in try store.recordings(keys, withLists: true) {
      let details = row.recording.knownDetails
      guard matcher.matches(row, details) else { throw .recordingForgotten }
      found.append(recording(row, details))
    }
    return found
  }

  func recording(_ row: StoredRecording, _ details: RecordingDetails) -> FoundRecording {
    FoundRecording(
      recording: row.recording, details: details, lists: row.lists.sorted().compactMap { lists[$0] },
      leftLists: row.leftLists.sorted().compactMap { lists[$0] }, isAudioKept: keptAudio[row.recording.id] != nil,
      firstSeenAt: row.storedAt)
  }
}

extension RecordingRepository {
  /// Searches every stored recording, of all lists and catalogues, each once.
  ///
  /// It reads in batches and holds no lock between them, so a fetch can go on meanwhile; each recording counts as it was when
  /// it was read. Memory does not grow with the store.
  ///
  /// - Parameters:
  ///   - expression: what recordings must satisfy.
  ///   - filter: a text that recordings must also contain, as `RowSearch` finds it.
  ///   - sort: keys, the most important first; without, the recordings that were stored first come first.
  ///   - distinct: leaves out each copy (`alsoIn`) of a recording that is found too; of several copies whose original is not
  ///     found, all but the first that was stored.
  ///   - window: the recordings to keep for `SearchResults.rows`, by position from 0; all if `nil`.
  ///   - progress: called after each batch with the part of the store that is done, from 0 to 1.
  /// - Throws: `SearchExpressionError` for a list that is not stored, `StoreError`, and `CancellationError` soon after the task
  ///   is cancelled.
  public func search(
    _ expression: SearchExpression, filter: String? = nil, sort: [SearchSort] = [], distinct: Bool = false,
    window: Range<Int>? = nil,
    progress: (Double) -> Void = { _ in }
  ) throws -> SearchResults {
    let matcher = try StoredMatcher(expression, filter: filter, in: self)
    let window = window ?? 0..<Int.max
    let reader = FoundReader(
      store: store, matcher: matcher, lists: try store.listNumbers(), keptAudio: audio.keptFiles(of: Catalogues.all.map(\.id)))
    let needsLists = matcher.needsLists || sort.contains { $0.column == .lists || $0.column == .leftLists }
    let lastKey = Double(max(1, try store.lastKey()))
    var order = SearchOrder(sort, window: window)
    var copies = distinct ? FoundCopies(store: store, matcher: matcher) : nil
    var (searched, matched) = (0, [CatalogueID: Int]())
    var key = Int64.min
    while true {
      try Task.checkCancellation()
      let rows = try store.recordings(after: key, limit: Self.searchBatch, withLists: needsLists)
      guard let last = rows.last else { break }
      for row in rows {
        let details = row.recording.knownDetails
        guard matcher.matches(row, details), try copies?.isRepeated(details.alsoIn) != true else { continue }
        matched[row.recording.id.catalogue, default: 0] += 1
        order.append(row.key) { reader.recording(row, details) }
      }
      searched += rows.count
      key = last.key
      progress(min(1, Double(key) / lastKey))
    }
    return SearchResults(reader, keys: order.keys(), searched: searched, matched: matched)
  }

  /// A recording of iNaturalist can have 50 kB.
  private static let searchBatch = 250
}

/// Recognizes the copies of recordings that a search finds as well, by the numbers that they name.
private struct FoundCopies {
  let store: RecordingStore
  let matcher: StoredMatcher
  /// Originals that are not found, of which a copy was.
  private var seen: Set<RecordingID> = []

  init(store: RecordingStore, matcher: StoredMatcher) {
    self.store = store
    self.matcher = matcher
  }

  /// Whether the search finds that original, or has found another copy of it.
  mutating func isRepeated(_ original: RecordingID?) throws(StoreError) -> Bool {
    guard let original else { return false }
    if let row = try store.storedRecording(original, withLists: matcher.needsLists),
      matcher.matches(row, row.recording.knownDetails)
    {
      return true
    }
    return !seen.insert(original).inserted
  }
}

/// Gathers the keys of found recordings in the order asked for, and forgets those outside of the window.
struct SearchOrder {
  private let sort: [SearchSort]
  private let window: Range<Int>
  private var count = 0
  /// Without a sort key: the window's keys.
  private var unsorted = RowKeys()
  private var sortedKeys: [Int64] = []
  /// The values of each key in turn, in one array: an array for each recording would take four times the memory.
  private var values: [SortValue] = []

  init(_ sort: [SearchSort], window: Range<Int>) {
    self.sort = sort
    self.window = window
  }

  /// - Parameter recording: called where its values are needed.
  mutating func append(_ key: Int64, _ recording: () -> FoundRecording) {
    defer { count += 1 }
    guard !sort.isEmpty else {
      if window.contains(count) { unsorted.append(key) }
      return
    }
    let found = recording()
    for part in sort { values.append(found.sortValue(of: part.column)) }
    sortedKeys.append(key)
    // A search for the first fifty keeps a few thousand, however many there are.
    if window.upperBound < 1 << 40, sortedKeys.count >= window.upperBound * 4 + 4096 { keepFirst(window.upperBound) }
  }

  /// The keys of the window.
  consuming func keys() -> RowKeys {
    guard !sort.isEmpty else { return unsorted }
    keepFirst(sortedKeys.count)
    return RowKeys(sortedKeys[window.clamped(to: 0..<sortedKeys.count)])
  }

  private mutating func keepFirst(_ limit: Int) {
    let (sort, values) = (sort, values)
    let width = sort.count
    // Swift's sort is stable: equal recordings stay in the order in which they were stored.
    let order = sortedKeys.indices.sorted { left, right in
      for (offset, part) in sort.enumerated() {
        let (value, other) = (values[left * width + offset], values[right * width + offset])
        if value.comes(before: other, descending: part.descending) { return true }
        if other.comes(before: value, descending: part.descending) { return false }
      }
      return false
    }.prefix(limit)
    sortedKeys = order.map { sortedKeys[$0] }
    self.values = order.flatMap { index in values[(index * width)..<((index + 1) * width)] }
  }
}
