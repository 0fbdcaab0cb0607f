/// SHA-256, and the code of a message that is made with it and a key.
///
/// - SeeAlso: FIPS 180-4; RFC 2104
package struct SHA256: Sendable {
  private var state = start
  private var words = [UInt32](repeating: 0, count: 64)
  /// The bytes after the last whole block.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  /// The digest of an empty message, to which bytes are added.
  package init() {}

  /// Adds the next bytes of the message.
  package mutating func add(_ bytes: [UInt8]) {
    count += UInt64(bytes.count)
    var at = 0
    if !rest.isEmpty {
      at = min(64 - rest.count, bytes.count)
      rest += bytes[..<at]
      guard rest.count == 64 else { return }
      let block = rest
      rest.removeAll(keepingCapacity: true)
      compress(block, at: 0)
    }
    while at + 64 <= bytes.count {
      compress(bytes, at: at)
      at += 64
    }
    rest += bytes[at...]
  }

  /// The 32 bytes of the message so far.
  consuming func digest() -> [UInt8] {
    let bits = Self.bytes(count * 8)
    add([0x80] + [UInt8](repeating: 0, count: (119 - Int(count % 64)) % 64) + bits)
    return state.flatMap(Self.bytes)
  }

  /// The digest as 64 digits.
  package consuming func text() -> String { Self.text(digest()) }

  /// The 32 bytes of a message.
  package static func digest(_ message: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.add(message)
    return digest.digest()
  }

  /// Two digits of base 16 for each byte.
  package static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
  }

  private mutating func compress(_ message: [UInt8], at start: Int) {
    let bytes = message.span
    for index in 0..<16 {
      let at = start + 4 * index
      let high = UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16
      words[index] = high | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
    }
    for index in 16..<64 {
      let early = words[index - 15]
      let late = words[index - 2]
      let one = Self.turned(early, 7) ^ Self.turned(early, 18) ^ early >> 3
      let two = Self.turned(late, 17) ^ Self.turned(late, 19) ^ late >> 10
      words[index] = words[index - 16] &+ words[index - 7] &+ one &+ two
    }
    let constants = Self.constants.span
    var first = state[0]
    var second = state[1]
    var third = state[2]
    var fourth = state[3]
    var fifth = state[4]
    var sixth = state[5]
    var seventh = state[6]
    var eighth = state[7]
    for index in 0..<64 {
      let choice: UInt32 = fifth & sixth ^ ~fifth & seventh
      let majority: UInt32 = first & second ^ first & third ^ second & third
      let mixed: UInt32 = Self.turned(fifth, 6) ^ Self.turned(fifth, 11) ^ Self.turned(fifth, 25)
      let one: UInt32 = eighth &+ mixed &+ choice &+ constants[index] &+ words[index]
      let two: UInt32 =
        (Self.turned(first, 2) ^ Self.turned(first, 13) ^ Self.turned(first, 22)) &+ majority
      eighth = seventh
      seventh = sixth
      sixth = fifth
      fifth = fourth &+ one
      fourth = third
      third = second
      second = first
      first = one &+ two
    }
    for (index, word) in [first, second, third, fourth, fifth, sixth, seventh, eighth].enumerated()
    {
      state[index] &+= word
    }
  }

  /// The code that can be made of a message only with the key: HMAC.
  package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > 64 ? digest(key) : key
    block += repeatElement(0, count: 64 - block.count)
    return digest(block.map { $0 ^ 0x5C } + digest(block.map { $0 ^ 0x36 } + message))
  }

  @inline(__always) private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The most significant byte first.
  private static func bytes<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    stride(from: Word.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: word >> Word($0))
    }
  }

  private static let start: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
    0x5BE0_CD19,
  ]

  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]
}
