import Foundation

/// The reason why a catalogue gave no page, after one attempt. What it is about is in its
/// `presentation`: a code, which stays, and sentences.
public struct FetchError: Error, Hashable, Sendable {
  package let reason: Reason
  /// The host, and the port if it has one, of the chirper that was asked in place of the service;
  /// `nil` if none was.
  package var server: String?

  package init(_ reason: Reason) { self.reason = reason }

  /// Every reason. Those that have no function below are of chirper's own requests.
  package enum Reason: Hashable, Sendable {
    case offline(host: String)
    case unreachable(host: String, detail: String)
    /// The host took too long, in that phase of the request.
    case timedOut(host: String, phase: TimeoutPhase)
    /// The body ended before its announced length, or broke off in a chunk.
    case truncated
    case rateLimited(retryAfter: Duration?)
    case serverBusy(status: Int, retryAfter: Duration?)
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
    /// The chirper that was asked in place of the service has not read this list to its end, and
    /// has sent all of it.
    case listUnfinished
    /// The chirper that was asked in place of the service has no list of this query; its message.
    case listNotThere(String?)
    /// The chirper that was asked in place of the service does not keep this sound.
    case notKept
    /// The server that was asked in place of the service is not a chirper.
    case notChirper
    /// The chirper that was asked in place of the service has read this list before the store read
    /// it last: the two times, UTC.
    case serverIsOlder(stored: Date, served: Date)
    /// The chirper that was asked in place of the service wants a token, or a different one.
    case tokenRefused
    /// The catalogue is not one that this program supports; a newer program stored the query.
    case unknownCatalogue
    case keyMissing
    case keyRefused(status: Int, message: String?)
    /// An HTML page with status 200: a captive portal answers for the catalogue.
    case webPage
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
    case failed(String)
    case cancelled
  }

  /// The phase of a request that took too long.
  package enum TimeoutPhase: String, Hashable, Sendable {
    /// Connecting.
    case connect
    /// Waiting for the answer to begin.
    case firstByte
    /// Waiting for more of the answer.
    case idle
    /// The whole request.
    case whole
  }

  /// The network is down, or the name could not be resolved.
  public static func offline(host: String) -> Self { Self(.offline(host: host)) }

  /// The host is known but no connection came about, or it broke, or the host did not answer.
  public static func unreachable(host: String, detail: String) -> Self {
    Self(.unreachable(host: host, detail: detail))
  }

  /// The rate limit was exceeded. `retryAfter` is the time that the catalogue asks to wait,
  /// if it does.
  public static func rateLimited(retryAfter: Duration?) -> Self {
    Self(.rateLimited(retryAfter: retryAfter))
  }

  /// A server error or a different status that may pass: 408, 425, 5xx.
  public static func serverBusy(status: Int, retryAfter: Duration?) -> Self {
    Self(.serverBusy(status: status, retryAfter: retryAfter))
  }

  /// The service rejects the request: 400, 404, 409 …; its message, raw.
  public static func refused(status: Int, message: String?) -> Self {
    Self(.refused(status: status, message: message))
  }

  /// The catalogue needs a key, and none is set.
  public static let keyMissing = Self(.keyMissing)

  /// The service rejects the key; its message, raw.
  public static func keyRefused(status: Int, message: String?) -> Self {
    Self(.keyRefused(status: status, message: message))
  }

  /// The answer does not follow the catalogue's contract, and why.
  public static func malformed(_ why: String) -> Self { Self(.malformed(why)) }

  /// Something failed that is not a request of a network, such as reading a file: a sentence about
  /// it.
  public static func failed(_ sentence: String) -> Self { Self(.failed(sentence)) }

  /// The task was cancelled.
  public static let cancelled = Self(.cancelled)

  /// The error for one that a catalogue's own code throws: a `FetchError` as it is, `cancelled` for
  /// a `CancellationError`, and `failed` with the sentence of any other (`LocalizedError`, or one of
  /// the system's).
  public init(_ error: any Error) {
    switch error {
    case let error as FetchError: self = error
    case is CancellationError: self = .cancelled
    default:
      let isOfSystem = type(of: error) is NSError.Type || error is CocoaError
      let sentence =
        (error as? any LocalizedError)?.errorDescription
        ?? (isOfSystem ? error.localizedDescription : String(describing: error))
      self = .failed(PlainLine.text(sentence) ?? "\(type(of: error))")
    }
  }

  /// Whether the request may succeed in a moment, so that it is worth repeating: no network, no
  /// connection, no answer in time or not to its end, too many requests, a busy server.
  public var isTransient: Bool { classification.isTransient }

  /// The status by which the service rejected the request; `nil` if it did not.
  package var refusedStatus: Int? {
    if case .refused(let status, _) = reason { status } else { nil }
  }

  /// The scope of the failure.
  package var scope: FailureScope { classification.scope }

  private var classification: (scope: FailureScope, isTransient: Bool) {
    switch reason {
    case .timedOut, .truncated, .serverBusy: (.page, true)
    case .malformed, .tooLarge, .unknownEncoding, .notKept: (.page, false)
    case .refused, .redirectRefused, .tooDeep, .unknownTag, .endless, .listUnfinished,
      .listNotThere, .serverIsOlder, .failed:
      (.query, false)
    case .offline, .unreachable, .rateLimited: (.service, true)
    // Where one answer is a captive portal's page, every other is too.
    case .notChirper, .unknownCatalogue, .keyMissing, .keyRefused, .tokenRefused, .webPage,
      .addressRefused, .badCertificate, .proxyRefused, .cancelled:
      (.service, false)
    }
  }

  /// The time that the catalogue asks to wait.
  public var retryAfter: Duration? {
    switch reason {
    case .rateLimited(let wait), .serverBusy(_, let wait): wait
    default: nil
    }
  }
}

extension FetchError: CustomStringConvertible {
  /// The reason as it is written in a log: `offline(host: "xeno-canto.org")`.
  public var description: String { "\(reason)" }
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
