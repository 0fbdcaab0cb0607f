#if Collection

/// A checksum of bytes, 32 at a time: of a block of the search index, so that damage is found when
/// it is read.
///
/// It pays because a search of 1,000,000 recordings by three columns of numbers reads 16 MB of
/// them.
enum Checksum {
  /// The checksum of bytes, equal on every machine, because it is stored.
  static func of(_ span: Span<UInt8>) -> UInt64 {
    let bytes = span.bytes
    // Four at once, each in a register of its own: vectors have no product of 64 bits.
    var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
    var at = 0
    while at <= span.count &- 32 {
      a = mixed(a ^ bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
      b = mixed(b ^ bytes.unsafeLoadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self))
      c = mixed(c ^ bytes.unsafeLoadUnaligned(fromByteOffset: at &+ 16, as: UInt64.self))
      d = mixed(d ^ bytes.unsafeLoadUnaligned(fromByteOffset: at &+ 24, as: UInt64.self))
      at &+= 32
    }
    var sum = UInt64(span.count)
    for lane in [a, b, c, d] { sum = (sum ^ lane) &* prime }
    for index in at..<span.count { sum = (sum ^ UInt64(span[index])) &* prime }
    return sum
  }

  @inline(__always)
  private static func mixed(_ lane: UInt64) -> UInt64 {
    let product = lane &* prime
    return product ^ product >> 29
  }

  static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
}

#endif
