/// What a catalogue can be asked for, so that a sync of a complete list needs no walk.
package enum IncrementalSync: Sendable {
  /// What was added since a day.
  case uploads(UploadSync)
  /// What was added or changed since a time, and the ids alone.
  case updates(UpdateSync)
}

/// How to request what was added to a list, and where it belongs in the catalogue's order.
package struct UploadSync: Sendable {
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

/// How to request what was added to a list or changed in it. The list is paged by ids (`IDCursor`), the highest first.
package struct UpdateSync: Sendable {
  /// When the recording's record was created, as the service writes times; `nil` if its fields do not say.
  package let created: @Sendable (Recording) -> String?
  /// The text that requests only records that were updated at that time or later.
  package let narrowed: @Sendable (_ sent: String, _ time: String) -> String
  /// The text that requests the records without any field but their ids.
  package let idsOnly: @Sendable (_ sent: String) -> String
  /// The number of the record that a recording belongs to; `nil` if its id has none.
  package let record: @Sendable (RecordingID) -> Int64?

  package init(
    created: @escaping @Sendable (Recording) -> String?,
    narrowed: @escaping @Sendable (_ sent: String, _ time: String) -> String,
    idsOnly: @escaping @Sendable (_ sent: String) -> String, record: @escaping @Sendable (RecordingID) -> Int64?
  ) {
    self.created = created
    self.narrowed = narrowed
    self.idsOnly = idsOnly
    self.record = record
  }
}

/// The place of a recording in a list: next to the rows of its group, by rank. Only the catalogue knows the order of the groups.
package struct ListPlace: Hashable, Sendable {
  package let group: String
  /// Compared number by number; lower comes first.
  package let rank: [Int]

  package init(group: String, rank: [Int]) {
    self.group = group
    self.rank = rank
  }
}
