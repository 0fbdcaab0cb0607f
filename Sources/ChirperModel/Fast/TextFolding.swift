import Foundation

/// Text without case and accents, for searching and sorting: `Wrocław` and `wroclaw`, `Stein Ø.` and `stein o` are equal.
///
/// The tables pay because every term of the search index is folded, and Unicode's properties are many times slower.
package enum TextFolding {
  /// Lower case, without marks, and with letters that Unicode does not decompose (ł ø đ ð þ ß æ œ ı) spelled in ASCII; both
  /// small forms of the Greek sigma are the same.
  ///
  /// - Parameter bytes: UTF-8.
  package static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.withContiguousStorageIfAvailable { folded($0) } ?? ContiguousArray(bytes).withUnsafeBufferPointer { folded($0) }
  }

  /// Folds bytes in place.
  package static func folded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x80 {
        folded.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
        at += 1
        continue
      }
      guard let (scalar, length) = scalar(bytes, at) else { return foldedByUnicode(bytes) }
      if let table = Table.holding(scalar) {
        table.append(scalar, to: &folded)
      } else if (0x4E00...0x9FFF).contains(scalar) {
        // Ideographs have no case and no marks.
        folded.append(contentsOf: bytes[at..<(at + length)])
      } else {
        return foldedByUnicode(bytes)
      }
      at += length
    }
    return folded
  }

  package static func folded(_ text: String) -> String {
    String(decoding: folded(text.utf8), as: UTF8.self)
  }

  /// The scalar of two or three bytes that begins there; `nil` if the bytes are none, and for longer ones.
  private static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> (value: UInt32, length: Int)? {
    let length = bytes[at] >> 5 == 0b110 ? 2 : bytes[at] >> 4 == 0b1110 ? 3 : 0
    guard length > 0, at + length <= bytes.count else { return nil }
    var value = UInt32(bytes[at]) & (length == 2 ? 0x1F : 0x0F)
    for next in bytes[(at + 1)..<(at + length)] {
      guard next & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(next & 0x3F)
    }
    // Not spelled longer than needed; surrogates are in no table.
    return value >= (length == 2 ? 0x80 : 0x800) ? (value, length) : nil
  }

  /// Folding by Unicode's properties, many times slower than by a table.
  static func foldedByUnicode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let text = String(decoding: ContiguousArray(bytes), as: UTF8.self).decomposedStringWithCanonicalMapping
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
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ς": "σ",
  ]

  /// What each scalar of a range becomes. A table is made when the first of its scalars is met, in about a millisecond.
  private struct Table: Sendable {
    private let first: UInt32
    /// Where the bytes of each scalar begin; one more than there are scalars.
    private let starts: [UInt16]
    private let bytes: [UInt8]

    private init(_ range: Range<UInt32>) {
      first = range.lowerBound
      var starts: [UInt16] = [0]
      var bytes: [UInt8] = []
      for scalar in range.compactMap(Unicode.Scalar.init) {
        bytes += TextFolding.foldedByUnicode(String(scalar).utf8)
        starts.append(UInt16(bytes.count))
      }
      (self.starts, self.bytes) = (starts, bytes)
    }

    /// Latin, Greek, Cyrillic, Armenian; Hebrew to Georgian; Latin with two marks, punctuation; kana.
    private static let european = Table(0x80..<0x590)
    private static let eastern = Table(0x590..<0x1100)
    private static let additional = Table(0x1E00..<0x2100)
    private static let kana = Table(0x3000..<0x3100)

    static func holding(_ scalar: UInt32) -> Table? {
      switch scalar {
      case 0x80..<0x590: european
      case 0x590..<0x1100: eastern
      case 0x1E00..<0x2100: additional
      case 0x3000..<0x3100: kana
      default: nil
      }
    }

    func append(_ scalar: UInt32, to folded: inout [UInt8]) {
      let index = Int(scalar - first)
      for at in starts[index]..<starts[index + 1] { folded.append(bytes[Int(at)]) }
    }
  }
}
