import Foundation

/// A length of time before now, as it is typed: `30m`, `12h`, `7d`, `2w`.
public struct Age: RawRepresentable, Hashable, Codable, Sendable {
  /// The text that was typed.
  public let rawValue: String
  /// The length of time.
  public let duration: Duration

  /// Reads an age of at most 100,000 seconds (`s`), minutes (`m`), hours (`h`), days (`d`) or weeks
  /// (`w`); `nil` for every other text.
  public init?(rawValue text: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let last = text.last, let unit = units[last], let count = Int64(text.dropLast()),
      (0...100_000).contains(count)
    else { return nil }
    rawValue = text
    duration = .seconds(count * unit)
  }

  /// The moment that lies this long before `now`.
  package func moment(before now: Date) -> Date {
    now.addingTimeInterval(-(duration / .seconds(1)))
  }
}
