#if !Collection

import ChirperModel

/// The answers of a search index that decides about no recording. An app without the trait
/// `Collection` filters and sorts the rows of one list, and reads them for that.
extension RecordingStore {
  /// Every position is undecided.
  package func find(
    _: SearchMatcher, in keys: [Int64], listed: Bool = false
  ) throws(StoreError) -> (found: [Int], undecided: [Int]) { ([], Array(keys.indices)) }

  /// No value is known.
  package func values(
    in columns: [DetailColumn], of keys: [Int64]
  ) throws(StoreError) -> (values: [IndexedValues], missing: [Int]) {
    (columns.map { _ in .numbers(keys.map { _ in .nan }) }, Array(keys.indices))
  }
}

#endif
