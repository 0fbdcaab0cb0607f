import ChirperTestSupport
import GRDB
import Testing

@testable import ChirperStore

@Suite struct SearchBlockTests {
  private struct Entry: Equatable {
    let term: [UInt8]
    let rows: [UInt16]
  }

  private func entries(_ bytes: some Sequence<UInt8>, span: Int) throws -> [Entry] {
    var entries: [Entry] = []
    try SearchBlock.forEachTerm(in: Array(bytes).span) { term, encoded in
      var rows = Bitmap(span: span)
      try rows.insert(encoded: encoded)
      entries.append(Entry(term: term.indices.map { term[$0] }, rows: rows.map { UInt16($0) }))
      return true
    }
    return entries
  }

  @Test func `a block has the terms that had room in it, and one that was cut is refused`() throws {
    let written = (0..<200).map { number in
      Entry(term: [0x77] + Array("word\(1000 + number)".utf8), rows: [3, UInt16(4 + number), 999])
    }
    var block = SearchBlock()
    var ends: [Int] = []
    for entry in written where block.append(entry.term, entry.rows[...], span: 1000) {
      ends.append(block.contents.count)
    }
    #expect((40..<100).contains(ends.count))
    #expect(block.name == written[0].term)
    #expect(try entries(block.contents, span: 1000) == Array(written.prefix(ends.count)))
    for count in 1..<block.contents.count {
      let cut = block.contents.prefix(count)
      // Where a term ends, what is left is a whole block of fewer.
      if let last = ends.firstIndex(of: count) {
        #expect(try entries(cut, span: 1000).count == last + 1)
      } else {
        #expect(throws: DatabaseError.self) { try entries(cut, span: 1000) }
      }
    }
  }

  @Test func `the greatest term is a block of its own`() throws {
    let all = Entry(term: [UInt8](repeating: 0x78, count: 241), rows: Array(0...65_535))
    var block = SearchBlock()
    let hasFirst = block.append(all.term, all.rows[...], span: 65_536)
    let hasSecond = block.append([0x79], [1], span: 65_536)
    #expect(hasFirst && !hasSecond)
    #expect(try entries(block.contents, span: 65_536) == [all])
  }

  @Test func `every set is read as it was written, and rows outside of the segment are refused`()
    throws
  {
    var random = SeededRandom(seed: 3)
    for span in [1, 7, 8, 9, 63, 64, 65, 500, 65_536] {
      for share in [0, 1, 40, 100] {
        let rows = (0..<span).filter { _ in random.chance(share) }.map { UInt16($0) }
        var bytes: [UInt8] = []
        Bitmap.append(rows[...], span: span, to: &bytes)
        var set = Bitmap(span: span)
        try set.insert(encoded: bytes.span)
        #expect(
          set.map { UInt16($0) } == rows && set.count == rows.count && set.isEmpty == rows.isEmpty)
        #expect(bytes.count <= max(1, (span + 7) / 8))
      }
    }
    var set = Bitmap(span: 500)
    #expect(throws: DatabaseError.self) { try set.insert(encoded: [0xF4, 0x01].span) }
    #expect(throws: DatabaseError.self) {
      try set.insert(encoded: [UInt8](repeating: 0xFF, count: 63).span)
    }
  }

  private static let numbers: [(numbers: [Double], width: Int)] = [
    ([1, .nan, 254], 1), ([0, 255], 2), ([65_534, .nan], 2), ([65_535], 4), ([0xFFFF_FFFE, 3], 4),
    ([0xFFFF_FFFF], 8),
    ([0.5, 1], 8), ([-1, 2, .nan], 8), ([1e30, .infinity, -.infinity], 8), ([.nan], 1), ([], 1),
  ]

  @Test(arguments: numbers)
  func `numbers are read as they were written, in as few bytes as they need`(
    numbers: [Double], width: Int
  ) {
    let bytes = SearchIndexColumn.bytes(of: numbers)
    #expect(bytes.count == 1 + width * numbers.count)
    let read = (0...numbers.count).map { SearchIndexColumn.number(bytes.span, $0) }
    #expect(read.map { $0.isNaN ? nil : $0 } == numbers.map { $0.isNaN ? nil : $0 } + [nil])
  }

  @Test func `the checksum of bytes is that of its plain version`() {
    var random = SeededRandom(seed: 4)
    for count in Array(0...140) + [1000, 4099] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Checksum.of(bytes.span) == Self.plainChecksum(bytes), "\(count)")
    }
  }

  private static func plainChecksum(_ bytes: [UInt8]) -> UInt64 {
    var lanes: [UInt64] = [1, 2, 3, 4]
    let blocks = bytes.count / 32
    for block in 0..<blocks {
      for lane in 0..<4 {
        var word: UInt64 = 0
        for byte in (0..<8).reversed() {
          word = word << 8 | UInt64(bytes[block * 32 + lane * 8 + byte])
        }
        lanes[lane] = (lanes[lane] ^ word) &* Checksum.prime
        lanes[lane] ^= lanes[lane] >> 29
      }
    }
    let rest = lanes + bytes[(blocks * 32)...].map { UInt64($0) }
    return rest.reduce(UInt64(bytes.count)) { ($0 ^ $1) &* Checksum.prime }
  }
}
