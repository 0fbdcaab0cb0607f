import ChirperModel

/// Text in XML 1.0 and HTML.
enum XMLText {
  /// Appends the text as content or as the value of an attribute.
  static func append(_ text: String, to out: inout [UInt8]) {
    let start = out.count
    out += text.utf8
    // Most texts have nothing to escape; U+FFFE and U+FFFF begin with 0xEF.
    let isEscaped = (start..<out.count).contains { index in
      switch out[index] {
      case 0..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x3E, 0xEF: true
      default: false
      }
    }
    if isEscaped { out.replaceSubrange(start..., with: escaped(text).utf8) }
  }

  /// The text as `append` writes it. Line ends and tabs are references, so that a parser does not change them; characters that
  /// XML 1.0 forbids become U+FFFD.
  static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case "\t", "\n", "\r": out += "&#\(scalar.value);"
      case "\0"..<" ", "\u{FFFE}"..."\u{FFFF}": out += "\u{FFFD}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  static func element(_ name: String, _ text: String) -> String { "<\(name)>\(escaped(text))</\(name)>" }

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
