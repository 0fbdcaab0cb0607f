/// The number of columns of a terminal that a scalar takes: 0, 1 or 2
/// (docs/decisions/0011).
package enum DisplayWidth {
  /// The columns of one scalar. Ambiguous scalars count 1, as in every terminal outside
  /// East Asian legacy encodings.
  static func columns(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    switch scalar.properties.generalCategory {
    // Combining marks are drawn over the scalar before them, and format characters are not drawn.
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and final consonants of Hangul are part of the syllable before them.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
    // A flag is a pair of regional indicators, so each counts as one column.
    if (0x1F1E6...0x1F1FF).contains(value) { return 1 }
    return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(value) } ? 2 : 1
  }

  /// The columns of a text that `CellText` made.
  package static func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + columns($1) }
  }

  /// The scalars that Unicode's EastAsianWidth.txt calls wide or full-width, apart from
  /// emoji. A range may have scalars that nobody uses yet.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
    0x4E00...0xA4C6, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x16FF6,
    0x17000...0x18DF2, 0x1AFF0...0x1B2FB, 0x1F200...0x1F202, 0x1F210...0x1F23B, 0x1F240...0x1F248,
    0x1F260...0x1F265,
    0x20000...0x3FFFD,
  ]
}
