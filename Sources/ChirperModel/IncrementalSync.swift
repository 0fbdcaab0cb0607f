/// How to request what was added to a list, or changed in it, and where it belongs in the catalogue's order, so that a sync
/// needs no walk.
package struct IncrementalSync: Sendable {
  /// The text that requests only what was added on that day (`YYYY-MM-DD`) or later; `nil` if it cannot be narrowed.
  package let narrowed: @Sendable (_ sent: String, _ day: String) -> String?
  /// The place of a recording in the list; `nil` if its fields do not say.
  package let place: @Sendable (Recording) -> ListPlace?
  /// The catalogue's id of the record that a recording is from, where a record can have several; totals count records.
  package let record: @Sendable (RecordingID) -> String

  package init(
    narrowed: @escaping @Sendable (_ sent: String, _ day: String) -> String?,
    place: @escaping @Sendable (Recording) -> ListPlace?, record: @escaping @Sendable (RecordingID) -> String = { $0.value }
  ) {
    self.narrowed = narrowed
    self.place = place
    self.record = record
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
