import Foundation

/// Times in the store are whole milliseconds since 1970-01-01 00:00 UTC. They are clamped,
/// so that arithmetic on the times of a wrong clock or a damaged file does not overflow.
extension Date {
  /// The nearest millisecond.
  package var milliseconds: Int64 {
    Int64(max(-8e15, min(8e15, (timeIntervalSince1970 * 1000).rounded())))
  }

  /// The time `milliseconds` after 1970-01-01 00:00 UTC.
  package init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: max(-8e12, min(8e12, Double(milliseconds) / 1000)))
  }
}
