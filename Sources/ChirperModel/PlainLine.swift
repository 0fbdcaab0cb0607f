/// A text from outside as one line that nothing can act on: for labels, credits and titles.
package enum PlainLine {
  /// The text with a space for every control, bidi and line-end character and every noncharacter, and then with single
  /// spaces; a text without such characters is returned as it is. `nil` where nothing is left.
  package static func text(_ text: String) -> String? {
    guard text.unicodeScalars.contains(where: isReplaced) else { return text.isEmpty ? nil : text }
    let plain = String.UnicodeScalarView(text.unicodeScalars.map { isReplaced($0) ? " " : $0 })
    let words = String(plain).split(separator: " ")
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  private static func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value < 0x20 || scalar.value >= 0x7F else { return false }
    return JSONText.isControl(scalar) || scalar.properties.isNoncharacterCodePoint
  }
}
