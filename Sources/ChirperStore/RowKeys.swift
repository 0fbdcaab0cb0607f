/// What names the rows of a list between two reads, in their order, packed.
///
/// The rows of a page were mostly stored one after the other, so a key is kept as its step from the one before: one
/// byte a row where eight would be, and the memory of a reader hardly grows with its list.
package struct RowKeys: Sendable {
  package private(set) var count = 0
  private var steps: [UInt8] = []
  /// Before every `stride`th key: where its step begins, and the key it is a step from.
  private var marks: [(offset: Int, before: Int64)] = []
  private var last: Int64 = 0

  private static let stride = 256

  init() {}

  package init(_ keys: some Sequence<Int64>) {
    for key in keys { append(key) }
  }

  mutating func append(_ key: Int64) {
    if count % Self.stride == 0 { marks.append((steps.count, last)) }
    // Zigzag, so that a small step back is small too; then seven bits a byte, the lowest first.
    let step = key &- last
    var rest = UInt64(bitPattern: (step << 1) ^ (step >> 63))
    while rest >= 0x80 {
      steps.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    steps.append(UInt8(rest))
    last = key
    count += 1
  }

  /// The keys at those positions, from 0, cut to the end.
  package subscript(range: Range<Int>) -> [Int64] {
    let range = range.clamped(to: 0..<count)
    guard !range.isEmpty else { return [] }
    var keys: [Int64] = []
    keys.reserveCapacity(range.count)
    var (at, key) = marks[range.lowerBound / Self.stride]
    for position in (range.lowerBound / Self.stride * Self.stride)..<range.upperBound {
      var rest: UInt64 = 0
      var shift: UInt64 = 0
      while steps[at] >= 0x80 {
        rest |= UInt64(steps[at] & 0x7F) << shift
        shift += 7
        at += 1
      }
      rest |= UInt64(steps[at]) << shift
      at += 1
      key &+= Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
      if position >= range.lowerBound { keys.append(key) }
    }
    return keys
  }
}
