/// A part of a record's JSON, where it is.
private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

/// One value within a record's JSON, read in place; it must not outlive the call that it is given to.
///
/// It pays because an export with details computes 25 texts for each row.
package struct RawValue {
  /// Canonical JSON.
  let json: UnsafeBufferPointer<UInt8>

  /// Whether it is an object.
  package var isObject: Bool { json.first == UInt8(ascii: "{") }
  /// Whether it is `true`.
  package var isTrue: Bool { json.first == UInt8(ascii: "t") }
  /// Whether it is `null`.
  package var isNull: Bool { json.first == UInt8(ascii: "n") }

  /// The characters of a string, still escaped and without white space around them, or the spelling of a number; empty
  /// for everything else.
  private var characters: Bytes {
    guard let first = json.first else { return json[...] }
    return switch first {
    case UInt8(ascii: "\"") where json.count >= 2: Self.trimmed(json[1..<(json.count - 1)])
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): json[...]
    default: json[0..<0]
    }
  }

  /// A string without white space around it, or a number as spelled; `nil` if it is empty or something else.
  package var text: String? { Self.text(characters) }

  private static func text(_ characters: Bytes) -> String? {
    guard !characters.isEmpty else { return nil }
    let bytes = UnsafeBufferPointer(rebasing: characters)
    guard RawValue.contains(UInt8(ascii: "\\"), bytes) else { return String(decoding: bytes, as: UTF8.self) }
    // Line ends and tabs are escapes, so they are still there.
    let plain = JSONText.unescaped(bytes).drop(while: \.isWhitespace)
    return plain.lastIndex { !$0.isWhitespace }.map { String(plain[...$0]) }
  }

  /// The parts of a text between its commas, without white space and empty ones.
  package var commaList: [String] {
    let characters = characters
    // A comma is never part of an escape.
    guard Self.contains(UInt8(ascii: ","), UnsafeBufferPointer(rebasing: characters)) else {
      return Self.text(characters).map { [$0] } ?? []
    }
    var (parts, rest) = ([String](), characters)
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
      if let part = Self.text(Self.trimmed(rest[..<end])) { parts.append(part) }
      rest = rest[end...].dropFirst()
    }
    return parts
  }

  /// The texts of an array, without empty ones; a text alone counts as an array of one.
  package var texts: [String] {
    guard json.first == UInt8(ascii: "[") else { return text.map { [$0] } ?? [] }
    var texts: [String] = []
    JSONText.forEachItem(of: json) { item in
      guard item.first == UInt8(ascii: "\"") else { return }
      if let text = RawValue(json: UnsafeBufferPointer(rebasing: item)).text { texts.append(text) }
    }
    return texts
  }

  /// Calls `body` with each member of an object.
  package func forEachMember(_ body: (_ name: String, _ value: RawValue) -> Void) {
    guard json.first == UInt8(ascii: "{") else { return }
    JSONText.forEachMember(of: json) { name, value in
      let name = JSONText.unescaped(inPlace: UnsafeBufferPointer(rebasing: name))
      body(name, RawValue(json: UnsafeBufferPointer(rebasing: value)))
    }
  }

  /// Calls `body` with each item of an array.
  package func forEachItem(_ body: (RawValue) -> Void) {
    guard json.first == UInt8(ascii: "[") else { return }
    JSONText.forEachItem(of: json) { body(RawValue(json: UnsafeBufferPointer(rebasing: $0))) }
  }

  /// A number, or a text that is one: sign, digits, and a point between digits. `1e3`, `nan` and `1,5` are none.
  package var decimal: Double? {
    let (number, rest) = Self.leadingDecimal(characters)
    return rest.isEmpty ? number : nil
  }

  /// The numbers between the commas of a text; `nil` for a part that is none.
  package var numbers: [Double?] {
    characters.split(separator: UInt8(ascii: ","), maxSplits: 8, omittingEmptySubsequences: false).map { part in
      let (number, rest) = Self.leadingDecimal(Self.trimmed(part))
      return rest.isEmpty ? number : nil
    }
  }

  /// A number of metres, with or without an `m` after it. `nil` for ranges, estimates and other units.
  package var metres: Double? {
    let (number, rest) = Self.leadingDecimal(characters)
    let unit = Self.trimmed(rest)
    return unit.isEmpty || unit.elementsEqual([UInt8(ascii: "m")]) ? number : nil
  }

  /// A whole number above zero, which may be an id; `nil` for everything else.
  package var count: Int64? { decimal.flatMap { Int64(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil } }

  /// Seconds, from `m:ss` or `h:mm:ss`; `nil` for everything else, a number alone included.
  package var duration: Double? {
    // The number that is being read, and its digits; the parts before it in seconds, and their count.
    var (number, digits, seconds, parts) = (0, 0, 0, 0)
    func endPart() -> Bool {
      guard parts < 3, parts == 0 ? (1...4).contains(digits) : digits == 2 && number < 60 else { return false }
      seconds = seconds * 60 + number
      (number, digits, parts) = (0, 0, parts + 1)
      return true
    }
    for byte in characters {
      if byte == UInt8(ascii: ":") {
        guard endPart() else { return nil }
      } else {
        guard (0x30...0x39).contains(byte), digits < 4 else { return nil }
        number = number * 10 + Int(byte - 0x30)
        digits += 1
      }
    }
    return endPart() && parts > 1 ? Double(seconds) : nil
  }

  /// A number of seconds with its unit after it: `9 s`; `nil` for everything else.
  package var seconds: Double? {
    let (number, rest) = Self.leadingDecimal(characters)
    guard let number, number >= 0, Self.trimmed(rest).elementsEqual([UInt8(ascii: "s")]) else { return nil }
    return number
  }

  /// A date, as `PartialDate` reads it.
  package var date: PartialDate? { shortText.flatMap { PartialDate(utf8: $0) } }

  /// A time of day, as `TimeOfDay` reads it.
  package var time: TimeOfDay? { shortText.flatMap { TimeOfDay(utf8: $0) } }

  /// An absolute URL with HTTPS, and with HTTP where that is allowed; one without a scheme (`//xeno-canto.org/1`) has
  /// HTTPS. Spaces and letters outside ASCII are percent-encoded. `nil` for every other text, and for a URL with a user
  /// name or a host that is none.
  package func url(allowingHTTP: Bool = false) -> String? {
    let characters = characters
    let isHTTP = allowingHTTP && Self.rest(of: characters, after: "http://") != nil
    guard
      let rest = Self.rest(of: characters, after: "https://") ?? Self.rest(of: characters, after: "//")
        ?? (isHTTP ? Self.rest(of: characters, after: "http://") : nil),
      Self.beginsWithHost(rest)
    else { return nil }
    let scheme: StaticString = isHTTP ? "http://" : "https://"
    var needsEncoding = false
    for byte in rest {
      // A backslash begins the escape of a quote or of a control character.
      if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\") { return nil }
      if Self.needsEncoding(byte) { needsEncoding = true }
    }
    guard needsEncoding else {
      return String(unsafeUninitializedCapacity: scheme.utf8CodeUnitCount + rest.count) { out in
        let end = out.update(fromContentsOf: UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount))
        return out[end...].update(fromContentsOf: rest)
      }
    }
    var out = Array(UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount))
    for byte in rest {
      if Self.needsEncoding(byte) {
        out.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 0xF] { out.append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// What follows the prefix, which is in lower case; `nil` if the bytes begin otherwise.
  private static func rest(of bytes: Bytes, after prefix: StaticString) -> Bytes? {
    guard bytes.count > prefix.utf8CodeUnitCount else { return nil }
    for index in 0..<prefix.utf8CodeUnitCount {
      let byte = bytes[bytes.startIndex + index]
      let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      guard lower == prefix.utf8Start[index] else { return nil }
    }
    return bytes.dropFirst(prefix.utf8CodeUnitCount)
  }

  private static func needsEncoding(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
      UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), 0x80...0xFF:
      true
    default: false
    }
  }

  /// The text if it is no longer than any date or time that can be read.
  private var shortText: Bytes? { (1...32).contains(characters.count) ? characters : nil }

  private static func contains(_ byte: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    ByteScan.first(byte, or: byte, in: bytes, from: 0) < bytes.count
  }

  private static func trimmed(_ bytes: Bytes) -> Bytes {
    var bytes = bytes
    while bytes.first == 0x20 { bytes.removeFirst() }
    while bytes.last == 0x20 { bytes.removeLast() }
    return bytes
  }

  /// The number that the bytes begin with and what follows it.
  private static func leadingDecimal(_ bytes: Bytes) -> (Double?, rest: Bytes) {
    var rest = bytes
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    var (digits, whole, unit) = (0, 0.0, 1.0)
    func readDigits() -> Int {
      let start = digits
      while let byte = rest.first, (0x30...0x39).contains(byte) {
        whole = whole * 10 + Double(byte - 0x30)
        digits += 1
        rest.removeFirst()
      }
      return digits - start
    }
    guard readDigits() > 0 else { return (nil, bytes) }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      let decimals = readDigits()
      guard decimals > 0 else { return (nil, bytes) }
      if decimals <= 15 { for _ in 0..<decimals { unit *= 10 } }
    }
    // With so few digits both numbers are exact, so their quotient is the nearest number to the text.
    if digits <= 15 { return ((isNegative ? -whole : whole) / unit, rest) }
    let number = bytes[bytes.startIndex..<rest.startIndex]
    return (number.count <= 64 ? Double(String(decoding: number, as: UTF8.self)) : nil, rest)
  }

  /// Whether a host, and nothing but a port after it, comes before the path.
  private static func beginsWithHost(_ bytes: Bytes) -> Bool {
    let authority = bytes.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let host = authority.prefix { $0 != UInt8(ascii: ":") }
    guard let first = host.first, isLetterOrDigit(first) else { return false }
    guard host.allSatisfy({ isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }) else { return false }
    guard host.count < authority.count else { return true }
    let port = authority.dropFirst(host.count + 1)
    return (1...5).contains(port.count) && port.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }
}

extension FieldValue {
  /// Calls `body` with the value to read it in place; it is valid only inside of `body`.
  package func withRaw<Result>(_ body: (RawValue) -> Result) -> Result {
    var json = json
    return json.withUTF8 { body(RawValue(json: $0)) }
  }
}
