import GRDB

/// A row of the table `search_segment`: the keys of which the index knows the recordings.
struct Segment {
  let first: Int64
  let last: Int64
  /// Whether it has the terms and columns of this version.
  let isCurrent: Bool
  var span: Int64 { last - first + 1 }

  /// From a row with the columns of `select`; fails for keys that only a damaged file can have.
  init(_ row: SQLRow) throws {
    (first, last) = (row.int64(0), row.int64(1))
    isCurrent = row.int64(2) == SearchTermKey.version
    guard first > 0, last >= first, last <= Self.greatestKey, last - first < Int64(SegmentBuilder.capacity) else {
      throw Bitmap.damaged
    }
  }

  /// Recordings with greater keys, which only a damaged file can have, are in no segment: sums of keys do not overflow.
  static let greatestKey: Int64 = 1 << 60

  static let select = "SELECT first_key, last_key, version FROM search_segment"

  /// Every segment, in the order of the keys.
  static func all(_ db: Database) throws -> [Segment] {
    try SQLStatement(db, select + " ORDER BY first_key").map { try Segment($0) }
  }
}
