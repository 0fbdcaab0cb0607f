/// The form of a tag's values, if not every text will do. Whether a value means anything is
/// decided by the code that answers the search: a range may end before it begins, and 30
/// February does not exist.
package enum TagValueForm: Sendable {
  /// Anything, with or without an operator.
  case text
  /// One of these words, in lower case.
  case oneOf([String])
  /// A number, `<` or `>` a number, or a range `a-b`.
  case number
  case month
  /// `A` to `E`, also `<C` and `>C`.
  case quality
  /// A number of days, or a date.
  case since
  /// Four numbers with commas.
  case box
  /// Catalogue numbers and ranges of them, with commas.
  case serial

  /// The values that may be typed, after "It accepts".
  package var expected: String {
    switch self {
    case .text: "text"
    case .oneOf(let words):
      (words.dropLast(2) + [words.suffix(2).joined(separator: " or ")]).joined(separator: ", ")
    case .number: "a number, a range 10-20, \"<10\" or \">10\""
    case .month: "a month from 1 to 12"
    case .quality: "A, B, C, D, E, \"<C\" or \">C\""
    case .since: "a number of days or a date, 2026-03-31"
    case .box: "south,west,north,east in degrees, without spaces"
    case .serial: "numbers and ranges, 76967,88888-88890"
    }
  }

  /// Whether the value, without quotes, has this form.
  package func accepts(_ value: String) -> Bool {
    switch self {
    case .text: return true
    case .oneOf(let words):
      let operand = TagOperand(value)
      return words.contains(operand.sign == .exactly ? operand.text : value)
    case .number: return TagNumbers(value) != nil
    case .month:
      guard let numbers = TagNumbers(value) else { return false }
      return [numbers.first, numbers.last].allSatisfy {
        (1...12).contains($0) && $0 == $0.rounded()
      }
    case .quality: return RecordingDetails.Quality.searched(value) != nil
    case .since:
      let parts = value.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8)
      guard parts.allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return false }
      return parts.count == 1 ? (1...5).contains(parts[0].count) : parts.map(\.count) == [4, 2, 2]
    case .box: return TagNumbers.list(value)?.count == 4
    case .serial:
      return value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { part in
        guard part.utf8.first?.isDigit == true, TagNumbers(String(part)) != nil else {
          return false
        }
        return !part.contains(".") && !part.contains("--")
      }
    }
  }
}

/// The numbers that a value names.
package struct TagNumbers: Hashable, Sendable {
  package let sign: TagOperand.Sign?
  package let first: Double
  /// The end of a range, which may be less than its beginning; equal to `first` for one
  /// number.
  package let last: Double
  package let isRange: Bool

  /// Reads `10`, `-3.5`, `10-15`, `-5--3`, `<30`, `>120`, `=19.8`; `nil` for every other text.
  package init?(_ value: String) {
    let operand = TagOperand(value)
    var rest = operand.text.utf8[...]
    guard let first = Self.number(&rest) else { return nil }
    sign = operand.sign
    self.first = first
    isRange = rest.first == UInt8(ascii: "-")
    if isRange { rest.removeFirst() }
    guard let last = isRange ? Self.number(&rest) : first, rest.isEmpty else { return nil }
    self.last = last
  }

  /// The numbers between commas; `nil` if a part is not a number or more than one.
  static func list(_ value: String) -> [Double]? {
    let parts = value.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { TagNumbers(String($0)) }.filter {
      !$0.isRange && $0.sign == nil
    }
    return numbers.count == parts.count ? numbers.map(\.first) : nil
  }

  /// Steps over a number in ASCII digits, with or without a minus and a fraction.
  ///
  /// - Returns: The number; `nil` if the text does not continue with one, or if it is too
  ///   large.
  private static func number(_ rest: inout Substring.UTF8View) -> Double? {
    guard let (digits, after) = rest.leadingDecimal(signs: "-"),
      let number = Double(Substring(digits)), number.isFinite
    else { return nil }
    rest = after
    return number
  }
}

extension RecordingDetails.Quality {
  /// The ratings that `A`, `=A`, `<C` (worse than C) or `>C` (better) asks for; `nil` for every
  /// other text.
  static func searched(_ value: String) -> Set<RecordingDetails.Quality>? {
    let operand = TagOperand(value)
    guard let quality = RecordingDetails.Quality(rawValue: operand.text.uppercased()) else {
      return nil
    }
    return switch operand.sign {
    case .below: Set(allCases.filter { $0 < quality })
    case .above: Set(allCases.filter { $0 > quality })
    case .exactly, nil: [quality]
    }
  }
}
