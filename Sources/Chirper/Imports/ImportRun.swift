#if Collection

import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

extension RecordingRepository {
  /// Stores the rows of a file as lists, one for each catalogue, page by page as a fetch does. An
  /// import that was interrupted continues after its last page. One that meets a different import of
  /// the same list waits for it as a fetch does, and then begins again.
  ///
  /// - Parameters:
  ///   - name: of the lists.
  ///   - waiting: called with the process that imports the list already, if it is known.
  ///   - progress: called with the bytes read so far, on any thread.
  /// - Throws: `StoreError`, the errors of the source, and `CancellationError` soon after the task
  ///   is cancelled; what was stored stays.
  package func importRows(
    of source: any ImportSource, named name: String,
    waiting: @escaping @Sendable (_ holder: String?) -> Void = { _ in },
    progress: @escaping @Sendable (Int64) -> Void = { _ in }
  ) async throws -> ImportReport {
    var report: ImportReport
    do {
      report = try await perform { repository throws in
        var run = ImportRun(
          repository: repository, source: source, name: name, claim: source.claim)
        defer { repository.publisher.storeMayHaveChanged() }
        return try run.run(progress)
      }
    } catch ImportFailure.inUse(let query) {
      // The import takes the lock itself, so this one is released at once.
      let isFree = try await dependencies.lock {
        try WalkLock.acquire(query, in: store).map { _ in true }
      } progress: {
        try store.stored(query)
      } willWait: {
        waiting(WalkLock.holder(of: query, in: store))
      }
      guard isFree == true else {
        throw StoreError(.queryInUse(holder: WalkLock.holder(of: query, in: store)))
      }
      return try await importRows(of: source, named: name, waiting: waiting, progress: progress)
    }
    try? await updateSearchIndex(limit: Self.mostIndexedAfterStoring)
    let unindexed = (try? store.unindexedCount()) ?? 0
    report.unindexed = unindexed > Self.mostIndexedAfterStoring ? unindexed : 0
    return report
  }

  /// The folder where rows are staged: that of the store, or a temporary one for a store in memory.
  var stagingFolder: String {
    store.path == RecordingStore.memoryPath
      ? FileManager.default.temporaryDirectory.path : store.path.folderOfPath
  }

  /// The texts about citing and rights that a list's file had.
  package func importTexts(
    of query: CatalogueQuery
  ) throws(StoreError) -> (citations: String?, rights: String?) {
    try store.importTexts(of: query)
  }
}

/// One import: reads the rows of a file, and writes those of each catalogue as a list.
private struct ImportRun {
  let repository: RecordingRepository
  let source: any ImportSource
  let name: String
  var claim: ImportClaim
  /// Whether something could not be read, which may be of any recording.
  var lacksRows = false
  var lists: [CatalogueID: ImportedList] = [:]

  mutating func run(_ progress: (Int64) -> Void) throws -> ImportReport {
    try source.read(staging: repository.stagingFolder) { bytes in
      try Task.checkCancellation()
      progress(bytes)
    } _: { row in
      try add(row)
    }
    guard !lists.isEmpty else { throw ImportFailure.noSounds(claim, advice: source.advice) }
    var report = ImportReport(claim: claim)
    for id in lists.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let list = lists[id] else { continue }
      report.lists.append(try list.close(claim, lacksRows: lacksRows))
    }
    return report
  }

  private mutating func add(_ row: ImportedRow) throws {
    switch row {
    case .incomplete(let line, let reason): return lack(line, reason)
    case .silent: claim.silent += 1
    case .unreadable(let line, let reason): lack(line, reason)
    case .recordings(let recordings, let line, let leftOut, let isOnly):
      guard let id = recordings.first?.id.catalogue else { break }
      if lists[id] == nil { lists[id] = try ImportedList(query(id), repository, claim) }
      let isNew = try lists[id]?.add(recordings) == true
      if !isNew, isOnly { lack(line, "its recordings are those of an earlier row") }
      if isNew, leftOut > 0 {
        let count = recordings.count + leftOut
        lack(line, "\(leftOut) of its \(count) sounds are beyond the most of one record")
      }
    }
    claim.rows += 1
  }

  /// Counts a part of the file that the lists do not have; any of their recordings may be in it.
  private mutating func lack(_ line: Int, _ reason: String) {
    claim.countUnreadable(line: line, reason)
    lacksRows = true
  }
}

extension ImportRun {
  /// The query of a catalogue's list: the stored one, whatever the size of its pages is.
  ///
  /// - Throws: `ImportFailure.nameIsTaken` if the name is also that of a list that was fetched.
  private func query(_ catalogue: CatalogueID) throws -> CatalogueQuery {
    let query = CatalogueQuery.imported(name, as: catalogue)
    let stored = try repository.store.storedQueries().map(\.query)
    let same = stored.first { $0.catalogue == catalogue && $0.identity == query.identity }
    // A list that is named like a label is meant alone.
    if same == nil, let typed = try? TypedText(name, in: catalogue), typed.asked == typed.text,
      try typed.stored(in: repository).contains(where: { !$0.isMiss })
    {
      throw ImportFailure.nameIsTaken(catalogue)
    }
    return same ?? query
  }
}

/// The reason why nothing was imported.
package enum ImportFailure: Error {
  /// A file of which no row has a sound.
  case noSounds(ImportClaim, advice: String)
  /// A list that was fetched from the catalogue has the name.
  case nameIsTaken(CatalogueID)
  /// A different process imports the list.
  case inUse(CatalogueQuery)
}

/// Writes the recordings of one catalogue as the pages of a list.
private final class ImportedList {
  private let query: CatalogueQuery
  private let store: RecordingStore
  private let now: @Sendable () -> Date
  private let volatility: VolatileFields
  private let fetcher: (any SoundFetcher)?
  private let claim: ImportClaim
  /// Held until the end, so that one process at a time imports the list.
  private let lock: WalkLock
  private var changes = RunChanges()
  private var report = FetchReport()
  private var page: [Recording] = []
  /// The bytes of the records of the page.
  private var pageBytes = 0
  /// The bytes from which on a page is full, whatever the number of its rows is.
  private static let pageBytes = 16 << 20
  private var number = 1
  /// Hashes of the ids so far.
  private var ids: Set<ByteScan.Hash> = []
  /// The pages that an interrupted import of the same file has stored.
  private let stored: Set<Int>
  private let isContinued: Bool

  init(
    _ query: CatalogueQuery, _ repository: RecordingRepository, _ claim: ImportClaim
  ) throws {
    self.query = query
    self.claim = claim
    store = repository.store
    now = repository.dependencies.now
    volatility = repository.catalogue(query.catalogue)?.volatility ?? []
    fetcher = repository.fetcher(query.catalogue) as? any SoundFetcher
    guard let lock = try WalkLock.acquire(query, in: store) else {
      throw ImportFailure.inUse(query)
    }
    self.lock = lock
    let status = try store.walkStatus(of: query)
    let earlier = try store.stored(query)?.imported
    isContinued = status?.isOpen == true && earlier?.fingerprint == claim.fingerprint
    stored =
      isContinued
      ? Set(status?.pages.filter { $0.value.isInWalk && $0.value.next != nil }.keys ?? [:].keys)
      : []
  }

  /// Adds the recordings of a record, and stores a page once it is full; `false` if the file had all
  /// of their ids before.
  ///
  /// A record is on one page, as in a fetch, because its sounds get their ids together.
  func add(_ recordings: [Recording]) throws -> Bool {
    let new = recordings.filter { ids.insert(ByteScan.hash(of: $0.id.value)).inserted }
    guard !new.isEmpty else { return false }
    // The last page is known only at the end, so a full one waits for the next record.
    if page.count >= query.pageSize || pageBytes >= Self.pageBytes {
      try storePage(isLast: false)
    }
    page += new
    pageBytes += new[0].fields.bytes.count
    return true
  }

  private func storePage(isLast: Bool) throws {
    defer {
      page.removeAll(keepingCapacity: true)
      pageBytes = 0
      number += 1
    }
    guard isLast || !stored.contains(number) else { return }
    let made = try identified(
      RecordingPage(
        number: number, recordings: page, totals: nil, next: isLast ? nil : number + 1))
    let (outcome, _) = try store.store(
      made, of: query, startsWalk: number == 1 && !isContinued, volatileFields: volatility,
      importing: number == 1 ? claim : nil, during: changes, now: now())
    report.note(entered: outcome.entered, changedIDs: outcome.changedIDs, in: &changes)
  }

  /// The page with the ids that are stored for the addresses of its sounds, as in a fetch.
  private func identified(_ page: RecordingPage) throws -> RecordingPage {
    // Details do not have the addresses of the other sounds of a record.
    guard let fetcher, !page.recordings.contains(where: { $0.fields.importedForm == .details })
    else { return page }
    return try fetcher.identified(page, in: store)
  }

  /// Stores the last page and the claim.
  func close(_ claim: ImportClaim, lacksRows: Bool) throws -> FetchReport {
    defer { withExtendedLifetime(lock) {} }
    try storePage(isLast: true)
    try store.setImport(claim, of: query)
    let check = FallCheck(isFileReadInFull: !lacksRows)
    var closing = try store.closeWalk(
      of: query, evenIfShifted: false, during: changes, fallCheck: check, now: now())
    if closing.completeness == nil {
      closing = try store.closeWalk(
        of: query, evenIfShifted: true, during: changes, fallCheck: check, now: now())
    }
    report.note(removed: closing.removed, in: &changes)
    report.stored = try store.stored(query)
    return report
  }
}

#endif
