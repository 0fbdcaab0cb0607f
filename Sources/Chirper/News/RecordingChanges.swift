#if Collection

import ChirperModel
import ChirperStore
import Foundation

extension RecordingChanges {
  /// A detail of a recording that changed.
  public struct Change: Hashable, Sendable {
    /// The recording with its present fields.
    public let recording: Recording
    /// The present details of the recording.
    public let details: RecordingDetails
    /// The time of the recording's last change, UTC.
    public let changedAt: Date
    /// The detail that changed.
    package let column: DetailColumn
    /// The value of that detail before the first of the changes.
    package let old: DetailColumn.Value
    /// The value of that detail now.
    package let new: DetailColumn.Value

    /// The standard name of the detail that changed: `locality`.
    public var name: String { column.name }
    /// The detail's text before the first of the changes; `nil` if it had none.
    public var oldText: String? { old.text(separator: ", ") }
    /// The detail's text now; `nil` if it has none.
    public var newText: String? { new.text(separator: ", ") }

    /// What a detail that names the species says about it; `nil` for other details.
    let naming: Naming?

    /// What the change of a name means.
    package enum Naming: String, Sendable {
      /// Only the name is different: the species is not, as far as its names decide that.
      case renamed
      /// The recording is of a different species now, or was not named before.
      case differentSpecies

      package init(from old: RecordingDetails, to new: RecordingDetails) {
        let names = [RecordedNames(old), RecordedNames(new)]
        let species = names.map { names in
          // English names alone, too, if both are in the list of birds.
          names.species ?? names.speciesInFamily
            ?? (names.scientific == nil
              ? names.english.flatMap { NameTable.species(englishName: $0) } : nil)
        }
        if let before = species[0], let now = species[1] {
          self = before == now ? .renamed : .differentSpecies
        } else if names[0].scientific == names[1].scientific {
          self = .renamed
        } else {
          let stems = names.map { $0.binomial?.stem }
          self = stems[0] != nil && stems[0] == stems[1] ? .renamed : .differentSpecies
        }
      }
    }

    private static let names: Set<DetailColumn> = [
      .scientificName, .vernacularName, .genus, .specificEpithet,
    ]

    /// The changes of the details, in the order of the columns. Changed parts of a detail are
    /// left out, and so is the line of credit, which is made of other details.
    static func all(of change: StoredChange, in repository: RecordingRepository)
      -> [Change]
    {
      let old = repository.details(of: change.earlier)
      let new = repository.details(of: change.recording)
      func isEqual(_ column: DetailColumn) -> Bool {
        column.value(of: old) == column.value(of: new)
      }
      let changed = DetailColumn.allCases.filter { !isEqual($0) && $0 != .credit }
      let naming = changed.contains(where: names.contains) ? Naming(from: old, to: new) : nil
      return changed.compactMap { column in
        let isInName = [.genus, .specificEpithet, .infraspecificEpithet].contains(column)
        let parent = isInName ? .scientificName : column.parent
        guard parent == column || isEqual(parent) else { return nil }
        return Change(
          recording: change.recording, details: new, changedAt: change.changedAt, column: column,
          old: column.value(of: old), new: column.value(of: new),
          naming: names.contains(column) ? naming : nil)
      }
    }
  }
}

/// The changes of recordings since a moment, one row for each detail, to be read in
/// batches. The recordings with a different name come first, then the rest, each in the order of the
/// search. It keeps their keys, and no lock.
public struct RecordingChanges: Sendable {
  /// Recordings with a detail that changed.
  public private(set) var recordings = 0
  /// The number of recordings whose species has a different name now.
  package private(set) var renamed = 0
  /// The number of recordings that are of a different species now.
  package private(set) var differentSpecies = 0
  /// Further recordings that changed only in fields that no detail shows, or back to their
  /// earlier values.
  package private(set) var others = 0
  let repository: RecordingRepository
  private let since: Date
  /// The recording of each row, and the number of the row among those of the recording.
  private var (keys, ranks) = ([Int64](), [UInt8]())

  fileprivate init(_ repository: RecordingRepository, _ changed: [Int64], since: Date) throws {
    self.repository = repository
    self.since = since
    var later: [(key: Int64, count: Int)] = []
    for batch in changed.batches() {
      try Task.checkCancellation()
      for change in try repository.store.changes(of: Array(batch), since: since) {
        let details = Change.all(of: change, in: repository)
        if details.isEmpty {
          others += 1
        } else if let naming = details.lazy.compactMap(\.naming).first {
          if naming == .renamed { renamed += 1 } else { differentSpecies += 1 }
          append(change.key, details.count)
        } else {
          later.append((change.key, details.count))
        }
      }
    }
    for recording in later { append(recording.key, recording.count) }
    recordings = renamed + differentSpecies + later.count
  }

  private mutating func append(_ key: Int64, _ count: Int) {
    for rank in 0..<count {
      keys.append(key)
      ranks.append(UInt8(rank))
    }
  }

  /// Rows that can be read: details that changed.
  public var count: Int { keys.count }

  /// Waits on the caller's thread, unlike the `async` call of that name.
  package func rows(_ range: Range<Int>) throws(StoreError) -> [Change] {
    let range = range.clamped(to: 0..<count)
    let keys = keys[range]
    var details: [Int64: [Change]] = [:]
    for change in try repository.store.changes(of: Set(keys).sorted(), since: since) {
      details[change.key] = Change.all(of: change, in: repository)
    }
    return try zip(keys, ranks[range]).map { key, rank throws(StoreError) in
      guard let details = details[key], rank < details.count else {
        throw StoreError(.recordingForgotten)
      }
      return details[Int(rank)]
    }
  }
}

extension Rows {
  /// The changes of the rows.
  ///
  /// - Parameter since: the moment whose stored versions are compared; the oldest versions
  ///   that are kept if `nil`.
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  public func changes(since: Date? = nil) async throws -> RecordingChanges {
    try await repository.perform { _ in try readable.changes(since: since) }
  }
}

extension ListReader {
  /// The changes of the rows.
  ///
  /// - Parameter since: the moment whose stored versions are compared; the oldest that are kept if
  ///   `nil`.
  package func changes(since: Date? = nil) throws -> RecordingChanges {
    try RecordingChanges(repository, keys, since: since ?? .distantPast)
  }
}

extension RecordingChanges {
  /// The changes at those positions, from 0, cut to the end; throws `.recordingForgotten` if a
  /// recording was deleted, or changed again, meanwhile.
  public func rows(_ range: Range<Int>) async throws(StoreError) -> [Change] {
    try await repository.perform { _ throws(StoreError) in try rows(range) }
  }
}

#endif
