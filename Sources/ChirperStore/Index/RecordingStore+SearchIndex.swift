import ChirperModel
import GRDB

/// The search index (decision 0028), which is everything in this folder: what others use of it is to find and to sort
/// recordings, here, to write it (`writeSearchIndex`), and to note what writes change (`SearchIndexChanges`).
///
/// It decides about most recordings without reading them. About the others it says so, and the caller reads them.
extension RecordingStore {
  /// What the index says of the recordings after that key.
  ///
  /// - Parameter columns: the numbers to read of the recordings that satisfy the search.
  package func find(
    _ matcher: SearchMatcher, after key: Int64, columns: [SearchIndexColumn] = []
  ) throws(StoreError) -> SearchStep {
    try read { db in
      let segment = try SQLStatement(
        db, Segment.select + " WHERE last_key > ? AND version = ? ORDER BY first_key LIMIT 1"
      ).first(.int(key), .int(SearchTermKey.version)) { try Segment($0) }
      guard let segment else { return .scan(through: .max) }
      guard segment.first <= max(key, key &+ 1) else { return .scan(through: segment.first - 1) }
      let query = try SegmentQuery(segment, after: key, db)
      let (certain, undecided) = try query.rows(matcher)
      return .segment(
        SegmentAnswer(
          firstKey: segment.first, lastKey: segment.last, certain: certain, undecided: undecided, changed: query.changed,
          unchangedCount: query.unchanged.count, counts: try certain.isEmpty ? [:] : query.counts(of: certain),
          values: try columns.map { try certain.isEmpty ? [] : query.values(of: $0, certain) }))
    }
  }

  /// The positions of those recordings that satisfy a search, and of those that the index cannot decide; both ascending.
  package func find(
    _ matcher: SearchMatcher, in keys: [Int64]
  ) throws(StoreError) -> (found: [Int], undecided: [Int]) {
    var (found, undecided) = ([Int](), [Int]())
    try forEachKey(of: keys, answer: { try $0.rows(matcher) }) { position, row, answer in
      guard let answer else { return undecided.append(position) }
      if answer.certain.contains(row) { found.append(position) }
      if answer.undecided.contains(row) { undecided.append(position) }
    }
    return (found, undecided)
  }

  /// The numbers to sort those recordings by, `nan` if there is none, and the positions of the recordings that the index does
  /// not have.
  package func numbers(
    in column: SearchIndexColumn, of keys: [Int64]
  ) throws(StoreError) -> (numbers: [Double], missing: [Int]) {
    var numbers = [Double](repeating: .nan, count: keys.count)
    var missing: [Int] = []
    try forEachKey(of: keys, answer: { (unchanged: $0.unchanged, numbers: try $0.values(of: column)) }) { position, row, answer in
      guard let answer, answer.unchanged.contains(row) else { return missing.append(position) }
      numbers[position] = answer.numbers[row]
    }
    return (numbers, missing)
  }

  /// Calls `body` for each key with its position, its row in its segment, and what `answer` returned for that segment; `nil`
  /// for a key that is in no segment.
  private func forEachKey<Answer>(
    of keys: [Int64], answer: (SegmentQuery) throws -> Answer, _ body: (_ position: Int, _ row: Int, Answer?) -> Void
  ) throws(StoreError) {
    guard let least = keys.min(), let greatest = keys.max() else { return }
    try read { db in
      let segments = try Segment.all(db).filter { $0.isCurrent && $0.first <= greatest && $0.last >= least }
      let answers = try segments.map { try answer(SegmentQuery($0, db)) }
      var latest = segments.startIndex
      for (position, key) in keys.enumerated() {
        // Neighbours in a list were mostly stored together.
        if latest >= segments.count || key < segments[latest].first || key > segments[latest].last {
          latest = segments.firstIndex { $0.first <= key && key <= $0.last } ?? segments.count
        }
        if latest < segments.count {
          body(position, Int(key - segments[latest].first), answers[latest])
        } else {
          body(position, 0, nil)
        }
      }
    }
  }
}
