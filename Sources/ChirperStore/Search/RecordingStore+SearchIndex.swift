#if Collection

import ChirperModel
import GRDB

/// The search index (decision 0028), which is everything in this folder. The rest of the
/// store finds and sorts recordings with it, here, writes it (`writeSearchIndex`), and
/// notes what writes change (`SearchIndexChanges`).
///
/// It decides about most recordings without reading them. The caller reads the undecided
/// ones.
extension RecordingStore {
  /// The index's answer about the recordings after a key, for the segment that has them, or
  /// the keys that no segment has.
  ///
  /// - Parameters:
  ///   - columns: the values to read of the recordings that satisfy the search; each is ordered
  ///     by the index. If `nil`, these recordings count as undecided, because they must be read.
  ///   - limit: the recordings that are needed, in the order of the texts in the first column;
  ///     those after them may have none.
  ///   - ranked: whether the ranks of these recordings are needed.
  ///   - leftOut: the keys of recordings to leave out, ascending.
  package func find(
    _ matcher: SearchMatcher, after key: Int64, columns: [DetailColumn]? = [], limit: Int = .max,
    ranked: Bool = false, leavingOut leftOut: [Int64] = []
  ) throws(StoreError) -> SearchStep {
    try readIndex { db in
      guard let segment = try Segment.first(after: key, db) else { return .scan(through: .max) }
      guard segment.first <= max(key, key &+ 1) else { return .scan(through: segment.first - 1) }
      let query = try SegmentQuery(segment, own: ownMappings, after: key, db)
      var (certain, undecided) = try query.rows(matcher)
      func leaveUndecided(_ rows: Bitmap) {
        var unknown = rows
        unknown.formIntersection(certain)
        certain.subtract(unknown)
        undecided.formUnion(unknown)
      }
      if !matcher.numbers.isEmpty {
        // They are few, and come first.
        leaveUndecided(try query.rows(possibly: .anyOf(matcher.numbers), matcher))
      }
      var unlisted = Bitmap(span: segment.span)
      if matcher.leavesOutUnlisted, !certain.isEmpty {
        unlisted = try query.unlisted()
        unlisted.formIntersection(certain)
        certain.subtract(unlisted)
      }
      let foundCount = certain.count
      for key in leftOut[segment.positions(in: leftOut)] {
        certain.remove(Int(key - segment.first))
      }
      let leftOutCount = foundCount - certain.count
      var ranks: SegmentRanks?
      if ranked, columns != nil, !certain.isEmpty {
        let found = try query.ranks(matcher)
        leaveUndecided(found.undecided)
        ranks = found
      }
      var values: [IndexedValues] = []
      if let columns {
        let read =
          try certain.isEmpty ? [] : query.values(of: columns, among: certain, limit: limit)
        for column in read { leaveUndecided(column.undecided) }
        values = read.map { $0.values.of(certain) }
      } else {
        undecided.formUnion(certain)
        certain = Bitmap(span: segment.span)
      }
      let keys = { (rows: Bitmap) in rows.map { segment.first + Int64($0) } }
      return .segment(
        SegmentAnswer(
          lastKey: segment.last, certain: keys(certain), undecided: keys(undecided),
          decidedCount: query.unchanged.subtracting(undecided).count,
          unlisted: unlisted.count, leftOut: leftOutCount,
          counts: certain.isEmpty ? [:] : try query.counts(of: certain),
          values: values, ranks: ranks.map { certain.map($0.rank) } ?? []))
    } ?? .scan(through: .max)
  }

  /// The positions of those recordings that satisfy a search, and of those that the index cannot
  /// decide; both ascending.
  ///
  /// - Parameter listed: whether those that the matcher leaves out, because they are in no list any
  ///   more, do not satisfy it.
  package func find(
    _ matcher: SearchMatcher, in keys: [Int64], listed: Bool = false
  ) throws(StoreError) -> (found: [Int], undecided: [Int]) {
    try readIndex { db in
      var found = [Int]()
      var undecided = [Int]()
      let segments = try segments(of: keys, db)
      let answers = try segments.map { segment in
        let query = try SegmentQuery(segment, own: ownMappings, db)
        var rows = try query.rows(matcher)
        if listed, matcher.leavesOutUnlisted { rows.certain.subtract(try query.unlisted()) }
        return rows
      }
      forEachKey(of: keys, in: segments) { position, place in
        guard let (index, row) = place else { return undecided.append(position) }
        if answers[index].certain.contains(row) { found.append(position) }
        if answers[index].undecided.contains(row) { undecided.append(position) }
      }
      return (found, undecided)
    } ?? ([], Array(keys.indices))
  }

  /// The ranks of recordings that satisfy the search; `nil` for a recording that the index
  /// cannot decide.
  package func ranks(
    _ matcher: SearchMatcher, of keys: [Int64]
  ) throws(StoreError) -> [WordRank?] {
    try readIndex { db in
      var ranks = [WordRank?](repeating: nil, count: keys.count)
      let segments = try segments(of: keys, db)
      let answers = try segments.map { segment in
        let query = try SegmentQuery(segment, own: ownMappings, db)
        let found = try query.ranks(matcher)
        return (ranks: found, decided: query.unchanged.subtracting(found.undecided))
      }
      forEachKey(of: keys, in: segments) { position, place in
        guard let (index, row) = place, answers[index].decided.contains(row) else { return }
        ranks[position] = answers[index].ranks.rank(of: row)
      }
      return ranks
    } ?? keys.map { _ in nil }
  }

  /// The values of the recordings in each of the columns, which are ordered by the index, and the
  /// positions of the recordings whose values it does not have, ascending.
  ///
  /// - Parameter limit: the recordings that are needed, in the order of the texts in the first
  ///   column; those after them may have none.
  package func values(
    in columns: [DetailColumn], of keys: [Int64], limit: Int = .max
  ) throws(StoreError) -> (values: [IndexedValues], missing: [Int]) {
    let answer: (values: [IndexedValues], missing: [Int])? = try readIndex { db in
      let segments = try segments(of: keys, db)
      var wanted = segments.map { Bitmap(span: $0.span) }
      forEachKey(of: keys, in: segments) { _, place in
        if let place { wanted[place.segment].insert(place.row) }
      }
      // The rows of all segments, one after the other.
      var values = columns.map { _ in IndexedValues.numbers([]) }
      var known = [Bitmap]()
      var starts = [Int]()
      var count = 0
      for (segment, wanted) in zip(segments, wanted) {
        let query = try SegmentQuery(segment, own: ownMappings, db)
        var rows = wanted
        rows.formIntersection(query.unchanged)
        let read = try query.values(of: columns, among: rows, limit: limit)
        for (index, column) in read.enumerated() {
          values[index].append(column.values)
          rows.subtract(column.undecided)
        }
        known.append(rows)
        starts.append(count)
        count += segment.span
      }
      var rows = [Int](repeating: -1, count: keys.count)
      forEachKey(of: keys, in: segments) { position, place in
        guard let (index, row) = place, known[index].contains(row) else { return }
        rows[position] = starts[index] + row
      }
      return (values.map { $0.of(rows) }, rows.indices.filter { rows[$0] < 0 })
    }
    let none = IndexedValues.numbers([Double](repeating: .nan, count: keys.count))
    return answer ?? (columns.map { _ in none }, Array(keys.indices))
  }

  /// The segments with one of those keys, or between two that have.
  func segments(of keys: [Int64], _ db: Database) throws -> [Segment] {
    guard let least = keys.min(), let greatest = keys.max() else { return [] }
    return try Segment.all(db, in: least...greatest).filter(\.isCurrent)
  }

  /// Calls `body` with the position of each key, and with the index of its segment and its row
  /// there; `nil` for a key that is in none.
  func forEachKey(
    of keys: [Int64], in segments: [Segment],
    _ body: (_ position: Int, _ place: (segment: Int, row: Int)?) -> Void
  ) {
    var index: Int?
    for (position, key) in keys.enumerated() {
      func isInSegment(_ index: Int) -> Bool {
        segments[index].first <= key && key <= segments[index].last
      }
      // Most keys are in the segment of the one before.
      if index.map(isInSegment) != true { index = segments.indices.first(where: isInSegment) }
      body(position, index.map { ($0, Int(key - segments[$0].first)) })
    }
  }

  // MARK: Damage

  /// The facts that this process knows about the index of a store.
  struct SearchIndexState: Sendable {
    /// `false` once it was found damaged and could not be deleted.
    var isUsable = true
    var whenDamaged: (@Sendable () -> Void)?
    var own: [CatalogueID: OwnMapping] = [:]
  }

  /// Sets the catalogues that are not chirper's, with the versions of their details; `nil` if the
  /// index must not decide about one.
  package func setOwnCatalogues(_ versions: [(id: CatalogueID, version: Int?)]) {
    searchIndex.withLock { state in
      for (id, version) in versions { state.own[id] = OwnMapping(id, version: version) }
    }
  }

  var ownMappings: [CatalogueID: OwnMapping] { searchIndex.withLock(\.own) }

  /// Sets the function to call when the index is found damaged. Answers are right all the
  /// same, and take longer.
  package func whenSearchIndexIsDamaged(_ body: @escaping @Sendable () -> Void) {
    searchIndex.withLock { $0.whenDamaged = body }
  }

  /// Runs in a read transaction; `nil` without the index, which is deleted if it is damaged.
  func readIndex<T>(_ body: (Database) throws -> T) throws(StoreError) -> T? {
    guard searchIndex.withLock(\.isUsable) else { return nil }
    do throws(StoreError) {
      return try read(body)
    } catch {
      guard case .damaged = error.reason else { throw error }
      dropDamagedIndex()
      return nil
    }
  }

  /// Deletes the index, so that searches read the stored recordings, and the next one
  /// writes it again.
  func dropDamagedIndex() {
    let isDropped = (try? dropSearchIndex()) != nil
    let report = searchIndex.withLock { state in
      state.isUsable = isDropped
      defer { state.whenDamaged = nil }
      return state.whenDamaged
    }
    report?()
  }

  /// Deletes the index. The notes on changes stay, for a segment that is being written.
  ///
  /// - Returns: `false` if the store had no index.
  /// - Throws: `.damaged`, with nothing written, if the file is not sound apart from the
  ///   content of the index. The pages of the index could be pages of recordings too.
  package func dropSearchIndex() throws(StoreError) -> Bool {
    try write { db in
      let hasRows = try db.hasRow(
        "SELECT 1 FROM search_segment UNION ALL SELECT 1 FROM search_block")
      guard hasRows else { return false }
      let problem = try db.firstRow("PRAGMA quick_check(1)") { $0.text(0) }
      guard problem == "ok" else { throw Self.damaged(problem ?? "") }
      for table in ["search_block", "search_segment"] { try db.run("DELETE FROM \(table)") }
      return true
    }
  }

  /// The problem of the index, for a diagnosis; `nil` if it is sound. Reads all of it, and
  /// the keys of the recordings.
  func searchIndexProblem(_ db: Database) throws -> String? {
    do {
      if try db.hasRow("PRAGMA foreign_key_check(search_block)") { throw SearchBlock.damaged }
      for segment in try Segment.all(db) where segment.isCurrent {
        let query = try SegmentQuery(segment, own: [:], db)
        try query.readAll()
        let stored = try segment.rows(
          db, "SELECT recording_id FROM recording WHERE recording_id BETWEEN ? AND ?")
        let isWhole = stored.subtracting(query.changed).subtracting(query.unchanged).isEmpty
        if !isWhole || !query.unchanged.subtracting(stored).isEmpty { throw SearchBlock.damaged }
      }
      return nil
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      return error.message
    }
  }
}

#endif
