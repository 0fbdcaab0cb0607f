import ChirperModel
import ChirperStore
import Foundation

/// The cheap road of a sync: two requests in place of a walk.
extension FetchRun {
  /// Brings a complete list up to date by what was added to it since it was read; `false` where only a walk can tell.
  ///
  /// The first page, asked again, gives the total as it is now; the second request gives what was added. Where the old
  /// total and the additions make the new one, nothing left.
  mutating func syncIncrementally(to stored: StoredQuery) async throws(SearchError) -> Bool {
    guard let incrementalSync = fetcher.catalogue.incrementalSync, stored.totals != nil, stored.skipped == 0,
      stored.completeness == .complete || stored.completeness == .verified,
      let narrowed = incrementalSync.narrowed(query.sent, Self.day(before: stored.checkedAt ?? stored.oldestFetchedAt))
    else { return false }
    observe(.asking(page: 1, of: stored.totals?.pages))
    let firstPage = try await fetch(1, of: query)
    let added: RecordingPage
    do {
      added = try await fetch(
        1,
        of: SearchQuery(
          catalogue: query.catalogue, text: narrowed, pageSize: query.pageSize, typed: narrowed, sent: narrowed))
    } catch .fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only the narrowed text.
      return false
    }
    guard added.next == nil else { return false }
    let merged = try storing { () throws(StoreError) in
      try store.merge(
        Confirmation(firstPage: firstPage, additions: added), into: query, place: incrementalSync.place,
        now: dependencies.now())
    }
    guard let merged else { return false }
    report.new += merged.new
    report.changed += merged.changed
    return true
  }

  /// The day before a moment, UTC: the catalogue's own day may have begun later.
  private static func day(before moment: Date) -> String {
    moment.addingTimeInterval(-86_400).formatted(.iso8601.year().month().day())
  }
}
