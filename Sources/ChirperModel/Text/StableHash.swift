/// A hash that is the same in every process and every version, unlike `Hasher`: for file names and
/// seeds.
package enum StableHash {
  /// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
  package static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    // Of a text they are in one piece; of any other sequence each is a call.
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    if bytes.withContiguousStorageIfAvailable({ add($0) }) == nil { add(bytes) }
    return hash
  }
}
