import ChirperModel
import Foundation

/// The `Retry-After` header in both its forms, never below zero nor above a day.
enum RetryAfter {
  static func parse(_ header: String, now: Date) -> Duration? {
    let text = header.trimmingCharacters(in: .whitespaces)
    if text.isDigits { return .seconds(min(Int(text) ?? day, day)) }
    return date(text).map { .seconds(Int(min(max($0.timeIntervalSince(now).rounded(.up), 0), Double(day)))) }
  }

  private static let day = 86_400
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, read by hand because a `DateFormatter` answers by the machine's own settings.
  private static func date(_ text: String) -> Date? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let monthDay = Int(parts[1]), let year = Int(parts[3]),
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, (1...31).contains(monthDay), (1970...9999).contains(year), (0...23).contains(clock[0]),
      (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.date(
      from: DateComponents(
        year: year, month: month + 1, day: monthDay, hour: clock[0], minute: clock[1], second: clock[2]))
  }
}
