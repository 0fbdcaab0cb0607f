import Foundation

/// Numbers in decimal digits.
package enum DecimalText {
  /// A number that is not negative and has at most `digits` digits, with zeros before it:
  /// `07`.
  package static func padded(_ number: Int, digits: Int) -> String {
    var text: [UInt8] = []
    append(number, digits: digits, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends what `padded` returns.
  static func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
    var unit = 1
    for _ in 1..<digits { unit *= 10 }
    for _ in 0..<digits {
      text.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
      unit /= 10
    }
  }

  /// The shortest digits that read back as the same number, without an exponent, which the decimals
  /// of XML and of some readers of tables do not have: `-8.65`, `12`, `0.00001`.
  ///
  /// - Parameter number: finite.
  package static func text(_ number: Double) -> String {
    if let whole = Int64(exactly: number) { return String(whole) }
    let text = number.description
    return text.utf8.contains(UInt8(ascii: "e")) ? Decimal(string: text)?.description ?? text : text
  }
}
