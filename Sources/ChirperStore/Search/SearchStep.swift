#if Collection

import ChirperModel

/// The next part of a search, in the order of the keys.
package enum SearchStep: Sendable {
  /// The recordings up to that key are in no segment.
  case scan(through: Int64)
  case segment(SegmentAnswer)
}

/// The index's answer about one segment.
package struct SegmentAnswer: Sendable {
  package let lastKey: Int64
  /// The keys of recordings that satisfy the search; none of them has changed since the segment was
  /// written.
  package let certain: [Int64]
  /// The keys of recordings that the index cannot decide; some may have been deleted.
  package let undecided: [Int64]
  /// The number of recordings that the index decides.
  package let decidedCount: Int
  /// The number of recordings that satisfy the search for certain and are left out, because
  /// they are in no list any more.
  package let unlisted: Int
  /// The number of further recordings that satisfy the search for certain and were to be
  /// left out.
  package let leftOut: Int
  /// The number of recordings in `certain` by catalogue.
  package let counts: [CatalogueID: Int]
  /// The values of `certain` in order, for each column asked for; empty if `certain` is empty.
  package let values: [IndexedValues]
  /// The ranks of `certain` in order; empty if they were not asked for.
  package let ranks: [WordRank]
}

#endif
