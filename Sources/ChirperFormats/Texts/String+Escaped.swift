extension String {
  /// The text with another in place of each scalar for which there is one. Most texts have none and are returned as they are.
  func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
    let first = utf8.firstIndex { byte in
      switch byte {
      // Never replaced, and most of a text.
      case UInt8(ascii: " "), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        false
      case 0x80...: true
      default: replacement(Unicode.Scalar(byte)) != nil
      }
    }
    guard let first else { return self }
    var out = unicodeScalars[..<first]
    for scalar in unicodeScalars[first...] {
      if let text = replacement(scalar) { out.append(contentsOf: text.unicodeScalars) } else { out.append(scalar) }
    }
    return String(out)
  }
}
