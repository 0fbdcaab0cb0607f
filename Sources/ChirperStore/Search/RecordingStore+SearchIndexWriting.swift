#if Collection

import ChirperModel
import GRDB

/// Writes the search index, one segment after the other.
extension RecordingStore {
  /// Adds stored and changed recordings to the index, unless they are too few to slow a
  /// search down. A different process, or a change meanwhile, ends it early; the next call
  /// continues.
  ///
  /// - Parameters:
  ///   - least: nothing is done for fewer recordings.
  ///   - limit: nothing is done if more recordings than this would have to be read.
  ///   - details: the details of a recording; `nil` if the index must not decide about it.
  ///   - progress: called after each batch with the number of recordings that were read,
  ///     and the number to be read. An error that it throws ends the work.
  package func writeSearchIndex(
    least: Int, limit: Int = .max, details: @escaping @Sendable (Recording) -> RecordingDetails?,
    progress: (_ done: Int, _ total: Int) throws -> Void
  ) throws {
    guard searchIndex.withLock(\.isUsable) else { return }
    do {
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
    } catch let error as StoreError {
      guard case .damaged = error.reason else { throw error }
      // If it is not the index that is damaged, whoever reads the recordings will find it.
      dropDamagedIndex()
    }
  }

  /// Recordings whose segment is to be written.
  struct SegmentJob: Sendable {
    let keys: ClosedRange<Int64>
    /// The segments that the job replaces, as they were when it was made. The changes by
    /// recording are those of that time too.
    fileprivate let segments: [Segment]
    fileprivate let changes: [Int64: Int64]
  }

  /// The number of recordings that are in no segment, or that changed, or whose catalogue
  /// did, since their segment was written. A search reads at most this number of recordings
  /// besides the index.
  package func unindexedCount() throws(StoreError) -> Int {
    try read { db in
      var (count, last): (Int64, Int64) = (0, 0)
      for segment in try Segment.all(db) {
        count += try span(from: last + 1, through: segment.first - 1, db)
        count +=
          try segment.isCurrent
          ? changedCount(segment, db) : span(from: segment.first, through: segment.last, db)
        last = segment.last
      }
      return Int(clamping: count + (try span(from: last + 1, through: Segment.greatestKey, db)))
    }
  }

  /// Keys from the first recording of a range to its last: to count them would read them.
  private func span(from first: Int64, through last: Int64, _ db: Database) throws -> Int64 {
    guard let least = try firstKey(from: first, through: last, db) else { return 0 }
    let greatest = try db.firstRow(
      "SELECT max(recording_id) FROM recording WHERE recording_id <= ?", last
    ) { $0.int64(0) }
    return (greatest ?? least) - least + 1
  }

  /// The number of recordings that changed since the segment was written, or of which it
  /// has details of a different version.
  private func changedCount(_ segment: Segment, _ db: Database) throws -> Int64 {
    let changes =
      try db.firstRow(
        "SELECT count(*) FROM search_change WHERE recording_id BETWEEN ? AND ?", segment.first,
        segment.last
      ) { $0.int64(0) } ?? 0
    let own = ownMappings
    guard segment.isCurrent, own.values.contains(where: \.isIndexed) else { return changes }
    return try changes + Int64(SegmentQuery(segment, own: own, db).outdated.count)
  }

  /// The segment that most needs to be written; `nil` if fewer than `least` recordings were added,
  /// or have changed, since segments were written: these are read immediately by a search.
  func nextSegmentJob(least: Int) throws(StoreError) -> SegmentJob? {
    try read { db in
      try nextSegment(least: Int64(least), db).map {
        SegmentJob(
          keys: $0, segments: try Segment.all(db, in: $0), changes: try changes(in: $0, db))
      }
    }
  }

  private func changes(in range: ClosedRange<Int64>, _ db: Database) throws -> [Int64: Int64] {
    var changes: [Int64: Int64] = [:]
    try db.forEachRow(
      "SELECT recording_id, change FROM search_change WHERE recording_id BETWEEN ? AND ?",
      range.lowerBound, range.upperBound
    ) { changes[$0.int64(0)] = $0.int64(1) }
    return changes
  }

  private func nextSegment(least: Int64, _ db: Database) throws -> ClosedRange<Int64>? {
    let capacity = Int64(SegmentBuilder.capacity)
    var last: Int64 = 0
    let segments = try Segment.all(db)
    for segment in segments {
      if !segment.isCurrent { return segment.first...segment.last }
      if segment.first > last + 1,
        let gap = try firstKey(from: last + 1, through: segment.first - 1, db)
      {
        return gap...min(segment.first - 1, gap + capacity - 1)
      }
      last = segment.last
    }
    var (changes, most, changed): (Int64, Int64, Segment?) = (0, 0, nil)
    for segment in segments {
      let count = try changedCount(segment, db)
      changes += count
      if count > most { (most, changed) = (count, segment) }
    }
    if changes >= least, let changed { return changed.first...changed.last }
    let lastKey = min(try lastKey(db), Segment.greatestKey)
    guard lastKey - last >= least, var first = try firstKey(from: last + 1, through: lastKey, db)
    else { return nil }
    // Small segments at the end are written again together with what was added, each recording a
    // few times in all.
    for segment in segments.reversed() {
      guard Int64(segment.span) < 4 * (lastKey - first + 1), lastKey - segment.first < capacity
      else { break }
      first = segment.first
    }
    return first...min(lastKey, first + capacity - 1)
  }

  private func firstKey(from first: Int64, through last: Int64, _ db: Database) throws -> Int64? {
    try db.firstRow(
      "SELECT recording_id FROM recording WHERE recording_id BETWEEN ? AND ? ORDER BY recording_id LIMIT 1",
      first, last
    ) { $0.int64(0) }
  }

  /// Reads the recordings of a segment in batches, without a lock between them, then writes the
  /// segment in one transaction; `false`, with nothing written, if a recording changed meanwhile.
  func write(
    _ job: SegmentJob, details: @escaping @Sendable (Recording) -> RecordingDetails?,
    progress: (Int) throws -> Void
  ) throws -> Bool {
    let first = job.keys.lowerBound
    let last = job.keys.upperBound
    var builder = SegmentBuilder(firstKey: first, own: ownMappings)
    // To read rows and compute their details takes as long as to gather their terms, so another
    // core is one batch ahead.
    func batch(after key: Int64) -> ComputedAhead<
      [(key: Int64, catalogue: CatalogueID, details: RecordingDetails?)]
    > {
      ComputedAhead {
        try recordings(after: key, through: last, limit: 500, withLists: false).map {
          ($0.key, $0.recording.id.catalogue, details($0.recording))
        }
      }
    }
    var next = batch(after: first - 1)
    while case let rows = try next.value(), let latest = rows.last {
      next = batch(after: latest.key)
      for row in rows { builder.add(row.key, catalogue: row.catalogue, row.details) }
      try progress(rows.count)
    }
    return try write { db in
      // A key can only be given to another recording after one in the same range was deleted, which
      // is a change too.
      guard try changes(in: job.keys, db) == job.changes,
        try Segment.all(db, in: job.keys) == job.segments
      else { return false }
      try write(&builder, as: Segment(job.keys), db)
      return true
    }
  }

  /// Writes a segment in place of those with its keys.
  private func write(
    _ builder: inout SegmentBuilder, as segment: Segment, _ db: Database
  ) throws {
    for keys in [
      "search_block WHERE first_key", "search_segment WHERE first_key",
      "search_change WHERE recording_id",
    ] {
      try db.run("DELETE FROM \(keys) BETWEEN ? AND ?", segment.first, segment.last)
    }
    try segment.write(db)
    var latest: SearchBlock?
    try builder.forEachBlock(span: segment.span) { block in
      try latest?.write(segment, next: block.name, db)
      latest = block
    }
    try latest?.write(segment, next: [], db)
  }
}

#endif
