import ChirperModel
import ChirperPlatform
import Foundation
import Logging

/// The addresses and keys of the catalogues. Nothing is read or connected until a fetcher
/// is asked for a page.
public struct RemoteConfiguration: Sendable {
  /// Scheme, host and port of a mirror or a test server that is used instead of a catalogue's own
  /// service.
  public var baseURLs: [CatalogueID: URL]
  /// Called at the first request of a fetcher; `nil` if no key is set for that catalogue.
  public var key: @Sendable (CatalogueID) -> APIKey?
  /// The logger of requests, which are logged without the key. A repository sets it to its
  /// own for chirper's catalogues; set it for a `CatalogueClient` of yours. The default
  /// discards everything.
  public var logger: Logger = .discarding
  /// The time, for waits and days that are given as dates.
  package var now: @Sendable () -> Date = WallClock.now
  /// Timeouts and sizes that every request keeps.
  package var limits = HTTPLimits()
  /// Shared by all that is made of this configuration, so that connections are used again; opened
  /// at the first request.
  package let transport: SystemTransport = SystemTransport()

  /// A configuration without mirrors and keys, unless they are given.
  public init(
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
  package let secret: String

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
