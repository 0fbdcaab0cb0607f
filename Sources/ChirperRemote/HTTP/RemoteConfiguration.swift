import ChirperModel
import Foundation

/// The addresses and keys of the catalogues, and the way to ask them. Nothing is read or connected
/// until a fetcher is asked for a page.
///
///     var configuration = RemoteConfiguration()
///     configuration.baseURLs["diary"] = URL(string: "http://127.0.0.1:8080")
public struct RemoteConfiguration: Sendable {
  /// Scheme, host and port of a mirror or a test server that is used instead of a catalogue's own
  /// service; none by default.
  public var baseURLs: [CatalogueID: URL] = [:]
  /// Called at the first request of a fetcher; `nil`, as by default, if no key is set for that
  /// catalogue.
  public var key: @Sendable (CatalogueID) -> APIKey? = { _ in nil }
  /// Answers each request in place of the system's network, so that a catalogue can be tested
  /// without a server; `nil`, the default, for the network.
  ///
  /// It is called with the URL, the headers, and the body of a POST, which is `nil` for a GET. What
  /// it answers or throws is treated as an answer of the service is: redirects are followed, a
  /// status other than 200 is an error, and a body may be too long. Nothing is timed.
  public var transport:
    (
      @Sendable (_ url: URL, _ headers: [String: String], _ body: [UInt8]?)
        async throws(FetchError) -> CatalogueClient.Response
    )?
  /// Set if another chirper's server is asked in a catalogue's place.
  package var server: Server?
  /// The log of requests, without the key. A repository sets it to its own; the default discards
  /// everything.
  package var log = Log()
  /// The time, for waits and days that are given as dates.
  var now: @Sendable () -> Date = WallClock.now
  /// Timeouts and sizes that every request keeps.
  var limits = HTTPLimits()
  /// Shared by all that is made of this configuration, so that connections are used again; opened
  /// at the first request.
  let network = SystemTransport()

  /// A server of chirper (docs/serve.md), whose address is in `baseURLs`.
  package struct Server: Sendable {
    /// The token for reading; `nil` if it needs none.
    package let token: APIKey?

    package init(token: APIKey?) { self.token = token }

    /// The headers of each request.
    var headers: [String: String] {
      ["X-Chirper-Lists-Only": "true"].merging(token.map { ["X-API-Key": $0.secret] } ?? [:]) { $1 }
    }
  }

  /// A configuration without mirrors and keys.
  public init() {}

  /// A configuration with these mirrors and keys.
  package init(
    baseURLs: [CatalogueID: URL] = [:],
    key: @escaping @Sendable (CatalogueID) -> APIKey? = { _ in nil }
  ) {
    self.baseURLs = baseURLs
    self.key = key
  }
}

/// A secret that prints as `***`; its text is used only in requests to the catalogue's own host.
public struct APIKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The key itself.
  let secret: String

  /// Keeps the key as it is.
  public init(_ secret: String) {
    self.secret = secret
  }

  /// `***`.
  public var description: String { "***" }
  /// `***`.
  public var debugDescription: String { "***" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
