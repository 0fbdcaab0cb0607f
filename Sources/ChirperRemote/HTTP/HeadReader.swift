import ChirperModel

/// The head of an HTTP answer, read line by line out of bytes that may be anything.
///
/// Hints (1xx) are read and dropped, obsolete folding is undone, and everything after the
/// head, such as trailers, is ignored. A value is read as UTF-8 if its bytes are, else as
/// Latin-1. Its control characters become spaces (RFC 9110, section 5.5).
struct HeadReader {
  enum Progress: Equatable {
    /// The head has not ended yet.
    case unfinished
    /// The line that ends the head of the answer itself.
    case complete(status: Int, HTTPHeaders)
    /// The head has more bytes than the limit.
    case tooLarge
  }

  /// The most bytes for all lines together.
  let limit: Int
  var count = 0
  var isComplete = false
  /// The major version of the protocol: 2 for `HTTP/2 200`.
  var majorVersion = 1
  /// The status of the head being read; `nil` between two heads.
  var status: Int?
  var fields: [(name: String, value: String)] = []

  /// Takes the next line, with or without its line end.
  mutating func read(_ line: some BidirectionalCollection<UInt8>) -> Progress {
    count += line.count
    guard count <= limit else { return .tooLarge }
    guard !isComplete else { return .unfinished }
    let end =
      line.lastIndex { $0 != 0x0A && $0 != 0x0D }.map { line.index(after: $0) } ?? line.startIndex
    let text = line[line.startIndex..<end]
    guard let status else {
      if text.starts(with: "HTTP/".utf8) {
        self.status = Self.status(text)
        majorVersion = text.dropFirst(5).first.map { Int($0) - 0x30 } ?? 1
      }
      return .unfinished
    }
    guard !text.isEmpty else { return endHead(status) }
    if text.first == 0x20 || text.first == 0x09 {
      if let last = fields.indices.last { fields[last].value += " " + Self.value(text) }
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      fields.append((Self.value(text[..<colon]), Self.value(text[text.index(after: colon)...])))
    }
    return .unfinished
  }

  private mutating func endHead(_ status: Int) -> Progress {
    defer { (self.status, fields) = (nil, []) }
    guard status >= 200 else { return .unfinished }
    isComplete = true
    var headers = HTTPHeaders()
    for field in fields { headers.append(field.value, to: field.name) }
    return .complete(status: status, headers)
  }

  /// The status in `HTTP/1.1 200 OK` or `HTTP/2 200`; 0 if the line has no three digits
  /// there.
  private static func status(_ line: some Collection<UInt8>) -> Int {
    let rest = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }
    let digits = rest.prefix { $0.isDigit }
    return digits.count == 3 ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
  }

  private static func value(_ bytes: some BidirectionalCollection<UInt8>) -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F }
    guard let start = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else {
      return ""
    }
    let cleaned = bytes[start...last].map { isBlank($0) ? 0x20 : $0 }
    if let text = String(validating: cleaned, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(cleaned.map { Unicode.Scalar($0) }))
  }
}
