import ChirperModel

/// Fetches a catalogue page by page: one request (and its redirects) per call, one attempt, typed
/// errors.
///
/// Rate limiting, retries and storing are left to the repository, so that they are the same for
/// every catalogue.
public protocol PageFetcher: Sendable {
  /// The catalogue whose pages it fetches; always the same.
  var catalogue: Catalogue { get }
  /// The least time between two requests; `catalogue.minimumInterval` if a fetcher has no
  /// value of its own.
  ///
  /// A fetcher whose base URL can be set returns zero for a host that is not the
  /// catalogue's, as `CatalogueClient.minimumInterval` does.
  var minimumInterval: Duration { get }
  /// Fetches one page.
  ///
  /// A catalogue that is paged by a cursor names the next page by a token in the page it returns,
  /// and is given that token in the request for the next page. Its pages are numbered all the same.
  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage
}

extension PageFetcher {
  /// The one that the catalogue has.
  public var minimumInterval: Duration { catalogue.minimumInterval }
}

/// A fetcher of a catalogue that searches by the numbers of taxa, so that names are looked up
/// first.
package protocol NameFetcher: PageFetcher {
  /// The query with its names as they are known without a request; `nil` if they must be
  /// looked up.
  ///
  /// - Parameter stored: the text that was sent for this query before. A catalogue that
  ///   looks names up keeps the taxon it found then, so that a list does not change its
  ///   taxon between two walks.
  func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery?
  /// Looks up the query's names: a request or two, one attempt. Without a taxon of that name the
  /// query is not changed, and its only page is empty.
  func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery
}

extension PageFetcher {
  /// The query with its names as they are known without a request, which most catalogues take as
  /// typed; `nil` if a `NameFetcher` must look them up.
  package func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery? {
    guard let fetcher = self as? any NameFetcher else { return LookedUpQuery(query) }
    return fetcher.knownNames(of: query, stored: stored)
  }

  /// Looks up the query's names, if it is a `NameFetcher`.
  package func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery {
    guard let fetcher = self as? any NameFetcher else { return LookedUpQuery(query) }
    return try await fetcher.lookUpNames(of: query)
  }
}

/// A fetcher of one of chirper's own catalogues over HTTP.
protocol ServiceFetcher: PageFetcher {
  var client: CatalogueClient { get }
}

extension ServiceFetcher {
  var catalogue: Catalogue { client.catalogue }
  var minimumInterval: Duration { client.minimumInterval }
}
