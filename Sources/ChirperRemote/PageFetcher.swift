import ChirperModel

/// Fetches a catalogue page by page: one request (and its redirects) per call, one attempt, typed errors.
///
/// Rate limiting, retries and storing are left to the repository, so that they are the same for every catalogue.
public protocol PageFetcher: Sendable {
  var catalogue: Catalogue { get }
  /// The least time between two requests: the catalogue's own for its own host, zero where the base URL points elsewhere.
  var minimumInterval: Duration { get }
  /// Fetches one page.
  ///
  /// A catalogue that is paged by a cursor names the next page by a token in the page it returns, and is given that token
  /// in the request for the next page. Its pages are numbered all the same.
  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage
}

extension PageFetcher {
  /// Fetches the page of that number, for a catalogue that needs no token.
  package func page(_ number: Int, of query: SearchQuery) async throws(FetchError) -> RecordingPage {
    try await page(PageRequest(query: query, number: number))
  }
}
