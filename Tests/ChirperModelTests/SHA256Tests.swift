import ChirperModel
import Testing

struct SHA256Tests {
  private static func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Lengths around the ends of blocks. The digests are those of Python's hashlib.
  @Test(arguments: [
    (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (1, "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"),
    (55, "81afe5b788dc2ce138ff83d9b20164db75a94d75d2b2432eea4a0ef605088c72"),
    (56, "2aba54f0ac632420a2b502431408866e40e1d5e430df4cd822642c78ab2eb9c1"),
    (57, "903284efbf9100e8ba1614ec65eacacad125e03f857cae7acbf8b73b23e0fdfe"),
    (63, "733d3d4ee79ee67145bf73da13588f6f235d37414fc64b14a2f00f1762792f5e"),
    (64, "79322907b3e9d013d7dc2c2f256674dbf733045cde01df3539271c6f5605feb8"),
    (65, "d85c007c6eb440f085afa2b84f6f2bce4658b240e9f62cb1364bf0485a57e720"),
    (119, "6c87eedf096b345de205b702e5223b73b447a3207791ded3ea007ba15ed6736e"),
    (120, "42500cf6a1e3936d6b9e0bcfe296d654b63255e525487d3634d0b15fde591c4d"),
    (1000, "6b0df76627243d095b0c4400cb658b7e804dd03461cc03aee8fc8fe0bcada168"),
  ])
  func `the digest of a message of that length`(count: Int, digest: String) {
    let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + count) }
    #expect(Self.text(SHA256.digest(message)) == digest)
  }

  @Test func `pieces of any length have the digest of the whole`() {
    let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for size in [1, 3, 63, 64, 65, 130, 999] {
      var digest = SHA256()
      for start in stride(from: 0, to: message.count, by: size) {
        digest.add(Array(message[start..<min(start + size, message.count)]))
      }
      #expect(digest.text() == Self.text(SHA256.digest(message)), "\(size)")
    }
  }

  /// - SeeAlso: FIPS 180-4; RFC 4231, test cases 1, 2 and 6
  @Test func `the published examples`() {
    #expect(
      Self.text(SHA256.digest(Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    for (key, message, code) in [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ] {
      #expect(Self.text(SHA256.authenticationCode(of: Array(message.utf8), key: key)) == code)
    }
  }
}
