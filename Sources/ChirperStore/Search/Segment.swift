#if Collection

import ChirperModel
import GRDB

/// A row of the table `search_segment`: the keys of which the index knows the recordings.
struct Segment: Equatable {
  let first: Int64
  let last: Int64
  /// A number that differs each time, by which the writer of a segment sees that a
  /// different process wrote it meanwhile.
  private let serial: Int64
  /// Whether it has the terms and columns of this version.
  let isCurrent: Bool
  var span: Int { Int(last - first) + 1 }

  /// The positions of its keys among ascending ones.
  func positions(in keys: [Int64]) -> Range<Int> {
    keys.firstPosition { $0 >= first }..<keys.firstPosition { $0 > last }
  }

  init(_ keys: ClosedRange<Int64>) {
    first = keys.lowerBound
    last = keys.upperBound
    isCurrent = true
    serial = .random(in: .min ... .max)
  }

  /// The segment in a row with the columns of `select`; throws if the row is not as it was
  /// written.
  private init(_ row: SQLRow) throws {
    first = row.int64(0)
    last = row.int64(1)
    isCurrent = row.int64(2) == SearchTermKey.version
    serial = row.int64(3)
    guard first > 0, last >= first, last <= Self.greatestKey,
      last - first < Int64(SegmentBuilder.capacity),
      row.int64(4) == checksum
    else { throw SearchBlock.damaged }
  }

  /// Recordings with greater keys, which only a damaged file can have, are in no segment: sums of
  /// keys do not overflow.
  static let greatestKey: Int64 = 1 << 60

  private var checksum: Int64 {
    Self.checksum([first, last, serial].map { UInt64(bitPattern: $0) })
  }

  /// The checksum of numbers and bytes that are stored.
  static func checksum(_ numbers: [UInt64], _ bytes: [UInt8] = []) -> Int64 {
    let all =
      numbers.flatMap { number in
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
      } + bytes
    return Int64(bitPattern: Checksum.of(all.span))
  }

  /// Every segment with one of those keys, in their order.
  static func all(_ db: Database, in keys: ClosedRange<Int64> = .min ... .max) throws -> [Segment] {
    try db.rows("\(select) ORDER BY first_key", body: Segment.init)
      .filter { $0.first <= keys.upperBound && $0.last >= keys.lowerBound }
  }

  /// The first segment with keys greater than that one.
  static func first(after key: Int64, _ db: Database) throws -> Segment? {
    try db.firstRow(
      "\(select) WHERE last_key > ? AND version = ? ORDER BY first_key LIMIT 1", key,
      SearchTermKey.version, body: Segment.init)
  }

  /// The recordings of the segment with the keys that a statement selects from the first to the
  /// last, its first two values. Fails for other keys, which SQLite returns from a damaged page.
  func rows(_ db: Database, _ sql: String, _ values: [(any SQLValue)?] = []) throws -> Bitmap {
    var rows = Bitmap(span: span)
    try db.forEachRow(sql, values: [first, last] + values) { row in
      guard (first...last).contains(row.int64(0)) else { throw SearchBlock.damaged }
      rows.insert(Int(row.int64(0) - first))
    }
    return rows
  }

  private static let select =
    "SELECT first_key, last_key, version, serial, checksum FROM search_segment"

  func write(_ db: Database) throws {
    try db.run(
      "INSERT INTO search_segment VALUES (?, ?, ?, ?, ?)", first, last, SearchTermKey.version,
      serial, checksum)
  }
}

#endif
