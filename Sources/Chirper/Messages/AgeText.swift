import Foundation

/// Ages, waits, lengths and times of day as text; nothing else formats them.
package enum AgeText {
  /// `3 minutes ago`, `just now`, or `in the future (clock?)`.
  package static func ago(_ date: Date, now: Date) -> String {
    let seconds = now.timeIntervalSince(date)
    // Two machines, or a clock that was just set, may disagree by a few seconds.
    if seconds < -5 { return "in the future (clock?)" }
    if seconds < 5 { return "just now" }
    return "\(words(seconds: seconds)) ago"
  }

  /// `1 hour`, `3 minutes`: rounded up to whole seconds, then cut to the largest unit that fits.
  package static func words(_ duration: Duration) -> String {
    words(seconds: (duration / .seconds(1)).rounded(.up))
  }

  /// `14:05`.
  package static func timeOfDay(_ date: Date, in zone: TimeZone) -> String {
    // 64 bits also where `Int` has 32, which end in 2038.
    let seconds =
      Int64(date.timeIntervalSince1970.rounded()) + Int64(zone.secondsFromGMT(for: date))
    let minutes = ((seconds % 86400) + 86400) % 86400 / 60
    return "\(twoDigits(Int(minutes / 60))):\(twoDigits(Int(minutes % 60)))"
  }

  /// The length of a sound: `0:07`, `3:45`, `1:02:07`.
  package static func length(seconds: Double) -> String {
    let whole = Int(min(max(0, seconds.rounded()), 1e9))
    let rest = twoDigits(whole % 60)
    return whole < 3600
      ? "\(whole / 60):\(rest)" : "\(whole / 3600):\(twoDigits(whole / 60 % 60)):\(rest)"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// Days up to two months, because the age of a list matters most there; hours up to two days.
  private static func words(seconds: Double) -> String {
    let units: [(name: String, seconds: Double, from: Double)] = [
      ("year", 31_557_600, 63_115_200), ("month", 2_629_800, 5_259_600), ("day", 86_400, 172_800),
      ("hour", 3600, 3600),
      ("minute", 60, 60),
    ]
    let unit = units.first { seconds >= $0.from } ?? ("second", 1, 0)
    return Plural.words(Int(min(seconds / unit.seconds, 1e9)), unit.name)
  }
}

/// Numbers of bytes as text.
package enum SizeText {
  /// `512 bytes`, `12 kB`, `3.4 MB`: in powers of 1000, as disks and networks count.
  package static func words(_ bytes: some BinaryInteger) -> String {
    guard bytes >= 1000 else { return Plural.words(Int(bytes), "byte") }
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
    let (name, size) = units.first { Double(bytes) >= $0.1 } ?? ("kB", 1e3)
    let tenths = Int((Double(bytes) / size * 10).rounded(.down))
    return tenths < 100 && name != "kB"
      ? "\(tenths / 10).\(tenths % 10) \(name)" : "\(tenths / 10) \(name)"
  }
}
