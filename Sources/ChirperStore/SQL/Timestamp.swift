import Foundation

/// Times in the store are whole milliseconds since 1970-01-01 00:00 UTC.
enum Timestamp {
  /// Times are clamped to this, so that arithmetic on those of a wrong clock or a damaged file does not overflow.
  static let range: ClosedRange<Int64> = -8_000_000_000_000_000...8_000_000_000_000_000
}

extension Date {
  /// As the store keeps it.
  var milliseconds: Int64 {
    Int64(max(-8e15, min(8e15, (timeIntervalSince1970 * 1000).rounded())))
  }

  init(milliseconds: Int64) {
    let clamped = max(Timestamp.range.lowerBound, min(Timestamp.range.upperBound, milliseconds))
    self.init(timeIntervalSince1970: Double(clamped) / 1000)
  }
}
