import Foundation

/// Times in the store are whole milliseconds since 1970 UTC.
extension Date {
  var milliseconds: Int64 {
    // A clock far outside of reason must not trap the conversion.
    Int64(max(-8e15, min(8e15, (timeIntervalSince1970 * 1000).rounded())))
  }

  init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
