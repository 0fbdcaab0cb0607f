import ChirperModel
import ChirperStore

/// Decides which stored recordings satisfy a search expression.
///
/// The lists that the expression names and the audio that is kept are looked up once, when it is made.
package struct StoredMatcher: Sendable {
  /// Decides about the details alone.
  let matcher: SearchMatcher
  private let keptAudio: KeptAudio
  /// Those of the repository.
  let catalogues: [CatalogueID: Catalogue]
  /// Whether the index can decide: it knows chirper's catalogues alone.
  let isIndexed: Bool
  /// Whether recordings must be read with their lists.
  let needsLists: Bool

  /// - Throws: `SearchExpressionError` for a list that is not stored, and `StoreError`.
  init(_ expression: SearchExpression, in repository: RecordingRepository) throws {
    let catalogues = Dictionary(repository.catalogues.map { ($0.id, $0) }) { first, _ in first }
    self.catalogues = catalogues
    isIndexed = !repository.replacesCatalogues
    let parts = expression.neededContext
    needsLists = parts.contains(.lists)
    keptAudio = repository.audio.keptFiles(of: parts.contains(.audio) ? repository.catalogues.map(\.id) : [])
    let numbers = needsLists ? try repository.store.listNumbers() : [:]
    var lists: [String: Set<Int64>] = [:]
    for name in expression.listNames {
      // A name that cannot be a query is the name of no list.
      guard let resolver = try? QueryResolver(name) else { continue }
      let named = Set(try resolver.stored(in: repository).map(\.query))
      lists[name] = Set(numbers.filter { named.contains($0.value) }.keys)
    }
    matcher = try SearchMatcher(
      expression, now: repository.dependencies.now(), lists: lists, storedNames: Set(numbers.values.map(\.typed)).sorted())
  }

  /// The recording in standard terms; without any value if its catalogue is not known.
  func details(of recording: Recording) -> RecordingDetails {
    catalogues[recording.id.catalogue]?.details(of: recording) ?? RecordingDetails()
  }

  /// - Parameter details: of that recording.
  func matches(_ row: StoredRecording, _ details: RecordingDetails) -> Bool {
    let id = row.recording.id
    return matcher.matches(
      details,
      SearchContext(
        catalogue: id.catalogue, lists: row.lists, leftLists: row.leftLists, isAudioKept: keptAudio[id] != nil,
        firstSeenAt: row.storedAt))
  }
}

extension RecordingRepository {
  /// A matcher for rows of this repository.
  package func matcher(_ expression: SearchExpression) throws -> StoredMatcher {
    try StoredMatcher(expression, in: self)
  }
}

extension ListReader {
  /// The positions of the rows that satisfy a search, ascending. The index decides about most rows; the others are read.
  ///
  /// - Parameter report: called after every batch of rows that was read, with a function that returns the positions so far.
  /// - Throws: as `rows` does, what `report` throws, and `CancellationError` soon after the task is cancelled.
  package func positions(
    matching matcher: StoredMatcher, report: (_ found: () -> [Int]) throws -> Void = { _ in }
  ) throws -> [Int] {
    var (found, undecided) = try indexedPositions(matching: matcher)
    let rest = subset(at: undecided)
    for start in stride(from: 0, to: undecided.count, by: Self.searchBatch) {
      try Task.checkCancellation()
      let range = start..<min(start + Self.searchBatch, undecided.count)
      for (position, row) in zip(undecided[range], try rest.storedRows(range, withLists: matcher.needsLists))
      where matcher.matches(row, matcher.details(of: row.recording)) {
        found.append(position)
      }
      try report { found.sorted() }
    }
    return found.sorted()
  }

  private static let searchBatch = 250
}
