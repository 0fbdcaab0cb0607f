import ChirperModel
import ChirperStore

/// Incremental sync by updates: what changed since a time, and the ids alone where records left the list.
extension FetchRun {
  /// Sets `updatedPages` if they bring a complete list up to date, so that the walk that follows requests nothing.
  ///
  /// The list's newest record existed when page 1 was read, so whatever entered the list or changed after that was updated at
  /// its creation or later, by the service's own clock. The total is requested before and after the updates: if both are the
  /// stored records and those that entered, none left the list. Otherwise the ids of all records show which did. Where the
  /// numbers do not agree, because the list changed meanwhile, a walk requests every page.
  mutating func readUpdates(from status: WalkStatus) async throws(LoadError) {
    let stored = try mappingStoreErrors { () throws(StoreError) in try store.stored(query) }
    guard let stored, case .updates(let sync)? = fetcher.catalogue.incrementalSync, !status.isOpen, stored.skipped == 0,
      stored.completeness == .complete || stored.completeness == .verified,
      // A walk over so few pages takes no more requests and proves more.
      status.pages.count > Self.leastRequests
    else { return }
    try await findNames(stored: stored.query.sent)
    let list = try mappingStoreErrors { () throws(StoreError) in try StoredRecords(of: query, in: store, record: sync.record) }
    let newest = try mappingStoreErrors { () throws(StoreError) in try store.rows(of: query, in: 0..<1) }.first
    guard let list, list.records.count == stored.totals?.recordings, let newest, let time = sync.created(newest) else { return }
    do {
      guard let before = try await ids(sync, page: nil),
        let updates = try await updates(sync, since: time, atMost: min(Self.mostUpdates, list.records.count / 2)),
        let after = try await ids(sync, page: nil), let total = after.totals?.recordings
      else { return }
      let known = Set(list.records).union(updates.keys)
      var gone: Set<Int64> = []
      if before.totals?.recordings != total || known.count != total {
        guard let listed = try await allIDs(sync, from: after), listed.isSubset(of: known) else { return }
        gone = known.subtracting(listed)
      }
      let keys = try mappingStoreErrors { () throws(StoreError) in try store.keys(of: query) }
      updatedPages = UpdatedPages(
        store: store, query: query, list: list, keys: keys, updates: updates, gone: gone)
    } catch .fetch(let error, catalogue: _, page: _) where error.scope != .service {
      // The catalogue may have refused only what is asked for here.
      return
    }
  }

  /// The total before and after, and one page of updates.
  private static let leastRequests = 3
  /// Updates are kept in memory, and a record of iNaturalist can have 50 kB.
  private static let mostUpdates = 1000

  /// The page of that number, if a sync by updates has made it; the walk requests the others.
  mutating func nextUpdatedPage(_ number: Int) throws(LoadError) -> RecordingPage? {
    guard var pages = updatedPages else { return nil }
    let page = try mappingStoreErrors { () throws(StoreError) in try pages.next(number) }
    updatedPages = page == nil ? nil : pages
    return page
  }

  /// A page of ids, the first without one before it; `nil` if it has records that cannot be read.
  private mutating func ids(_ sync: UpdateSync, page before: RecordingPage?) async throws(LoadError) -> RecordingPage? {
    let request = PageRequest(
      query: narrowed(sync.idsOnly(query.sent), pageSize: fetcher.catalogue.pageSizes.upperBound),
      number: (before?.number ?? 0) + 1, token: before?.nextToken, isReread: true)
    let page = try await fetch(request)
    return page.skipped == 0 && page.totals != nil ? page : nil
  }

  /// The numbers of all records; `nil` if the list changed while they were read.
  private mutating func allIDs(_ sync: UpdateSync, from first: RecordingPage) async throws(LoadError) -> Set<Int64>? {
    var all: Set<Int64> = []
    var page = first
    while true {
      all.formUnion(page.recordings.compactMap { sync.record($0.id) })
      guard page.next != nil, !page.recordings.isEmpty else { break }
      guard let next = try await ids(sync, page: page), next.totals == page.totals else { return nil }
      page = next
    }
    return all.count == first.totals?.recordings ? all : nil
  }

  /// The rows of each record that was updated at that time or later; `nil` if there are more records than `limit`.
  private mutating func updates(
    _ sync: UpdateSync, since time: String, atMost limit: Int
  ) async throws(LoadError) -> [Int64: [Recording]]? {
    var rows: [Int64: [Recording]] = [:]
    let query = narrowed(sync.narrowed(query.sent, time), pageSize: query.pageSize)
    var page: RecordingPage?
    repeat {
      observe(.requesting(page: (page?.number ?? 0) + 1, of: page?.totals?.pages))
      let next = try await fetch(
        PageRequest(query: query, number: (page?.number ?? 0) + 1, token: page?.nextToken, isReread: true))
      guard let total = next.totals?.recordings, total <= limit, next.skipped == 0 else { return nil }
      for recording in next.recordings {
        guard let record = sync.record(recording.id) else { return nil }
        rows[record, default: []].append(recording)
      }
      page = next
    } while page?.next != nil && page?.recordings.isEmpty == false
    return rows
  }

  private func narrowed(_ text: String, pageSize: Int) -> CatalogueQuery {
    CatalogueQuery(catalogue: query.catalogue, text: text, pageSize: pageSize, typed: text, sent: text)
  }
}

/// The records of a stored list.
struct StoredRecords {
  /// The number of each row's record.
  let rows: [Int64]
  /// Each record once, the highest number first.
  let records: [Int64]

  /// `nil` if the rows are not in the order of their records.
  init?(of query: CatalogueQuery, in store: RecordingStore, record: (RecordingID) -> Int64?) throws(StoreError) {
    var rows: [Int64] = []
    var records: [Int64] = []
    var isInOrder = true
    try store.forEachID(of: query) { id in
      guard let number = record(RecordingID(catalogue: query.catalogue, value: id)) else { return isInOrder = false }
      rows.append(number)
      if records.last != number {
        isInOrder = isInOrder && number < records.last ?? .max
        records.append(number)
      }
    }
    guard isInOrder else { return nil }
    (self.rows, self.records) = (rows, records)
  }
}

/// The pages of a list as its catalogue would send them now, made of what is stored and of what was updated.
struct UpdatedPages {
  private let store: RecordingStore
  private let query: CatalogueQuery
  private let list: StoredRecords
  private let keys: ListKeys
  private let updates: [Int64: [Recording]]
  /// The records of the new list, the highest number first.
  private let records: [Int64]
  private var number = 0
  /// How many records, and how many stored rows, the pages so far are made of.
  private var recordsBefore = 0
  private var row = 0

  init(
    store: RecordingStore, query: CatalogueQuery, list: StoredRecords, keys: ListKeys, updates: [Int64: [Recording]],
    gone: Set<Int64>
  ) {
    self.store = store
    self.query = query
    self.list = list
    self.keys = keys
    self.updates = updates
    records = Set(list.records).union(updates.keys).subtracting(gone).sorted(by: >)
  }

  /// The page of that number; `nil` if it is not the one that follows.
  mutating func next(_ number: Int) throws(StoreError) -> RecordingPage? {
    guard number == self.number + 1 else { return nil }
    self.number = number
    let page = records[recordsBefore...].prefix(query.pageSize)
    let last = page.last ?? 0
    let start = row
    while row < list.rows.count, list.rows[row] >= last { row += 1 }
    var stored: [Int64: [Recording]] = [:]
    for (record, recording) in zip(list.rows[start..<row], try store.rows(keys[start..<row], of: query.catalogue)) {
      stored[record, default: []].append(recording)
    }
    recordsBefore += page.count
    let isLast = recordsBefore == records.count
    return RecordingPage(
      number: number, recordings: page.flatMap { updates[$0] ?? stored[$0] ?? [] },
      totals: Totals(recordings: records.count, pages: max(1, (records.count + query.pageSize - 1) / query.pageSize)),
      next: isLast ? nil : number + 1,
      nextToken: IDCursor(lastID: "\(last)", recordsBefore: recordsBefore).token, records: page.count,
      // Pages without a difference must not verify the list: they were not read.
      isFromCache: true)
  }
}
