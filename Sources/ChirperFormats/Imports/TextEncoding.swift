/// The encoding of a text file that another program wrote.
enum TextEncoding: Sendable {
  case utf8, utf16, utf16BigEndian, windows1252

  /// The encoding that a byte order mark says; without one UTF-8, if the whole file is that, else
  /// Windows-1252, which has the characters of Latin-1.
  ///
  /// - Parameter next: returns the next piece of the file, empty at its end.
  init(_ next: () throws -> [UInt8]) throws {
    var piece = try next()
    while piece.count == 1, case let more = try next(), !more.isEmpty { piece += more }
    if piece.starts(with: [0xFF, 0xFE]) || piece.starts(with: [0xFE, 0xFF]) {
      self = piece[0] == 0xFF ? .utf16 : .utf16BigEndian
      return
    }
    if piece.starts(with: [0xEF, 0xBB, 0xBF]) { piece = [] }
    while !piece.isEmpty {
      let rest = try next()
      // Its last scalar may be cut.
      let start = rest.isEmpty ? nil : piece.suffix(3).lastIndex { $0 >= 0xC0 }
      let end = start ?? piece.count
      guard String(validating: piece[..<end], as: UTF8.self) != nil else {
        self = .windows1252
        return
      }
      piece = rest.isEmpty ? [] : piece[end...] + rest
    }
    self = .utf8
  }

  /// Turns the pieces of a file into UTF-8, with its byte order mark if it has one.
  struct Decoder {
    private let encoding: TextEncoding
    private var rest: [UInt8] = []

    init(_ encoding: TextEncoding) { self.encoding = encoding }

    /// - Parameter piece: the next piece of the file; empty at its end.
    mutating func utf8(_ piece: [UInt8]) -> [UInt8] {
      switch encoding {
      case .utf8: return piece
      case .windows1252:
        return piece.flatMap { byte in
          let isSpecial = (0x80..<0xA0).contains(byte)
          return Array(
            String(isSpecial ? TextEncoding.special[Int(byte) - 0x80] : Character(.init(byte))).utf8
          )
        }
      case .utf16, .utf16BigEndian:
        let bytes = rest + piece
        var units = stride(from: 0, to: bytes.count - 1, by: 2).map { index -> UInt16 in
          let first = UInt16(bytes[index])
          let second = UInt16(bytes[index + 1])
          return encoding == .utf16 ? first | second << 8 : first << 8 | second
        }
        // The second half of a character is in the next piece.
        if let last = units.last, UTF16.isLeadSurrogate(last), !piece.isEmpty { units.removeLast() }
        rest = piece.isEmpty ? [] : Array(bytes[(2 * units.count)...])
        return Array(String(decoding: units, as: UTF16.self).utf8)
      }
    }
  }

  /// The characters that Windows-1252 has in place of control characters, from 0x80 on.
  private static let special = Array("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ")
}
