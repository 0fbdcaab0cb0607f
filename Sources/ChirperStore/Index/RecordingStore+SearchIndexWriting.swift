import ChirperModel
import ChirperPlatform
import GRDB

/// Writes the search index, one segment after the other.
extension RecordingStore {
  /// Adds what was stored, or has changed, to the index, if it is so much that searches would notice. Another process, or a
  /// change meanwhile, ends it early; the next call continues.
  ///
  /// - Parameters:
  ///   - least: nothing is done for fewer recordings.
  ///   - limit: nothing is done if more recordings than this would have to be read.
  ///   - details: of a recording; `nil` if the index must not decide about it.
  ///   - progress: called after each batch with the number of recordings that were read, and of those to be read; what it throws
  ///     ends the work.
  package func writeSearchIndex(
    least: Int, limit: Int = .max, details: @escaping @Sendable (Recording) -> RecordingDetails?,
    progress: (_ done: Int, _ total: Int) throws -> Void
  ) throws {
    let total = try unindexedCount()
    guard total >= least, total <= limit else { return }
    var done = 0
    while let job = try nextSegmentJob(least: least) {
      let isWritten = try write(job, details: details) { count in
        done += count
        try progress(done, max(done, total))
      }
      guard isWritten else { return }
    }
  }

  /// Recordings whose segment is to be written.
  struct SegmentJob: Sendable {
    let keys: ClosedRange<Int64>
    /// As they were when the job was made, by recording.
    fileprivate let changes: [Int64: Int64]
  }

  /// Keys that are in no segment, and recordings that changed since theirs was written: at most so many recordings are read
  /// besides the index by each search.
  func unindexedCount() throws(StoreError) -> Int {
    try read { db in
      let changes = try SQLStatement(db, "SELECT count(*) FROM search_change").first { $0.count(0) } ?? 0
      let segments = try Segment.all(db).filter(\.isCurrent)
      let last = min(try lastKey(db), Segment.greatestKey)
      let indexed = segments.reduce(0) { $0 + min($1.last, last) - min($1.first, last + 1) + 1 }
      return Int(clamping: Int64(changes) + max(0, last - indexed))
    }
  }

  /// The segment that most needs to be written; `nil` if none does.
  ///
  /// - Parameter least: so many recordings must have been added, or have changed, since segments were written: fewer are read
  ///   immediately by a search.
  func nextSegmentJob(least: Int) throws(StoreError) -> SegmentJob? {
    try read { db in
      try nextSegment(least: Int64(least), db).map { SegmentJob(keys: $0, changes: try changes(in: $0, db)) }
    }
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
    let segments = try Segment.all(db)
    for segment in segments {
      if !segment.isCurrent { return segment.first...segment.last }
      if segment.first > last + 1, let gap = try firstKey(from: last + 1, through: segment.first - 1, db) {
        return gap...min(segment.first - 1, gap + capacity - 1)
      }
      last = segment.last
    }
    var (changes, most, changed): (Int64, Int64, Segment?) = (0, 0, nil)
    for segment in segments {
      let count =
        try SQLStatement(db, "SELECT count(*) FROM search_change WHERE recording_id BETWEEN ? AND ?")
        .first(.int(segment.first), .int(segment.last)) { $0.int64(0) } ?? 0
      changes += count
      if count > most { (most, changed) = (count, segment) }
    }
    if changes >= least, let changed { return changed.first...changed.last }
    let lastKey = min(try lastKey(db), Segment.greatestKey)
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
  /// - Parameter progress: called after each batch with how many recordings it had; what it throws ends the work.
  /// - Returns: `false`, with nothing written, if a recording changed meanwhile.
  func write(
    _ job: SegmentJob, details: @escaping @Sendable (Recording) -> RecordingDetails?, progress: (Int) throws -> Void
  ) throws -> Bool {
    let (first, last) = (job.keys.lowerBound, job.keys.upperBound)
    var builder = SegmentBuilder(firstKey: first)
    // To read rows and compute their details takes as long as to gather their terms, so another core is one batch ahead.
    func batch(after key: Int64) -> ComputedAhead<[(row: StoredRecording, details: RecordingDetails?)]> {
      ComputedAhead {
        try recordings(after: key, through: last, limit: 500, withLists: false).map { ($0, details($0.recording)) }
      }
    }
    var next = batch(after: first - 1)
    while case let rows = try next.value(), let latest = rows.last {
      next = batch(after: latest.row.key)
      for (row, details) in rows {
        builder.add(row.key, catalogue: row.recording.id.catalogue, details, storedAt: row.storedAt.milliseconds)
      }
      try progress(rows.count)
    }
    return try write { db in
      // A key can only be given to another recording after one in the same range was deleted, which is a change too.
      guard try changes(in: job.keys, db) == job.changes else { return false }
      let overlapping = try Segment.all(db).filter { $0.first <= last && $0.last >= first }
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
}
