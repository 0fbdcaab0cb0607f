import ChirperModel
import ChirperStore

/// Decides which stored recordings satisfy a search expression. The lists that it names and the
/// downloaded audio are looked up once.
package struct StoredMatcher: Sendable {
  /// Decides about the details alone.
  let matcher: SearchMatcher
  let repository: RecordingRepository
  private let downloadedAudio: DownloadedAudio
  let needsLists: Bool

  /// A matcher for rows of that repository; throws `SearchExpressionError` for a list that is not
  /// stored, and `StoreError`.
  ///
  /// - Parameters:
  ///   - rowsOf: the rows are of those lists; `nil` for everything stored.
  ///   - leavesOutUnlisted: as of `SearchMatcher`.
  package init(
    _ expression: SearchExpression, in repository: RecordingRepository,
    rowsOf queries: [CatalogueQuery]? = nil,
    leavesOutUnlisted: Bool = false
  ) throws {
    self.repository = repository
    needsLists = expression.asksForLists
    downloadedAudio = repository.audio.downloadedFiles(
      of: expression.asksForAudio ? repository.catalogues.map(\.id) : [])
    let numbers = needsLists ? try repository.store.listNumbers() : [:]
    var lists: [String: Set<Int64>] = [:]
    for name in expression.listNames {
      // A name that cannot be a query is the name of no list.
      guard let typed = try? TypedText(name) else { continue }
      let named = try typed.named(in: repository)
      lists[name] = Set(numbers.filter { named.contains($0.value) }.keys)
    }
    matcher = try SearchMatcher(
      expression, now: repository.dependencies.now(), lists: lists,
      searched: queries.map { queries in Set(numbers.filter { queries.contains($0.value) }.keys) },
      leavesOutUnlisted: leavesOutUnlisted, storedNames: Set(numbers.values.map(\.typed)).sorted())
  }

  func matches(_ row: StoredRecording, _ details: RecordingDetails? = nil) -> Bool {
    var context = SearchContext(catalogue: row.recording.id.catalogue)
    (context.lists, context.leftLists) = (row.lists, row.leftLists)
    (context.entered, context.changedAt) = (row.entered, row.changedAt)
    context.isAudioDownloaded = downloadedAudio.contains(row.recording.id)
    return matcher.matches(details ?? repository.details(of: row.recording), context)
  }
}
