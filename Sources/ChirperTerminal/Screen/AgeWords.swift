import Foundation

/// How long ago something was, and times of day, in words.
enum AgeWords {
  /// `3 hours`; less than a minute, and a time to come, is `nil`: just now.
  static func age(of date: Date, at now: Date) -> String? {
    let seconds = now.timeIntervalSince(date)
    guard seconds.isFinite, seconds >= 60 else { return nil }
    let minutes = Int(min(seconds, 1e12) / 60)
    switch minutes {
    case ..<60: return counted(minutes, "minute")
    case ..<(48 * 60): return counted(minutes / 60, "hour")
    default: return counted(minutes / (24 * 60), "day")
    }
  }

  static func fetched(_ date: Date, at now: Date) -> String {
    age(of: date, at: now).map { "fetched \($0) ago" } ?? "fetched just now"
  }

  /// `14:05`.
  static func timeOfDay(_ date: Date, in zone: TimeZone) -> String {
    let seconds = Int(date.timeIntervalSince1970.rounded()) + zone.secondsFromGMT(for: date)
    let minutes = ((seconds % 86400) + 86400) % 86400 / 60
    let minute = minutes % 60
    return "\(minutes / 60 < 10 ? "0" : "")\(minutes / 60):\(minute < 10 ? "0" : "")\(minute)"
  }

  private static func counted(_ number: Int, _ unit: String) -> String {
    "\(number) \(unit)\(number == 1 ? "" : "s")"
  }
}
