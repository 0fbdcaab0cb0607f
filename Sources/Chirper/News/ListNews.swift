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

      /// A number of recordings, and the first of them.
      package init(count: Int, first: [Recording]) {
        self.count = count
        self.first = first
      }
    }

    /// The query of the list.
    public var id: CatalogueQuery { list.query }

    /// News for previews and tests.
    package init(
      list: StoredQuery, new: Recordings, changed: Recordings, renamed: Set<RecordingID> = [],
      differentSpecies: Set<RecordingID> = [], gone: Recordings, damage: StoreError? = nil
    ) {
      self.list = list
      self.new = new
      self.changed = changed
      self.renamed = renamed
      self.differentSpecies = differentSpecies
      self.gone = gone
      self.damage = damage
    }
  }
}

extension RecordingRepository {
  /// Waits on the caller's thread, unlike the `async` call of that name.
  package func news(since: Date, limit: Int = FetchReport.idLimit) throws(StoreError)
    -> [StoredQuery.News]
  {
    var news: [StoredQuery.News] = []
    for list in withoutSample(try storedQueries()) {
      func recordings(_ keys: ListKeys) throws(StoreError) -> StoredQuery.News.Recordings {
        StoredQuery.News.Recordings(
          count: keys.count,
          first: try store.recordings(keys[0..<limit], ifStored: true).map(\.recording))
      }
      let read = try store.readableKeys(
        of: list.query, [.entered, .changed, .left], since: since, checksChanges: news.isEmpty)
      func keys(_ event: ListEvent) -> ListKeys { read.keys[event] ?? ListKeys() }
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
    among keys: ListKeys, since: Date
  ) throws(StoreError) -> (renamed: Set<RecordingID>, differentSpecies: Set<RecordingID>) {
    var found: (renamed: Set<RecordingID>, differentSpecies: Set<RecordingID>) = ([], [])
    for batch in (0..<keys.count).batches() {
      for change in try store.changes(of: keys[batch], since: since) {
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
