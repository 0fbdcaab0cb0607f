/// How a catalogue tells what was added to a list, and where in its order that stands: the cheap road of a sync.
package struct IncrementalSync: Sendable {
  /// The text that asks only for what was added on that day (`YYYY-MM-DD`) or later; `nil` where it cannot be narrowed.
  package let narrowed: @Sendable (_ sent: String, _ day: String) -> String?
  /// Where a recording stands; `nil` where its fields do not tell.
  package let place: @Sendable (Recording) -> ListPlace?

  package init(
    narrowed: @escaping @Sendable (_ sent: String, _ day: String) -> String?,
    place: @escaping @Sendable (Recording) -> ListPlace?
  ) {
    self.narrowed = narrowed
    self.place = place
  }
}

/// Where a recording stands in a catalogue's list: rows of a group stand together, by rank; the order of the groups is
/// the catalogue's secret.
package struct ListPlace: Hashable, Sendable {
  package let group: String
  /// Compared number by number, the lesser first.
  package let rank: [Int]

  package init(group: String, rank: [Int]) {
    self.group = group
    self.rank = rank
  }
}
