#if Collection

import GRDB

/// A part of a segment, as one row of the store: a column of numbers, or terms that follow each
/// other with their recordings. Most terms have one recording, and a row for each would take longer
/// to insert than all that is computed for it (decision 0030).
struct SearchBlock {
  /// Zero and the number of the column, or the first of the terms. No term begins with zero.
  private(set) var name: [UInt8] = []
  /// The bytes as the column `contents` has them.
  private(set) var contents: [UInt8] = []

  /// The size of a block in bytes. Four blocks of this size are a page of the file; SQLite
  /// puts the end of a longer one on a page of its own.
  private static let room = 950

  init() {}

  init(_ column: SearchIndexColumn, _ numbers: [Double]) {
    name = column.name
    contents = SearchIndexColumn.bytes(of: numbers)
  }

  /// Appends the next term and its rows; `false`, and nothing appended, if that is more than a
  /// block has room for. The first always has room.
  mutating func append(_ term: [UInt8], _ rows: ArraySlice<UInt16>, span: Int) -> Bool {
    let start = contents.count
    if start == 0 { name = term }
    contents.append(UInt8(term.count))
    contents += term
    let countStart = contents.count
    contents += [0, 0]
    Bitmap.append(rows, span: span, to: &contents)
    let count = UInt16(contents.count - countStart - 2)
    (contents[countStart], contents[countStart + 1]) = (UInt8(count & 0xFF), UInt8(count >> 8))
    guard start == 0 || name.count + contents.count <= Self.room else {
      contents.removeLast(contents.count - start)
      return false
    }
    return true
  }

  /// Calls `body` with each term and its recordings, until it returns `false`; fails for bytes of a
  /// damaged file.
  static func forEachTerm(in bytes: Span<UInt8>, _ body: (Span<UInt8>, Span<UInt8>) throws -> Bool)
    throws
  {
    var at = 0
    while at < bytes.count {
      let end = at + 1 + Int(bytes[at])
      guard end + 2 <= bytes.count else { throw damaged }
      let next = end + 2 + (Int(bytes[end]) | Int(bytes[end + 1]) << 8)
      guard next <= bytes.count else { throw damaged }
      guard try body(bytes.extracting(at + 1..<end), bytes.extracting(end + 2..<next)) else {
        return
      }
      at = next
    }
  }

  /// Writes the row of a segment; `next` is the name of the block after it, empty if it is the
  /// last.
  func write(_ segment: Segment, next: [UInt8], _ db: Database) throws {
    try db.run(
      "INSERT INTO search_block (first_key, name, next, checksum, contents) VALUES (?, ?, ?, ?, ?)",
      segment.first, name, next,
      Self.checksum(segment, name: name, next: next, contents.span), contents)
  }

  /// Calls `body` with the contents of each block that may have names from `first` on and before
  /// `end`. Fails if a block is not as it was written, or is missing: each has the name of the
  /// next.
  static func forEach(
    of segment: Segment, from first: [UInt8], before end: [UInt8], _ db: Database,
    _ body: (Span<UInt8>) throws -> Void
  ) throws {
    var latest: (name: [UInt8], next: [UInt8])?
    try db.forEachRow(
      """
      SELECT name, next, checksum, contents FROM search_block WHERE first_key = ?1 AND name < ?3 AND name >= coalesce(
        (SELECT name FROM search_block WHERE first_key = ?1 AND name <= ?2 ORDER BY name DESC LIMIT 1), x'')
      ORDER BY name
      """, segment.first, first, end
    ) { row in
      let name = row.blob(0)
      let next = row.blob(1)
      let isNext = latest.map { $0.next == name } ?? !first.lexicographicallyPrecedes(name)
      try row.withBlob(3) { contents in
        guard isNext, row.int64(2) == checksum(segment, name: name, next: next, contents) else {
          throw damaged
        }
        try body(contents)
      }
      latest = (name, next)
    }
    guard let next = latest?.next, next.isEmpty || !next.lexicographicallyPrecedes(end) else {
      throw damaged
    }
  }

  private static func checksum(
    _ segment: Segment, name: [UInt8], next: [UInt8], _ contents: Span<UInt8>
  ) -> Int64 {
    let numbers = [UInt64(bitPattern: segment.first), UInt64(name.count), Checksum.of(contents)]
    return Segment.checksum(numbers, name + next)
  }

  static let damaged = RecordingStore.damaged("the search index is not as it was written")
}

#endif
