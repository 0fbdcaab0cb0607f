// Unsafe memory: bytes are read in place.

/// A checksum of bytes, 32 at a time: of a block of the search index, so that damage is found when
/// it is read.
///
/// It pays because a search of 1,000,000 recordings by three columns of numbers reads 16 MB of
/// them.
enum Checksum {
  /// The checksum of bytes, equal on every machine, because it is stored.
  static func of(_ bytes: Span<UInt8>) -> UInt64 { bytes.withUnsafeBytes(of) }

  private static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    // Four at once, each in a register of its own: vectors have no product of 64 bits.
    var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
    var at = 0
    while at <= bytes.count &- 32 {
      a = mixed(a ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      b = mixed(b ^ bytes.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self))
      c = mixed(c ^ bytes.loadUnaligned(fromByteOffset: at &+ 16, as: UInt64.self))
      d = mixed(d ^ bytes.loadUnaligned(fromByteOffset: at &+ 24, as: UInt64.self))
      at &+= 32
    }
    var sum = UInt64(bytes.count)
    for lane in [a, b, c, d] { sum = (sum ^ lane) &* prime }
    for byte in bytes[at...] { sum = (sum ^ UInt64(byte)) &* prime }
    return sum
  }

  @inline(__always)
  private static func mixed(_ lane: UInt64) -> UInt64 {
    let product = lane &* prime
    return product ^ product >> 29
  }

  static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
}
