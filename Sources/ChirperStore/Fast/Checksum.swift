/// A checksum of bytes, 32 at a time: of a block of the search index, so that damage is found when it is read.
///
/// It pays because a search of 1,000,000 recordings by three columns of numbers reads 16 MB of them.
enum Checksum {
  /// The same on every machine, as it is stored.
  static func of(_ bytes: Span<UInt8>) -> UInt64 {
    // Four at once, each in a register of its own: vectors have no product of 64 bits, and take twice as long.
    var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
    var at = 0
    while at + 32 <= bytes.count {
      a = mixed(a, bytes, at)
      b = mixed(b, bytes, at + 8)
      c = mixed(c, bytes, at + 16)
      d = mixed(d, bytes, at + 24)
      at += 32
    }
    var sum = UInt64(bytes.count)
    for lane in [a, b, c, d] { sum = (sum ^ lane) &* prime }
    while at < bytes.count {
      sum = (sum ^ UInt64(bytes[at])) &* prime
      at += 1
    }
    return sum
  }

  @inline(__always)
  private static func mixed(_ lane: UInt64, _ bytes: Span<UInt8>, _ at: Int) -> UInt64 {
    let product = (lane ^ bytes.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)) &* prime
    return product ^ product >> 29
  }

  static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
}
