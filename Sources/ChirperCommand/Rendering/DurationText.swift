import Foundation

/// Times in words.
enum DurationText {
  /// `3 minutes ago`; a time to come is never given a negative age.
  static func ago(_ date: Date, now: Date) -> String {
    let seconds = now.timeIntervalSince(date)
    // Two machines, or a clock that was just set, may disagree by a few seconds.
    if seconds < -5 { return "in the future (clock?)" }
    if seconds < 5 { return "just now" }
    return "\(words(seconds: seconds)) ago"
  }

  /// `1 hour`, `3 minutes`, cut to the largest unit that fits.
  static func words(_ duration: Duration) -> String {
    let parts = duration.components
    return words(seconds: (Double(parts.seconds) + Double(parts.attoseconds) / 1e18).rounded(.up))
  }

  private static func words(seconds: Double) -> String {
    let units: [(name: String, seconds: Double, from: Double)] = [
      ("year", 31_557_600, 63_115_200), ("month", 2_629_800, 5_259_600), ("week", 604_800, 1_209_600),
      ("day", 86_400, 172_800), ("hour", 3600, 3600), ("minute", 60, 60),
    ]
    let unit = units.first { seconds >= $0.from } ?? ("second", 1, 0)
    let count = Int(min(seconds / unit.seconds, 1e9))
    return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
  }
}
