#if Collection

import ChirperModel
import ChirperStore
import Foundation

extension StoredQuery {
  /// The changes of a list since a moment.
  public struct News: Hashable, Sendable, Identifiable {
    /// The list as it is stored now.
    public let list: StoredQuery
    /// Rows that entered the list after its first reading.
    public let new: Recordings
    /// Rows whose recordings changed.
    public let changed: Recordings
    /// The ids of the changed rows whose species has a different name now.
    public let renamed: Set<RecordingID>
    /// The ids of the changed rows that are of a different species now.
    public let differentSpecies: Set<RecordingID>
    /// Recordings that left the list.
    public let gone: Recordings
    /// The error of a damaged database, because of which recordings may be missing; `nil` if
    /// these are all.
    package let damage: StoreError?

    /// Some recordings, the first of which were read.
    public struct Recordings: Hashable, Sendable {
      /// The number of recordings.
      public let count: Int
      /// The first of them, as they are now.
      public let first: [Recording]
    }

    /// The query of the list.
    public var id: CatalogueQuery { list.query }
  }
}

extension RecordingRepository {
  /// Waits on the caller's thread, unlike the `async` call of that name.
  ///
  /// - Parameters:
  ///   - named: the lists; none for all that are stored.
  ///   - among: the recordings that count; all if `nil`.
  package func news(
    of named: [StoredQuery] = [], since: Date, among: Rows? = nil,
    limit: Int = FetchReport.idLimit
  ) throws(StoreError) -> [StoredQuery.News] {
    let among = among.map { Set($0.reader.keys.prefix($0.count)) }
    var news: [StoredQuery.News] = []
    for list in named.isEmpty ? withoutSample(try storedQueries()) : named {
      func recordings(_ keys: [Int64]) throws(StoreError) -> StoredQuery.News.Recordings {
        StoredQuery.News.Recordings(
          count: keys.count,
          first: try store.recordings(Array(keys.prefix(limit)), ifStored: true).map(\.recording))
      }
      let read = try store.readableKeys(
        of: list.query, [.entered, .changed, .left], since: since, checksChanges: news.isEmpty)
      func keys(_ event: ListEvent) -> [Int64] {
        let keys = read.keys[event] ?? []
        return among.map { keys.filter($0.contains) } ?? keys
      }
      let named = try renamings(among: keys(.changed), since: since)
      news.append(
        StoredQuery.News(
          list: list, new: try recordings(keys(.entered)), changed: try recordings(keys(.changed)),
          renamed: named.renamed, differentSpecies: named.differentSpecies,
          gone: try recordings(keys(.left)), damage: read.damage))
    }
    return news
  }

  /// The recordings whose species has a different name now, and those of a different species.
  private func renamings(
    among keys: [Int64], since: Date
  ) throws(StoreError) -> (renamed: Set<RecordingID>, differentSpecies: Set<RecordingID>) {
    var found: (renamed: Set<RecordingID>, differentSpecies: Set<RecordingID>) = ([], [])
    for batch in keys.batches() {
      for change in try store.changes(of: Array(batch), since: since) {
        let details = RecordingChanges.Change.all(of: change, in: self)
        switch details.lazy.compactMap(\.naming).first {
        case .renamed: found.renamed.insert(change.recording.id)
        case .differentSpecies: found.differentSpecies.insert(change.recording.id)
        case nil: break
        }
      }
    }
    return found
  }
}

extension ListReader {
  /// The first of the rows whose recordings are among others.
  package func subset(in rows: Rows, limit: Int) -> ListReader {
    let others = Set(rows.reader.keys.prefix(rows.count))
    return subset(at: Array(keys.indices.filter { others.contains(keys[$0]) }.prefix(limit)))
  }
}

extension RecordingRepository {
  /// The recordings that are new, changed and gone in each stored list since a moment, the
  /// most recently fetched list first. The sample's lists are left out if real ones have
  /// rows.
  ///
  /// - Parameters:
  ///   - since: the moment, UTC.
  ///   - limit: the recordings of each kind that are read; all are counted.
  public func news(since: Date, limit: Int = 1000) async throws(StoreError) -> [StoredQuery.News] {
    try await perform { store throws(StoreError) in try store.news(since: since, limit: limit) }
  }
}

#endif
