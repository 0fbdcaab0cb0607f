import GRDB

/// A set of a segment's recordings, by their distance from its first key.
package struct Bitmap: Equatable, Sendable {
  /// Distances are less than this.
  package let span: Int
  private var words: [UInt64]

  /// An empty set.
  package init(span: Int) {
    self.span = span
    words = [UInt64](repeating: 0, count: (span + 63) / 64)
  }

  package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
  package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  package func contains(_ row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }

  package mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

  package mutating func remove(_ row: Int) { words[row >> 6] &= ~(1 << UInt64(row & 63)) }

  mutating func formIntersection(_ other: Bitmap) {
    for index in words.indices { words[index] &= other.words[index] }
  }

  package mutating func formUnion(_ other: Bitmap) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  mutating func subtract(_ other: Bitmap) {
    for index in words.indices { words[index] &= ~other.words[index] }
  }

  package func intersection(_ other: Bitmap) -> Bitmap {
    var set = self
    set.formIntersection(other)
    return set
  }

  package func subtracting(_ other: Bitmap) -> Bitmap {
    var set = self
    set.subtract(other)
    return set
  }

  /// Calls `body` with each row, the lowest first.
  package func forEach(_ body: (Int) throws -> Void) rethrows {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        try body(index << 6 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }

  /// What `body` makes of each row, the lowest first.
  package func map<Result>(_ body: (Int) throws -> Result) rethrows -> [Result] {
    var results: [Result] = []
    try forEach { results.append(try body($0)) }
    return results
  }

  // MARK: As the store keeps it

  /// How the bytes that follow the first are read.
  private enum Form: UInt8 {
    /// The difference of each row from the one before, seven bits a byte, the lowest first.
    case differences = 0
    /// One bit a row, the lowest first.
    case bits = 1
  }

  /// Appends the bytes of rows in ascending order.
  static func append(_ rows: ArraySlice<UInt16>, span: Int, to bytes: inout [UInt8]) {
    // A difference takes a byte or more.
    guard rows.count < span / 8 else {
      bytes.append(Form.bits.rawValue)
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: (span + 7) / 8))
      for row in rows { bytes[start + Int(row >> 3)] |= 1 << (row & 7) }
      return
    }
    bytes.append(Form.differences.rawValue)
    var last = 0
    for row in rows {
      var rest = Int(row) - last
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
      last = Int(row)
    }
  }

  /// Inserts the rows of what `append` wrote; fails for bytes of a damaged file.
  mutating func insert(encoded bytes: UnsafeBufferPointer<UInt8>) throws {
    switch bytes.first.flatMap(Form.init) {
    case .bits:
      guard bytes.count == 1 + (span + 7) / 8 else { throw Self.damaged }
      for index in words.indices {
        var word: UInt64 = 0
        for byte in (0..<8).reversed() where index * 8 + byte + 1 < bytes.count {
          word = word << 8 | UInt64(bytes[index * 8 + byte + 1])
        }
        words[index] |= word
      }
      if span & 63 != 0, let last = words.last, last >> UInt64(span & 63) != 0 { throw Self.damaged }
    case .differences:
      var (row, at) = (0, 1)
      while at < bytes.count {
        var (difference, shift) = (0, 0)
        while at < bytes.count, bytes[at] >= 0x80, shift < 21 {
          difference |= Int(bytes[at] & 0x7F) << shift
          shift += 7
          at += 1
        }
        guard at < bytes.count else { throw Self.damaged }
        difference |= Int(bytes[at]) << shift
        at += 1
        row += difference
        guard row < span else { throw Self.damaged }
        insert(row)
      }
    case nil: throw Self.damaged
    }
  }

  static let damaged = DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the search index is damaged")
}
