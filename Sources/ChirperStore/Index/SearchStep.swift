import ChirperModel

/// The next part of a search, in the order of the keys.
package enum SearchStep: Sendable {
  /// The recordings up to that key are in no segment.
  case scan(through: Int64)
  case segment(SegmentAnswer)
}

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
