import GRDB
import Testing

@testable import ChirperStore

@Suite struct TermBlockTests {
  private struct Entry: Equatable {
    let term: [UInt8]
    let rows: [UInt16]
  }

  private func entries(_ bytes: ArraySlice<UInt8>, span: Int) throws -> [Entry] {
    var entries: [Entry] = []
    try Array(bytes).withUnsafeBufferPointer {
      try TermBlock.forEachTerm(in: $0) { term, encoded in
        var rows = Bitmap(span: span)
        try rows.insert(encoded: encoded)
        entries.append(Entry(term: Array(term), rows: rows.map { UInt16($0) }))
        return true
      }
    }
    return entries
  }

  @Test func `a block has the terms that had room in it, and one that was cut is refused`() throws {
    let written = (0..<200).map { number in
      Entry(term: [0x77] + Array("word\(1000 + number)".utf8), rows: [3, UInt16(4 + number), 999])
    }
    var block = TermBlock()
    var ends: [Int] = []
    for entry in written where block.append(entry.term, entry.rows[...], span: 1000) { ends.append(block.bytes.count) }
    #expect((40..<100).contains(ends.count))
    #expect(block.first == written[0].term)
    #expect(try entries(block.bytes[...], span: 1000) == Array(written.prefix(ends.count)))
    for count in 1..<block.bytes.count {
      let cut = block.bytes.prefix(count)
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
    var block = TermBlock()
    let hasFirst = block.append(all.term, all.rows[...], span: 65_536)
    let hasSecond = block.append([0x79], [1], span: 65_536)
    #expect(hasFirst && !hasSecond)
    #expect(try entries(block.bytes[...], span: 65_536) == [all])
  }
}
