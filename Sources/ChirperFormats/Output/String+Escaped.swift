extension String {
  /// The text with scalars replaced. Most texts have nothing to replace and are returned as
  /// they are. Letters, digits and spaces of ASCII are never replaced.
  func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
    let mayChange = utf8.contains { byte in
      byte >= 0x80 || Self.mayBeReplaced(byte) && replacement(Unicode.Scalar(byte)) != nil
    }
    guard mayChange, unicodeScalars.contains(where: { replacement($0) != nil }) else {
      return self
    }
    var escaped = UnicodeScalarView()
    for scalar in unicodeScalars {
      if let text = replacement(scalar) {
        escaped.append(contentsOf: text.unicodeScalars)
      } else {
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// Whether the byte is neither a space nor a letter or digit of ASCII, which are most of a text.
  private static func mayBeReplaced(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      false
    default: true
    }
  }
}
