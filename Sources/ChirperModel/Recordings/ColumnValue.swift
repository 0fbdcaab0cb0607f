extension DetailColumn {
  /// The value that a recording has in a column.
  package enum Value: Hashable, Sendable {
    /// The column has no value.
    case none
    /// One text.
    case text(String)
    /// Several texts, or none.
    case list([String])
    /// A number in the unit of the column.
    case number(Double)
    /// A whole number.
    case integer(Int)
    /// Yes or no.
    case flag(Bool)
    /// A date, as precisely as it is known.
    case date(PartialDate)
    /// A catalogue's rating.
    case rating(RecordingDetails.Quality)
    /// A raw field, as the catalogue sent it.
    case field(RecordingFields.Value)

    package init(_ text: String?) { self = text.map { .text($0) } ?? .none }
    init(_ list: [String]) { self = .list(list) }
    package init(_ number: Double?) { self = number.map { .number($0) } ?? .none }
    package init(_ integer: Int?) { self = integer.map { .integer($0) } ?? .none }
    init(_ date: PartialDate?) { self = date.map { .date($0) } ?? .none }

    /// The value as text: numbers in decimal digits, `true` and `false`, several texts with `
    /// | ` between them, as Darwin Core recommends; `nil` if it has no value, or a list is
    /// empty.
    package func text(separator: String = " | ") -> String? {
      switch self {
      case .none: nil
      case .text(let text): text
      case .list(let texts): texts.isEmpty ? nil : texts.joined(separator: separator)
      case .number(let number): DecimalText.text(number)
      case .integer(let number): String(number)
      case .flag(let isTrue): isTrue ? "true" : "false"
      case .date(let date): date.description
      case .rating(let quality): quality.rawValue
      case .field(let field): field.text
      }
    }

    /// The number that a typed value is ordered by; `nil` for texts and raw fields.
    package var number: Double? {
      switch self {
      case .number(let number): number
      case .integer(let number): Double(number)
      case .flag(let isTrue): isTrue ? 1 : 0
      case .date(let date): Double(date.packed)
      case .rating(let quality): Double(quality.rank)
      case .none, .text, .list, .field: nil
      }
    }
  }
}

/// The type of a column's values, with their limits.
package enum ColumnType: Sendable, Equatable {
  /// A text that every row has.
  case key
  case text
  /// A text that is ordered by the number at its end.
  case serial
  /// Several texts.
  case list
  /// An array of objects, which is JSON in a cell.
  case objects
  /// A text that matches a regular expression.
  case pattern(String)
  /// An absolute address with HTTP or HTTPS.
  case address
  /// A date of year, month or day precision.
  case date
  /// A catalogue's rating.
  case rating
  case number(ClosedRange<Double>?, ColumnUnit)
  case integer(ClosedRange<Int>?)
  case boolean

  /// Whether tables align it right.
  package var isNumber: Bool {
    switch self {
    case .number, .integer: true
    default: false
    }
  }
}

/// The unit of a column of numbers.
package enum ColumnUnit: Sendable {
  case seconds, metres, degrees
}

extension RecordingDetails.Quality {
  /// The rank from 1 for A to 5 for E.
  package var rank: UInt8 { (rawValue.utf8.first ?? 0x40) - 0x40 }
}
