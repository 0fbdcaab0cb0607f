extension Catalogue {
  /// The requests by which a sync of a complete list needs no walk.
  ///
  /// A sync proves the list by its exact total. If the answers do not explain the new total, or the
  /// catalogue does not answer them, it walks: a wrong answer costs requests and never rows.
  public struct Sync: Sendable {
    let requests: IncrementalSync

    init(_ requests: IncrementalSync) { self.requests = requests }

    /// A sync of a list that is paged by number, by the recordings added since a day.
    ///
    /// It requests the additions since the newest upload of the list, as one page, then page 1. If
    /// the new total is the old one plus the additions, these are inserted at their positions, and
    /// page 1 must be equal to the one made so.
    ///
    /// - Parameters:
    ///   - uploaded: the day (`YYYY-MM-DD`, by the catalogue's clock) on which a recording was
    ///     added; `nil` if its fields do not say. If `RecordingDetails.available` has a day, it
    ///     must be this one.
    ///   - narrowed: the text that requests only the recordings added on `day` or later; `nil` if
    ///     the text cannot be narrowed.
    ///   - position: the position of a recording in the list: next to the recordings of its group,
    ///     by rank, compared number by number, the lowest first. `nil` if its fields do not say.
    public static func uploads(
      uploaded: @escaping @Sendable (_ recording: Recording) -> String?,
      narrowed: @escaping @Sendable (_ requestText: String, _ day: String) -> String?,
      position: @escaping @Sendable (_ recording: Recording) -> (group: String, rank: [Int])?
    ) -> Sync {
      Sync(
        .uploads(
          UploadSync(uploaded: uploaded, narrowed: narrowed) { recording in
            position(recording).map { ListPosition(group: $0.group, rank: $0.rank) }
          }))
    }

    #if Collection
    /// A sync of a list that is paged by ids (`PageRequest.Token.after`), the highest first, by the records
    /// updated since a time.
    ///
    /// It requests the total with `idsOnly`, then the records updated since the newest record of
    /// the list was created, and the total again. If the records do not add up to the total, it
    /// requests the ids of all, in pages as large as the catalogue serves, to find out which left.
    ///
    /// - Parameters:
    ///   - created: the time at which the recording's record was created, as the service writes
    ///     times; `nil` if its fields do not say.
    ///   - narrowed: the text that requests only records that were updated at that time or later.
    ///   - idsOnly: the text that requests the records without any field but their ids.
    ///   - record: the number of the record that a recording belongs to; `nil` if its id has none.
    public static func updates(
      created: @escaping @Sendable (_ recording: Recording) -> String?,
      narrowed: @escaping @Sendable (_ requestText: String, _ time: String) -> String,
      idsOnly: @escaping @Sendable (_ requestText: String) -> String,
      record: @escaping @Sendable (_ id: RecordingID) -> Int64?
    ) -> Sync {
      Sync(
        .updates(
          UpdateSync(created: created, narrowed: narrowed, idsOnly: idsOnly, record: record)))
    }
    #endif
  }
}

/// The requests of a catalogue by which a sync of a complete list needs no walk.
///
/// A sync proves the list by its exact total. If the answers do not explain the new total,
/// or the catalogue does not answer them, it walks.
package enum IncrementalSync: Sendable {
  /// The catalogue can list the recordings added since a day.
  case uploads(UploadSync)
  #if Collection
  /// The catalogue can list the records added or changed since a time, and ids alone.
  case updates(UpdateSync)
  #endif
}

/// The way to request recordings added to a list, and their positions in the catalogue's
/// order. The list is paged by number.
///
/// A sync requests the additions since the newest upload of the list, as one page, then
/// page 1. If the new total is the old one plus the additions, these are inserted at their
/// positions, and page 1 must be equal to the one made so.
package struct UploadSync: Sendable {
  /// The day (`YYYY-MM-DD`, by the catalogue's clock) on which a recording was added; `nil` if its
  /// fields do not say. If `RecordingDetails.uploaded` has a day, it must be this one.
  package let uploaded: @Sendable (Recording) -> String?
  /// The text that requests only the recordings added on `day` (`YYYY-MM-DD`) or later;
  /// `nil` if the text cannot be narrowed.
  package let narrowed: @Sendable (_ requestText: String, _ day: String) -> String?
  /// The position of a recording in the list; `nil` if its fields do not say.
  package let position: @Sendable (Recording) -> ListPosition?
}

/// The position of a recording in a list: next to the rows of its group, by rank. Only the
/// catalogue knows the order of the groups, so the first recording of a new group has no known
/// position, and a sync walks.
package struct ListPosition: Hashable, Sendable {
  /// The recordings with this text are next to each other in the list.
  package let group: String
  /// The order in the group, compared number by number; lower comes first.
  package let rank: [Int]
}

#if Collection
/// The way to request records added to a list or changed in it. The list is paged by ids
/// (`PageRequest.Token.after`), the highest first.
///
/// A sync requests the total with `idsOnly`, then the records updated since the newest
/// record of the list was created, and the total again. If the records do not add up to the
/// total, it requests the ids of all, in pages as large as the catalogue serves, to find
/// out which left. From these answers it makes the pages of the list.
package struct UpdateSync: Sendable {
  /// The time at which the recording's record was created, as the service writes times;
  /// `nil` if its fields do not say.
  package let created: @Sendable (Recording) -> String?
  /// The text that requests only records that were updated at that time or later.
  package let narrowed: @Sendable (_ requestText: String, _ time: String) -> String
  /// The text that requests the records without any field but their ids.
  package let idsOnly: @Sendable (_ requestText: String) -> String
  /// The number of the record that a recording belongs to; `nil` if its id has none.
  package let record: @Sendable (RecordingID) -> Int64?
}
#endif
