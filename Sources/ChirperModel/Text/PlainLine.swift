/// A text from outside as one line that nothing can act on: for labels, credits and titles.
package enum PlainLine {
  /// The text with a space for every control, bidi and line-end character and every noncharacter,
  /// and then with single spaces; a text without such characters is returned as it is. `nil` if
  /// nothing is left.
  package static func text(_ text: String) -> String? {
    guard !ByteScan.isPlain(text), text.unicodeScalars.contains(where: isReplaced) else {
      return text.isEmpty ? nil : text
    }
    let words = text.unicodeScalars.split { $0 == " " || isReplaced($0) }.map { String($0) }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  private static func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
    // The noncharacters of Unicode.
    JSONText.isControl(scalar) || scalar.value & 0xFFFE == 0xFFFE
      || (0xFDD0...0xFDEF).contains(scalar.value)
  }
}
