// Unsafe memory: records are read in place.

/// Writes JSON strings in their canonical form, and reads text that is known to be canonical.
///
/// It reads in place, because a row of a list costs 1.4 µs as JSON lines and 4.8 µs as CSV, without
/// a `String`.
package enum JSONText {
  /// Appends the text as a JSON string in canonical form, with its quotes.
  package static func append(quoted text: String, to out: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(quoted: $0, to: &out) }
  }

  /// Appends a text in UTF-8 as a JSON string in canonical form, with its quotes.
  static func append(quoted text: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    var copied = 0
    var at = ByteScan.plainEnd(text, from: 0)
    while at < text.count {
      let byte = text[at]
      // Of the characters beyond ASCII, those that `PlainLine.isControl` names begin with one of
      // these.
      let mayBeEscaped =
        byte < 0x80 ? !ByteScan.isPlain(byte) : byte == 0xC2 || byte == 0xD8 || byte == 0xE2
      if mayBeEscaped, let (scalar, length) = ByteScan.scalar(text.span, at) {
        out.append(contentsOf: UnsafeBufferPointer(rebasing: text[copied..<at]))
        append(scalar, to: &out)
        copied = at + length
        at = copied
      } else {
        at += 1
      }
    }
    out.append(contentsOf: UnsafeBufferPointer(rebasing: text[copied...]))
    out.append(UInt8(ascii: "\""))
  }

  /// The control characters with an escape of one letter, by that letter.
  package static let controls: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: zip("bfnrt".utf8, "\u{8}\u{C}\n\r\t".utf8))

  static func append(_ scalar: Unicode.Scalar, to out: inout [UInt8]) {
    switch scalar {
    case "\"", "\\": out += [0x5C, UInt8(ascii: scalar)]
    case let scalar where PlainLine.isControl(scalar):
      if let letter = controls.first(where: { $0.value == scalar.value })?.key {
        out += [0x5C, letter]
        return
      }
      out += "\\u\(String(hexadecimal: UInt64(scalar.value), digits: 4))".utf8
    default: out.append(contentsOf: UTF8.encode(scalar)!)  // Safe: every scalar has a UTF-8 form.
    }
  }

  /// Appends the text as a JSON string with the escapes of RFC 8785, which are only those that JSON
  /// needs.
  static func append(plainlyQuoted text: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      // Bytes of characters beyond ASCII are copied.
      if byte < 0x20 || byte == 0x22 || byte == 0x5C {
        append(Unicode.Scalar(byte), to: &out)
      } else {
        out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }

  /// The text as a JSON string in canonical form, with its quotes.
  package static func quoted(_ text: String) -> String {
    var out: [UInt8] = []
    append(quoted: text, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// The text of a canonical string, given without its quotes.
  package static func unescaped(_ inner: some Collection<UInt8>) -> String {
    guard inner.contains(0x5C) else { return String(decoding: inner, as: UTF8.self) }
    var out: [UInt8] = []
    out.reserveCapacity(inner.count)
    unescape(inner, into: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends the text of a canonical string, given without its quotes, as UTF-8.
  package static func unescape(_ inner: some Collection<UInt8>, into out: inout [UInt8]) {
    var bytes = inner.makeIterator()
    while let byte = bytes.next() {
      guard byte == 0x5C, let escape = bytes.next() else {
        out.append(byte)
        continue
      }
      guard escape == UInt8(ascii: "u") else {
        out.append(controls[escape] ?? escape)
        continue
      }
      var value: UInt32 = 0
      for _ in 0..<4 {
        guard let digit = bytes.next() else { break }
        // A damaged file may hold anything here: it gives another character, never a trap.
        value = value << 4 | UInt32(digit > 0x39 ? digit &- 0x57 : digit &- 0x30)
      }
      // The canonical form escapes only scalars of the basic plane, never halves of pairs.
      if let scalar = Unicode.Scalar(value) { out += String(scalar).utf8 }
    }
  }

  /// Calls `body` with each member of a canonical object. For text from a damaged file it
  /// is called with the members that can be found.
  package static func forEachMember(
    of object: UnsafeBufferPointer<UInt8>,
    _ body: (_ key: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>)
      -> Void
  ) {
    var at = 1
    while let (key, value) = nextMember(of: object, from: &at) { body(key, value) }
  }

  /// The member that begins at `at`, which then is where the next one begins; `nil` at the end.
  @inline(__always)
  fileprivate static func nextMember(
    of object: UnsafeBufferPointer<UInt8>, from at: inout Int
  ) -> (key: Slice<UnsafeBufferPointer<UInt8>>, value: Slice<UnsafeBufferPointer<UInt8>>)? {
    let end = object.count - 1
    guard at < end else { return nil }
    let keyStart = at + 1
    let keyEnd = stringEnd(object, from: keyStart)
    let valueStart = keyEnd + 2
    guard valueStart <= end else { return nil }
    let valueEnd = valueEnd(object, from: valueStart)
    at = valueEnd + 1
    return (object[keyStart..<keyEnd], object[valueStart..<valueEnd])
  }

  /// Calls `body` with each item of a canonical array; as careful with damaged text as
  /// `forEachMember`.
  static func forEachItem(
    of array: UnsafeBufferPointer<UInt8>,
    _ body: (_ item: Slice<UnsafeBufferPointer<UInt8>>) -> Void
  ) {
    var at = 1
    let end = array.count - 1
    while at < end {
      let start = at
      at = valueEnd(array, from: start)
      // A damaged array may have nothing where an item should be; going on would never end.
      guard at > start else { return }
      body(array[start..<min(at, end)])
      at += 1
    }
  }

  /// The index of the quote that closes the string whose first byte after the opening quote is at
  /// `start`.
  private static func stringEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var at = start
    while true {
      at = ByteScan.first(0x22, or: 0x5C, in: bytes, from: at)
      if at >= bytes.count || bytes[at] == 0x22 { return at }
      at += 2
    }
  }

  /// The index of the comma or bracket after the value that begins at `start`; `count` if
  /// nothing follows the value.
  private static func valueEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var at = start
    var depth = 0
    while at < bytes.count {
      switch bytes[at] {
      case 0x22: at = stringEnd(bytes, from: at + 1)
      case 0x7B, 0x5B: depth += 1
      case 0x7D, 0x5D:
        if depth == 0 { return at }
        depth -= 1
      case 0x2C where depth == 0: return at
      default: break
      }
      at += 1
    }
    return bytes.count
  }
}

extension RecordingFields {
  /// Calls `body` with each name (between its quotes, still escaped) and each value's JSON, without
  /// copying either.
  package func forEach(
    _ body: (_ key: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>)
      -> Void
  ) {
    bytes.withUnsafeBufferPointer { JSONText.forEachMember(of: $0, body) }
  }

  /// The value of that name; `nil` if it was not sent.
  public subscript(name: String) -> Value? {
    bytes.withUnsafeBufferPointer { object in
      var at = 1
      while let (key, value) = JSONText.nextMember(of: object, from: &at) {
        if key.count == name.utf8.count, key.elementsEqual(name.utf8) {
          return Value(json: String(decoding: value, as: UTF8.self))
        }
      }
      return nil
    }
  }

  /// The names and values in the order sent.
  package var members: [(name: String, value: Value)] {
    var members: [(name: String, value: Value)] = []
    forEach {
      members.append(
        (JSONText.unescaped($0), Value(json: String(decoding: $1, as: UTF8.self))))
    }
    return members
  }
}
