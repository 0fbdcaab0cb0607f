import Foundation

/// Numbers in decimal digits.
package enum DecimalText {
  /// A number that is not negative, with zeros before it up to that many digits: `07`.
  package static func padded(_ number: Int, digits: Int) -> String {
    var text = String(number)
    while text.utf8.count < digits { text = "0" + text }
    return text
  }

  /// The shortest digits that read back as the same number, without an exponent, which the decimals of XML and of some
  /// readers of tables do not have: `-8.65`, `12`, `0.00001`.
  ///
  /// - Parameter number: finite.
  package static func text(_ number: Double) -> String {
    if let whole = Int64(exactly: number) { return String(whole) }
    let text = number.description
    return ByteScan.contains("e", in: text) ? Decimal(string: text)?.description ?? text : text
  }
}
