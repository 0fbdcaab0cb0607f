import Foundation

/// Times in the store are whole milliseconds since 1970 UTC.
enum Timestamp {
  /// A clock, or a damaged file, far outside of reason must not trap anything that counts with it.
  static let range: ClosedRange<Int64> = -8_000_000_000_000_000...8_000_000_000_000_000
}

extension Date {
  var milliseconds: Int64 {
    Int64(max(-8e15, min(8e15, (timeIntervalSince1970 * 1000).rounded())))
  }

  init(milliseconds: Int64) {
    let held = max(Timestamp.range.lowerBound, min(Timestamp.range.upperBound, milliseconds))
    self.init(timeIntervalSince1970: Double(held) / 1000)
  }
}
