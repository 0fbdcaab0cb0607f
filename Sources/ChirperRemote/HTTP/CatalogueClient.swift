import ChirperModel
import Foundation

/// Requests URLs of one service, by the rules of chirper's own catalogues. A `PageFetcher` may use
/// it or any other way to get its pages.
///
/// It makes one attempt: rate limits and retries are the repository's work. It requests HTTPS only
/// (HTTP on this machine), follows redirects only on the service's own hosts, ends an answer that
/// is too slow or too long, decompresses, and throws a `FetchError` for everything that is not an
/// answer. No connection is opened before the first request. A test answers the requests itself:
/// `RemoteConfiguration.transport`.
public struct CatalogueClient: Sendable {
  /// The value for `PageFetcher.minimumInterval`: the catalogue's for its own host, zero
  /// for a different base URL.
  public let minimumInterval: Duration
  let catalogue: Catalogue
  let address: ServiceAddress
  private let limits: HTTPLimits
  private let configuration: RemoteConfiguration

  /// A client for the catalogue's `service`, or for the URL that `configuration.baseURLs` has in
  /// its place.
  ///
  /// - Parameter configuration: the one that the repository has, so that both use the same
  ///   connections.
  public init(_ catalogue: Catalogue, _ configuration: RemoteConfiguration = RemoteConfiguration())
  {
    self.catalogue = catalogue
    self.configuration = configuration
    // A built-in catalogue is never asked; a base that is not a URL is refused when it is.
    let own = catalogue.service?.baseURL ?? URL(filePath: "/")
    address = ServiceAddress(
      own: own, ownHosts: catalogue.service?.hosts ?? [],
      override: configuration.baseURLs[catalogue.id])
    var limits = configuration.limits
    if let service = catalogue.service {
      limits.bodyBytes = min(limits.bodyBytes, service.bodyLimit)
    }
    self.limits = limits
    minimumInterval = address.isOwnHost ? catalogue.minimumInterval : .zero
  }

  /// A URL of the service; everything but unreserved characters is percent-encoded.
  ///
  /// - Parameters:
  ///   - path: begins with a slash.
  ///   - parameters: of the query, in that order; one without a value is left out.
  /// - Throws: `.addressRefused` if the base URL cannot be used.
  public func url(_ path: String, _ parameters: KeyValuePairs<String, String?> = [:])
    throws(FetchError) -> URL
  {
    try address.url(path, parameters.compactMap { name, value in value.map { (name, $0) } })
  }

  /// GETs a URL of the service, and returns the answer with status 200.
  ///
  /// - Parameters:
  ///   - headers: headers besides `User-Agent` and `Accept: application/json`, which they
  ///     replace.
  ///   - key: a secret in the URL or the headers. If the answer or an error repeats it,
  ///     `***` is in its place.
  /// - Throws: `FetchError`, also for every status but 200: `.rateLimited` for 429,
  ///   `.serverBusy` for 408, 425 and 5xx, `.keyRefused` for 401 and 403 if a key was sent,
  ///   `.refused` for any other, with the service's message.
  public func get(
    _ url: URL, headers: [String: String] = [:], hiding key: APIKey? = nil
  ) async throws(FetchError) -> Response {
    try await send(url, nil, headers, key)
  }

  /// POSTs to a URL of the service, for one that takes a query as the body of a request.
  ///
  /// A request is repeated after a transient error, so it must change nothing there. A
  /// redirect that asks for a GET instead is refused.
  ///
  /// - Parameters:
  ///   - body: the body as it is sent.
  ///   - contentType: the media type of the body.
  ///   - headers: headers besides those of `get` and `Content-Type`, which they replace.
  ///   - key: a secret in the URL, the headers or the body. If the answer or an error
  ///     repeats it, `***` is in its place.
  /// - Throws: the errors of `get`.
  public func post(
    _ url: URL, body: some Sequence<UInt8>, contentType: String = "application/json",
    headers: [String: String] = [:],
    hiding key: APIKey? = nil
  ) async throws(FetchError) -> Response {
    try await send(
      url, Array(body), ["Content-Type": contentType].merging(headers) { _, new in new }, key)
  }

  /// The answer to a GET or, with a body, to a POST; throws unless its status is 200.
  private func send(
    _ url: URL, _ body: [UInt8]?, _ headers: [String: String], _ key: APIKey?
  ) async throws(FetchError) -> Response {
    if let refusal = address.refusal(ofRedirectTo: url) {
      throw FetchError(.addressRefused(refusal))
    }
    let response = try await answer(to: url, hiding: key, headers: headers, body: body)
    if key != nil, [401, 403].contains(response.status) {
      throw .keyRefused(status: response.status, message: ServiceMessage.read(response))
    }
    guard response.status == 200 else { throw failure(response) }
    return response
  }

  /// The key of the service; that of a server in its place is its token.
  var key: APIKey? {
    guard let server else {
      return configuration.key(catalogue.id).flatMap { $0.secret.isEmpty ? nil : $0 }
    }
    return server.token
  }

  /// The chirper's server that is asked in the catalogue's place.
  var server: RemoteConfiguration.Server? { configuration.server }

  /// The error with the name of the server that was asked in the catalogue's place, if one was.
  func naming(_ error: FetchError) -> FetchError {
    guard server != nil, error != .cancelled, let host = address.base.host() else { return error }
    var named = error
    named.server = host + (address.base.port.map { ":\($0)" } ?? "")
    return named
  }

  private static let headers = [
    "User-Agent": "chirper/\(ProgramVersion.current) (+\(ProgramVersion.homepage))",
    "Accept": "application/json",
  ]

  /// The answer after all redirects, of whatever status.
  ///
  /// - Parameters:
  ///   - body: the body of a POST; without one it is a GET.
  ///   - audioRefusal: for audio, which may be longer and is not searched for the key. It
  ///     returns the reason why a redirect may not be followed to a URL, or `nil` if it
  ///     may. Without it the service's own rule holds.
  ///   - received: called as an answer arrives, also one that redirects.
  func answer(
    to url: URL, hiding key: APIKey? = nil, headers: [String: String] = [:], body: [UInt8]? = nil,
    audioRefusal: ((URL) -> String?)? = nil, received: BodyProgress? = nil
  ) async throws(FetchError) -> Response {
    let redactor = key.flatMap(KeyRedactor.init)
    let log = configuration.log
    var limits = limits
    if audioRefusal != nil { limits.bodyBytes = 256 << 20 }
    let headers = Self.headers.merging(headers) { _, new in new }
    let refusal = audioRefusal ?? address.refusal(ofRedirectTo:)
    var url = url
    var seen: Set<String> = [url.absoluteString]
    do throws(FetchError) {
      while true {
        let text = url.absoluteString
        // A key that is too short for the redactor is the value of a parameter.
        let safe =
          redactor?.redacted(text) ?? key.map { text.replacing("=\($0.secret)", with: "=***") }
          ?? text
        log.debug(body == nil ? "GET" : "POST", ["url": "\(safe)"])
        let response: Response
        if let transport = configuration.transport {
          response = try await transport(url, headers, body)
          guard response.body.count <= limits.bodyBytes else {
            throw FetchError(.tooLarge(limit: limits.bodyBytes))
          }
        } else {
          response = try await configuration.network.answer(
            to: url, headers: headers, body: body, limits: limits, received: received)
        }
        guard [301, 302, 303, 307, 308].contains(response.status) else {
          log.trace(
            "answer", ["status": "\(response.status)", "bytes": "\(response.body.count)"])
          return redactor?.redacted(
            response, keepingBody: audioRefusal != nil && response.status < 300) ?? response
        }
        guard body == nil || response.status >= 307 else {
          throw FetchError(.redirectRefused("it asks for a GET in place of a POST"))
        }
        // The reasons never show the URL: the key is in it.
        guard let location = response.header("Location"),
          let target = URL(string: location, relativeTo: url)?.absoluteURL
        else { throw FetchError(.redirectRefused("it has no target")) }
        if let refusal = refusal(target) { throw FetchError(.redirectRefused(refusal)) }
        guard seen.insert(target.absoluteString).inserted else {
          throw FetchError(.redirectRefused("it is a loop"))
        }
        guard seen.count <= limits.redirects + 1 else {
          throw FetchError(.redirectRefused("there are more than \(limits.redirects)"))
        }
        url = target
      }
    } catch {
      let error = redactor?.redacted(error) ?? error
      log.debug("no answer", ["error": "\(error)"])
      throw error
    }
  }

  /// The meaning of a status other than 200 for every catalogue. A catalogue looks first at
  /// statuses that mean something different there.
  func failure(_ response: Response) -> FetchError {
    let retryAfter = response.header("Retry-After").flatMap {
      RetryAfter.parse($0, now: configuration.now())
    }
    return switch response.status {
    case 429: .rateLimited(retryAfter: retryAfter)
    case 408, 425, 500...: .serverBusy(status: response.status, retryAfter: retryAfter)
    case 300..<500: .refused(status: response.status, message: ServiceMessage.read(response))
    default: .malformed("a page comes with status 200, this with \(response.status)")
    }
  }

  /// The records of an answer, which must have status 200 and no error in it.
  ///
  /// - Parameters:
  ///   - list: the name of the member that has the records.
  ///   - id: reads the id of a record; `nil` for a record without one.
  func envelope(
    _ response: Response, list: String = "results",
    id: (RecordingFields) -> String? = { $0["id"]?.idText }
  ) throws(FetchError) -> Envelope {
    guard response.status == 200 else { throw failure(response) }
    let envelope = try response.read { body throws(JSONFault) in
      try Envelope(body, of: catalogue.id, list: list, id: id)
    }
    if envelope.isError { throw .refused(status: 200, message: ServiceMessage.read(response)) }
    guard envelope.list != nil else { throw .malformed("it has no list of \(list)") }
    return envelope
  }
}
