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
    needsLists = expression.asksForLists
    keptAudio = repository.audio.keptFiles(of: expression.asksForAudio ? repository.catalogues.map(\.id) : [])
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
