import ChirperModel
import Foundation

/// The `Retry-After` header in both its forms, never below zero nor above a day.
enum RetryAfter {
  static func parse(_ header: String, now: Date) -> Duration? {
    let text = header.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return .seconds(min(Int(text) ?? day, day))
    }
    guard let date = date(text) else { return nil }
    let seconds = date.timeIntervalSince(now).rounded(.up)
    return .seconds(Int(min(max(seconds, 0), Double(day))))
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
    let days = daysSince1970(year: year, month: month + 1, day: monthDay)
    let seconds = (clock[0] * 60 + clock[1]) * 60 + clock[2]
    return Date(timeIntervalSince1970: Double(days * day + seconds))
  }

  /// Days in the Gregorian calendar, counted in years that begin in March so that the leap day is their last.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
