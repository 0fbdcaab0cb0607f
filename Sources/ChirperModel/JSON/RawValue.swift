// Unsafe memory: records are read in place.

private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

/// One value within a record's JSON, read in place; it must not outlive the call that it is given
/// to.
///
/// It pays because an export with details computes 25 texts for each row.
package struct RawValue {
  /// Canonical JSON.
  let json: UnsafeBufferPointer<UInt8>

  /// Whether it is an object.
  package var isObject: Bool { json.first == UInt8(ascii: "{") }
  var isString: Bool { json.first == UInt8(ascii: "\"") }
  var isBoolean: Bool { isTrue || json.first == UInt8(ascii: "f") }
  /// Whether it is `true`.
  package var isTrue: Bool { json.first == UInt8(ascii: "t") }
  /// Whether it is `null`.
  package var isNull: Bool { json.first == UInt8(ascii: "n") }

  /// The characters of a string, still escaped, without white space around them; the spelling of a
  /// number; else empty.
  private var characters: Bytes {
    guard let first = json.first else { return json[...] }
    return switch first {
    case UInt8(ascii: "\"") where json.count >= 2: Self.trimmed(json[1..<(json.count - 1)])
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): json[...]
    default: json[0..<0]
    }
  }

  /// A string without white space around it, or a number as spelled; `nil` if it is empty or
  /// something else.
  package var text: String? { Self.text(characters) }

  private static func text(_ characters: Bytes) -> String? {
    guard !characters.isEmpty else { return nil }
    let bytes = UnsafeBufferPointer(rebasing: characters)
    guard ByteScan.first(0x5C, or: 0x5C, in: bytes, from: 0) < bytes.count else {
      return String(decoding: bytes, as: UTF8.self)
    }
    // Line ends and tabs are escapes, so they are still there.
    let plain = JSONText.unescaped(bytes).drop(while: \.isWhitespace)
    return plain.lastIndex { !$0.isWhitespace }.map { String(plain[...$0]) }
  }

  /// The parts of a text between its commas, without white space and empty ones.
  package var commaList: [String] {
    var texts = [String]()
    var rest = characters
    while !rest.isEmpty {
      // A comma is never part of an escape.
      let part = rest.prefix { $0 != UInt8(ascii: ",") }
      if let text = Self.text(Self.trimmed(part)) { texts.append(text) }
      rest = rest[part.endIndex...].dropFirst()
    }
    return texts
  }

  /// The texts of an array, without empty ones; a text alone counts as an array of one.
  package var texts: [String] {
    guard json.first == UInt8(ascii: "[") else { return text.map { [$0] } ?? [] }
    var texts: [String] = []
    forEachItem { item in
      if item.isString, let text = item.text { texts.append(text) }
    }
    return texts
  }

  /// Calls `body` with each member of an object.
  package func forEachMember(_ body: (_ name: String, _ value: RawValue) -> Void) {
    guard isObject else { return }
    JSONText.forEachMember(of: json) { name, value in
      body(JSONText.unescaped(name), RawValue(json: UnsafeBufferPointer(rebasing: value)))
    }
  }

  /// Calls `body` with each item of an array.
  package func forEachItem(_ body: (RawValue) -> Void) {
    guard json.first == UInt8(ascii: "[") else { return }
    JSONText.forEachItem(of: json) { body(RawValue(json: UnsafeBufferPointer(rebasing: $0))) }
  }

  /// A number, or the number in a text of sign, digits, and a point between digits; `nil`
  /// for texts such as `1e3`, `nan` and `1,5`.
  package var decimal: Double? { Self.decimal(characters) }

  private static func decimal(_ bytes: Bytes) -> Double? {
    let (number, rest) = leadingDecimal(bytes)
    return rest.isEmpty ? number : nil
  }

  /// The numbers between the commas of a text; `nil` for a part that is not a number.
  package var numbers: [Double?] {
    characters.split(separator: UInt8(ascii: ","), maxSplits: 8, omittingEmptySubsequences: false)
      .map { Self.decimal(Self.trimmed($0)) }
  }

  /// A number of metres, with or without an `m` after it; `nil` for ranges, estimates and
  /// other units.
  ///
  /// A text such as `1.200 m` is `nil` too, because some people write a decimal point there
  /// and some a separator of thousands.
  package var metres: Double? {
    let characters = characters
    let (number, rest) = Self.leadingDecimal(characters)
    let unit = Self.trimmed(rest)
    guard unit.isEmpty || unit.elementsEqual([UInt8(ascii: "m")]) else { return nil }
    let spelling = characters[..<rest.startIndex]
    return isString && Self.mayHaveThousands(spelling) ? nil : number
  }

  /// Whether the point in a number may separate thousands: three digits are after it, and before it
  /// one to three that do not begin with a zero.
  private static func mayHaveThousands(_ number: Bytes) -> Bool {
    let digits = number.drop { !$0.isDigit }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 3 else { return false }
    return (1...3).contains(parts[0].count) && parts[0].first != UInt8(ascii: "0")
  }

  /// A whole number above zero, which may be an id; `nil` for everything else.
  package var count: Int64? { decimal.flatMap { Int64(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil } }

  /// Seconds, from `m:ss` or `h:mm:ss`; `nil` for everything else, a number alone included.
  package var duration: Double? {
    var scan = DigitScan(characters)
    guard var seconds = scan.number(digits: 1...4) else { return nil }
    for part in 1...2 where part == 1 || !scan.isAtEnd {
      guard scan.skip(":"), let number = scan.number(digits: 2...2), number < 60 else { return nil }
      seconds = seconds * 60 + number
    }
    return scan.isAtEnd ? Double(seconds) : nil
  }

  /// A number of seconds with its unit after it: `9 s`; `nil` for everything else.
  package var seconds: Double? {
    let (number, rest) = Self.leadingDecimal(characters)
    guard let number, number >= 0, Self.trimmed(rest).elementsEqual([UInt8(ascii: "s")]) else {
      return nil
    }
    return number
  }

  /// A date, as `PartialDate` reads it.
  package var date: PartialDate? { shortText.flatMap { PartialDate(utf8: $0) } }

  /// Degrees north or east: a number with a point or a comma, with or without a sign of degrees and
  /// the letter of the direction; `nil` for everything else.
  package var degrees: Double? {
    if let decimal { return decimal }
    guard let shortText else { return nil }
    var text = String(decoding: shortText, as: UTF8.self).uppercased()
    let direction = text.last.flatMap { "NESW".contains($0) ? $0 : nil }
    if direction != nil { text.removeLast() }
    text = text.replacing("°", with: "").replacing(",", with: ".").filter { !$0.isWhitespace }
    guard text.allSatisfy({ $0.isNumber || ".-+".contains($0) }), let number = Double(text),
      direction == nil || number >= 0
    else { return nil }
    return direction == "S" || direction == "W" ? -number : number
  }

  /// A date, or the interval between two with a slash between them; two times of one day are a
  /// date. Of the second, ISO 8601 lets those parts be left out that it has in common with the
  /// first: `2007-11-13/15`.
  package var dateOrInterval: (date: PartialDate?, interval: PartialDate.Interval?) {
    let characters = characters
    let parts = characters.split(
      separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1 else { return (date, nil) }
    guard parts.count == 2, characters.count <= 80, let first = PartialDate(utf8: parts[0]),
      let last = Self.end(of: parts[1], from: first)
    else { return (nil, nil) }
    return first == last ? (first, nil) : (nil, PartialDate.Interval(from: first, through: last))
  }

  private static func end(of text: Bytes, from first: PartialDate) -> PartialDate? {
    if let whole = PartialDate(utf8: text) { return whole }
    let date = text.prefix { $0 != UInt8(ascii: "T") }
    if !text.isEmpty, date.isEmpty || date.contains(UInt8(ascii: ":")) { return first }
    let start = Array(first.description.utf8.dropLast(date.count))
    guard start.last == UInt8(ascii: "-") else { return nil }
    return PartialDate(utf8: (start + date)[...])
  }

  /// A time of day, as `PartialDate.TimeOfDay` reads it.
  package var time: PartialDate.TimeOfDay? { shortText.flatMap { PartialDate.TimeOfDay(utf8: $0) } }

  /// Whether the value is a text that should be a time of day and cannot be read as one. A time in
  /// UTC and an interval can be read, although neither is a time at the place; `?`, `xx:xx` and
  /// `unknown` say that the time is not known.
  package var isUnreadableTime: Bool {
    guard time == nil, let text else { return false }
    let words = text.lowercased()
    let isUnknown =
      ["unknown", "unspecified", "not recorded", "none", "na", "n/a"].contains(words)
      || !words.contains { $0.isNumber || $0.isLetter && $0 != "x" }
    let ends = text.split(separator: "/").map { $0.hasSuffix("Z") ? $0.dropLast() : $0 }
    return !isUnknown && !ends.allSatisfy { PartialDate.TimeOfDay(String($0)) != nil }
  }

  /// An absolute URL with HTTPS or HTTP; one without a scheme (`//xeno-canto.org/1`) has HTTPS.
  ///
  /// Spaces and letters outside ASCII are percent-encoded. `nil` for every other text, and for a
  /// URL with a user name or without a host.
  package func url() -> String? {
    let characters = characters
    let secure = Self.rest(of: characters, after: "https://")
    let insecure = secure == nil ? Self.rest(of: characters, after: "http://") : nil
    guard let rest = secure ?? insecure ?? Self.rest(of: characters, after: "//"),
      Self.beginsWithHost(rest)
    else { return nil }
    let address = UnsafeBufferPointer(rebasing: rest)
    let scheme = insecure == nil ? "https://" : "http://"
    guard address.contains(where: Self.needsEncoding) else {
      return scheme + String(decoding: address, as: UTF8.self)
    }
    // A backslash begins the escape of a quote or of a control character.
    if address.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) {
      return nil
    }
    return address.reduce(into: scheme) { url, byte in
      url +=
        Self.needsEncoding(byte)
        ? "%\(String(byte, radix: 16, uppercase: true))" : String(Unicode.Scalar(byte))
    }
  }

  /// Whether the byte is not part of a URL as it is: control characters, ASCII that needs an
  /// escape, and letters outside ASCII.
  private static func needsEncoding(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "[")...UInt8(ascii: "^"), UInt8(ascii: "`"),
      UInt8(ascii: "{")...UInt8(ascii: "}"), 0x7F...0xFF:
      true
    default: false
    }
  }

  /// The bytes after the prefix, which is in lower case; `nil` if the bytes begin
  /// otherwise, or if nothing follows.
  private static func rest(of bytes: Bytes, after prefix: StaticString) -> Bytes? {
    let wanted = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
    let rest = bytes.dropFirst(wanted.count)
    guard !rest.isEmpty, bytes.starts(with: wanted, by: { ($0 < 0x41 ? $0 : $0 | 0x20) == $1 })
    else { return nil }
    return rest
  }

  /// The text if it is no longer than any date or time that can be read.
  private var shortText: Bytes? { (1...32).contains(characters.count) ? characters : nil }

  private static func trimmed(_ bytes: Bytes) -> Bytes {
    var bytes = bytes
    while bytes.first == 0x20 { bytes.removeFirst() }
    while bytes.last == 0x20 { bytes.removeLast() }
    return bytes
  }

  /// The number that the bytes begin with, and the rest of the bytes.
  private static func leadingDecimal(_ bytes: Bytes) -> (Double?, rest: Bytes) {
    guard let (number, rest) = bytes.leadingDecimal(signs: "-+") else { return (nil, bytes) }
    return (number.count <= 64 ? Double(String(decoding: number, as: UTF8.self)) : nil, rest)
  }

  /// Whether a host, and nothing but a port after it, comes before the path.
  private static func beginsWithHost(_ bytes: Bytes) -> Bool {
    let authority = bytes.prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    let host = authority.prefix { $0 != UInt8(ascii: ":") }
    guard let first = host.first, isLetterOrDigit(first) else { return false }
    guard
      host.allSatisfy({ isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
    else { return false }
    guard host.count < authority.count else { return true }
    let port = authority.dropFirst(host.count + 1)
    return (1...5).contains(port.count) && port.allSatisfy { $0.isDigit }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter
  }
}

extension RecordingFields.Value {
  /// Calls `body` with the value to read it in place; it is valid only inside of `body`.
  package func withRaw<Result>(_ body: (RawValue) -> Result) -> Result {
    var json = json
    return json.withUTF8 { body(RawValue(json: $0)) }
  }
}

extension RawValue {
  /// Calls `body` with the member at a path of names, if there is one; of an array, with that of
  /// its first item.
  func withMember(at path: ArraySlice<String>, _ body: (RawValue) -> Void) {
    guard let name = path.first else { return body(self) }
    if isObject {
      forEachMember { if $0 == name { $1.withMember(at: path.dropFirst(), body) } }
    } else {
      var isFirst = true
      forEachItem { item in
        if isFirst, item.isObject { item.withMember(at: path, body) }
        isFirst = false
      }
    }
  }
}

extension RecordingFields {
  /// The result of `read` for the value at a path of names; `nil` if there is not one.
  func value<Result>(at path: [String], _ read: (RawValue) -> Result) -> Result? {
    var result: Result?
    bytes.withUnsafeBufferPointer { record in
      RawValue(json: record).withMember(at: path[...]) { result = read($0) }
    }
    return result
  }
}
