import ChirperModel
import ChirperStore
import Foundation

/// Incremental sync: two requests instead of a walk.
extension FetchRun {
  /// Brings a complete list up to date with what was added to it since it was read; `false` if that takes a walk.
  ///
  /// The first request fetches page 1 again, which has the current total; the second fetches what was added. If the old
  /// total plus the additions is the current total, nothing was removed.
  mutating func syncIncrementally(to stored: StoredQuery) async throws(SearchError) -> Bool {
    guard let incrementalSync = fetcher.catalogue.incrementalSync, stored.totals != nil, stored.skipped == 0,
      stored.completeness == .complete || stored.completeness == .verified,
      let narrowed = incrementalSync.narrowed(query.sent, Self.day(before: stored.checkedAt ?? stored.oldestFetchedAt))
    else { return false }
    observe(.requesting(page: 1, of: stored.totals?.pages))
    let firstPage = try await fetch(PageRequest(query: query, number: 1))
    let additions: RecordingPage
    do {
      let narrowedQuery = SearchQuery(
        catalogue: query.catalogue, text: narrowed, pageSize: query.pageSize, typed: narrowed, sent: narrowed)
      additions = try await fetch(PageRequest(query: narrowedQuery, number: 1))
    } catch .fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only the narrowed text.
      return false
    }
    guard additions.next == nil else { return false }
    let merged = try mappingStoreErrors { () throws(StoreError) in
      try store.merge(
        ListUpdate(firstPage: firstPage, additions: additions), into: query, place: incrementalSync.place,
        volatileFields: fetcher.catalogue.volatileFields, now: dependencies.now())
    }
    guard let merged else { return false }
    report.add(newIDs: merged.newIDs, changedIDs: merged.changedIDs)
    return true
  }

  /// The day before a moment, UTC: the catalogue's time zone may be behind UTC.
  private static func day(before moment: Date) -> String {
    moment.addingTimeInterval(-86_400).formatted(.iso8601.year().month().day())
  }
}
