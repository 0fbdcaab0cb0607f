import Foundation

/// Text without case and accents, for searching and sorting: `Wrocław` and `wroclaw`, `Stein Ø.` and `stein o` are equal.
package enum TextFolding {
  /// Lower case, without marks, and with letters that Unicode does not decompose (ł ø đ ð þ ß æ œ ı) spelled in ASCII; both
  /// small forms of the Greek sigma are the same.
  ///
  /// - Parameter bytes: UTF-8.
  package static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var isASCII = true
    let lower = bytes.map { byte -> UInt8 in
      if byte >= 0x80 { isASCII = false }
      return (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
    guard !isASCII else { return lower }
    let text = String(decoding: lower, as: UTF8.self).decomposedStringWithCanonicalMapping
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where scalar.properties.generalCategory != .nonspacingMark {
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        if let letters = letters[lower] {
          plain.append(contentsOf: letters.unicodeScalars)
        } else if lower.properties.generalCategory != .nonspacingMark {
          plain.append(lower)
        }
      }
    }
    return Array(String(plain).utf8)
  }

  package static func folded(_ text: String) -> String {
    String(decoding: folded(text.utf8), as: UTF8.self)
  }

  private static let letters: [Unicode.Scalar: String] = [
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ς": "σ",
  ]
}
