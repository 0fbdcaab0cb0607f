import ChirperModel
import ChirperStore
import Foundation

/// Incremental sync: two requests instead of a walk.
extension FetchRun {
  /// Brings a complete list up to date with what was added to it since it was read; `false` if that takes a walk.
  ///
  /// The first request fetches page 1 again, which has the current total; the second fetches what was added. If the old
  /// total plus the additions is the current total, nothing was removed. What does not fit the list ends its open walk, so
  /// that the pages read before are requested again.
  mutating func syncIncrementally(from status: WalkStatus) async throws(SearchError) -> Bool {
    let stored = try mappingStoreErrors { () throws(StoreError) in try store.stored(query) }
    guard let stored, let incrementalSync = fetcher.catalogue.incrementalSync, stored.totals != nil, stored.skipped == 0,
      stored.completeness == .complete || stored.completeness == .verified,
      let narrowed = incrementalSync.narrowed(query.sent, Self.day(before: stored.checkedAt ?? stored.oldestFetchedAt))
    else { return false }
    observe(.requesting(page: 1, of: stored.totals?.pages))
    let firstPage = try await fetch(PageRequest(query: query, number: 1, isReread: true))
    self.firstPage = firstPage
    let additions: RecordingPage
    do {
      let narrowedQuery = SearchQuery(
        catalogue: query.catalogue, text: narrowed, pageSize: query.pageSize, typed: narrowed, sent: narrowed)
      additions = try await fetch(PageRequest(query: narrowedQuery, number: 1, isReread: true))
    } catch .fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only the narrowed text.
      return false
    }
    if status.isOpen {
      let isListed = try mappingStoreErrors { () throws(StoreError) in
        try store.lists(additions.recordings, in: query, place: incrementalSync.place)
      }
      if !isListed { try giveUpWalk() }
      return false
    }
    guard additions.next == nil else { return false }
    let merged = try mappingStoreErrors { () throws(StoreError) in
      try store.merge(
        ListUpdate(firstPage: firstPage, additions: additions), into: query, place: incrementalSync.place,
        record: incrementalSync.record, volatileFields: fetcher.catalogue.volatileFields, now: dependencies.now())
    }
    guard let merged else {
      try giveUpWalk()
      return false
    }
    report.new += merged.new
    report.changed += merged.changed
    return true
  }

  private func giveUpWalk() throws(SearchError) {
    try mappingStoreErrors { () throws(StoreError) in try store.giveUpWalk(of: query) }
  }

  /// The day before a moment, UTC: the catalogue's time zone may be behind UTC.
  private static func day(before moment: Date) -> String {
    moment.addingTimeInterval(-86_400).formatted(.iso8601.year().month().day())
  }
}
