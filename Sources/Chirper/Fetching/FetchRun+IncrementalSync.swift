import ChirperModel
import ChirperStore
import Foundation

/// Incremental sync by uploads: three requests instead of a walk.
extension FetchRun {
  /// Brings a complete list up to date with what was added to it since it was read; `false` if that takes a walk.
  ///
  /// The first request fetches what was added since the newest upload of the list, the second page 1, which has the current
  /// total. If the old total plus the additions is the current total, the list is complete. It is asked in this order so that
  /// what is added between the two requests makes a difference. Then the pages that were read longest ago are read again, so
  /// that in turn every change of an older recording is found. What does not fit the list ends its claim and its open walk,
  /// so that the pages read before are requested again.
  mutating func syncUploads(from status: WalkStatus) async throws(LoadError) -> Bool {
    let stored = try mappingStoreErrors { () throws(StoreError) in try store.stored(query) }
    guard let stored, case .uploads(let uploads)? = fetcher.catalogue.incrementalSync, stored.totals != nil, stored.skipped == 0,
      stored.completeness == .complete || stored.completeness == .verified,
      // A walk over so few pages takes no more requests and proves more.
      status.pages.count > 2 + plan.recheck, status.pages.values.allSatisfy({ $0.nextToken == nil }),
      let day = try newestUpload(uploads), let narrowed = uploads.narrowed(query.sent, day)
    else { return false }
    let additions: RecordingPage
    do {
      let narrowedQuery = CatalogueQuery(
        catalogue: query.catalogue, text: narrowed, pageSize: query.pageSize, typed: narrowed, sent: narrowed)
      additions = try await fetch(PageRequest(query: narrowedQuery, number: 1))
    } catch .fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only the narrowed text.
      return false
    }
    observe(.requesting(page: 1, of: stored.totals?.pages))
    let firstPage = try await fetch(PageRequest(query: query, number: 1))
    self.firstPage = firstPage
    if status.isOpen {
      let isListed = try mappingStoreErrors { () throws(StoreError) in
        try store.hasRecordings(additions.recordings, in: query, placedBy: uploads.place)
      }
      if !isListed { try abandonWalk() }
      return false
    }
    guard additions.next == nil else { return false }
    let merged = try mappingStoreErrors { () throws(StoreError) in
      try store.merge(
        ListUpdate(additions: additions, firstPage: firstPage), into: query, place: uploads.place,
        volatileFields: fetcher.catalogue.volatileFields, now: dependencies.now())
    }
    guard let merged else {
      try abandonWalk()
      return false
    }
    report.add(newIDs: merged.newIDs, changedIDs: merged.changedIDs)
    guard try await recheckOldestPages() else {
      report.failedPages = []
      return false
    }
    report.isIncremental = true
    return true
  }

  /// Reads the pages again that were read longest ago; `false` if one differs from what is stored.
  ///
  /// A page that cannot be fetched does not keep the others from their turn.
  private mutating func recheckOldestPages() async throws(LoadError) -> Bool {
    let status = try mappingStoreErrors { () throws(StoreError) in try store.walkStatus(of: query) }
    guard let status else { return true }
    for number in Self.oldestPages(of: status, now: dependencies.now()) {
      guard report.recheckedPages.count < plan.recheck, report.failedPages.count < Walk.failureLimit else { break }
      observe(.requesting(page: number, of: status.pages.count))
      let page: RecordingPage
      do {
        page = try await fetch(PageRequest(query: query, number: number))
      } catch .fetch(let error, catalogue: _, page: _) where error.scope != .service {
        observe(.failed(page: number, error))
        report.failedPages.append(FetchReport.FailedPage(number: number, error: error))
        continue
      }
      let changed = try mappingStoreErrors { () throws(StoreError) in
        try store.confirm(page, of: query, volatileFields: fetcher.catalogue.volatileFields, now: dependencies.now())
      }
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

  /// The day is the catalogue's, so that it does not matter whether this machine's clock is right.
  private func newestUpload(_ uploads: UploadSync) throws(LoadError) -> String? {
    try mappingStoreErrors { () throws(StoreError) in
      try store.newestUpload(of: query, uploaded: uploads.uploaded)
    }
  }

  private func abandonWalk() throws(LoadError) {
    try mappingStoreErrors { () throws(StoreError) in try store.abandonWalk(of: query) }
  }
}
