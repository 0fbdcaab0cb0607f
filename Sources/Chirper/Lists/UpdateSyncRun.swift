#if Collection

import ChirperModel
import ChirperRemote
import ChirperStore

/// An incremental sync by updates: the changes since a time, and the ids alone if records
/// left the list.
///
/// The list's newest record existed when page 1 was read, so any record that entered the
/// list or changed after that was updated at its creation or later, by the service's own
/// clock. The total is requested before and after the updates. If both are the stored
/// records and those that entered, none left. Otherwise the ids of all records show which
/// did. If the numbers do not agree, because the list changed meanwhile, or if most records
/// are gone, which may be a fault, a walk requests every page.
struct UpdateSyncRun {
  let sync: UpdateSync
  /// A complete list.
  let stored: StoredQuery
  let context: FetchContext

  /// The total before and after, and one page of updates.
  private static let leastRequests = 3
  /// The most updates, which are kept in memory. A record of iNaturalist can have 50 kB.
  private static let mostUpdates = 1000

  /// Makes the pages of the list as it is now, if that takes no walk.
  func run(from status: WalkStatus, _ requester: inout PageRequester) async throws -> SyncFinding {
    guard !status.isOpen else { return .walk(because: "an earlier walk is not finished") }
    // A walk over so few pages takes no more requests and proves more.
    let recheck = PageRecheck(of: status, since: stored.syncedAt, context)
    guard status.pages.count > Self.leastRequests + recheck.count else {
      return .walk(because: "a walk takes no more requests for \(status.pages.count) pages")
    }
    try await requester.findNames(stored: stored.query.requestText)
    let query = requester.query
    guard let list = try StoredRecords(of: query, in: context.store, record: sync.record),
      list.records.count == stored.totals?.recordings,
      let newest = try context.store.rows(of: query, in: 0..<1).first,
      let time = sync.created(newest)
    else { return .walk(because: "the stored records do not make one list") }
    let ids = query.narrowed(
      to: sync.idsOnly(query.requestText), pageSize: context.fetcher.catalogue.pageSizes.upperBound)
    let updated = query.narrowed(to: sync.narrowed(query.requestText, time))
    do {
      guard let before = try await page(of: ids, &requester)?.totals,
        let updates = try await pages(
          of: updated, in: list, atMost: min(Self.mostUpdates, list.records.count / 2), &requester),
        let after = try await page(of: ids, &requester), let total = after.totals
      else { return .walk(because: "too much was updated since \(time), or it cannot be read") }
      let rows = Dictionary(grouping: updates.flatMap(\.recordings)) { sync.record($0.id) ?? .min }
      guard rows[.min] == nil else { return .walk(because: "an id that was updated has no number") }
      let known = Set(list.records).union(rows.keys)
      var gone: Set<Int64> = []
      if before.recordings != total.recordings || known.count != total.recordings {
        guard let pages = try await pages(of: ids, in: list, after: after, &requester),
          let listed = listed(on: pages, total), known.isSuperset(of: listed)
        else { return .walk(because: "the ids are not those of one list") }
        gone = known.subtracting(listed)
      }
      if StoredQuery.Fall.isFall(left: known.count - gone.count, gone: gone.count) {
        return .walk(because: "more than half of the list is said to be gone")
      }
      // Records of pages, as the pages are stored, are those of the list in order.
      let readAt = status.pages.sorted { $0.key < $1.key }.flatMap {
        Array(repeating: $1.fetchedAt, count: $1.records)
      }
      guard readAt.count == list.records.count else {
        return .walk(because: "the stored pages do not make one list")
      }
      let updated = UpdatedPages(
        store: context.store, query: query, list: list, keys: try context.store.keys(of: query),
        readAt: readAt, updates: rows, records: known.subtracting(gone).sorted(by: >))
      return .walk(because: "its pages are made without further requests", .updated(updated))
    } catch LoadError.fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only what is asked for here.
      return .walk(because: "the updates cannot be fetched: \(error)")
    }
  }

  /// The numbers of the records on pages with ids alone; `nil` if the pages are not of one list.
  private func listed(on pages: [RecordingPage], _ total: RecordingPage.Totals) -> [Int64]? {
    let listed = pages.flatMap(\.recordings).compactMap { sync.record($0.id) }
    // They are in the order of the list, so an id that comes again or that is not below the one
    // before is out of place.
    let isOneList =
      pages.allSatisfy { $0.totals == total } && listed.count == total.recordings
      && zip(listed, listed.dropFirst()).allSatisfy(>)
    return isOneList ? listed : nil
  }

  /// The first page, or the one after `last`; `nil` if it cannot be read in full.
  private func page(
    of query: CatalogueQuery, after last: RecordingPage? = nil, _ requester: inout PageRequester
  ) async throws -> RecordingPage? {
    let number = (last?.number ?? 0) + 1
    context.observe(.requesting(page: number, of: last?.totals?.pages))
    let page = try await requester.page(
      PageRequest(query: query, number: number, token: last?.nextToken, isReread: true))
    return page.skipped == 0 && page.totals?.exact != nil ? page : nil
  }

  /// Every page, or `first` and those after it; `nil` if there are more records than `limit`, if
  /// one cannot be read in full, or if there are more pages than the stored records explain:
  /// nothing is stored of these answers, so a walk, whose pages are, takes their place.
  private func pages(
    of query: CatalogueQuery, in list: StoredRecords, after first: RecordingPage? = nil,
    atMost limit: Int = .max, _ requester: inout PageRequester
  ) async throws -> [RecordingPage]? {
    var pages = first.map { [$0] } ?? []
    let mostAnswers = list.records.count / query.pageSize * 2 + 10
    while pages.last.map({ $0.next != nil && !$0.recordings.isEmpty }) ?? true {
      guard pages.count < mostAnswers,
        let page = try await page(of: query, after: pages.last, &requester),
        let totals = page.totals, totals.recordings <= limit
      else { return nil }
      pages.append(page)
    }
    return pages
  }
}

#endif
