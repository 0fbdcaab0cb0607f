@_exported import ChirperModel
@_exported import ChirperRemote
import ChirperStore
import Foundation

/// A report on the rows that forgetting a query removed.
public typealias ForgetReport = ChirperStore.ForgetReport
/// The way in which a store keeps a transaction whole.
typealias Journal = ChirperStore.Journal
#if Collection
/// A database file that other programs read.
package typealias TableFile = ChirperStore.TableFile
#endif
/// The time for which one piece of work has waited for the database.
package typealias SharedWait = ChirperStore.SharedWait

/// The public entry point to the data: joins the store and the catalogues.
///
/// Recordings and lists are read from the store; the network only writes to it. Every call
/// that reads or writes either is `async`, and does its work on a thread of its own, with the
/// priority of the caller. Repositories of one directory, in any number of processes, see
/// each other's changes within about a second. The rest of the library's surface is
/// `ListModel`, `Pager`, `AudioLibrary` and their values.
public struct RecordingRepository: Sendable {
  let store: RecordingStore
  let dependencies: Dependencies
  let publisher: SnapshotPublisher
  let fetcher: @Sendable (CatalogueID) -> (any PageFetcher)?
  /// The catalogues that it can ask: those that were given to it, then chirper's.
  public var catalogues: [Catalogue] { known.filter { !$0.isImportedOnly } }
  /// The catalogues that its recordings can be of: also those that it cannot ask.
  package let known: [Catalogue]
  /// The ids of the catalogues that searches read without the index.
  let unindexed: Set<CatalogueID>
  /// The audio next to the store.
  public let audio: AudioLibrary
  #if Collection
  let copiesCache = VersionCache<RecordingCopies>()
  /// Whether a catalogue has recordings with a scientific name.
  let namesCache = VersionCache<[NamedIn: Bool]>()
  /// The names of animals in the language that rows are shown in; `nil`: as catalogues have them.
  package var shownNames: ShownNames?
  /// Whether GBIF may be asked for other names if nothing is found.
  package var asksNameService = true
  #endif
  /// Whether rows do not say where their audio is kept, for people who use a different machine.
  package var hidesAudioPaths = false
  /// The catalogue whose list is meant by a text that lists of several catalogues have; `nil`: the
  /// real list with rows that was fetched last.
  package var preferredCatalogue: CatalogueID?
  let directory: URL
  /// Whether the store did not exist and must not be created.
  private var isMissing = false
  private var opening: (@Sendable () throws(StoreError) -> RecordingRepository)?

  /// The use that a repository may make of the files in its directory.
  public struct Access: Hashable, Sendable {
    let mayWrite: Bool
    let journal: Journal?

    /// Reads what exists, and creates no store.
    public static let read = Access(mayWrite: false, journal: nil)
    /// Creates what is missing. A store keeps its journal; a new one has a rollback journal.
    public static let write = Access(mayWrite: true, journal: nil)

    /// Creates what is missing, and gives the store a write-ahead log, which it keeps until
    /// `rollbackJournal` is chosen. Reads never wait for writes, and run side by side. For a
    /// directory that only one app uses.
    public static let writeAheadLog = Access(mayWrite: true, journal: .wal)
    /// Creates what is missing, and gives the store a rollback journal again: the whole store is
    /// one file. Fails with `StoreError.busy` while anything else has the store open.
    public static let rollbackJournal = Access(mayWrite: true, journal: .rollback)
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
  ///     takes its place. Two with one id end the program.
  ///   - dependencies: clock, sleep, randomness and the logger.
  public init(
    directory: URL, access: Access = .write,
    configuration: RemoteConfiguration = RemoteConfiguration(),
    catalogues: [any PageFetcher] = [], dependencies: Dependencies = .live
  ) throws(StoreError) {
    try Self.checkIsFile(directory)
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

  /// Throws for an address of the web, whose path would be taken for one of this machine.
  private static func checkIsFile(_ address: URL) throws(StoreError) {
    guard address.isFileURL else {
      throw StoreError(
        .cannotOpen(path: address.absoluteString, detail: "it is not the URL of a file"))
    }
  }

  /// A new repository on this directory, with these settings, for after
  /// `StoreError.replaced`.
  ///
  /// This one and everything that was made with it (pagers, readers, snapshots) stay with
  /// the file that was replaced. They throw that error, or show it, and their loads end
  /// with it. A repository in memory returns itself.
  public func reopened() throws(StoreError) -> RecordingRepository {
    guard var repository = try opening?() else { return self }
    #if Collection
    repository.shownNames = shownNames.map { ShownNames($0.language, in: repository.store) }
    repository.asksNameService = asksNameService
    #endif
    repository.preferredCatalogue = preferredCatalogue
    return repository
  }

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
  init(
    store: RecordingStore, directory: URL = URL(fileURLWithPath: "/"),
    configuration: RemoteConfiguration = RemoteConfiguration(), own: [any PageFetcher] = [],
    dependencies: Dependencies,
    fetcher: (@Sendable (CatalogueID) -> (any PageFetcher)?)? = nil
  ) {
    for fetcher in own { fetcher.catalogue.checkValues() }
    precondition(
      Set(own.map(\.catalogue.id)).count == own.count, "two catalogues of an app have one id")
    var configuration = configuration
    configuration.log = dependencies.log
    let catalogues =
      own.map(\.catalogue)
      + Catalogues.known.filter { known in !own.contains { $0.catalogue.id == known.id } }
    known = catalogues
    unindexed = Set(own.map(\.catalogue).filter { $0.mapping.version == nil }.map(\.id))
    self.store = store
    self.directory = directory
    self.dependencies = dependencies
    self.fetcher =
      fetcher ?? { [configuration] id in
        own.first { $0.catalogue.id == id }
          ?? Catalogues.fetcher(for: id, configuration: configuration)
      }
    #if Collection
    store.setOwnCatalogues(own.map { ($0.catalogue.id, $0.catalogue.mapping.version) })
    store.whenSearchIndexIsDamaged { [log = dependencies.log] in
      log.warning(
        "The search index was damaged and was not used: everything that is stored was read instead."
      )
    }
    #endif
    publisher = SnapshotPublisher(store: store, now: dependencies.now)
    audio = AudioLibrary(
      store: store, directory: directory, catalogues: catalogues, dependencies: dependencies,
      whenChanged: { [publisher] in publisher.storeMayHaveChanged() }
    ) {
      [configuration] in AudioFetcher($0, configuration)
    }
  }

  /// The catalogue of that id; `nil` if it is neither chirper's nor was given to this repository.
  public func catalogue(_ id: CatalogueID) -> Catalogue? { known.first { $0.id == id } }

  /// The recording in standard terms: names, place, date, licence, credit, absolute addresses of
  /// its page and its audio. Computed at each call; without any value where the catalogue is not
  /// known.
  public func details(of recording: Recording) -> RecordingDetails {
    guard let index = known.firstIndex(where: { $0.id == recording.id.catalogue }) else {
      return RecordingDetails()
    }
    return known[index].mapping.details(of: recording)
  }

  /// Computes the details of recordings in these columns; others may have no value.
  func details(for columns: Set<DetailColumn>) -> @Sendable (Recording) -> RecordingDetails {
    let mappings = known.reduce(into: [:]) { $0[$1.id] = $1.mapping.reading(only: columns) }
    return { mappings[$0.id.catalogue]?.details(of: $0) ?? RecordingDetails() }
  }

  /// Waits on the caller's thread, unlike the `async` call of that name.
  package func storedQueries() throws(StoreError) -> [StoredQuery] {
    try store.storedQueries().filter { !$0.isMiss }
  }

  /// The queries that never found anything, the most recently fetched first; a fetch removes those
  /// older than `missLifetime`.
  package func misses() throws(StoreError) -> [StoredQuery] {
    try store.storedQueries().filter(\.isMiss)
  }

  /// The time for which it is known that a query found nothing: 30 days.
  static let missLifetime: Duration = .seconds(30 * 86_400)

  /// Waits on the caller's thread, unlike the `async` call of that name.
  func stored(_ query: CatalogueQuery) throws(StoreError) -> StoredQuery? {
    try store.stored(query)
  }

  /// Waits on the caller's thread, unlike the `async` call of that name.
  package func snapshot(of query: CatalogueQuery) throws(StoreError) -> ListSnapshot {
    try publisher.snapshot(of: list(of: query))
  }

  /// The rows at those positions of a list, from 0, clamped to its end; the cost depends on the
  /// rows read, not the list's length.
  package func rows(of query: CatalogueQuery, in window: Range<Int>) throws(StoreError)
    -> [Recording]
  {
    try store.rows(of: query, in: window)
  }

  /// A version of the store; it differs after every change.
  package func version() throws(StoreError) -> [Int] { try store.version() }

  /// Waits on the caller's thread, unlike the `async` call of that name.
  package func recording(_ id: RecordingID) throws(StoreError) -> Recording? {
    try store.recording(id)?.recording
  }

  /// Fails if the database is damaged and one of the lists does not have all its rows.
  package func checkAreWhole(_ queries: [CatalogueQuery]) throws(StoreError) {
    if let damage = try damage(of: queries) { throw damage }
  }

  /// The error of a damaged database, because of which one of the lists does not have all its
  /// rows; `nil` if all have them.
  func damage(of queries: [CatalogueQuery]) throws(StoreError) -> StoreError? {
    for query in queries {
      if let damage = try store.readableKeys(of: query).damage { return damage }
    }
    return nil
  }

  /// Returns the ids of stored recordings, without those that are in no list any more.
  package func listedIDs(among ids: [RecordingID]) throws(StoreError) -> Set<RecordingID> {
    try store.listedIDs(among: ids)
  }

  /// The names of all fields that the catalogue has sent so far: the documented ones in
  /// their order, then the rest as they came.
  package func fieldNames(of catalogue: CatalogueID) throws(StoreError) -> [String] {
    let sent = try store.fieldNames(of: catalogue)
    let documented = self.catalogue(catalogue)?.fields ?? []
    let known = Set(sent)
    return documented.filter(known.contains) + sent.filter { !documented.contains($0) }
  }

  /// The query that a typed text means in a catalogue.
  ///
  /// - Parameters:
  ///   - text: what a person typed; plain words, or the catalogue's query language.
  ///   - id: a catalogue of chirper's, or one that was given to this repository.
  /// - Throws: `QueryError` when the text is blank, too long or not in the catalogue's language,
  ///   or the repository has no such catalogue.
  public func query(
    _ text: String, in id: CatalogueID
  ) throws(QueryError) -> CatalogueQuery {
    guard let catalogue = catalogue(id) else {
      throw QueryError(.unknownCatalogue(id.rawValue, known: catalogues.map(\.id.rawValue)))
    }
    return try catalogue.query(text)
  }

  /// Requests the pages that a typed text finds in a catalogue, and stores them.
  ///
  ///     try await repository.fetch("parrot", in: .sample, pages: .all)
  ///
  /// - Parameters:
  ///   - text: what a person typed: words, or the catalogue's own tags.
  ///   - id: the catalogue.
  ///   - pages: how far the list is read: `.all`, or a number of pages.
  ///   - observe: called with each event, on any thread.
  /// - Returns: A report with the result and with the error that ended the fetch early.
  /// - Throws: `QueryError` for a text that cannot be a query. What the network or the store
  ///   refuses is in the report.
  @discardableResult
  public func fetch(
    _ text: String, in id: CatalogueID, pages: FetchPlan.Goal,
    observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async throws(QueryError) -> FetchReport {
    await fetch(try query(text, in: id), FetchPlan(pages), observe: observe)
  }

  /// Requests a query's pages and stores them. If nothing is found, the query's
  /// `alternatives` are asked, then different names of the species that it names, and the report
  /// is of the one that found something. That one is asked the next time.
  ///
  /// - Returns: A report with the result and with the error that ended the fetch early.
  @discardableResult
  public func fetch(
    _ query: CatalogueQuery, _ plan: FetchPlan,
    observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async -> FetchReport {
    let list = (try? await perform { try $0.list(of: query) }) ?? query
    var asked = query
    return await loadForms(of: list) { form in
      if form != asked { observe(.asking(form)) }
      asked = form
      return await load(form, plan, observe: observe)
    }
  }

  /// Updates a query, as far as it is stored: by an incremental sync if the catalogue supports one
  /// and it explains the new total, else by a walk.
  ///
  /// - Parameters:
  ///   - stored: the query and how far it is stored.
  ///   - rereadingWithin: the time in which each page is read again; see
  ///     `FetchPlan.rereadingWithin`.
  ///   - observe: called with each event, on any thread.
  @discardableResult
  public func sync(
    _ stored: StoredQuery, rereadingWithin: Duration = FetchPlan.defaultRereading,
    observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async -> FetchReport {
    let plan = Self.syncPlan(of: stored, rereadingWithin: rereadingWithin)
    return await load(stored.query, plan, .sync, observe: observe)
  }

  static func syncPlan(
    of stored: StoredQuery, rereadingWithin: Duration = FetchPlan.defaultRereading
  ) -> FetchPlan {
    // A list that was whole once is wanted whole, also after an interrupted walk.
    let isWhole = stored.next == nil || stored.walkedAt != nil
    return FetchPlan(
      isWhole ? .all : .pages(max(1, stored.pagesStored)), rereadingWithin: rereadingWithin)
  }

  /// - Parameters:
  ///   - appends: whether it is the load of the next page.
  ///   - willEnd: called before a snapshot shows that the load has ended.
  func load(
    _ query: CatalogueQuery, _ plan: FetchPlan, _ kind: FetchRun.Kind = .fetch,
    appends: Bool = false,
    willEnd: @Sendable (FetchReport) -> Void = { _ in },
    observe: @escaping @Sendable (FetchEvent) -> Void = { _ in }
  ) async -> FetchReport {
    // A screen shows also why a load cannot begin.
    func refused(_ failure: LoadError) -> FetchReport {
      let report = FetchReport(failure: failure)
      let load = publisher.loadBegan(of: query, appends: appends)
      willEnd(report)
      publisher.load(load, of: query, ended: report)
      return report
    }
    guard let fetcher = fetcher(query.catalogue) else {
      return refused(.fetch(FetchError(.unknownCatalogue), catalogue: query.catalogue, page: nil))
    }
    guard !isMissing else {
      return refused(.store(StoreError(.readOnly(path: Self.database(in: directory).path))))
    }
    let report = await withTaskExecutorPreference(store.loading) {
      let load = publisher.loadBegan(of: query, appends: appends)
      let publisher = publisher
      let context = FetchContext(
        query: query, plan: plan, fetcher: fetcher, store: store, dependencies: dependencies
      ) { page in
        publisher.pageWasStored(page, of: query)
      } observer: { event in
        publisher.load(load, of: query, did: event)
        observe(event)
      }
      var run = FetchRun(context: context, kind: kind, requester: PageRequester(context))
      let report = await run.run()
      willEnd(report)
      publisher.load(load, of: query, ended: report)
      try? store.forgetMisses(
        before: dependencies.now().addingTimeInterval(-(Self.missLifetime / .seconds(1))))
      return report
    }
    #if Collection
    // Searches are right without it.
    try? await updateSearchIndex(limit: Self.mostIndexedAfterStoring)
    #endif
    return report
  }

  /// Successive snapshots of a query: the store's own first, then one per change, by any
  /// process. Failures before this call are not shown.
  public func snapshots(of query: CatalogueQuery) -> ListSnapshot.Updates {
    ListSnapshot.Updates(publisher: publisher, scope: publisher.scope(of: query, in: self))
  }

  /// Successive results of `read`, for any number of observers: the newest first, then one
  /// after each change, by any process.
  ///
  ///     for try await queries in repository.values(of: { try await $0.storedQueries() }) {
  ///       show(queries)
  ///     }
  ///
  /// - Parameter read: reads values of the store and of downloaded audio, and nothing else. It is
  ///   called again after each change of either.
  public func values<Value: Equatable & Sendable>(
    of read: @escaping @Sendable (RecordingRepository) async throws -> Value
  ) -> ValueUpdates<Value> {
    ValueUpdates(repository: self, read: read)
  }

  /// Does what the `async` call of that name describes.
  package func forget(_ query: CatalogueQuery) throws(StoreError) -> ForgetReport? {
    guard let forgotten = try store.forget(query) else { return nil }
    var report = forgotten.report
    // After the rows: were the program killed between the two, files would be left over.
    let audio = audio.remove(forgotten.recordings)
    report.audioFiles = audio.removed.files
    report.audioBytes = audio.removed.bytes
    report.audioLinks = audio.links
    publisher.forgot(query)
    return report
  }

  /// Waits on the caller's thread, unlike the `async` call of that name.
  package func audioUsage(onlyIn queries: [CatalogueQuery]) throws(StoreError) -> AudioLibrary.Usage
  {
    audio.usage(of: try store.recordings(onlyIn: queries))
  }

  #if Collection
  /// Does what the `async` call of that name describes.
  package func backup(
    to file: URL, progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) {
    try Self.checkIsFile(file)
    try store.backup(to: file.path, progress: progress)
  }
  #endif
}
