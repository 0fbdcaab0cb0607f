import Chirper
import ChirperModel
import ChirperRemote

/// Finds the stored queries that a typed text means.
struct StoredLookup {
  let repository: RecordingRepository
  let typed: String
  let source: String?

  /// - Throws: where the text is no query or the catalogue unknown.
  init(_ repository: RecordingRepository, _ typed: String, source: String?) throws {
    if let source { _ = try Session.catalogue(source, from: "--source") }
    self.repository = repository
    self.typed = try SearchQuery.cleaned(typed)
    self.source = source
  }

  /// All of them, the most recently fetched first; never empty.
  func all() throws -> [StoredQuery] {
    let catalogue = source.map { CatalogueID(rawValue: $0) }
    var found = try repository.storedQueries(for: typed, scientific: false, in: catalogue)
    // Fetched with `--scientific` only, it is still what was typed.
    if found.isEmpty { found = try repository.storedQueries(for: typed, scientific: true, in: catalogue) }
    guard !found.isEmpty else { throw CommandError.notFetched(typed, source: source) }
    return found
  }

  /// The most recently fetched, and the others in words.
  func latest() throws -> (stored: StoredQuery, others: [String]) {
    let all = try all()
    return (all[0], all.dropFirst().map { "\($0.query.catalogue) (\($0.query.pageSize) a page)" })
  }
}
