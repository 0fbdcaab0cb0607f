import ChirperModel

/// The character references of HTML within a text that should have none.
enum HTMLEntities {
  /// The text with `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;` and references by number replaced,
  /// also where they were escaped twice (`&amp;#233;`). Everything else is left as it is,
  /// references to control characters included.
  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    // A reference that was escaped twice is another one after the first time.
    let once = decodedOnce(text)
    return once.utf8.contains(UInt8(ascii: "&")) ? decodedOnce(once) : once
  }

  private static func decodedOnce(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var decoded = [UInt8]()
    var at = 0
    while let start = bytes[at...].firstIndex(of: UInt8(ascii: "&")) {
      decoded += bytes[at..<start]
      // The longest reference there is: `&#x10FFFF;`.
      if let end = bytes[(start + 1)...].prefix(11).firstIndex(of: UInt8(ascii: ";")),
        let scalar = scalar(String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
      {
        decoded += String(scalar).utf8
        at = end + 1
      } else {
        decoded += "&".utf8
        at = start + 1
      }
    }
    return String(decoding: decoded + bytes[at...], as: UTF8.self)
  }

  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    guard name.first == "#" else { return named[name] }
    let digits = name.dropFirst()
    let isHex = digits.first == "x" || digits.first == "X"
    guard let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits),
      let scalar = Unicode.Scalar(value), !PlainLine.isControl(scalar)
    else { return nil }
    return scalar
  }
}
