import ChirperModel

/// A catalogue as one page at a time: one request (and its redirects), one try, typed failures.
///
/// Pacing, retry and storing are the repository's work, so that they are the same for every catalogue.
public protocol PageFetcher: Sendable {
  var catalogue: Catalogue { get }
  /// The least time between two requests: the catalogue's own for its own host, zero where the base URL points elsewhere.
  var minimumInterval: Duration { get }
  /// Asks for the page of that number, from 1.
  func page(_ number: Int, of query: SearchQuery) async throws(FetchError) -> RecordingPage
}
