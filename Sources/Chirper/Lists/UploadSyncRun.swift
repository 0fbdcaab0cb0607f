import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// An incremental sync by uploads: three requests instead of a walk.
///
/// The first fetches the recordings added since the newest upload of the list, the second
/// page 1 with the current total. If the list is complete, that is the old total plus the
/// additions. In this order, a recording added between the two makes a difference. Then
/// pages are read again (`PageRecheck`). An answer that does not fit the list ends its
/// claim and its open walk, so that the pages read before are requested again.
struct UploadSyncRun {
  let sync: UploadSync
  /// A complete list.
  let stored: StoredQuery
  let context: FetchContext

  private var store: RecordingStore { context.store }

  func run(from status: WalkStatus, _ requester: inout PageRequester) async throws -> SyncFinding {
    let query = requester.query
    // A walk over so few pages takes no more requests and proves more.
    let recheck = PageRecheck(of: status, except: [1], since: stored.syncedAt, context)
    guard status.pages.count > 2 + recheck.count else {
      return .walk(because: "a walk takes no more requests for \(status.pages.count) pages")
    }
    guard stored.totals != nil, status.pages.values.allSatisfy({ $0.nextToken == nil }),
      // The day is the catalogue's, so that it does not matter whether this machine's clock is
      // right.
      let day = try store.newestUpload(of: query, uploaded: sync.uploaded),
      let narrowed = sync.narrowed(query.requestText, day)
    else { return .walk(because: "the query cannot be narrowed to what was uploaded lately") }
    let additions: RecordingPage
    do {
      additions = try await requester.page(
        PageRequest(query: query.narrowed(to: narrowed), number: 1))
    } catch LoadError.fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only the narrowed text.
      return .walk(because: "the uploads since \(day) cannot be fetched: \(error)")
    }
    context.observe(.requesting(page: 1, of: stored.totals?.pages))
    let firstPage = try await requester.page(PageRequest(query: query, number: 1))
    let readAt = requester.askedAt
    let first = PageWalker.Pages.first(firstPage, readAt: readAt)
    if status.isOpen {
      if try !store.hasRecordings(additions.recordings, in: query, orderedBy: sync.position) {
        try store.abandonWalk(of: query)
      }
      return .walk(because: "an earlier walk is not finished", first)
    }
    guard additions.next == nil else {
      return .walk(because: "the uploads since \(day) take more than one page", first)
    }
    let merged = try store.merge(
      additions, firstPage, into: query, position: sync.position,
      volatileFields: context.fetcher.catalogue.volatility, readAt: readAt,
      now: context.dependencies.now())
    guard let merged else {
      try store.abandonWalk(of: query)
      return .walk(
        because: "the uploads since \(day) do not explain the total and page 1", first)
    }
    requester.report.note(
      entered: merged.entered, changedIDs: merged.changedIDs, in: &requester.changes)
    guard try await recheck.run(&requester) else {
      return .walk(because: "a page that was read again differs", first)
    }
    return .upToDate
  }
}
