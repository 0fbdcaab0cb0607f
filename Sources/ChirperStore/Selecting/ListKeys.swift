/// The keys of a list's rows, in their order, compressed.
///
/// The rows of a page were mostly stored one after the other, so a key is kept as its difference
/// from the one before: one byte per row instead of eight.
package struct ListKeys: Sendable {
  package private(set) var count = 0
  private var differences: [UInt8] = []
  /// The position at which the difference of every `stride`th key begins, and the key
  /// before it.
  private var index: [(offset: Int, before: Int64)] = []
  private var last: Int64 = 0

  private static let stride = 256

  /// Whether both have the same keys in the same order.
  package func isEqual(to other: ListKeys) -> Bool {
    count == other.count && differences == other.differences
  }

  package init(_ keys: some Sequence<Int64> = EmptyCollection<Int64>()) {
    for key in keys { append(key) }
  }

  package mutating func append(_ key: Int64) {
    if count % Self.stride == 0 { index.append((differences.count, last)) }
    // Zigzag, so that a small negative difference is small too; then seven bits per byte, the
    // lowest first.
    let difference = key &- last
    var rest = UInt64(bitPattern: (difference << 1) ^ (difference >> 63))
    while rest >= 0x80 {
      differences.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    differences.append(UInt8(rest))
    last = key
    count += 1
  }

  /// The keys at those positions, from 0, clamped to the end.
  package subscript(range: Range<Int>) -> [Int64] {
    let range = range.clamped(to: 0..<count)
    guard !range.isEmpty else { return [] }
    var keys: [Int64] = []
    keys.reserveCapacity(range.count)
    var (at, key) = index[range.lowerBound / Self.stride]
    for position in (range.lowerBound / Self.stride * Self.stride)..<range.upperBound {
      var rest: UInt64 = 0
      var shift: UInt64 = 0
      while differences[at] >= 0x80 {
        rest |= UInt64(differences[at] & 0x7F) << shift
        shift += 7
        at += 1
      }
      rest |= UInt64(differences[at]) << shift
      at += 1
      key &+= Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
      if position >= range.lowerBound { keys.append(key) }
    }
    return keys
  }
}
