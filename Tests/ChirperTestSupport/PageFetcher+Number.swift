import ChirperModel
import ChirperRemote

extension PageFetcher {
  /// Fetches the page of that number, for a catalogue that needs no token.
  public func page(_ number: Int, of query: CatalogueQuery) async throws(FetchError)
    -> RecordingPage
  {
    try await page(PageRequest(query: query, number: number))
  }
}
