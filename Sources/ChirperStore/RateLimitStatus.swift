import ChirperModel
import Foundation

/// The state of one catalogue's rate limit.
public struct RateLimitStatus: Equatable, Sendable {
  /// The catalogue whose rate it is.
  public let catalogue: CatalogueID
  /// The moment reserved for the latest request, UTC.
  public let lastRequestAt: Date?
  /// No request before this time, as the catalogue's Retry-After asks; UTC.
  public let pausedUntil: Date?
}
