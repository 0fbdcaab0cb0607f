/// Reads the XML of archives: elements, attributes and texts. A document type, which can name
/// files and grow without end, is refused, and so is every entity but the five of XML.
struct XMLScanner {
  enum Event: Equatable {
    /// The names are without their prefixes.
    case start(String, [String: String])
    case end(String)
    case text(String)
  }

  /// The reason why a text is not XML that is read, after "it".
  struct Fault: Error {
    let reason: String
  }

  private let bytes: [UInt8]
  private var at = 0
  /// The end of an element that was empty.
  private var pending: Event?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  /// The next event; `nil` at the end.
  mutating func next() throws(Fault) -> Event? {
    if let event = pending {
      pending = nil
      return event
    }
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "<") else {
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") { at += 1 }
        let text = try unescaped(bytes[start..<at])
        if text.allSatisfy(\.isWhitespace) { continue }
        return .text(text)
      }
      if has("<!--") {
        try skip(to: "-->")
      } else if has("<![CDATA[") {
        let start = at + 9
        try skip(to: "]]>")
        return .text(String(decoding: bytes[start..<(at - 3)], as: UTF8.self))
      } else if has("<?") {
        try skip(to: "?>")
      } else if has("<!") {
        throw Fault(reason: "has a document type, which is not read")
      } else {
        return try tag()
      }
    }
    return nil
  }

  private mutating func tag() throws(Fault) -> Event {
    at += 1
    let isEnd = at < bytes.count && bytes[at] == UInt8(ascii: "/")
    if isEnd { at += 1 }
    let name = try self.name()
    var attributes: [String: String] = [:]
    while true {
      skipSpace()
      guard at < bytes.count else { throw Fault(reason: "ends within a tag") }
      if bytes[at] == UInt8(ascii: ">") {
        at += 1
        break
      }
      if has("/>") {
        at += 2
        pending = .end(name)
        break
      }
      let attribute = try self.name()
      skipSpace()
      guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else { throw notXML }
      at += 1
      skipSpace()
      guard at < bytes.count, [0x22, 0x27].contains(bytes[at]) else { throw notXML }
      let quote = bytes[at]
      let start = at + 1
      guard let end = bytes[start...].firstIndex(of: quote) else { throw notXML }
      at = end + 1
      attributes[attribute] = try unescaped(bytes[start..<end])
    }
    return isEnd ? .end(name) : .start(name, attributes)
  }

  private var notXML: Fault { Fault(reason: "is not well-formed XML") }

  /// The name at this position, without its prefix.
  private mutating func name() throws(Fault) -> String {
    let start = at
    while at < bytes.count, !" \t\r\n/=><\"'".utf8.contains(bytes[at]) { at += 1 }
    guard at > start else { throw notXML }
    let name = bytes[start..<at]
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return String(decoding: local, as: UTF8.self)
  }

  private func has(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

  private mutating func skip(to end: String) throws(Fault) {
    while at < bytes.count, !has(end) { at += 1 }
    guard at < bytes.count else { throw Fault(reason: "has no \(end)") }
    at += end.utf8.count
  }

  private mutating func skipSpace() {
    while at < bytes.count, " \t\r\n".utf8.contains(bytes[at]) { at += 1 }
  }

  private func unescaped(_ raw: ArraySlice<UInt8>) throws(Fault) -> String {
    guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
    var out = [UInt8]()
    var rest = raw
    while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
      out += rest[..<mark]
      guard let end = rest[mark...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
        throw notXML
      }
      let name = String(decoding: rest[(mark + 1)..<end], as: UTF8.self)
      guard let character = Self.character(name) else {
        throw Fault(reason: "has the entity \(name), which is not read")
      }
      out += String(character).utf8
      rest = rest[(end + 1)...]
    }
    return String(decoding: out + rest, as: UTF8.self)
  }

  private static func character(_ name: String) -> Character? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.hasPrefix("#") else { return nil }
      let digits = name.dropFirst()
      let number =
        digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
  }
}
