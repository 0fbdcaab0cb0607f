import ArgumentParser
import ChirperModel

extension Age {
  init(option text: String) throws(ValidationError) {
    guard let age = Age(rawValue: text) else {
      throw ValidationError("type a number up to 100000 and a unit, as in 30m, 12h, 7d or 2w")
    }
    self = age
  }
}

/// A request rate as it is typed: `0.5`, `0.5/s`, `30/min`, `500/h`.
struct Rate: Equatable {
  /// The time between two requests.
  let interval: Duration

  init(option text: String) throws(ValidationError) {
    let units: [Substring: Double] = ["s": 1, "min": 60, "h": 3600]
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let unit = units[parts.count == 2 ? parts[1] : "s"],
      parts[0].utf8.allSatisfy({ $0.isDigit || $0 == 0x2E }),
      let count = Double(parts[0]),
      count / unit >= 1.0 / 86_400, count / unit <= 1000
    else {
      throw ValidationError(
        "type a number, as in 0.5 or 30/min, up to 1000 a second and no less than one a day")
    }
    interval = .seconds(unit / count)
  }
}
