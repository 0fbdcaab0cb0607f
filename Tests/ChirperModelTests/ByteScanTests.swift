import ChirperTestSupport
import Testing

@testable import ChirperModel

/// The scans of many bytes at a time against a plain loop.
@Suite struct ByteScanTests {
  /// Texts of up to 32 bytes, and some longer, with every byte value at every position; the other
  /// bytes are ordinary, next to special ones.
  private static let texts: [[UInt8]] = (Array(0...32) + [47, 63, 64, 65, 75, 90]).flatMap {
    length -> [[UInt8]] in
    let plain = (0..<length).map { [0x20, 0x7E, 0x21, 0x23, 0x5B, 0x5D][$0 % 6] as UInt8 }
    return [plain]
      + (0..<length).flatMap { position in
        (UInt8.min...UInt8.max).map { byte in
          var text = plain
          text[position] = byte
          return text
        }
      }
  }

  @Test func `the end of a plain run is found at every place and for every byte`() {
    for text in Self.texts {
      let expected =
        text.firstIndex { $0 < 0x20 || $0 >= 0x7F || $0 == 0x22 || $0 == 0x5C } ?? text.count
      let found = text.withUnsafeBufferPointer { ByteScan.plainEnd($0, from: 0) }
      if found != expected { Issue.record("\(text): \(found) in place of \(expected)") }
    }
  }

  @Test func `a quote or a backslash is found at every place`() {
    for text in Self.texts {
      let expected = text.firstIndex { $0 == 0x22 || $0 == 0x5C } ?? text.count
      let found = text.withUnsafeBufferPointer { ByteScan.first(0x22, or: 0x5C, in: $0, from: 0) }
      if found != expected { Issue.record("\(text): \(found) in place of \(expected)") }
    }
  }

  @Test func `bytes are put between two of a mark, and each that is the mark is doubled`() {
    let texts = Self.texts.filter { $0.contains(0x22) || $0.count < 8 }
    for text in texts + [Array(repeating: 0x22, count: 9)] {
      var found: [UInt8] = [0x22, 0x2C] + text
      ByteScan.quote(&found, from: 2, with: 0x22)
      let inside = text.flatMap { Array(repeating: $0, count: $0 == 0x22 ? 2 : 1) }
      let expected: [UInt8] = [0x22, 0x2C, 0x22] + inside + [0x22]
      if found != expected { Issue.record("\(text): \(found)") }
    }
  }

  @Test func `a scan that starts after the end returns the end`() {
    let text = Array("ab".utf8)
    #expect(text.withUnsafeBufferPointer { ByteScan.first(0x22, or: 0x5C, in: $0, from: 3) } == 2)
  }

  @Test func `different names have different hashes`() {
    var seen: [ByteScan.Hash: [UInt8]] = [:]
    for text in Self.texts {
      let hash = text.withUnsafeBufferPointer { ByteScan.hash($0) }
      if let other = seen[hash], other != text { Issue.record("\(other) and \(text)") }
      seen[hash] = text
    }
  }
}
