/// A strict reader of JSON (RFC 8259) that can copy any value in a canonical form.
///
/// Foundation's decoders are not used for catalogue bodies because they convert numbers to doubles,
/// lose the order of names and accept duplicate names; a recording must be kept as it was sent
/// (docs/decisions/0003).
package struct JSONReader {
  /// The types of JSON values.
  package enum Kind { case object, array, string, number, boolean, null }

  /// Deeper nesting is refused, because recursion must not exhaust the stack; no catalogue nests
  /// deeper than 6.
  static let depthLimit = 64

  private let bytes: [UInt8]
  private var at = 0
  private var depth = 0

  /// Begins at the first value.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    skipSpace()
  }

  /// The type of the next value, by its first byte; `nil` at the end and where no value begins.
  package var kind: Kind? {
    guard at < bytes.count else { return nil }
    return switch bytes[at] {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    case UInt8(ascii: "n"): .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
    default: nil
    }
  }

  /// A fault at the current position; `truncated` in place of the given reason at the end of the
  /// bytes.
  package func fault(_ reason: JSONFault.Reason) -> JSONFault {
    if at == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return JSONFault(reason: .byteOrderMark, offset: 0)
    }
    return JSONFault(reason: at >= bytes.count ? .truncated : reason, offset: at)
  }

  /// Reads an object; `member` must consume each value.
  package mutating func object(
    _ member: (_ name: String, _ reader: inout JSONReader) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    try open(UInt8(ascii: "{"), "an object")
    if take(UInt8(ascii: "}")) { return close() }
    var (names, copy): (Set<ByteScan.Hash>, [UInt8]) = ([], [])
    repeat {
      copy.removeAll(keepingCapacity: true)
      let name = try copyName(into: &copy, among: &names)
      try member(JSONText.unescaped(copy[name]), &self)
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"), "a comma or }")
    close()
  }

  /// Reads an array; `item` must consume each value.
  package mutating func array(_ item: (inout JSONReader) throws(JSONFault) -> Void)
    throws(JSONFault)
  {
    try open(UInt8(ascii: "["), "an array")
    if take(UInt8(ascii: "]")) { return close() }
    repeat { try item(&self) } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"), "a comma or ]")
    close()
  }

  /// Reads the next value, whatever it is.
  package mutating func value() throws(JSONFault) -> RecordingFields.Value {
    var copy: [UInt8] = []
    try copyValue(into: &copy)
    return RecordingFields.Value(json: String(decoding: copy, as: UTF8.self))
  }

  /// Steps over the next value, whatever it is.
  package mutating func skipValue() throws(JSONFault) {
    var copy: [UInt8] = []
    try copyValue(into: &copy)
  }

  /// Fails unless only white space is left.
  package func end() throws(JSONFault) {
    guard at == bytes.count else { throw JSONFault(reason: .trailingBytes, offset: at) }
  }

  /// Copies the next value in canonical form: no white space, numbers as spelled, strings
  /// as UTF-8. In strings only quotes, backslashes, and characters that a terminal could
  /// act on (C0, DEL, C1, bidi controls, line separators) are escaped.
  package mutating func copyValue(into out: inout [UInt8]) throws(JSONFault) {
    switch kind {
    case .object: try copyObject(into: &out)
    case .array:
      out.append(UInt8(ascii: "["))
      let start = out.count
      try array { item throws(JSONFault) in
        if out.count > start { out.append(UInt8(ascii: ",")) }
        try item.copyValue(into: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .string: try copyString(into: &out)
    case .number: try copyNumber(into: &out)
    case .boolean: try copyWord(bytes[at] == UInt8(ascii: "t") ? "true" : "false", into: &out)
    case .null: try copyWord("null", into: &out)
    case nil: throw fault(.unexpected("a value"))
    }
  }

  private mutating func copyObject(into out: inout [UInt8]) throws(JSONFault) {
    try open(UInt8(ascii: "{"), "an object")
    out.append(UInt8(ascii: "{"))
    if !take(UInt8(ascii: "}")) {
      var names = Set<ByteScan.Hash>(minimumCapacity: 40)
      repeat {
        if out.last != UInt8(ascii: "{") { out.append(UInt8(ascii: ",")) }
        _ = try copyName(into: &out, among: &names)
        out.append(UInt8(ascii: ":"))
        try copyValue(into: &out)
      } while take(UInt8(ascii: ","))
      try expect(UInt8(ascii: "}"), "a comma or }")
    }
    out.append(UInt8(ascii: "}"))
    close()
  }
}

extension JSONReader {
  /// Copies a name and steps over its colon.
  ///
  /// - Parameter names: the hashes of the names before it, 64 bits with a random seed: two with one
  ///   hash are not met in practice.
  private mutating func copyName(into out: inout [UInt8], among names: inout Set<ByteScan.Hash>)
    throws(JSONFault) -> Range<Int>
  {
    let start = at
    let nameStart = out.count + 1
    try copyString(into: &out)
    let name = nameStart..<(out.count - 1)
    guard names.insert(ByteScan.hash(of: out, name)).inserted else {
      throw JSONFault(reason: .duplicateName(JSONText.unescaped(out[name])), offset: start)
    }
    try expect(UInt8(ascii: ":"), "a colon")
    return name
  }

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x20, 0x0A, 0x0D, 0x09: at += 1
      default: return
      }
    }
  }

  /// Steps over one byte and the white space after it if it is the next.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    skipSpace()
    return true
  }

  private mutating func expect(_ byte: UInt8, _ wanted: String) throws(JSONFault) {
    guard take(byte) else { throw fault(.unexpected(wanted)) }
  }

  private mutating func open(_ bracket: UInt8, _ wanted: String) throws(JSONFault) {
    guard take(bracket) else { throw fault(.unexpected(wanted)) }
    depth += 1
    guard depth <= Self.depthLimit else {
      throw JSONFault(reason: .tooDeep(limit: Self.depthLimit), offset: at)
    }
  }

  private mutating func close() {
    depth -= 1
  }

  private mutating func copyWord(_ word: String, into out: inout [UInt8]) throws(JSONFault) {
    guard at + word.utf8.count <= bytes.count else {
      throw JSONFault(reason: .truncated, offset: at)
    }
    guard bytes[at...].starts(with: word.utf8) else { throw fault(.unexpected("a value")) }
    out += word.utf8
    at += word.utf8.count
    skipSpace()
  }

  private mutating func copyNumber(into out: inout [UInt8]) throws(JSONFault) {
    let start = at
    func malformed() -> JSONFault {
      JSONFault(reason: at >= bytes.count ? .truncated : .badNumber, offset: start)
    }
    if next == UInt8(ascii: "-") { at += 1 }
    // No digit follows a zero at the beginning.
    if next == UInt8(ascii: "0") { at += 1 } else if !skipDigits() { throw malformed() }
    if next == UInt8(ascii: ".") {
      at += 1
      guard skipDigits() else { throw malformed() }
    }
    if next | 0x20 == UInt8(ascii: "e") {
      at += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
      guard skipDigits() else { throw malformed() }
    }
    out += bytes[start..<at]
    skipSpace()
  }

  /// The next byte; 0 at the end.
  private var next: UInt8 { at < bytes.count ? bytes[at] : 0 }

  /// Whether there was a digit.
  private mutating func skipDigits() -> Bool {
    let start = at
    while next.isDigit { at += 1 }
    return at > start
  }

  private mutating func copyString(into out: inout [UInt8]) throws(JSONFault) {
    guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
      throw fault(.unexpected("a string"))
    }
    var run = at
    at += 1
    while true {
      // Most strings are nothing but plain ASCII: such runs are copied at once, with their quotes.
      at = ByteScan.plainEnd(in: bytes, from: at)
      let isEnd = at < bytes.count && bytes[at] == UInt8(ascii: "\"")
      out += bytes[run..<(isEnd ? at + 1 : at)]
      guard at < bytes.count else { throw JSONFault(reason: .truncated, offset: at) }
      switch bytes[at] {
      case UInt8(ascii: "\""):
        at += 1
        skipSpace()
        return
      case UInt8(ascii: "\\") where at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: "/"):
        // URLs are full of these; the slash begins the next run.
        run = at + 1
        at += 2
        continue
      case UInt8(ascii: "\\"):
        JSONText.append(try escaped(), to: &out)
      case 0x7F:
        at += 1
        JSONText.append("\u{7F}", to: &out)
      case 0..<0x20:
        throw JSONFault(reason: .controlCharacter, offset: at)
      default:
        JSONText.append(try multibyte(), to: &out)
      }
      run = at
    }
  }

  /// Reads an escape, both halves of a pair where it is one.
  private mutating func escaped() throws(JSONFault) -> Unicode.Scalar {
    let start = at
    guard at + 1 < bytes.count else { throw JSONFault(reason: .truncated, offset: at) }
    at += 2
    switch bytes[at - 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return Unicode.Scalar(bytes[at - 1])
    case UInt8(ascii: "u"):
      let unit = try hex4(start)
      if let scalar = Unicode.Scalar(unit) { return scalar }
      guard unit < 0xDC00, at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"),
        bytes[at + 1] == UInt8(ascii: "u")
      else {
        throw JSONFault(reason: .loneSurrogate, offset: start)
      }
      at += 2
      let low = try hex4(start)
      guard 0xDC00...0xDFFF ~= low,
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      else {
        throw JSONFault(reason: .loneSurrogate, offset: start)
      }
      return scalar
    case let letter:
      guard let control = JSONText.controls[letter] else {
        throw JSONFault(reason: .badEscape, offset: start)
      }
      return Unicode.Scalar(control)
    }
  }

  private mutating func hex4(_ start: Int) throws(JSONFault) -> UInt32 {
    guard at + 4 <= bytes.count else { throw JSONFault(reason: .truncated, offset: start) }
    guard let unit = ByteScan.hex(bytes, at, digits: 4) else {
      throw JSONFault(reason: .badEscape, offset: start)
    }
    at += 4
    return unit
  }

  /// Reads one scalar of two to four UTF-8 bytes.
  private mutating func multibyte() throws(JSONFault) -> Unicode.Scalar {
    guard let (scalar, length) = ByteScan.scalar(bytes.span, at) else {
      let length = bytes[at] < 0xE0 ? 2 : bytes[at] < 0xF0 ? 3 : 4
      let isCut = (0xC2...0xF4).contains(bytes[at]) && at + length > bytes.count
      throw JSONFault(reason: isCut ? .truncated : .invalidUTF8, offset: at)
    }
    at += length
    return scalar
  }
}
