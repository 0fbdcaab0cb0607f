/// A hash that is the same in every process and every version, unlike `Hasher`: for file names and
/// seeds.
package enum StableHash {
  package static func fnv1a(_ text: String) -> UInt64 { fnv1a(Array(text.utf8)) }

  /// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
  package static func fnv1a(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
  }
}

extension String {
  /// A number in hexadecimal digits, with zeros before it if it has fewer: `00e9`.
  package init(hexadecimal number: UInt64, digits: Int) {
    let text = String(number, radix: 16)
    self = String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
  }
}
