extension PartialDate {
  /// An hour and a minute, without a zone.
  public struct TimeOfDay: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// 0 to 23.
    public let hour: Int
    /// 0 to 59.
    public let minute: Int

    /// A time of the day; `nil` if it does not exist.
    public init?(hour: Int, minute: Int) {
      guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
      self.hour = hour
      self.minute = minute
    }

    /// Reads a text that has an hour and a minute and can mean one time only: `07:30`,
    /// `9:30`, `0730`, `630`, `06.00`, `9:45am`, `2:15 pm`, `07:30:15`, `07:30:15.513+02:00`,
    /// `17:30+02:00`, `14:07-0600`. Seconds are left out, and so is the zone, because the hour is
    /// that of its clock.
    ///
    /// `nil` for everything else. Catalogues send `11`, which may be an hour or a count;
    /// `11:20 AST`, which may not be in the zone of the place; `0-30` and `07:30-08:00`,
    /// which may be ranges; `07:30:15Z`, which is UTC and not the time at the place; and
    /// `morning`, `?` and `xx:xx`, which are not times.
    public init?(_ text: String) {
      self.init(utf8: text.utf8[...])
    }

    init?<Text: Collection<UInt8>>(utf8 text: Text) where Text.SubSequence == Text {
      var scan = DigitScan(text)
      guard let first = scan.number(digits: 1...4) else { return nil }
      var hour = first / 100
      var minute = first % 100
      var hasSeconds = false
      if text.prefix(while: { $0.isDigit }).count < 3 {
        guard let separator: Unicode.Scalar = scan.skip(":") ? ":" : scan.skip(".") ? "." : nil,
          let number = scan.number(digits: 2...2)
        else { return nil }
        hour = first
        minute = number
        hasSeconds = scan.skip(separator)
        if hasSeconds {
          guard let seconds = scan.number(digits: 2...2), seconds < 60 else { return nil }
          if separator == ":", scan.skip("."), scan.number(digits: 1...9) == nil { return nil }
        }
      }
      let isEast = scan.skip("+")
      if isEast || scan.skip("-") {
        guard let zone = scan.number(digits: 2...4), zone < 15 || (100..<1500).contains(zone) else {
          return nil
        }
        let hasColon = scan.skip(":")
        // `07:30-08:00` and `07:30-08` may be ranges.
        guard isEast || hasSeconds || !hasColon && zone >= 100,
          !hasColon || scan.number(digits: 2...2) != nil, scan.isAtEnd
        else { return nil }
      }
      if !scan.isAtEnd {
        _ = scan.skip(" ")
        let isAfternoon = scan.skip("p") || scan.skip("P")
        guard isAfternoon || scan.skip("a") || scan.skip("A"), scan.skip("m") || scan.skip("M"),
          scan.isAtEnd,
          (1...12).contains(hour)
        else { return nil }
        hour = hour % 12 + (isAfternoon ? 12 : 0)
      }
      self.init(hour: hour, minute: minute)
    }

    /// `07:30`.
    public var description: String {
      "\(DecimalText.padded(hour, digits: 2)):\(DecimalText.padded(minute, digits: 2))"
    }

    /// Whether the left one is earlier in a day.
    public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
      (left.hour, left.minute) < (right.hour, right.minute)
    }
  }
}
