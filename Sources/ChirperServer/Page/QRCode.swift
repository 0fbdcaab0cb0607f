/// A QR code of a link, for a phone's camera to read from a terminal.
///
/// Versions 1 to 5 with the lowest level of error correction, whose data is one block, and the
/// first mask: any is valid.
/// - SeeAlso: ISO/IEC 18004
package struct QRCode: Sendable {
  /// Rows of modules, `true` for dark ones, without the light border.
  private(set) var rows: [[Bool]]

  /// Bytes of data and of error correction of versions 1 to 5.
  private static let capacities = [(19, 7), (34, 10), (55, 15), (80, 20), (108, 26)]

  /// - Parameter text: of at most 106 bytes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let version = Self.capacities.firstIndex(where: { bytes.count + 2 <= $0.0 }) else {
      return nil
    }
    let (count, checks) = Self.capacities[version]
    // Four bits for bytes, eight for their number, the bytes, four bits for the end.
    var data = [UInt8(0x40 | bytes.count >> 4), UInt8(truncatingIfNeeded: bytes.count << 4)]
    for byte in bytes {
      data[data.count - 1] |= byte >> 4
      data.append(byte << 4)
    }
    while data.count < count { data.append((data.count - bytes.count) % 2 == 0 ? 0xEC : 0x11) }
    let size = 21 + 4 * version
    rows = Array(repeating: Array(repeating: false, count: size), count: size)
    var isFree = Array(repeating: Array(repeating: true, count: size), count: size)
    func set(_ row: Int, _ column: Int, _ isDark: Bool) {
      guard rows.indices.contains(row), rows.indices.contains(column) else { return }
      rows[row][column] = isDark
      isFree[row][column] = false
    }
    /// A square in squares, from its middle.
    func square(_ row: Int, _ column: Int, _ radius: Int, dark: Set<Int>) {
      for down in -radius...radius {
        for right in -radius...radius {
          set(row + down, column + right, dark.contains(max(abs(down), abs(right))))
        }
      }
    }
    for index in 0..<size {
      set(6, index, index % 2 == 0)
      set(index, 6, index % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] {
      square(row, column, 4, dark: [0, 1, 3])
    }
    if version > 0 { square(size - 7, size - 7, 2, dark: [0, 2]) }
    // The lowest level and the first mask with their error correction, twice.
    for index in 0..<15 {
      let isDark = 0b111_0111_1100_0100 >> index & 1 == 1
      set(index < 6 ? index : index < 8 ? index + 1 : size - 15 + index, 8, isDark)
      set(8, index < 8 ? size - 1 - index : index < 9 ? 7 : 14 - index, isDark)
    }
    set(size - 8, 8, true)
    let all = data + Self.errorCorrection(data, checks)
    var bit = 0
    // Two columns at a time from the right, up and down in turn, without the column of the timing
    // pattern.
    for (turn, right) in (Array(stride(from: size - 1, to: 6, by: -2)) + [5, 3, 1]).enumerated() {
      for step in 0..<size {
        let row = turn % 2 == 0 ? size - 1 - step : step
        for column in [right, right - 1] where isFree[row][column] {
          let isSet = bit < all.count * 8 && all[bit / 8] >> (7 - bit % 8) & 1 == 1
          rows[row][column] = isSet != ((row + column) % 2 == 0)
          bit += 1
        }
      }
    }
  }

  /// The remainder of the division by the polynomial whose roots are the first powers of 2, in the
  /// field of 256 elements.
  private static func errorCorrection(_ data: [UInt8], _ count: Int) -> [UInt8] {
    func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
      (0..<8).reversed().reduce(0) { ($0 << 1) ^ ($0 >> 7 * 0x1D) ^ (right >> $1 & 1 * left) }
    }
    var divisor = Array(repeating: UInt8(0), count: count - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<count {
      for index in 0..<count {
        divisor[index] =
          product(divisor[index], root) ^ (index + 1 < count ? divisor[index + 1] : 0)
      }
      root = product(root, 2)
    }
    return data.reduce(into: Array(repeating: UInt8(0), count: count)) { rest, byte in
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in 0..<count { rest[index] ^= product(divisor[index], factor) }
    }
  }

  /// Lines for a terminal, each two rows high, in black on white whatever the terminal's colours
  /// are.
  package var terminalLines: [String] {
    let border = 4
    func isDark(_ row: Int, _ column: Int) -> Bool {
      rows.indices.contains(row) && rows.indices.contains(column) && rows[row][column]
    }
    return stride(from: -border, to: rows.count + border, by: 2).map { row in
      let line = (-border..<rows.count + border).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return "\u{1B}[30;107m\(line.joined())\u{1B}[0m"
    }
  }
}
