import ChirperModel
import Foundation

/// Where the catalogues are and with which keys; nothing is read or connected until a fetcher is asked for a page.
public struct RemoteConfiguration: Sendable {
  /// Scheme, host and port before the path, where a mirror or a test server is used in a catalogue's place.
  public var baseURLs: [CatalogueID: URL]
  /// Called at the first request of a fetcher; `nil` where no key is set for that catalogue.
  public var key: @Sendable (CatalogueID) -> APIKey?
  /// The time, for waits and days that are given as dates.
  package var now: @Sendable () -> Date = WallClock.now
  package var limits = HTTPLimits()

  public init(
    baseURLs: [CatalogueID: URL] = [:], key: @escaping @Sendable (CatalogueID) -> APIKey? = { _ in nil }
  ) {
    self.baseURLs = baseURLs
    self.key = key
  }
}

/// A secret that prints as `***`; its text leaves it only into a request to its own host.
public struct APIKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package let secret: String

  public init(_ secret: String) {
    self.secret = secret
  }

  public var description: String { "***" }
  public var debugDescription: String { "***" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
