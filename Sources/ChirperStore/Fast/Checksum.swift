/// A checksum of bytes, 32 at a time: of a block of the search index, so that damage is found when it is read.
///
/// It pays because a search of 1,000,000 recordings by three columns of numbers reads 16 MB of them.
enum Checksum {
  /// The same on every machine, as it is stored.
  static func of(_ bytes: Span<UInt8>) -> UInt64 {
    var lanes = SIMD4<UInt64>(1, 2, 3, 4)
    var at = 0
    while at + 32 <= bytes.count {
      lanes = (lanes ^ bytes.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: SIMD4<UInt64>.self)) &* SIMD4(repeating: prime)
      lanes ^= lanes &>> 29
      at += 32
    }
    var sum = UInt64(bytes.count)
    for lane in lanes.indices { sum = (sum ^ lanes[lane]) &* prime }
    while at < bytes.count {
      sum = (sum ^ UInt64(bytes[at])) &* prime
      at += 1
    }
    return sum
  }

  static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
}
