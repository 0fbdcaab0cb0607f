import Foundation

/// The reason why a catalogue gave no page, after one attempt.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum FetchError: Error, Hashable, Codable, Sendable {
  /// The network is down, or the name could not be resolved.
  case offline(host: String)
  /// The host is known but no connection came about, or it broke.
  case unreachable(host: String, detail: String)
  /// The host took too long, in that phase of the request.
  case timedOut(host: String, phase: TimeoutPhase)
  /// The body ended before its announced length, or broke off in a chunk.
  case truncated
  /// The rate limit was exceeded. `retryAfter` is the time that the catalogue asks to wait,
  /// if it does.
  case rateLimited(retryAfter: Duration?)
  /// A server error or a different status that may pass: 408, 425, 5xx.
  case serverBusy(status: Int, retryAfter: Duration?)
  /// The service rejects the request: 400, 404, 409 …; its message, raw.
  case refused(status: Int, message: String?)
  /// The catalogue does not serve pages that far into a list: how many records it has, if known,
  /// and how many can be read.
  case tooDeep(total: Int?, limit: Int)
  /// The query has a tag that chirper does not know. The service announces `total`
  /// recordings, more than the `limit` for such a list, because it may ignore the tag.
  case unknownTag(String, total: Int, limit: Int)
  /// The service does not come to the end of a list: how many pages it has sent, and how many it
  /// announced, if it did.
  case endless(pages: Int, announced: Int?)
  /// The chirper that was asked in place of the service has not read this list to its end, and has
  /// sent all of it.
  case listUnfinished
  /// The chirper that was asked in place of the service has no list of this query.
  case listNotThere
  /// The catalogue is not one that this program supports; a newer program stored the query.
  case unknownCatalogue
  /// The catalogue needs a key, and none is set.
  case keyMissing
  /// The service rejects the key; its message, raw.
  case keyRefused(status: Int, message: String?)
  /// An HTML page with status 200: a captive portal answers for the catalogue.
  case webPage
  /// The answer does not follow the catalogue's contract.
  case malformed(String)
  /// The answer is longer than `limit`, in bytes after decompression.
  case tooLarge(limit: Int)
  /// The body has a content encoding that is not supported; its name.
  case unknownEncoding(String)
  /// The base URL set in the catalogue's place may not be asked, and why.
  case addressRefused(String)
  /// A redirect that may not be followed, and why.
  case redirectRefused(String)
  /// The server's certificate is not valid for this host.
  case badCertificate(host: String)
  /// The proxy, by host and port, asks for a name and password (status 407).
  case proxyRefused(proxy: String)
  /// Something failed that is not a request of a network, such as reading a file: a sentence about
  /// it.
  case failed(String)
  /// The task was cancelled.
  case cancelled

  /// The error for one that a catalogue's own code throws: a `FetchError` as it is, `cancelled` for
  /// a `CancellationError`, and `failed` with the sentence of any other (`LocalizedError`).
  public init(_ error: any Error) {
    switch error {
    case let error as FetchError: self = error
    case is CancellationError: self = .cancelled
    default:
      let sentence = (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
      self = .failed(PlainLine.text(sentence) ?? "\(type(of: error))")
    }
  }

  /// The phase of a request that took too long.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum TimeoutPhase: String, Hashable, Codable, Sendable {
    /// Connecting.
    case connect
    /// Waiting for the answer to begin.
    case firstByte
    /// Waiting for more of the answer.
    case idle
    /// The whole request.
    case whole
  }

  /// Whether the request may succeed in a moment, so that it is worth repeating: `offline`,
  /// `unreachable`, `timedOut`, `truncated`, `rateLimited` and `serverBusy`.
  public var isTransient: Bool { classification.isTransient }

  /// The scope of the failure.
  package var scope: FailureScope { classification.scope }

  private var classification: (scope: FailureScope, isTransient: Bool) {
    switch self {
    case .timedOut, .truncated, .serverBusy: (.page, true)
    case .malformed, .tooLarge, .unknownEncoding: (.page, false)
    case .refused, .redirectRefused, .tooDeep, .unknownTag, .endless, .listUnfinished,
      .listNotThere, .failed:
      (.query, false)
    case .offline, .unreachable, .rateLimited: (.service, true)
    // Where one answer is a captive portal's page, every other is too.
    case .unknownCatalogue, .keyMissing, .keyRefused, .webPage, .addressRefused, .badCertificate,
      .proxyRefused, .cancelled:
      (.service, false)
    }
  }

  /// The time that the catalogue asks to wait.
  public var retryAfter: Duration? {
    switch self {
    case .rateLimited(let wait), .serverBusy(_, let wait): wait
    default: nil
    }
  }
}

/// The requests that fail for the reason of a failed one.
package enum FailureScope: Hashable, Sendable {
  /// The failed page or file alone.
  case page
  /// Every page of the query. Different queries and files may be answered.
  case query
  /// Everything of this service.
  case service
}
