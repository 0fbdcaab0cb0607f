#if Collection

/// A set of a segment's recordings, by their distance from its first key, in ascending order.
struct Bitmap: Sequence {
  /// Distances are less than this.
  let span: Int
  private var words: [UInt64]

  init(span: Int) {
    self.span = span
    words = [UInt64](repeating: 0, count: (span + 63) / 64)
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  func contains(_ row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }

  mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

  mutating func remove(_ row: Int) { words[row >> 6] &= ~(1 << UInt64(row & 63)) }

  mutating func formIntersection(_ other: Bitmap) {
    for index in words.indices { words[index] &= other.words[index] }
  }

  mutating func formUnion(_ other: Bitmap) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  mutating func subtract(_ other: Bitmap) {
    for index in words.indices { words[index] &= ~other.words[index] }
  }

  func subtracting(_ other: Bitmap) -> Bitmap {
    var set = self
    set.subtract(other)
    return set
  }

  func makeIterator() -> Iterator { Iterator(words: words) }

  struct Iterator: IteratorProtocol {
    fileprivate let words: [UInt64]
    var index = -1
    var rest: UInt64 = 0

    mutating func next() -> Int? {
      while rest == 0 {
        index += 1
        guard index < words.count else { return nil }
        rest = words[index]
      }
      defer { rest &= rest - 1 }
      return index << 6 + rest.trailingZeroBitCount
    }
  }

  // MARK: As the store keeps it

  /// The bytes of a set with a bit for each row.
  private static func size(span: Int) -> Int { (span + 7) / 8 }

  /// Appends the bytes of rows in ascending order: two for each row, the lower first; or, if that
  /// is not longer, one bit for each row of the segment, the lowest first.
  static func append(_ rows: ArraySlice<UInt16>, span: Int, to bytes: inout [UInt8]) {
    if rows.count * 2 < size(span: span) {
      for row in rows {
        bytes.append(UInt8(row & 0xFF))
        bytes.append(UInt8(row >> 8))
      }
    } else {
      let start = bytes.count
      bytes += repeatElement(0, count: size(span: span))
      for row in rows { bytes[start + Int(row >> 3)] |= 1 << (row & 7) }
    }
  }

  /// Calls `body` with each row of the bytes that `append` wrote, as `insert` reads them.
  /// Most sets have few rows, so no set is made of these.
  static func forEach(encoded bytes: Span<UInt8>, span: Int, _ body: (Int) throws -> Void) throws {
    guard bytes.count != size(span: span) else {
      var rows = Bitmap(span: span)
      try rows.insert(encoded: bytes)
      for row in rows { try body(row) }
      return
    }
    try forEachPair(of: bytes, span: span, body)
  }

  /// Calls `body` with each row that has two bytes.
  private static func forEachPair(
    of bytes: Span<UInt8>, span: Int, _ body: (Int) throws -> Void
  ) throws {
    for at in stride(from: 0, to: bytes.count - 1, by: 2) {
      let row = Int(bytes[at]) | Int(bytes[at + 1]) << 8
      guard row < span else { throw SearchBlock.damaged }
      try body(row)
    }
  }

  /// Inserts the rows of the bytes that `append` wrote; throws for bytes that no segment of
  /// this length has.
  mutating func insert(encoded bytes: Span<UInt8>) throws {
    if bytes.count == Self.size(span: span) {
      for at in bytes.indices { words[at >> 3] |= UInt64(bytes[at]) << UInt64(at & 7 * 8) }
      if span & 63 != 0, let last = words.last, last >> UInt64(span & 63) != 0 {
        throw SearchBlock.damaged
      }
    } else {
      try Self.forEachPair(of: bytes, span: span) { insert($0) }
    }
  }
}

#endif
