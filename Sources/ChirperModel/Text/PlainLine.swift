/// A text from outside as one line that nothing can act on: for labels, credits and titles.
package enum PlainLine {
  /// Whether a terminal could act on the scalar: C0, DEL, C1, bidi controls, line and paragraph
  /// separators.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The text with a space for every control, bidi and line-end character and every noncharacter,
  /// and then with single spaces; a text without such characters is returned as it is. `nil` if
  /// nothing is left.
  package static func text(_ text: String) -> String? {
    guard !text.utf8.allSatisfy(ByteScan.isPlain), text.unicodeScalars.contains(where: isReplaced)
    else {
      return text.isEmpty ? nil : text
    }
    let words = text.unicodeScalars.split { $0 == " " || isReplaced($0) }.map { String($0) }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  private static func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
    // The noncharacters of Unicode.
    isControl(scalar) || scalar.value & 0xFFFE == 0xFFFE
      || (0xFDD0...0xFDEF).contains(scalar.value)
  }
}
