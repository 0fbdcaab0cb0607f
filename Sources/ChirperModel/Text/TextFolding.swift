import Foundation

/// Text without case and accents, for searching and sorting: `Wrocław` and `wroclaw`, `Stein Ø.`
/// and `stein o` are equal.
///
/// The tables pay: with Unicode's properties alone, writing the search index takes 3.2 times as
/// many instructions.
package enum TextFolding {
  /// Lower case, without marks, and with letters that Unicode does not decompose (ł ø đ ð þ ß æ œ
  /// ı) spelled in ASCII; both small forms of the Greek sigma are the same.
  ///
  /// - Parameter bytes: UTF-8.
  package static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    folded(Array(bytes))
  }

  private static func folded(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes.map(lowered) }
    var folded: [UInt8] = []
    folded.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x80 {
        folded.append(lowered(byte))
        at += 1
        continue
      }
      guard let (scalar, length) = ByteScan.scalar(bytes.span, at) else {
        return foldedByUnicode(bytes)
      }
      if let letters = tabled(scalar.value) {
        folded += letters
      } else if (0x4E00...0x9FFF).contains(scalar.value) {
        // Ideographs have no case and no marks.
        folded.append(contentsOf: bytes[at..<(at + length)])
      } else {
        return foldedByUnicode(bytes)
      }
      at += length
    }
    return folded
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  package static func folded(_ text: String) -> String {
    String(decoding: folded(text.utf8), as: UTF8.self)
  }

  /// The letters and digits of a name, folded, by which names are compared.
  package static func foldedLetters(_ name: String) -> String {
    let letters = folded(name).unicodeScalars.filter {
      $0.properties.isAlphabetic || $0.properties.numericType != nil
    }
    return String(String.UnicodeScalarView(letters))
  }

  /// Folding by Unicode's properties, many times slower than by a table.
  static func foldedByUnicode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let text = String(decoding: ContiguousArray(bytes), as: UTF8.self)
      .decomposedStringWithCanonicalMapping
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

  private static let letters: [Unicode.Scalar: String] = [
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i",
    "ς": "σ",
  ]

  // What each scalar of a range becomes; made when the first of its scalars is met, in up to five
  // milliseconds.
  /// The letters of most languages that are written in Latin letters. The table is small,
  /// because almost every search needs it.
  private static let latin = table(0x80..<0x180)
  /// Other Latin, Greek, Cyrillic and Armenian.
  private static let european = table(0x180..<0x590)
  /// Hebrew to Georgian.
  private static let eastern = table(0x590..<0x1100)
  /// Latin with two marks, and Greek.
  private static let additional = table(0x1E00..<0x2000)
  private static let punctuation = table(0x2000..<0x2100)
  private static let kana = table(0x3000..<0x3100)

  private static func table(_ range: Range<UInt32>) -> [[UInt8]] {
    range.compactMap(Unicode.Scalar.init).map { foldedByUnicode(String($0).utf8) }
  }

  private static func tabled(_ scalar: UInt32) -> [UInt8]? {
    switch scalar {
    case 0x80..<0x180: latin[Int(scalar - 0x80)]
    case 0x180..<0x590: european[Int(scalar - 0x180)]
    case 0x590..<0x1100: eastern[Int(scalar - 0x590)]
    case 0x1E00..<0x2000: additional[Int(scalar - 0x1E00)]
    case 0x2000..<0x2100: punctuation[Int(scalar - 0x2000)]
    case 0x3000..<0x3100: kana[Int(scalar - 0x3000)]
    default: nil
    }
  }
}
