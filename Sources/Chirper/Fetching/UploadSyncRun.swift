import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// An incremental sync by uploads: three requests instead of a walk.
///
/// The first request fetches what was added since the newest upload of the list, the second page 1, which has the current
/// total. If the old total plus the additions is the current total, the list is complete. It is asked in this order so that
/// what is added between the two requests makes a difference. Then the pages that were read longest ago are read again, so
/// that in turn every change of an older recording is found. What does not fit the list ends its claim and its open walk,
/// so that the pages read before are requested again.
struct UploadSyncRun {
  private let sync: UploadSync
  private let stored: StoredQuery
  private let context: FetchContext

  /// - Parameter stored: a complete list.
  init(_ sync: UploadSync, of stored: StoredQuery, _ context: FetchContext) {
    self.sync = sync
    self.stored = stored
    self.context = context
  }

  private var store: RecordingStore { context.store }
  private var volatileFields: Set<String> { context.fetcher.catalogue.volatileFields }

  /// Brings the list up to date with what was added to it since it was read, if that takes no walk.
  func run(
    from status: WalkStatus, _ requester: inout PageRequester, _ report: inout FetchReport
  ) async throws -> SyncFinding {
    let query = requester.query
    // A walk over so few pages takes no more requests and proves more.
    guard status.pages.count > 2 + context.plan.recheck else {
      return .walk(because: "a walk takes no more requests for \(status.pages.count) pages")
    }
    guard stored.totals != nil, status.pages.values.allSatisfy({ $0.nextToken == nil }),
      // The day is the catalogue's, so that it does not matter whether this machine's clock is right.
      let day = try store.newestUpload(of: query, uploaded: sync.uploaded), let narrowed = sync.narrowed(query.sent, day)
    else { return .walk(because: "the query cannot be narrowed to what was uploaded lately") }
    let additions: RecordingPage
    do {
      let narrowedQuery = CatalogueQuery(
        catalogue: query.catalogue, text: narrowed, pageSize: query.pageSize, typed: narrowed, sent: narrowed)
      additions = try await requester.page(PageRequest(query: narrowedQuery, number: 1))
    } catch LoadError.fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only the narrowed text.
      return .walk(because: "the uploads since \(day) cannot be fetched: \(error)")
    }
    context.observe(.requesting(page: 1, of: stored.totals?.pages))
    let firstPage = try await requester.page(PageRequest(query: query, number: 1))
    if status.isOpen {
      if try !store.hasRecordings(additions.recordings, in: query, placedBy: sync.place) { try store.abandonWalk(of: query) }
      return .walk(because: "an earlier walk is not finished", firstPage: firstPage)
    }
    guard additions.next == nil else {
      return .walk(because: "the uploads since \(day) take more than one page", firstPage: firstPage)
    }
    let merged = try store.merge(
      additions, firstPage, into: query, place: sync.place, volatileFields: volatileFields, now: context.dependencies.now())
    guard let merged else {
      try store.abandonWalk(of: query)
      return .walk(because: "the uploads since \(day) do not explain the total and page 1", firstPage: firstPage)
    }
    report.add(newIDs: merged.newIDs, changedIDs: merged.changedIDs)
    guard try await recheckOldestPages(&requester, &report) else {
      report.failedPages = []
      return .walk(because: "a page that was read again differs", firstPage: firstPage)
    }
    return .upToDate
  }

  /// Reads the pages again that were read longest ago; `false` if one differs from what is stored.
  ///
  /// A page that cannot be fetched does not keep the others from their turn.
  private func recheckOldestPages(_ requester: inout PageRequester, _ report: inout FetchReport) async throws -> Bool {
    let query = requester.query
    guard let status = try store.walkStatus(of: query) else { return true }
    for number in Self.oldestPages(of: status, now: context.dependencies.now()) {
      guard report.recheckedPages.count < context.plan.recheck, report.failedPages.count < Walk.failureLimit else { break }
      context.observe(.requesting(page: number, of: status.pages.count))
      let page: RecordingPage
      do {
        page = try await requester.page(PageRequest(query: query, number: number))
      } catch LoadError.fetch(let error, catalogue: _, page: _) where error.scope != .service {
        context.observe(.failed(page: number, error))
        report.failedPages.append(FetchReport.FailedPage(number: number, error: error))
        continue
      }
      let changed = try store.confirm(page, of: query, volatileFields: volatileFields, now: context.dependencies.now())
      guard let changed else { return false }
      report.add(changedIDs: changed)
      report.recheckedPages.append(number)
    }
    return true
  }

  /// Every page but the first, the one that was read longest ago first. One from the future, by a clock that was ahead, comes
  /// before all others.
  private static func oldestPages(of status: WalkStatus, now: Date) -> [Int] {
    let pages = status.pages.filter { $0.key > 1 }.mapValues { $0.fetchedAt > now ? .distantPast : $0.fetchedAt }
    return pages.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
  }
}
