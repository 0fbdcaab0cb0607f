/// How many terminal cells a text takes, by a simple rule: marks take none, East Asian wide signs and emoji two.
enum DisplayWidth {
  static func of(_ text: String) -> Int {
    var text = text
    if let ascii = text.withUTF8({ $0.allSatisfy { $0 < 0x80 } ? $0.count : nil }) { return ascii }
    return text.reduce(0) { $0 + of($1) }
  }

  static func of(_ character: Character) -> Int {
    min(2, character.unicodeScalars.reduce(0) { max($0, of($1)) })
  }

  /// The text cut to a width, with `…` where something was left out.
  static func truncated(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    var kept = ""
    var used = 0
    for character in text {
      let next = of(character)
      guard used + next <= width - 1 else { break }
      kept.append(character)
      used += next
    }
    return kept + "…"
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: 0
    default: isWide(scalar.value) ? 2 : 1
    }
  }

  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
