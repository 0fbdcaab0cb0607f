import ChirperModel

/// Text in XML 1.0 and HTML.
enum XMLText {
  /// The text as content or as the value of an attribute. Line ends and tabs are references, so
  /// that a parser does not change them; characters that XML 1.0 forbids become U+FFFD.
  static func escaped(_ text: String) -> String {
    text.escaped { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      case "\t", "\n", "\r": "&#\(scalar.value);"
      case "\0"..<" ", "\u{FFFE}"..."\u{FFFF}": "\u{FFFD}"
      default: nil
      }
    }
  }

  static func element(_ name: String, _ text: String) -> String {
    "<\(name)>\(escaped(text))</\(name)>"
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
