/// A date of which the month or the day may be unknown.
public struct PartialDate: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Year, month and day in one number with their order; unknown parts are 0. Recordings are sorted
  /// and searched by it.
  package let packed: Int32

  /// 1 to 9999.
  public var year: Int { Int(packed >> 9) }
  /// 1 to 12.
  public var month: Int? { packed >> 5 & 0xF > 0 ? Int(packed >> 5 & 0xF) : nil }
  /// 1 to the month's last day; only with a month.
  public var day: Int? { packed & 0x1F > 0 ? Int(packed & 0x1F) : nil }

  /// A date of the calendar; `nil` if it does not exist. A zero month or day is unknown,
  /// and so is the day of an unknown month.
  public init?(year: Int, month: Int = 0, day: Int = 0) {
    guard (1...9999).contains(year), (0...12).contains(month), day >= 0 else { return nil }
    guard day <= (month > 0 ? Self.days(of: month, in: year) : 31) else { return nil }
    self.init(known: year, month, month > 0 ? day : 0)
  }

  /// A date that exists; unknown parts are 0.
  init(known year: Int, _ month: Int, _ day: Int) { packed = Int32(year << 9 | month << 5 | day) }

  /// Reads `2024-05-17`, `2024-05`, `2024`, with zeros for an unknown part (`2024-05-00`).
  /// The rest after a `T` or a space is left out. `nil` for everything else, `0000-00-00`
  /// and days that the month does not have included.
  public init?(_ text: String) {
    self.init(utf8: text.utf8[...])
  }

  init?<Text: Collection<UInt8>>(utf8 text: Text) where Text.SubSequence == Text {
    var scan = DigitScan(text)
    guard let year = scan.number(digits: 4...4),
      let month = scan.skip("-") ? scan.number(digits: 2...2) : 0,
      let day = scan.skip("-") ? scan.number(digits: 2...2) : 0,
      scan.isAtEnd || scan.skip("T") || scan.skip(" ")
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  private static func days(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// ISO 8601 in the precision known: `2024-05-17`, `2024-05`, `2024`.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(10)
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the text of `description`.
  package func append(to text: inout [UInt8]) {
    DecimalText.append(year, digits: 4, to: &text)
    guard let month else { return }
    text.append(UInt8(ascii: "-"))
    DecimalText.append(month, digits: 2, to: &text)
    guard let day else { return }
    text.append(UInt8(ascii: "-"))
    DecimalText.append(day, digits: 2, to: &text)
  }

  /// The first and the last day that it may be, as `packed` orders them.
  var packedDays: ClosedRange<Double> { Self.days(ofPacked: Int(packed)) }

  /// The days that a date as `packed` may be.
  package static func days(ofPacked date: Int) -> ClosedRange<Double> {
    let unknown = date & 0x1FF == 0 ? 0x1FF : date & 0x1F == 0 ? 0x1F : 0
    return Double(date)...Double(date | unknown)
  }

  /// Compares year, month and day; an unknown part comes before every known one.
  public static func < (left: PartialDate, right: PartialDate) -> Bool {
    left.packed < right.packed
  }
}

extension PartialDate {
  /// A stretch of time from one date to a later one, such as the nights that a recorder was out:
  /// `2023-08-13/2023-08-16`.
  public struct Interval: Hashable, Sendable, CustomStringConvertible {
    /// The earliest and the latest date.
    public let first, last: PartialDate

    /// An interval of two dates; `nil` if the last date is not after the first.
    init?(from first: PartialDate, through last: PartialDate) {
      guard first < last else { return nil }
      self.first = first
      self.last = last
    }

    /// The year, or the year and the month, that both dates have; `nil` if they are in two years.
    package var common: PartialDate? {
      guard first.year == last.year else { return nil }
      let month = first.month == last.month ? first.month ?? 0 : 0
      return PartialDate(year: first.year, month: month)
    }

    /// Whether a day of it can be in that range of `PartialDate.packed`.
    func overlaps(_ packed: ClosedRange<Double>) -> Bool {
      (first.packedDays.lowerBound...last.packedDays.upperBound).overlaps(packed)
    }

    /// ISO 8601: `2023-08-13/2023-08-16`.
    public var description: String { "\(first)/\(last)" }
  }
}
