import ChirperModel
import ChirperRemote
import ChirperStore

/// An incremental sync by updates: what changed since a time, and the ids alone where records left the list.
///
/// The list's newest record existed when page 1 was read, so whatever entered the list or changed after that was updated at
/// its creation or later, by the service's own clock. The total is requested before and after the updates: if both are the
/// stored records and those that entered, none left the list. Otherwise the ids of all records show which did. Where the
/// numbers do not agree, because the list changed meanwhile, a walk requests every page.
struct UpdateSyncRun {
  private let sync: UpdateSync
  private let stored: StoredQuery
  private let context: FetchContext

  /// The total before and after, and one page of updates.
  private static let leastRequests = 3
  /// Updates are kept in memory, and a record of iNaturalist can have 50 kB.
  private static let mostUpdates = 1000

  /// - Parameter stored: a complete list.
  init(_ sync: UpdateSync, of stored: StoredQuery, _ context: FetchContext) {
    self.sync = sync
    self.stored = stored
    self.context = context
  }

  /// Makes the pages of the list as it is now, if that takes no walk.
  func run(from status: WalkStatus, _ requester: inout PageRequester) async throws -> SyncFinding {
    guard !status.isOpen else { return .walk(because: "an earlier walk is not finished") }
    // A walk over so few pages takes no more requests and proves more.
    let recheck = PageRecheck(of: status, since: stored.syncedAt, context)
    guard status.pages.count > Self.leastRequests + recheck.count else {
      return .walk(because: "a walk takes no more requests for \(status.pages.count) pages")
    }
    try await requester.findNames(stored: stored.query.sent)
    let query = requester.query
    guard let list = try StoredRecords(of: query, in: context.store, record: sync.record),
      list.records.count == stored.totals?.recordings, let newest = try context.store.rows(of: query, in: 0..<1).first,
      let time = sync.created(newest)
    else { return .walk(because: "the stored records do not make one list") }
    do {
      guard let before = try await ids(after: nil, &requester),
        let updates = try await updates(since: time, atMost: min(Self.mostUpdates, list.records.count / 2), &requester),
        let after = try await ids(after: nil, &requester), let total = after.totals?.recordings
      else { return .walk(because: "too much was updated since \(time), or it cannot be read") }
      let known = Set(list.records).union(updates.keys)
      var gone: Set<Int64> = []
      if before.totals?.recordings != total || known.count != total {
        guard let listed = try await allIDs(from: after, &requester), listed.isSubset(of: known) else {
          return .walk(because: "the list changed while its ids were read")
        }
        gone = known.subtracting(listed)
      }
      let keys = try context.store.keys(of: query)
      // Records of pages, as the pages are stored, are those of the list in order.
      let readAt = status.pages.sorted { $0.key < $1.key }.flatMap { Array(repeating: $1.fetchedAt, count: $1.records) }
      guard readAt.count == list.records.count else { return .walk(because: "the stored pages do not make one list") }
      return .pages(
        UpdatedPages(
          store: context.store, query: query, list: list, keys: keys, readAt: readAt, updates: updates, gone: gone))
    } catch LoadError.fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only what is asked for here.
      return .walk(because: "the updates cannot be fetched: \(error)")
    }
  }

  /// A page of ids; `nil` if it has records that cannot be read.
  private func ids(after before: RecordingPage?, _ requester: inout PageRequester) async throws -> RecordingPage? {
    let query = narrowed(
      requester.query, sync.idsOnly(requester.query.sent), pageSize: context.fetcher.catalogue.pageSizes.upperBound)
    let page = try await requester.page(
      PageRequest(query: query, number: (before?.number ?? 0) + 1, token: before?.nextToken, isReread: true))
    return page.skipped == 0 && page.totals != nil ? page : nil
  }

  /// The numbers of all records; `nil` if the list changed while they were read.
  private func allIDs(from first: RecordingPage, _ requester: inout PageRequester) async throws -> Set<Int64>? {
    var all: Set<Int64> = []
    var page = first
    while true {
      all.formUnion(page.recordings.compactMap { sync.record($0.id) })
      guard page.next != nil, !page.recordings.isEmpty else { break }
      guard let next = try await ids(after: page, &requester), next.totals == page.totals else { return nil }
      page = next
    }
    return all.count == first.totals?.recordings ? all : nil
  }

  /// The rows of each record that was updated at that time or later; `nil` if there are more records than `limit`.
  private func updates(
    since time: String, atMost limit: Int, _ requester: inout PageRequester
  ) async throws -> [Int64: [Recording]]? {
    var rows: [Int64: [Recording]] = [:]
    let query = narrowed(
      requester.query, sync.narrowed(requester.query.sent, time), pageSize: requester.query.pageSize)
    var page: RecordingPage?
    repeat {
      let number = (page?.number ?? 0) + 1
      context.observe(.requesting(page: number, of: page?.totals?.pages))
      let next = try await requester.page(
        PageRequest(query: query, number: number, token: page?.nextToken, isReread: true))
      guard let total = next.totals?.recordings, total <= limit, next.skipped == 0 else { return nil }
      for recording in next.recordings {
        guard let record = sync.record(recording.id) else { return nil }
        rows[record, default: []].append(recording)
      }
      page = next
    } while page?.next != nil && page?.recordings.isEmpty == false
    return rows
  }

  private func narrowed(_ query: CatalogueQuery, _ text: String, pageSize: Int) -> CatalogueQuery {
    CatalogueQuery(catalogue: query.catalogue, text: text, pageSize: pageSize, typed: text, sent: text)
  }
}
