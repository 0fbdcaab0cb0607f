import ChirperModel
import ChirperPlatform
import Foundation
import GRDB

/// What the index says of one segment.
package struct SegmentAnswer: Sendable {
  package let firstKey: Int64
  package let lastKey: Int64
  /// Recordings that satisfy the search; none of them has changed since the segment was written.
  package let certain: Bitmap
  /// Recordings that the index cannot decide, those that changed or were deleted among them.
  package let undecided: Bitmap
  /// Those that changed or were deleted.
  package let changed: Bitmap
  /// The recordings of the segment that have not changed.
  package let unchangedCount: Int
  /// How many of `certain` each catalogue has.
  package let counts: [CatalogueID: Int]
  /// For each column asked for, the numbers of `certain` in order; `nan` where there is none.
  package let values: [[Double]]
}

/// The next part of a search, in the order of the keys.
package enum SearchStep: Sendable {
  /// The recordings up to that key are in no segment.
  case scan(through: Int64)
  case segment(SegmentAnswer)
}

extension RecordingStore {
  /// What the index says of the recordings after that key.
  ///
  /// - Parameter columns: the numbers to read of the recordings that satisfy the search.
  package func searchStep(
    after key: Int64, _ matcher: SearchMatcher, columns: [SearchIndexColumn] = []
  ) throws(StoreError) -> SearchStep {
    try read { db in
      let segment = try SQLStatement(
        db,
        "SELECT first_key, last_key, version FROM search_segment WHERE last_key > ? AND version = ? ORDER BY first_key LIMIT 1"
      ).first(.int(key), .int(SearchTermKey.version)) { try Segment($0) }
      guard let segment else { return .scan(through: .max) }
      guard segment.first <= max(key, key &+ 1) else { return .scan(through: segment.first - 1) }
      return .segment(try answer(segment.first, span: Int(segment.span), after: key, matcher, columns, db))
    }
  }

  private func answer(
    _ firstKey: Int64, span: Int, after key: Int64, _ matcher: SearchMatcher, _ columns: [SearchIndexColumn], _ db: Database
  ) throws -> SegmentAnswer {
    let lastKey = firstKey + Int64(span) - 1
    var query = SegmentQuery(db: db, firstKey: firstKey, span: span)
    var changed = try query.changed()
    var unchanged = try query.rows(of: SearchTermKey.everything.term([])).subtracting(changed)
    // The search has passed these: segments were written anew meanwhile.
    if key >= firstKey {
      for row in 0...Int(key - firstKey) {
        changed.remove(row)
        unchanged.remove(row)
      }
    }
    query.unchanged = unchanged
    let (certain, possible) = try query.rows(matcher)
    var undecided = possible.subtracting(certain)
    undecided.formUnion(changed)
    return SegmentAnswer(
      firstKey: firstKey, lastKey: lastKey, certain: certain, undecided: undecided, changed: changed,
      unchangedCount: unchanged.count, counts: try certain.isEmpty ? [:] : query.counts(of: certain),
      values: try columns.map { try certain.isEmpty ? [] : query.values(of: $0, certain) })
  }

  /// The numbers of those recordings, `nan` where there is none, and the positions of those that the index does not have.
  package func indexedNumbers(
    _ column: SearchIndexColumn, of keys: [Int64]
  ) throws(StoreError) -> (numbers: [Double], missing: [Int]) {
    var numbers = [Double](repeating: .nan, count: keys.count)
    guard let least = keys.min(), let greatest = keys.max() else { return (numbers, Array(keys.indices)) }
    return try read { db in
      var finder = SegmentFinder()
      var parts: [(unchanged: Bitmap, numbers: [Double])] = []
      for segment in try segments(db) where segment.isCurrent && segment.first <= greatest && segment.last >= least {
        let query = SegmentQuery(db: db, firstKey: segment.first, span: Int(segment.span))
        let unchanged = try query.rows(of: SearchTermKey.everything.term([])).subtracting(query.changed())
        parts.append((unchanged, try query.values(of: column)))
        finder.segments.append((segment.first, segment.last))
      }
      var missing: [Int] = []
      for (position, key) in keys.enumerated() {
        guard let (part, row) = finder.find(key), parts[part].unchanged.contains(row) else {
          missing.append(position)
          continue
        }
        if row < parts[part].numbers.count { numbers[position] = parts[part].numbers[row] }
      }
      return (numbers, missing)
    }
  }

  /// The positions of those recordings that satisfy a search, and of those that the index cannot decide; both ascending.
  package func indexedPositions(
    _ matcher: SearchMatcher, of keys: [Int64]
  ) throws(StoreError) -> (found: [Int], undecided: [Int]) {
    guard let least = keys.min(), let greatest = keys.max() else { return ([], Array(keys.indices)) }
    return try read { db in
      var finder = SegmentFinder()
      var parts: [(certain: Bitmap, undecided: Bitmap)] = []
      for segment in try segments(db) where segment.isCurrent && segment.first <= greatest && segment.last >= least {
        var query = SegmentQuery(db: db, firstKey: segment.first, span: Int(segment.span))
        let changed = try query.changed()
        query.unchanged = try query.rows(of: SearchTermKey.everything.term([])).subtracting(changed)
        let (certain, possible) = try query.rows(matcher)
        var undecided = possible.subtracting(certain)
        undecided.formUnion(changed)
        parts.append((certain, undecided))
        finder.segments.append((segment.first, segment.last))
      }
      var (found, undecided) = ([Int](), [Int]())
      for (position, key) in keys.enumerated() {
        guard let (part, row) = finder.find(key) else {
          undecided.append(position)
          continue
        }
        if parts[part].certain.contains(row) {
          found.append(position)
        } else if parts[part].undecided.contains(row) {
          undecided.append(position)
        }
      }
      return (found, undecided)
    }
  }

  /// Finds the segment of a key, and its place there.
  private struct SegmentFinder {
    var segments: [(first: Int64, last: Int64)] = []
    private var latest = 0

    mutating func find(_ key: Int64) -> (segment: Int, row: Int)? {
      // Neighbours in a list were mostly stored together.
      if latest >= segments.count || key < segments[latest].first || key > segments[latest].last {
        latest = segments.firstIndex { $0.first <= key && key <= $0.last } ?? segments.count
      }
      return latest < segments.count ? (latest, Int(key - segments[latest].first)) : nil
    }
  }

  // MARK: Writing

  /// Recordings whose segment is to be written.
  package struct SegmentJob: Sendable {
    package let firstKey: Int64
    package let lastKey: Int64
    /// As they were when the job was made, by recording.
    fileprivate let changes: [Int64: Int64]
  }

  /// Keys that are in no segment, and recordings that changed since theirs was written: at most so many recordings are read
  /// besides the index by each search.
  package func unindexedCount() throws(StoreError) -> Int {
    try read { db in
      let changes = try SQLStatement(db, "SELECT count(*) FROM search_change").first { $0.count(0) } ?? 0
      let segments = try segments(db).filter(\.isCurrent)
      let last = try lastKey(db)
      let indexed = segments.reduce(0) { $0 + min($1.last, last) - min($1.first, last + 1) + 1 }
      return Int(clamping: Int64(changes) + max(0, last - indexed))
    }
  }

  private struct Segment {
    let first: Int64
    let last: Int64
    let isCurrent: Bool
    var span: Int64 { last - first + 1 }

    /// Fails for keys that only a damaged file can have.
    init(_ row: SQLRow) throws {
      (first, last) = (row.int64(0), row.int64(1))
      isCurrent = row.int64(2) == SearchTermKey.version
      guard first > 0, last >= first, last - first < Int64(SegmentBuilder.capacity) else { throw Bitmap.damaged }
    }
  }

  private func segments(_ db: Database) throws -> [Segment] {
    var segments: [Segment] = []
    try SQLStatement(db, "SELECT first_key, last_key, version FROM search_segment ORDER BY first_key").forEach {
      segments.append(try Segment($0))
    }
    return segments
  }

  /// The segment that most needs to be written; `nil` if none does.
  ///
  /// - Parameter least: so many recordings must have been added, or have changed, since segments were written: fewer are read
  ///   by a search in no time.
  package func nextSegmentJob(least: Int) throws(StoreError) -> SegmentJob? {
    try read { db in
      guard let range = try nextSegment(least: Int64(least), db) else { return nil }
      return SegmentJob(
        firstKey: range.lowerBound, lastKey: range.upperBound, changes: try changes(in: range, db))
    }
  }

  /// 0 without recordings.
  private func lastKey(_ db: Database) throws -> Int64 {
    try SQLStatement(db, "SELECT max(recording_id) FROM recording").first { $0.int64(0) } ?? 0
  }

  private func changes(in range: ClosedRange<Int64>, _ db: Database) throws -> [Int64: Int64] {
    var changes: [Int64: Int64] = [:]
    try SQLStatement(db, "SELECT recording_id, change FROM search_change WHERE recording_id BETWEEN ? AND ?")
      .forEach(.int(range.lowerBound), .int(range.upperBound)) { changes[$0.int64(0)] = $0.int64(1) }
    return changes
  }

  private func nextSegment(least: Int64, _ db: Database) throws -> ClosedRange<Int64>? {
    let capacity = Int64(SegmentBuilder.capacity)
    var last: Int64 = 0
    for segment in try segments(db) {
      if !segment.isCurrent { return segment.first...segment.last }
      if segment.first > last + 1, let gap = try firstKey(from: last + 1, through: segment.first - 1, db) {
        return gap...min(segment.first - 1, gap + capacity - 1)
      }
      last = segment.last
    }
    let segments = try segments(db)
    var (changes, most, changed): (Int64, Int64, Segment?) = (0, 0, nil)
    for segment in segments {
      let count =
        try SQLStatement(db, "SELECT count(*) FROM search_change WHERE recording_id BETWEEN ? AND ?")
        .first(.int(segment.first), .int(segment.last)) { $0.int64(0) } ?? 0
      changes += count
      if count > most { (most, changed) = (count, segment) }
    }
    if changes >= least, let changed { return changed.first...changed.last }
    let lastKey = try lastKey(db)
    guard lastKey - last >= least, var first = try firstKey(from: last + 1, through: lastKey, db) else { return nil }
    // Small segments at the end are written again together with what was added, each recording a few times in all.
    for segment in segments.reversed() {
      guard segment.span < 4 * (lastKey - first + 1), lastKey - segment.first < capacity else { break }
      first = segment.first
    }
    return first...min(lastKey, first + capacity - 1)
  }

  private func firstKey(from first: Int64, through last: Int64, _ db: Database) throws -> Int64? {
    try SQLStatement(db, "SELECT recording_id FROM recording WHERE recording_id BETWEEN ? AND ? ORDER BY recording_id LIMIT 1")
      .first(.int(first), .int(last)) { $0.int64(0) }
  }

  /// Reads the recordings of a segment in batches, without a lock between them, then writes the segment in one transaction.
  ///
  /// - Parameters:
  ///   - details: of a recording; `nil` where the index must not decide about it.
  ///   - progress: called after each batch with how many recordings it had; what it throws ends the work.
  /// - Returns: `false`, with nothing written, if a recording changed meanwhile.
  package func write(
    _ job: SegmentJob, details: @escaping @Sendable (Recording) -> RecordingDetails?, progress: (Int) throws -> Void
  ) throws -> Bool {
    var builder = SegmentBuilder(firstKey: job.firstKey)
    // To read rows and compute their details takes as long as to gather their terms, so another core is one batch ahead.
    func batch(after key: Int64) -> ComputedAhead<[(row: StoredRecording, details: RecordingDetails?)]> {
      ComputedAhead {
        try recordings(after: key, through: job.lastKey, limit: 500, withLists: false).map { ($0, details($0.recording)) }
      }
    }
    var next = batch(after: job.firstKey - 1)
    while case let rows = try next.value(), let last = rows.last {
      next = batch(after: last.row.key)
      for (row, details) in rows {
        builder.add(row.key, catalogue: row.recording.id.catalogue, details, storedAt: row.storedAt.milliseconds)
      }
      try progress(rows.count)
    }
    let (first, last) = (job.firstKey, job.lastKey)
    return try write { db in
      // A key can only be given to another recording after one in the same range was deleted, which is a change too.
      guard try changes(in: first...last, db) == job.changes else { return false }
      let overlapping = try segments(db).filter { $0.first <= last && $0.last >= first }
      guard overlapping.allSatisfy({ $0.first >= first && $0.last <= last }) else { return false }
      try SQLStatement(db, "DELETE FROM search_segment WHERE first_key BETWEEN ? AND ?").run(.int(first), .int(last))
      try SQLStatement(db, "DELETE FROM search_change WHERE recording_id BETWEEN ? AND ?").run(.int(first), .int(last))
      try SQLStatement(db, "INSERT INTO search_segment (first_key, last_key, version) VALUES (?, ?, ?)")
        .run(.int(first), .int(last), .int(SearchTermKey.version))
      let block = try SQLStatement(db, "INSERT INTO search_block (first_key, first_term, terms) VALUES (?, ?, ?)")
      try builder.forEachBlock(span: Int(last - first) + 1) {
        try block.run(.int(first), .blob($0.first), .blob($0.bytes))
      }
      let column = try SQLStatement(db, "INSERT INTO search_column (first_key, column_id, numbers) VALUES (?, ?, ?)")
      for kind in SearchIndexColumn.allCases {
        try column.run(.int(first), .int(kind.rawValue), .blob(builder.bytes(of: kind)))
      }
      return true
    }
  }

  /// Notes that a recording changed or was deleted, in the same transaction: the index no longer decides about it.
  static func noteChange(of key: Int64, _ db: Database) throws {
    try SQLStatement(db, "INSERT OR REPLACE INTO search_change (recording_id, change) VALUES (?, ?)")
      .run(.int(key), .int(Int64.random(in: .min ... .max)))
  }

  /// The last key that a segment has; an insertion at or before it is a change. `nil` without segments.
  static func lastIndexedKey(_ db: Database) throws -> Int64? {
    try SQLStatement(db, "SELECT max(last_key) FROM search_segment").first { $0.isNull(0) ? nil : $0.int64(0) } ?? nil
  }

  /// Removes the segments that have no recordings any more, with what was noted about them.
  static func removeEmptySegments(_ db: Database) throws {
    try SQLStatement(
      db,
      """
      DELETE FROM search_segment WHERE NOT EXISTS
        (SELECT 1 FROM recording WHERE recording_id BETWEEN search_segment.first_key AND search_segment.last_key)
      """
    ).run()
  }
}
