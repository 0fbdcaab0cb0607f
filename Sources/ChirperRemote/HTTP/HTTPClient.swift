import ChirperModel
import Foundation
import Logging

/// Asks a catalogue: names the program, follows redirects where they may lead, and reads what a status means everywhere.
struct HTTPClient: Sendable {
  let address: ServiceAddress
  let transport: any HTTPTransport
  let limits: HTTPLimits
  let now: @Sendable () -> Date
  /// What `PageFetcher.minimumInterval` should be: the catalogue's for its own host, zero for another base URL.
  let minimumInterval: Duration
  private let logger: Logger

  init(_ catalogue: Catalogue, _ configuration: RemoteConfiguration) {
    address = ServiceAddress(catalogue, configuration)
    var limits = configuration.limits
    if let service = catalogue.service { limits.bodyBytes = min(limits.bodyBytes, service.bodyLimit) }
    self.limits = limits
    transport = configuration.transport
    now = configuration.now
    minimumInterval = address.isOwnHost ? catalogue.minimumInterval : .zero
    logger = configuration.logger
  }

  /// Names the program and a contact.
  static let userAgent = "chirper/\(ProgramVersion.current) (+https://github.com/chirper/chirper)"

  private static let headers = ["User-Agent": userAgent, "Accept": "application/json"]

  /// The answer after all redirects, of whatever status.
  ///
  /// - Parameters:
  ///   - key: what the service may know and repeat; whatever comes back, an answer or an error, holds `***` in its place.
  ///   - headers: besides those of every request.
  ///   - bodyLimit: bytes; the catalogue's own limit without.
  ///   - isAudio: the body of an answer with a status below 300 is kept as it is, because it is not text.
  ///   - refusal: why a redirect may not be followed to a URL, `nil` if it may; the service's own rule without.
  func get(
    _ url: URL, hiding key: APIKey? = nil, headers: [String: String] = [:], bodyLimit: Int? = nil, isAudio: Bool = false,
    refusal: ((URL) -> String?)? = nil
  ) async throws(FetchError) -> HTTPResponse {
    let redactor = key.flatMap(KeyRedactor.init)
    do {
      let response = try await follow(url, headers: headers, bodyLimit: bodyLimit, refusal: refusal) { url in
        let text = url.absoluteString
        // A key that is too short for the redactor is the value of a parameter.
        let safe = redactor?.redacted(text) ?? key.map { text.replacing("=\($0.secret)", with: "=***") } ?? text
        logger.debug("GET", metadata: ["url": "\(safe)"])
      }
      logger.trace("answer", metadata: ["status": "\(response.status)", "bytes": "\(response.body.count)"])
      return redactor?.redacted(response, keepingBody: isAudio && response.status < 300) ?? response
    } catch {
      let error = redactor?.redacted(error) ?? error
      logger.debug("no answer", metadata: ["error": "\(error)"])
      throw error
    }
  }

  private func follow(
    _ url: URL, headers: [String: String], bodyLimit: Int?, refusal: ((URL) -> String?)?, log: (URL) -> Void
  ) async throws(FetchError) -> HTTPResponse {
    var url = url
    var seen: Set<String> = [url.absoluteString]
    var limits = limits
    if let bodyLimit { limits.bodyBytes = bodyLimit }
    let headers = Self.headers.merging(headers) { _, new in new }
    let refusal = refusal ?? address.refusal(ofRedirectTo:)
    while true {
      log(url)
      let response = try await transport.get(url, headers: headers, limits: limits)
      guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
      // The reasons never show the URL: the key is in it.
      guard let location = response.header("Location"), let target = URL(string: location, relativeTo: url)?.absoluteURL
      else { throw .redirectRefused("it has no target") }
      if let refusal = refusal(target) { throw .redirectRefused(refusal) }
      guard seen.insert(target.absoluteString).inserted else { throw .redirectRefused("it is a loop") }
      guard seen.count <= limits.redirects + 1 else { throw .redirectRefused("there are more than \(limits.redirects)") }
      url = target
    }
  }

  /// What a status other than 200 means for every catalogue; a catalogue looks first at those it means otherwise.
  func failure(_ response: HTTPResponse) -> FetchError {
    let retryAfter = response.header("Retry-After").flatMap { RetryAfter.parse($0, now: now()) }
    return switch response.status {
    case 429: .rateLimited(retryAfter: retryAfter)
    case 408, 425, 500...: .serverBusy(status: response.status, retryAfter: retryAfter)
    case 300..<500: .refused(status: response.status, message: ServiceMessage.read(response))
    default: .malformed("a page comes with status 200, this with \(response.status)")
    }
  }

  /// What `read` makes of the JSON of an answer, which must have status 200.
  func read<Value>(
    _ response: HTTPResponse, _ read: ([UInt8]) throws(JSONFault) -> Value
  ) throws(FetchError) -> Value {
    guard response.status == 200 else { throw failure(response) }
    guard !response.isWebPage else { throw .webPage }
    do throws(JSONFault) {
      return try read(response.body)
    } catch {
      // A body of unknown length that ends inside a value broke off on its way.
      throw error.reason == .truncated && !response.isFramed ? .truncated : .malformed(error.description)
    }
  }

  /// The JSON object of an answer with status 200, whose members can be read by name.
  func object(_ response: HTTPResponse) throws(FetchError) -> RecordingFields {
    try read(response) { body throws(JSONFault) in try RecordingFields(json: String(decoding: body, as: UTF8.self)) }
  }
}
