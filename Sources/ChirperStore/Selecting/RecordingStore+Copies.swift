#if Collection

import ChirperModel
import GRDB

/// The recordings that are copies of a different catalogue's (`RecordingDetails.alsoIn`).
extension RecordingStore {
  /// The copies that the index knows, each segment in the order of the originals' ids, and
  /// the keys of the recordings that must be read to know whether they are copies.
  ///
  /// The cost grows with the copies in the index, and with the recordings of these
  /// catalogues that it does not have.
  ///
  /// - Parameter catalogues: the catalogues whose recordings can be copies.
  package func copies(
    in catalogues: [CatalogueID]
  ) throws(StoreError) -> (known: [(key: Int64, original: RecordingID)], undecided: [Int64]) {
    guard try hasSeveralCatalogues() else { return ([], []) }
    let answer: (known: [(key: Int64, original: RecordingID)], undecided: [Int64])? = try readIndex
    { db in
      var known = [(key: Int64, original: RecordingID)]()
      var undecided = [Int64]()
      var next = Int64.min
      for segment in try Segment.all(db).filter(\.isCurrent) {
        if segment.first > next {
          undecided += try keys(next...segment.first - 1, of: catalogues, db)
        }
        let query = try SegmentQuery(segment, own: ownMappings, db)
        let unread = try query.copies { row, original in
          known.append((segment.first + Int64(row), original))
        }
        undecided += unread.map { segment.first + Int64($0) }
        next = segment.last + 1
      }
      return (known, undecided + (try keys(next ... .max, of: catalogues, db)))
    }
    if let answer { return answer }
    return ([], try read { db in try keys(.min ... .max, of: catalogues, db) })
  }

  /// Whether recordings of several catalogues are stored: if not, none is a copy of a stored one.
  private func hasSeveralCatalogues() throws(StoreError) -> Bool {
    try read { db in
      try db.firstRow(
        """
        SELECT count(*) > 1 FROM catalogue
        WHERE EXISTS (SELECT 1 FROM recording WHERE catalogue_id = catalogue.catalogue_id)
        """
      ) { $0.count(0) == 1 } ?? false
    }
  }

  private func keys(
    _ range: ClosedRange<Int64>, of catalogues: [CatalogueID], _ db: Database
  ) throws -> [Int64] {
    try catalogues.flatMap { catalogue in
      try db.rows(
        """
        SELECT recording_id FROM recording WHERE recording_id BETWEEN ? AND ?
          AND catalogue_id = (SELECT catalogue_id FROM catalogue WHERE name = ?)
        """, range.lowerBound, range.upperBound, catalogue.rawValue
      ) { $0.int64(0) }
    }
  }

  /// The ids of the recordings with those keys that are still stored, in the order of the keys.
  package func ids(of keys: [Int64]) throws(StoreError) -> [RecordingID] {
    try read { db in
      try keys.compactMap { key in
        try db.firstRow(
          "SELECT name, id FROM recording JOIN catalogue USING (catalogue_id) WHERE recording_id = ?",
          key
        ) { RecordingID(catalogue: CatalogueID(rawValue: $0.text(0)), value: $0.text(1)) }
      }
    }
  }
}

extension SegmentQuery {
  /// Calls `body` with each unchanged recording that is a copy, and its original; returns the rows
  /// that must be read.
  fileprivate func copies(_ body: (Int, RecordingID) -> Void) throws -> Bitmap {
    try forEachTerm(with: SearchTermKey.original.term([])) { term, encoded in
      var original: RecordingID?
      try Bitmap.forEach(encoded: encoded, span: segment.span) { row in
        guard unchanged.contains(row) else { return }
        original = original ?? RecordingID(indexed: term.extracting(droppingFirst: 1))
        if let original { body(row, original) }
      }
    }
    var unread = try rows(of: SearchTermKey.original.ofLongValues.term([]))
    unread.formIntersection(unchanged)
    unread.formUnion(changed)
    return unread
  }
}

extension RecordingID {
  /// The catalogue and the id, as one value of the index.
  var indexed: [UInt8] { Array("\(catalogue)\0\(value)".utf8) }

  init?(indexed value: Span<UInt8>) {
    guard let end = value.indices.first(where: { value[$0] == 0 }) else { return nil }
    self.init(
      catalogue: CatalogueID(rawValue: value.extracting(..<end).text),
      value: value.extracting(droppingFirst: end + 1).text)
  }
}

#endif
