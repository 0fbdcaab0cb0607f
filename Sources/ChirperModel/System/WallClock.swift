import Foundation

/// The one function that reads the wall clock; everything else is given it.
package enum WallClock {
  /// UTC.
  package static let now: @Sendable () -> Date = { Date() }
}
