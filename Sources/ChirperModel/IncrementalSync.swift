/// How to request what was added to a list, and where it belongs in the catalogue's order, so that a sync needs no walk.
package struct IncrementalSync: Sendable {
  /// The day (`YYYY-MM-DD`, by the catalogue's clock) on which a recording was added; `nil` if its fields do not say.
  package let uploaded: @Sendable (Recording) -> String?
  /// The text that requests only what was added on that day (`YYYY-MM-DD`) or later; `nil` if it cannot be narrowed.
  package let narrowed: @Sendable (_ sent: String, _ day: String) -> String?
  /// The place of a recording in the list; `nil` if its fields do not say.
  package let place: @Sendable (Recording) -> ListPlace?

  package init(
    uploaded: @escaping @Sendable (Recording) -> String?,
    narrowed: @escaping @Sendable (_ sent: String, _ day: String) -> String?,
    place: @escaping @Sendable (Recording) -> ListPlace?
  ) {
    self.uploaded = uploaded
    self.narrowed = narrowed
    self.place = place
  }
}

/// The place of a recording in a catalogue's list. The rows of a group are next to each other, in the order of their ranks;
/// only the catalogue knows the order of the groups.
package struct ListPlace: Hashable, Sendable {
  package let group: String
  /// Compared number by number; lower comes first.
  package let rank: [Int]

  package init(group: String, rank: [Int]) {
    self.group = group
    self.rank = rank
  }
}
