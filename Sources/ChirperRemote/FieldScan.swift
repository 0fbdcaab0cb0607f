import ChirperModel

/// A part of a record's JSON, where it is.
private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

/// Finds the fields that a mapping needs in one pass over a record's JSON: details are computed for every row of a list,
/// and a search by name for each of them would read the record thirty times.
struct FieldScan<Field: RawRepresentable & CaseIterable & Sendable>: Sendable where Field.RawValue == String {
  private let entries: [(head: UInt64, name: [UInt8], field: Field)]

  /// Looks for every case of `Field`, whose raw values are the names of the fields. It is quickest where the cases are in
  /// the order in which the service sends them.
  init(_: Field.Type) {
    entries = Field.allCases.map { field in
      let name = Array(field.rawValue.utf8)
      return (name.withUnsafeBufferPointer { Self.head($0[...]) }, name, field)
    }
  }

  /// Calls `body` with each of the fields that was sent, in the order sent. The value is valid only inside of `body`.
  func forEach(in fields: RecordingFields, _ body: (Field, RawValue) -> Void) {
    // Records have their fields in one order, so the next field is mostly the one behind the last.
    var next = 0
    fields.forEach { key, value in
      let head = Self.head(key)
      for offset in entries.indices {
        let index = next + offset < entries.count ? next + offset : next + offset - entries.count
        guard entries[index].head == head, entries[index].name.elementsEqual(key) else { continue }
        next = index + 1
        return body(entries[index].field, RawValue(json: UnsafeBufferPointer(rebasing: value)))
      }
    }
  }

  /// Length and first seven bytes of a name: enough to distinguish most names.
  private static func head(_ name: Bytes) -> UInt64 {
    name.prefix(7).reduce(UInt64(name.count)) { $0 << 8 | UInt64($1) }
  }
}

/// One value within a record's JSON, read in place; it must not outlive the call that it is given to.
struct RawValue {
  /// Canonical JSON.
  let json: UnsafeBufferPointer<UInt8>

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

  /// A string without white space around it, or a number as spelled; `nil` where it is empty or something else.
  var text: String? { Self.text(characters) }

  private static func text(_ characters: Bytes) -> String? {
    guard !characters.isEmpty else { return nil }
    let text = JSONText.unescaped(inPlace: UnsafeBufferPointer(rebasing: characters))
    guard characters.contains(UInt8(ascii: "\\")) else { return text }
    // Line ends and tabs are escapes, so they are still there.
    let plain = text.drop(while: \.isWhitespace)
    return plain.lastIndex { !$0.isWhitespace }.map { String(plain[...$0]) }
  }

  /// The parts of a text between its commas, without white space and empty ones.
  var commaList: [String] {
    // A comma is never part of an escape.
    characters.split(separator: UInt8(ascii: ",")).compactMap { Self.text(Self.trimmed($0)) }
  }

  /// The texts of an array, without empty ones; a text alone counts as an array of one.
  var texts: [String] {
    guard json.first == UInt8(ascii: "[") else { return text.map { [$0] } ?? [] }
    var texts: [String] = []
    JSONText.forEachItem(of: json) { item in
      guard item.first == UInt8(ascii: "\"") else { return }
      if let text = RawValue(json: UnsafeBufferPointer(rebasing: item)).text { texts.append(text) }
    }
    return texts
  }

  /// Calls `body` with each member of an object.
  func forEachMember(_ body: (_ name: String, _ value: RawValue) -> Void) {
    guard json.first == UInt8(ascii: "{") else { return }
    JSONText.forEachMember(of: json) { name, value in
      let name = JSONText.unescaped(inPlace: UnsafeBufferPointer(rebasing: name))
      body(name, RawValue(json: UnsafeBufferPointer(rebasing: value)))
    }
  }

  /// Calls `body` with each item of an array.
  func forEachItem(_ body: (RawValue) -> Void) {
    guard json.first == UInt8(ascii: "[") else { return }
    JSONText.forEachItem(of: json) { body(RawValue(json: UnsafeBufferPointer(rebasing: $0))) }
  }

  /// A number, or a text that is one: sign, digits, and a point between digits. `1e3`, `nan` and `1,5` are none.
  var decimal: Double? {
    let (number, rest) = Self.leadingDecimal(characters)
    return rest.isEmpty ? number : nil
  }

  /// A number of metres, with or without an `m` behind it. `nil` for ranges, estimates and other units.
  var metres: Double? {
    let (number, rest) = Self.leadingDecimal(characters)
    let unit = Self.trimmed(rest)
    return unit.isEmpty || unit.elementsEqual([UInt8(ascii: "m")]) ? number : nil
  }

  /// A whole number above zero; `nil` for everything else.
  var count: Int? { decimal.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil } }

  /// Seconds, from `m:ss` or `h:mm:ss`; `nil` for everything else, a number alone included.
  var duration: Double? {
    let parts = characters.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return nil }
    var seconds = 0
    for (index, part) in parts.enumerated() {
      guard index == 0 ? (1...4).contains(part.count) : part.count == 2 else { return nil }
      var number = 0
      for byte in part {
        guard (0x30...0x39).contains(byte) else { return nil }
        number = number * 10 + Int(byte - 0x30)
      }
      guard index == 0 || number < 60 else { return nil }
      seconds = seconds * 60 + number
    }
    return Double(seconds)
  }

  /// A number of seconds with its unit behind it: `9 s`; `nil` for everything else.
  var seconds: Double? {
    let (number, rest) = Self.leadingDecimal(characters)
    guard let number, number >= 0, Self.trimmed(rest).elementsEqual([UInt8(ascii: "s")]) else { return nil }
    return number
  }

  var date: PartialDate? { shortText.flatMap { PartialDate($0) } }

  var time: TimeOfDay? { shortText.flatMap { TimeOfDay($0) } }

  /// An absolute URL with HTTPS, and with HTTP where that is allowed; one without a scheme (`//xeno-canto.org/1`) has
  /// HTTPS. Spaces and letters outside ASCII are percent-encoded. `nil` for every other text, and for a URL with a user
  /// name or a host that is none.
  func url(allowingHTTP: Bool = false) -> String? {
    let characters = characters
    let isHTTP = allowingHTTP && Self.rest(of: characters, behind: "http://") != nil
    guard
      let rest = Self.rest(of: characters, behind: "https://") ?? Self.rest(of: characters, behind: "//")
        ?? (isHTTP ? Self.rest(of: characters, behind: "http://") : nil),
      Self.beginsWithHost(rest)
    else { return nil }
    let scheme = isHTTP ? "http://" : "https://"
    // A backslash begins the escape of a quote or of a control character.
    guard !rest.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else { return nil }
    guard rest.contains(where: Self.needsEncoding) else {
      return scheme + String(decoding: UnsafeBufferPointer(rebasing: rest), as: UTF8.self)
    }
    var out = Array(scheme.utf8)
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

  /// What follows the prefix, which is in lower case; `nil` where the bytes begin otherwise.
  private static func rest(of bytes: Bytes, behind prefix: StaticString) -> Bytes? {
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

  /// The text where it is no longer than any date or time that can be read; such a text needs no memory of its own.
  private var shortText: String? {
    let characters = characters
    return (1...32).contains(characters.count) ? String(decoding: characters, as: UTF8.self) : nil
  }

  private static func trimmed(_ bytes: Bytes) -> Bytes {
    var bytes = bytes
    while bytes.first == 0x20 { bytes.removeFirst() }
    while bytes.last == 0x20 { bytes.removeLast() }
    return bytes
  }

  /// The number that the bytes begin with and what is behind it.
  private static func leadingDecimal(
    _ bytes: Bytes
  ) -> (Double?, rest: Bytes) {
    var rest = bytes
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    func skipDigits() -> Bool {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      return !digits.isEmpty
    }
    guard skipDigits() else { return (nil, bytes) }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard skipDigits() else { return (nil, bytes) }
    }
    let number = bytes[bytes.startIndex..<rest.startIndex]
    // Mostly 15 bytes or fewer, which need no memory.
    return (number.count <= 64 ? Double(String(decoding: number, as: UTF8.self)) : nil, rest)
  }

  /// Whether a host, and nothing but a port behind it, comes before the path.
  private static func beginsWithHost(_ bytes: Bytes) -> Bool {
    let authority = bytes.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let parts = authority.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first, let first = host.first, isLetterOrDigit(first) else { return false }
    guard host.allSatisfy({ isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }) else { return false }
    guard parts.count == 2 else { return true }
    return (1...5).contains(parts[1].count) && parts[1].allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }
}
