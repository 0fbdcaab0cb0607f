/// Numbers in decimal digits.
package enum DecimalText {
  /// A number that is not negative, with zeros before it up to that many digits: `07`.
  package static func padded(_ number: Int, digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// The shortest digits that read back as the same number, without an exponent, which the decimals of XML and of some
  /// readers of tables do not have: `-8.65`, `12`, `0.00001`.
  ///
  /// - Parameter number: finite.
  package static func text(_ number: Double) -> String {
    if let whole = Int64(exactly: number) { return String(whole) }
    let text = number.description
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "e")), let exponent = Int(text[text.index(after: mark)...]) else {
      return text
    }
    let isNegative = text.hasPrefix("-")
    let mantissa = text[..<mark].drop { $0 == "-" }
    let digits = String(mantissa.filter { $0 != "." })
    let point =
      (mantissa.firstIndex(of: ".").map { mantissa.distance(from: mantissa.startIndex, to: $0) } ?? digits.count) + exponent
    var decimal = ""
    if point <= 0 {
      decimal = "0." + String(repeating: "0", count: -point) + digits
    } else if point >= digits.count {
      decimal = digits + String(repeating: "0", count: point - digits.count)
    } else {
      decimal = digits.prefix(point) + "." + digits.dropFirst(point)
    }
    var trimmed = decimal[...]
    if trimmed.contains(".") {
      while trimmed.hasSuffix("0") { trimmed = trimmed.dropLast() }
      if trimmed.hasSuffix(".") { trimmed = trimmed.dropLast() }
    }
    return (isNegative ? "-" : "") + trimmed
  }
}
