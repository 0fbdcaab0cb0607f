import ChirperModel
import Foundation

/// Where the catalogues are and with which key; nothing is read or connected until a fetcher is asked for a page.
public struct RemoteConfiguration: Sendable {
  /// Scheme, host and port before the path, where a mirror or a test server stands in; `nil`: the catalogue's own.
  public var xenoCantoURL: URL?
  public var itunesURL: URL?
  /// Called at the first xeno-canto request of a fetcher; `nil` where no key is set.
  public var xenoCantoKey: @Sendable () -> APIKey?
  /// The time, for waits and days that are given as dates.
  package var now: @Sendable () -> Date = WallClock.now
  package var limits = HTTPLimits()
  /// Shared by everything that is made of this configuration, so that connections are used again; it opens nothing before
  /// its first request.
  package var transport: any HTTPTransport = Self.systemTransport()

  public init(
    xenoCantoURL: URL? = nil, itunesURL: URL? = nil, xenoCantoKey: @escaping @Sendable () -> APIKey? = { nil }
  ) {
    self.xenoCantoURL = xenoCantoURL
    self.itunesURL = itunesURL
    self.xenoCantoKey = xenoCantoKey
  }

  private static func systemTransport() -> any HTTPTransport {
    #if canImport(Darwin)
      URLSessionTransport()
    #else
      CurlTransport()
    #endif
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
