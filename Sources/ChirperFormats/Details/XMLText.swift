import ChirperModel

/// Text in XML 1.0 and HTML.
enum XMLText {
  /// The text as content or as the value of an attribute. Line ends and tabs are references, so that a parser does not
  /// change them; characters that XML 1.0 forbids become U+FFFD.
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: mayBeginReplaced) else { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      if let replacement = replacement(scalar) { out += replacement } else { out.unicodeScalars.append(scalar) }
    }
    return out
  }

  private static func mayBeginReplaced(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0xEF: true
    default: false
    }
  }

  private static func replacement(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    case "'": "&#39;"
    case "\t": "&#9;"
    case "\n": "&#10;"
    case "\r": "&#13;"
    case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
    default: nil
    }
  }

  /// The text as a comment, in which `--` may not be.
  static func comment(_ text: String) -> String {
    var plain = ""
    for scalar in (PlainLine.text(text) ?? "").unicodeScalars {
      if scalar == "-", plain.hasSuffix("-") { plain += " " }
      plain.unicodeScalars.append(scalar)
    }
    return "<!-- \(plain) -->"
  }
}
