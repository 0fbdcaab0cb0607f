import ChirperModel
import Foundation

/// Requests URLs of one service, by the rules of chirper's own catalogues. A `PageFetcher` may use it or any other way to
/// get its pages.
///
/// It makes one attempt: rate limits and retries are the repository's work. It requests HTTPS only (HTTP on this machine),
/// follows redirects only on the service's own hosts, ends an answer that is too slow or too long, decompresses, and throws a
/// `FetchError` for everything that is not an answer. No connection is opened before the first request.
public struct CatalogueClient: Sendable {
  private let client: HTTPClient

  /// A client for the catalogue's `service`, or for the URL that `configuration.baseURLs` has in its place.
  ///
  /// - Parameter configuration: the one that the repository has, so that both use the same connections.
  public init(_ catalogue: Catalogue, _ configuration: RemoteConfiguration = RemoteConfiguration()) {
    client = HTTPClient(catalogue, configuration)
  }

  /// What `PageFetcher.minimumInterval` should be: the catalogue's for its own host, zero for another base URL.
  public var minimumInterval: Duration { client.minimumInterval }

  /// An answer with status 200.
  public struct Answer: Sendable {
    /// After decompression.
    public let body: [UInt8]
    /// How often the key was in the answer; `***` is in its place. For `RecordingPage.redactions`.
    public let redactions: Int
    private let response: HTTPResponse
    private let client: HTTPClient

    fileprivate init(_ response: HTTPResponse, from client: HTTPClient) {
      self.client = client
      body = response.body
      redactions = response.redactions
      self.response = response
    }

    /// The first header of that name, in whatever case it was sent; `nil` if there is none.
    public func header(_ name: String) -> String? { response.header(name) }

    /// The body as one JSON object, whose members can be read by name.
    ///
    /// - Throws: `.webPage`, `.truncated` or `.malformed`.
    public func object() throws(FetchError) -> RecordingFields {
      try client.object(response)
    }
  }

  /// A URL of the service; everything but unreserved characters is percent-encoded.
  ///
  /// - Parameters:
  ///   - path: begins with a slash.
  ///   - parameters: of the query, in that order; one without a value is left out.
  /// - Throws: `.addressRefused` where the base URL cannot be used.
  public func url(_ path: String, _ parameters: KeyValuePairs<String, String?> = [:]) throws(FetchError) -> URL {
    try client.address.url(path, parameters.compactMap { name, value in value.map { (name, $0) } })
  }

  /// GETs a URL of the service.
  ///
  /// - Parameters:
  ///   - headers: besides `User-Agent` and `Accept: application/json`, which they replace.
  ///   - key: a secret in the URL or the headers; where the answer or an error repeats it, `***` is in its place.
  /// - Throws: `FetchError`, also for every status but 200: `.rateLimited` for 429, `.serverBusy` for 408, 425 and 5xx,
  ///   `.refused` for others, with the service's message.
  public func get(
    _ url: URL, headers: [String: String] = [:], hiding key: APIKey? = nil
  ) async throws(FetchError) -> Answer {
    if let refusal = client.address.refusal(ofRedirectTo: url) { throw .addressRefused(refusal) }
    let response = try await client.get(url, hiding: key, headers: headers)
    guard response.status == 200 else { throw client.failure(response) }
    return Answer(response, from: client)
  }
}
