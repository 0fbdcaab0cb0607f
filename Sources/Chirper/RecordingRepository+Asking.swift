#if Collection

import ChirperModel
import ChirperStore

extension RecordingRepository {
  /// The answer to the question whether a catalogue still has a recording.
  package enum Asked: Sendable {
    /// The recording as the catalogue has it now.
    case found(Recording)
    case notFound
    /// The catalogue cannot be asked for one recording.
    case cannotAsk
  }

  /// Asks a catalogue for one recording by its id. Nothing is stored.
  ///
  /// - Throws: `LoadError`.
  package func ask(for id: RecordingID) async throws(LoadError) -> Asked {
    guard let fetcher = fetcher(id.catalogue),
      let text = fetcher.catalogue.idQuery(id.value),
      let query = try? fetcher.catalogue.query(text)
    else { return .cannotAsk }
    let context = FetchContext(
      query: query, plan: FetchPlan(.pages(1)), fetcher: fetcher, store: store,
      dependencies: dependencies, pageWasStored: { _ in }, observer: { _ in })
    var requester = PageRequester(context)
    do {
      try await requester.findNames(stored: nil)
      let page = try await requester.page(PageRequest(query: requester.query, number: 1))
      guard var found = page.recordings.first(where: { $0.id == id }) else { return .notFound }
      found.labels = try store.labels(of: id)
      return .found(found)
    } catch {
      throw LoadError(error)
    }
  }

  /// The recordings that are in one of those lists now.
  package func recordings(
    _ ids: [RecordingID], in queries: Set<CatalogueQuery>
  ) throws(StoreError) -> [RecordingID: Recording] {
    let wanted = Set(try store.listNumbers().filter { queries.contains($0.value) }.keys)
    var found: [RecordingID: Recording] = [:]
    for id in ids {
      guard let row = try store.recording(id, withLists: true),
        !wanted.isDisjoint(with: row.lists)
      else { continue }
      found[id] = row.recording
    }
    return found
  }

  /// The fields that a recording had before each of its changes, the latest first.
  package func earlierVersions(of id: RecordingID) throws(StoreError) -> [RecordingFields] {
    try store.earlierVersions(of: id)
  }
}

#endif
