/// Just enough gzip (RFC 1951, 1952) to be served: bodies stored as they are, and a bomb.
enum Gzip {
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  static func stored(_ body: [UInt8]) -> [UInt8] {
    var out = header
    var rest = body[...]
    repeat {
      let piece = rest.prefix(0xFFFF)
      rest = rest.dropFirst(piece.count)
      let length = UInt16(piece.count)
      out.append(rest.isEmpty ? 1 : 0)
      for value in [length, ~length] { out += [UInt8(value & 0xFF), UInt8(value >> 8)] }
      out += piece
    } while !rest.isEmpty
    for value in [checksum(body), UInt32(body.count)] {
      out += (0..<4).map { UInt8(value >> (8 * UInt32($0)) & 0xFF) }
    }
    return out
  }

  /// A last block with fixed codes: one zero byte and 258 more of the same, which together fill
  /// three bytes.
  static let bombStart: [UInt8] = header + bits("1" + "10" + "00110000" + repeated)

  /// 206,400 more zeros in 1,300 bytes.
  static let bombPiece: [UInt8] = bits(String(repeating: repeated, count: 800))

  /// Length 258 (code 285), distance 1 (code 0).
  private static let repeated = "11000101" + "00000"

  /// Bits packed from the lowest of each byte.
  private static func bits(_ text: String) -> [UInt8] {
    let bits = text.utf8.map { $0 == UInt8(ascii: "1") ? 1 as UInt8 : 0 }
    return stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(0) { $0 | bits[start + $1] << UInt8($1) }
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
