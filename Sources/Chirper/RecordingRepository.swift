@_exported import ChirperModel
import ChirperPlatform
@_exported import ChirperRemote
import ChirperStore
import Foundation

/// A report on the rows that forgetting a query removed.
public typealias ForgetReport = ChirperStore.ForgetReport
/// The health of a store.
public typealias Diagnosis = ChirperStore.Diagnosis
/// The time at which a catalogue may be requested again.
public typealias RateLimitStatus = ChirperStore.RateLimitStatus
/// The way in which a store keeps a transaction whole.
public typealias Journal = ChirperStore.Journal
/// The result of a repair.
public typealias Repair = ChirperStore.Repair
/// A database file that other programs read.
package typealias TableFile = ChirperStore.TableFile
/// The time for which one piece of work has waited for the database.
package typealias SharedWait = ChirperStore.SharedWait

/// The public entry point to the data: joins the store and the catalogues.
///
/// Recordings and lists are read from the store; the network only writes to it. Everything
/// that uses the network is `async`, and uses the store on threads of its own. Other calls
/// return when they are done. Most take milliseconds. A search, the ids of a long list,
/// `forget` and `diagnosis` can take seconds, and every call waits while a different
/// process writes; a task makes such calls in `perform`. Repositories of one directory, in
/// any number of processes, see each other's changes within about a second. The rest of the
/// library's surface is `ListModel`, `Pager`, `AudioLibrary` and their values.
public struct RecordingRepository: Sendable {
  let store: RecordingStore
  let dependencies: Dependencies
  let publisher: SnapshotPublisher
  let fetcher: @Sendable (CatalogueID) -> (any PageFetcher)?
  /// The catalogues that it can ask: those that were given to it, then chirper's.
  public let catalogues: [Catalogue]
  /// The ids of the catalogues that searches read without the index.
  let unindexed: Set<CatalogueID>
  /// The audio next to the store.
  public let audio: AudioLibrary
  let copiesCache = RecordingCopies.Cache()
  private let directory: URL
  /// Whether the store did not exist and must not be created.
  private var isMissing = false
  private var opening: (@Sendable () throws(StoreError) -> RecordingRepository)?

  /// The use that a repository may make of the files in its directory.
  public struct Access: Hashable, Sendable {
    let mayWrite: Bool
    let journal: Journal?

    /// Reads what exists, and creates no store.
    public static let read = Access(mayWrite: false, journal: nil)
    /// Creates what is missing. A store keeps its journal; a new one has `Journal.rollback`.
    public static let write = Access(mayWrite: true, journal: nil)

    /// Creates what is missing, and gives the store a journal, which it keeps until a
    /// different one is chosen.
    ///
    /// A change to `rollback` fails with `StoreError.busy` while anything else has the
    /// store open.
    public static func write(journal: Journal) -> Access {
      Access(mayWrite: true, journal: journal)
    }
  }

  /// The URL of the store's file in a directory; the file need not exist.
  package static func database(in directory: URL) -> URL {
    directory.appendingPathComponent(RecordingStore.fileName)
  }

  /// Opens the store in a directory.
  ///
  /// - Parameters:
  ///   - directory: of the store, the audio and the locks; any number of programs may use it at a
  ///     time.
  ///   - access: `.read` creates no store; a missing one reads as an empty one, also if it is
  ///     created later, and fetching into it fails with `StoreError.readOnly`.
  ///   - configuration: mirrors and keys of chirper's catalogues.
  ///   - catalogues: of your own, besides chirper's. One with the id of a catalogue of chirper's
  ///     takes its place.
  ///   - dependencies: clock, sleep, randomness and the logger.
  public init(
    directory: URL, access: Access = .write,
    configuration: RemoteConfiguration = RemoteConfiguration(),
    catalogues: [any PageFetcher] = [], dependencies: Dependencies = .live
  ) throws(StoreError) {
    let isMissing =
      !access.mayWrite && !FileManager.default.fileExists(atPath: Self.database(in: directory).path)
    self.init(
      store: access.mayWrite
        ? try .writable(in: directory, journal: access.journal) : try .readable(in: directory),
      directory: directory, configuration: configuration, own: catalogues,
      dependencies: dependencies)
    self.isMissing = isMissing
    opening = { () throws(StoreError) in
      try RecordingRepository(
        directory: directory, access: access, configuration: configuration, catalogues: catalogues,
        dependencies: dependencies)
    }
  }

  /// A new repository on this directory, with these settings, for after
  /// `StoreError.replaced`.
  ///
  /// This one and everything that was made with it (pagers, readers, snapshots) stay with
  /// the file that was replaced. They throw that error, or show it, and their loads end
  /// with it. A repository in memory returns itself.
  public func reopened() throws(StoreError) -> RecordingRepository { try opening?() ?? self }

  /// Whether a different file has taken the place of the database: `reopened` opens it.
  package var isReplaced: Bool { store.isReplaced }

  /// A repository whose store is in memory and ends with it, for previews and tests; the parameters
  /// are those of `init`. Audio that it fetches is stored in a new temporary directory, the parent
  /// of `audio.directory`, which the caller deletes.
  public static func inMemory(
    configuration: RemoteConfiguration = RemoteConfiguration(), catalogues: [any PageFetcher] = [],
    dependencies: Dependencies = .live
  ) throws(StoreError) -> RecordingRepository {
    RecordingRepository(
      store: try .inMemory(),
      directory: FileManager.default.temporaryDirectory.appending(
        path: "chirper-\(UUID().uuidString)"),
      configuration: configuration, own: catalogues, dependencies: dependencies)
  }

  /// - Parameter fetcher: takes the place of the fetchers of `own` and of chirper's catalogues.
  package init(
    store: RecordingStore, directory: URL = URL(fileURLWithPath: "/"),
    configuration: RemoteConfiguration = RemoteConfiguration(), own: [any PageFetcher] = [],
    dependencies: Dependencies,
    fetcher: (@Sendable (CatalogueID) -> (any PageFetcher)?)? = nil
  ) {
    for fetcher in own { fetcher.catalogue.checkValues() }
    var configuration = configuration
    configuration.logger = dependencies.logger
    let catalogues =
      own.map(\.catalogue)
      + Catalogues.all.filter { known in !own.contains { $0.catalogue.id == known.id } }
    self.catalogues = catalogues
    unindexed = Set(own.map(\.catalogue).filter { $0.mapping.version == nil }.map(\.id))
    self.store = store
    self.directory = directory
    self.dependencies = dependencies
    self.fetcher =
      fetcher ?? { [configuration] id in
        own.first { $0.catalogue.id == id }
          ?? Catalogues.fetcher(for: id, configuration: configuration)
      }
    store.setOwnCatalogues(own.map { ($0.catalogue.id, $0.catalogue.mapping.version) })
    store.whenSearchIndexIsDamaged { [logger = dependencies.logger] in
      logger.warning(
        "The search index was damaged and was not used: everything that is stored was read instead."
      )
    }
    publisher = SnapshotPublisher(store: store, now: dependencies.now)
    audio = AudioLibrary(
      store: store, directory: directory, catalogues: catalogues, dependencies: dependencies,
      whenChanged: { [publisher] in publisher.storeMayHaveChanged() }
    ) {
      [configuration] in AudioFetcher($0, configuration)
    }
  }

  /// Calls `body` on a thread of its own while the caller's task is suspended, so that a
  /// call that waits or takes long holds up neither the main actor nor one of the few
  /// threads that Swift's tasks share.
  ///
  ///     let found = try await repository.perform { try $0.search(expression) }
  ///
  /// - Parameter body: the work with the repository; it is cancelled with the caller's
  ///   task.
  /// - Returns: The result of `body`.
  public func perform<Value: Sendable, Failure: Error>(
    _ body: @Sendable (RecordingRepository) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await withTaskExecutorPreference(QueueExecutor("chirper.performing")) {
      () async throws(Failure) in try body(self)
    }
  }

  /// The catalogue of that id; `nil` if it is neither chirper's nor was given to this repository.
  public func catalogue(_ id: CatalogueID) -> Catalogue? { catalogues.first { $0.id == id } }

  /// The recording in standard terms: names, place, date, licence, credit, absolute addresses of
  /// its page and its audio. Computed at each call; without any value where the catalogue is not
  /// known.
  public func details(of recording: Recording) -> RecordingDetails {
    guard let index = catalogues.firstIndex(where: { $0.id == recording.id.catalogue }) else {
      return RecordingDetails()
    }
    return catalogues[index].mapping.details(of: recording)
  }

  /// Every stored query, the most recently fetched first, but for those that never found anything.
  public func storedQueries() throws(StoreError) -> [StoredQuery] {
    try store.storedQueries().filter { !$0.isMiss }
  }

  /// The queries that never found anything, the most recently fetched first; a fetch removes those
  /// older than `missLifetime`.
  public func misses() throws(StoreError) -> [StoredQuery] {
    try store.storedQueries().filter(\.isMiss)
  }

  /// The time for which it is known that a query found nothing: 30 days.
  public static let missLifetime: Duration = .seconds(30 * 86_400)

  /// The facts about a stored query; `nil` if it was never fetched.
  public func stored(_ query: CatalogueQuery) throws(StoreError) -> StoredQuery? {
    try store.stored(query)
  }

  /// The current state of a query: the facts that are stored, and the load state of this
  /// process.
  public func snapshot(of query: CatalogueQuery) throws(StoreError) -> ListSnapshot {
    try publisher.snapshot(of: query)
  }

  /// The rows at those positions of a list, from 0, clamped to its end; the cost depends on the
  /// rows read, not the list's length.
  public func rows(of query: CatalogueQuery, in window: Range<Int>) throws(StoreError)
    -> [Recording]
  {
    try store.rows(of: query, in: window)
  }

  /// A version of the store; it differs after every change.
  package func version() throws(StoreError) -> [Int] { try store.version() }

  /// One recording, whichever query found it.
  public func recording(_ id: RecordingID) throws(StoreError) -> Recording? {
    try store.recording(id)?.recording
  }

  /// Reads the list of this moment in batches, and holds no lock between them.
  ///
  /// - Parameters:
  ///   - query: the list's query.
  ///   - part: the rows of the list, the rows that are new or changed, or the recordings
  ///     that left it.
  ///   - sort: keys, the most important first; without keys the rows have the order of the
  ///     part.
  ///   - window: the positions of the rows to read, from 0 and in the order asked for; `nil` for
  ///     all.
  public func reader(
    of query: CatalogueQuery, part: ListPart = .rows, sort: [SortKey] = [],
    window: Range<Int>? = nil
  ) throws(StoreError) -> ListReader {
    try reader(of: [query], part: part, sort: sort, window: window)
  }

  /// The rows of several lists, one after the other, each recording once; the window is of one
  /// list.
  package func reader(
    of queries: [CatalogueQuery], part: ListPart = .rows, sort: [SortKey] = [],
    window: Range<Int>? = nil
  ) throws(StoreError) -> ListReader {
    try ListReader(self, queries, part: part, sort: sort, window: window)
  }

  /// Fails if the database is damaged and one of the lists does not have all its rows.
  package func checkAreWhole(_ queries: [CatalogueQuery]) throws(StoreError) {
    if let damage = try damage(of: queries) { throw damage }
  }

  /// The error of a damaged database, because of which one of the lists does not have all its
  /// rows; `nil` if all have them.
  package func damage(of queries: [CatalogueQuery]) throws(StoreError) -> StoreError? {
    for query in queries {
      if let damage = try store.readableKeys(of: query).damage { return damage }
    }
    return nil
  }

  /// A reader of one recording, by which it is read as a row of a list; no row if it is not
  /// stored.
  package func reader(of recording: RecordingID) throws(StoreError) -> ListReader {
    try ListReader(self, [], part: .rows, sort: [], window: nil).with(
      ListKeys(store.keys(of: [recording]).compactMap(\.self)))
  }

  /// Returns the ids of stored recordings, without those that are in no list any more.
  package func listedIDs(among ids: [RecordingID]) throws(StoreError) -> Set<RecordingID> {
    try store.listedIDs(among: ids)
  }

  /// The names of all fields that the catalogue has sent so far: the documented ones in
  /// their order, then the rest as they came.
  public func fieldNames(of catalogue: CatalogueID) throws(StoreError) -> [String] {
    let sent = try store.fieldNames(of: catalogue)
    let documented = self.catalogue(catalogue)?.fields ?? []
    let known = Set(sent)
    return documented.filter(known.contains) + sent.filter { !documented.contains($0) }
  }

  /// Requests a query's pages and stores them. If nothing is found, the query's
  /// `alternatives` are asked, and the report is of the one that found something.
  ///
  /// - Returns: A report with the result and with the error that ended the fetch early.
  public func fetch(
    _ query: CatalogueQuery, _ plan: FetchPlan,
    observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async -> FetchReport {
    let first = await load(query, plan, observe: observe)
    var requests = first.requests
    for other in query.alternatives where first.foundNothing && !Task.isCancelled {
      observe(.asking(other))
      var report = await load(other, plan, observe: observe)
      requests += report.requests
      report.requests = requests
      // A text is stored once.
      if report.stored?.isMiss != nil { _ = try? forget(report.foundNothing ? other : query) }
      if !report.foundNothing { return report }
    }
    var report = first
    report.requests = requests
    return report
  }

  /// Updates a query, as far as it is stored: by an incremental sync if the catalogue supports one
  /// and it explains the new total, else by a walk.
  ///
  /// - Parameters:
  ///   - stored: the query and how far it is stored.
  ///   - within: the age that no page shall exceed; see `FetchPlan.within`.
  ///   - interval: the least time between two requests; see `FetchPlan.interval`.
  ///   - moving: when the list moves to the newer taxonomy of its catalogue; see
  ///     `FetchPlan.moving`.
  ///   - observe: called with each event, on any thread.
  public func sync(
    _ stored: StoredQuery, within: Duration = FetchPlan.defaultWithin, interval: Duration? = nil,
    moving: FetchPlan.Moving = .ifAllAreFound,
    observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async -> FetchReport {
    var plan = Self.syncPlan(of: stored, within: within, interval: interval)
    plan.moving = moving
    return await load(stored.query, plan, .sync, observe: observe)
  }

  static func syncPlan(
    of stored: StoredQuery, within: Duration = FetchPlan.defaultWithin, interval: Duration? = nil
  ) -> FetchPlan {
    // A list that was whole once is wanted whole, also after an interrupted walk.
    let isWhole = stored.next == nil || stored.walkedAt != nil
    return FetchPlan(
      isWhole ? .all : .pages(max(1, stored.pagesStored)), interval: interval, within: within)
  }

  /// - Parameter willEnd: called before a snapshot shows that the load has ended.
  func load(
    _ query: CatalogueQuery, _ plan: FetchPlan, _ kind: FetchRun.Kind = .fetch,
    willEnd: @Sendable (FetchReport) -> Void = { _ in },
    observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async -> FetchReport {
    guard let fetcher = fetcher(query.catalogue) else {
      return FetchReport(failure: .fetch(.unknownCatalogue, catalogue: query.catalogue, page: nil))
    }
    guard !isMissing else {
      return FetchReport(failure: .store(.readOnly(path: Self.database(in: directory).path)))
    }
    let report = await withTaskExecutorPreference(store.loading) {
      let (load, publisher) = (publisher.loadBegan(of: query), publisher)
      let context = FetchContext(
        query: query, plan: plan, fetcher: fetcher, store: store, dependencies: dependencies
      ) { page in
        publisher.pageWasStored(page, of: query)
      } observer: { event in
        publisher.load(load, of: query, did: event)
        observe(event)
      }
      var run = FetchRun(kind, context)
      let report = await run.run()
      willEnd(report)
      publisher.load(load, of: query, ended: report)
      try? store.forgetMisses(
        before: dependencies.now().addingTimeInterval(-(Self.missLifetime / .seconds(1))))
      return report
    }
    // Searches are right without it. What takes longer than about two seconds is left to the next
    // search, which shows progress.
    try? await updateSearchIndex(limit: 200_000)
    return report
  }

  /// Successive snapshots of a query: the store's own first, then one per change, by any
  /// process. Failures before this call are not shown.
  public func snapshots(of query: CatalogueQuery) -> ListSnapshots {
    ListSnapshots(publisher: publisher, scope: publisher.scope(of: query))
  }

  /// Successive results of `read`, for any number of observers: the newest first, then one
  /// after each change, by any process.
  ///
  ///     for try await queries in repository.values(of: { try $0.storedQueries() }) { show(queries)
  ///     }
  ///
  /// - Parameter read: reads values of the store and of downloaded audio, and nothing else. It is
  ///   called on a thread of its own, again after each change of either.
  public func values<Value: Equatable & Sendable>(
    of read: @escaping @Sendable (RecordingRepository) throws -> Value
  ) -> ValueUpdates<Value> {
    ValueUpdates(repository: self, read: read)
  }

  /// Removes a query, the recordings that no other query contains, and their audio.
  ///
  /// A long list is removed from its end, in steps between which others use the store.
  /// After an error or a kill the list has its first pages.
  ///
  /// - Returns: `nil` if the query was not stored.
  public func forget(_ query: CatalogueQuery) throws(StoreError) -> ForgetReport? {
    guard let forgotten = try store.forget(query) else { return nil }
    var report = forgotten.report
    // After the rows: were the program killed between the two, files would be left over.
    let audio = audio.remove(forgotten.recordings)
    (report.audioFiles, report.audioBytes, report.audioLinks) = (
      audio.removed.files, audio.removed.bytes, audio.links
    )
    publisher.forgot(query)
    return report
  }

  /// The audio that forgetting these queries would remove.
  public func audioUsage(onlyIn queries: [CatalogueQuery]) throws(StoreError) -> AudioLibrary.Usage
  {
    audio.usage(of: try store.recordings(onlyIn: queries))
  }

  /// Checks the whole file, which takes about ten seconds for a million recordings, and
  /// longer if they must be read from a disk.
  ///
  /// Others read meanwhile, and write between two checks. The longest check is SQLite's
  /// own, about four of the ten seconds. It cannot be divided, because it compares all
  /// parts of the file. With the rollback journal, writing waits for it, and while
  /// something waits, a screen has placeholders for the rows that it has not read yet.
  public func diagnosis() throws(StoreError) -> Diagnosis {
    try store.diagnosis(of: directory)
  }

  /// Copies the database as it is at one moment into a file that is empty or does not
  /// exist. Others can use the database meanwhile.
  ///
  /// - Parameters:
  ///   - file: the copy. Downloaded audio is not in it.
  ///   - progress: called with the number of pages of the database that are copied, and of
  ///     all pages.
  /// - Throws: `StoreError`.
  public func backup(
    to file: URL, progress: @escaping (_ copied: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(StoreError) {
    try store.backup(to: file.path, progress: progress)
  }

  /// Copies the readable part of a damaged store into a new one, and keeps the damaged file
  /// next to it. No repository may be open on the directory.
  ///
  /// - Returns: `nil` if the file does not exist.
  public static func repair(directory: URL, dependencies: Dependencies = .live) throws(StoreError)
    -> Repair?
  {
    try StoreRepair(directory: directory, now: dependencies.now()).run()
  }
}
