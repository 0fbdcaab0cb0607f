import ChirperModel

/// The character references of HTML within a text that should have none.
enum HTMLEntities {
  /// The text with `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;` and references by number replaced, also where they were
  /// escaped twice (`&amp;#233;`). Everything else is left as it is, references to control characters included.
  static func decoded(_ text: String) -> String {
    // A reference that was escaped twice is another one after the first time.
    decodedOnce(decodedOnce(text))
  }

  private static func decodedOnce(_ string: String) -> String {
    let sign = UInt8(ascii: "&")
    guard string.utf8.contains(sign) else { return string }
    let text = Array(string.utf8)
    var out: [UInt8] = []
    var (copied, at) = (0, 0)
    while let start = text[at...].firstIndex(of: sign) {
      at = start + 1
      // The longest reference there is: `&#x10FFFF;`.
      guard let end = text[at..<min(start + 12, text.count)].firstIndex(of: UInt8(ascii: ";")),
        let scalar = scalar(String(decoding: text[at..<end], as: UTF8.self))
      else { continue }
      out += text[copied..<start]
      out += String(scalar).utf8
      (copied, at) = (end + 1, end + 1)
    }
    return copied > 0 ? String(decoding: out + text[copied...], as: UTF8.self) : string
  }

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.first == "#" else { return nil }
      let digits = name.dropFirst()
      let isHex = digits.first == "x" || digits.first == "X"
      guard let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits),
        let scalar = Unicode.Scalar(value), !JSONText.isControl(scalar)
      else { return nil }
      return scalar
    }
  }
}
