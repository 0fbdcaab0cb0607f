import Foundation

/// A value bound to a statement's parameter.
enum SQLValue {
  case null
  case int(Int64)
  case text(String)
  /// A text, given as bytes.
  case utf8([UInt8])
  case blob([UInt8])

  init(_ value: Int?) {
    self = value.map { .int(Int64($0)) } ?? .null
  }

  init(_ text: String?) {
    self = text.map { .text($0) } ?? .null
  }

  init(_ date: Date?) {
    self = date.map { .int($0.milliseconds) } ?? .null
  }

  static func int(_ value: Int) -> SQLValue { .int(Int64(value)) }
  static func flag(_ value: Bool) -> SQLValue { .int(value ? 1 : 0 as Int64) }
}
