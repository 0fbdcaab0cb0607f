import ChirperModel

/// The next part of a search, in the order of the keys.
package enum SearchStep: Sendable {
  /// The recordings up to that key are in no segment.
  case scan(through: Int64)
  case segment(SegmentAnswer)
}

/// What the index says of one segment.
package struct SegmentAnswer: Sendable {
  package let lastKey: Int64
  /// The keys of recordings that satisfy the search; none of them has changed since the segment was written.
  package let certain: [Int64]
  /// The keys of recordings that the index cannot decide; some may have been deleted.
  package let undecided: [Int64]
  /// How many recordings the index decides.
  package let decidedCount: Int
  /// How many recordings satisfy the search for certain and are left out, because they are in no
  /// list any more.
  package let unlisted: Int
  /// How many further recordings satisfy the search for certain and were to be left out.
  package let leftOut: Int
  /// How many of `certain` each catalogue has.
  package let counts: [CatalogueID: Int]
  /// For each column asked for, the numbers of `certain` in order; `nan` where there is none.
  package let values: [[Double]]
}
