import ChirperModel

/// Text in XML 1.0 and HTML.
enum XMLText {
  /// The text as content or as the value of an attribute. Line ends and tabs are references, so that a parser does not
  /// change them; characters that XML 1.0 forbids become U+FFFD.
  static func escaped(_ text: String) -> String {
    var out: [UInt8] = []
    append(escaped: text, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends the same, without a text of its own.
  static func append(escaped text: String, to out: inout [UInt8]) {
    var text = text
    text.withUTF8 { bytes in
      var copied = 0
      for at in bytes.indices {
        var start = at
        let replacement: String
        switch bytes[at] {
        case UInt8(ascii: "&"): replacement = "&amp;"
        case UInt8(ascii: "<"): replacement = "&lt;"
        case UInt8(ascii: ">"): replacement = "&gt;"
        case UInt8(ascii: "\""): replacement = "&quot;"
        case UInt8(ascii: "'"): replacement = "&#39;"
        case 0x09: replacement = "&#9;"
        case 0x0A: replacement = "&#10;"
        case 0x0D: replacement = "&#13;"
        case 0..<0x20: replacement = "\u{FFFD}"
        // The last byte of U+FFFE and U+FFFF.
        case 0xBE, 0xBF:
          guard at >= 2, bytes[at - 1] == 0xBF, bytes[at - 2] == 0xEF else { continue }
          start = at - 2
          replacement = "\u{FFFD}"
        default: continue
        }
        out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<start]))
        out += replacement.utf8
        copied = at + 1
      }
      out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied...]))
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
