import Foundation

/// The `Retry-After` header in both its forms, never below zero nor above a day.
enum RetryAfter {
  static func parse(_ header: String, now: Date) -> Duration? {
    let text = header.trimmingCharacters(in: .whitespaces)
    if text.isDigits { return .seconds(min(Int(text) ?? day, day)) }
    return date(text).map {
      .seconds(Int(min(max($0.timeIntervalSince(now).rounded(.up), 0), Double(day))))
    }
  }

  private static let day = 86_400

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, whatever the machine's own settings are.
  private static func date(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    // A formatter does not know leap seconds.
    return formatter.date(from: text.replacing(":60 GMT", with: ":59 GMT"))
  }
}
