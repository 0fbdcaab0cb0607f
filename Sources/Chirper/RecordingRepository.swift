import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// The one public way to the data: joins the store and the catalogues.
///
/// Everything it shows is read from the store; the network only writes into it. Reads are synchronous and take
/// milliseconds; whatever asks the network is `async`.
public struct RecordingRepository: Sendable {
  /// Opens the store in a directory.
  ///
  /// - Parameter access: `.read` never creates or needs to write; where there is no store yet it is an empty one.
  public init(
    directory: URL, access: Access, configuration: RemoteConfiguration = RemoteConfiguration(),
    dependencies: Dependencies = .live
  ) throws(StoreError) {
    fatalError()
  }

  public enum Access: Sendable { case read, write }

  /// Every stored query, the most recently fetched first.
  public func storedQueries() throws(StoreError) -> [StoredQuery] { fatalError() }

  /// The stored queries that a typed text may mean, in any catalogue (or the one given) and any page size, the most
  /// recently fetched first.
  public func storedQueries(
    for typed: String, scientific: Bool = false, in catalogue: CatalogueID? = nil
  ) throws(StoreError) -> [StoredQuery] { fatalError() }

  /// What the store holds of a query; `nil`: never fetched.
  public func stored(_ query: SearchQuery) throws(StoreError) -> StoredQuery? { fatalError() }

  /// The state of a query as the store alone gives it.
  ///
  /// - Parameter window: the rows that the state carries, by position in the list from 0; all without.
  public func snapshot(of query: SearchQuery, window: Range<Int>? = nil) throws(StoreError) -> Snapshot { fatalError() }

  /// Reads a list row by row without holding a lock between reads; it is the list of this moment, whatever a fetch
  /// does meanwhile.
  public func reader(of query: SearchQuery, sort: ListSort? = nil) throws(StoreError) -> ListReader { fatalError() }

  /// The names of all fields the catalogue has sent so far: the documented ones in their order, then others as they came.
  public func fieldNames(of catalogue: CatalogueID) throws(StoreError) -> [String] { fatalError() }

  /// Walks a query's pages into the store.
  ///
  /// Never throws: whatever ends it early stands in the report, beside what was done.
  public func fetch(
    _ query: SearchQuery, _ plan: FetchPlan, observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async -> FetchReport { fatalError() }

  /// Brings a stored query up to date, as far as it is stored.
  public func sync(
    _ stored: StoredQuery, interval: Duration? = nil, observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async -> FetchReport { fatalError() }

  /// Successive snapshots of a query: the store's own first, then one per change in this process; it ends when cancelled.
  public func snapshots(of query: SearchQuery, window: Range<Int>? = nil) -> AsyncStream<Snapshot> { fatalError() }

  /// Removes a query and what only it held; `nil` where it was not stored.
  public func forget(_ query: SearchQuery) throws(StoreError) -> Forgotten? { fatalError() }

  /// How the store is: for `doctor`.
  public func diagnosis() throws(StoreError) -> Diagnosis { fatalError() }
}

/// An order of rows other than the catalogue's.
public struct ListSort: Hashable, Sendable {
  public let field: String
  public let descending: Bool

  public init(field: String, descending: Bool = false) {
    self.field = field
    self.descending = descending
  }
}

/// The rows of one list, read in batches.
public struct ListReader: Sendable {
  /// Rows in the whole list.
  public let count: Int

  /// The rows at those positions of the list, from 0, cut to the list's end.
  public func rows(_ range: Range<Int>) throws(StoreError) -> [Recording] { fatalError() }
}

/// What `forget` removed.
public struct Forgotten: Equatable, Sendable {
  public let pages: Int
  /// Rows of the list.
  public let rows: Int
  /// Recordings that no other query holds, and that are gone with it.
  public let recordings: Int
}

/// The health of a store.
public struct Diagnosis: Equatable, Sendable {
  public let path: String
  /// `false` where the file does not exist yet.
  public let exists: Bool
  /// `true` where it can only be read.
  public let isReadOnly: Bool
  /// Bytes.
  public let size: Int
  public let schemaVersion: Int
  public let sqliteVersion: String
  /// What SQLite's integrity check found; empty: sound.
  public let problems: [String]
  public let queries: Int
  public let recordings: Int
  public let pacing: [Pacing]

  /// The pace kept with one catalogue.
  public struct Pacing: Equatable, Sendable {
    public let catalogue: CatalogueID
    public let lastRequestAt: Date?
    /// Not before this time, by the catalogue's own wish.
    public let pausedUntil: Date?
  }
}
