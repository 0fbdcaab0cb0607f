import ChirperModel
import ChirperTestSupport
import Foundation
import Synchronization

@testable import Chirper
@testable import ChirperStore

/// One seeded run: a few commands against a catalogue that changes meanwhile, then syncs and
/// fetches without changes.
///
/// Checked after every commit: no recording appears twice, pages are whole, trying loses nothing.
/// Checked when a list is called `complete` or `verified`: upstream had exactly this list at some
/// moment of the run (`complete` only where upstream just grew, just shrank or just changed fields;
/// `verified` with its fields), and an incremental sync never says `verified`. Checked after every
/// command: what is reported as new and as gone is the difference between the list before and after
/// it, and so are the rows and dates of `--new` and `--gone`; the requests are bounded, also of a
/// service that never comes to an end, and one answer of an empty list empties none. Checked when
/// rows leave: a list of ten or more loses more than half only half a day after that was first
/// found, or by a second reading that was asked for. Checked at the end: without changes, as many
/// syncs as there are pages give upstream's list, and so does one walk.
struct Schedule {
  let catalogue: ModelCatalogue
  private(set) var log: [String] = []
  /// What this run met.
  private(set) var tally = Tally()
  private var failures: [String] = []
  private var random: SeededRandom
  private let store: RecordingStore
  private let repository: RecordingRepository
  private let query: CatalogueQuery
  private let clock = ManualClock()
  /// When a walk first found less than half of the list, if the latest one did as well.
  private var fallenSince: Date?

  /// What may happen upstream in this run.
  enum Change: CaseIterable {
    case onlyGrows, onlyShrinks, onlyEdits, anything
  }

  private let change: Change
  /// Whether the list changes between commands only, which is what a sync without a walk is for.
  private let isCalm: Bool

  init(seed: UInt64, store: RecordingStore) {
    var random = SeededRandom(seed: seed)
    // The kinds with the most ways to go wrong get more than half of the runs.
    let anyKind = ModelCatalogue.Kind.allCases.randomElement(using: &random)!  // Safe: not empty.
    let kind = random.chance(30) ? .uploads : random.chance(20) ? .updates : anyKind
    change = Change.allCases.randomElement(using: &random)!  // Safe: the list is not empty.
    let canSync = kind == .uploads || kind == .updates
    isCalm = canSync && random.chance(50)
    let count = Int.random(in: isCalm ? 6...14 : 0...14, using: &random)
    var rows = (0..<count).map { ModelCatalogue.Row("r\($0)") }
    if kind == .duplicates, count > 1 { rows[Int.random(in: 1..<count, using: &random)] = rows[0] }
    if kind == .uploads {
      rows = (0..<count).map {
        .random(id: "\($0 * 10)", day: Int.random(in: 0...20, using: &random), &random)
      }
    }
    if kind == .updates { rows = (0..<count).map { .init("\($0 * 3 + 1)", uploaded: $0 * 3 + 1) } }
    catalogue = ModelCatalogue("model-\(seed)", kind: kind, records: rows)
    // The sizes of a list with a depth divide it, as GBIF's does.
    let sizes =
      canSync
      ? [1, 2] : kind == .duplicates ? [2, 3, 4] : kind == .capped ? [1, 2, 4] : [1, 2, 3, 4]
    query = catalogue.query("q", pageSize: sizes.randomElement(using: &random)!)  // Not empty.
    let fetcher = catalogue
    repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in
      fetcher
    }
    self.store = store
    self.random = random
  }

  mutating func run() async throws -> [String] {
    // Only a later command finds the complete list that a sync without a walk needs.
    for number in 0..<Int.random(in: canSync ? 3...8 : 1...4, using: &random) {
      // A clock that is days ahead, or is put right.
      if random.chance(30) {
        clock.advance(by: .seconds(Int.random(in: -10...10, using: &random) * 86_400))
      }
      if random.chance(fallenSince == nil ? 20 : 60) {
        clock.advance(by: .seconds(Int.random(in: 1...24, using: &random) * 3600))
      }
      let command = try randomCommand()
      log.append("command \(number): \(command)")
      let count = try await repository.stored(query)?.count ?? 0
      let changes = UpstreamChanges(
        random: random, change: change, kind: catalogue.kind, isCalm: isCalm,
        isEndless: random.chance(6),
        hasHiccups: random.chance(40) && count > 0)
      let rows = catalogue.now.rows
      let falls = change == .anything && count >= 10 && random.chance(25)
      let left = random.chance(50) ? 0 : rows.count / 5
      if falls { catalogue.change { $0 = Array($0.prefix(left)) } }
      try await self.run(command, changes: changes)
      if falls, random.chance(50) { catalogue.change { $0 = rows } }
      _ = random.next()
      if !failures.isEmpty { return failures }
    }
    try await checkQuietEnd()
    return failures
  }

  private var canSync: Bool { catalogue.catalogue.incrementalSync != nil }

  private enum Command {
    case fetch(FetchPlan)
    case sync(StoredQuery, rereadingWithin: Duration)
    case refresh(StoredQuery)
  }

  private mutating func randomCommand() throws -> Command {
    if random.chance(canSync ? 60 : 30), let stored = try repository.stored(query) {
      if random.chance(40) { return .refresh(stored) }
      return .sync(
        stored, rereadingWithin: random.chance(80) ? FetchPlan.defaultRereading : .seconds(86_400))
    }
    if random.chance(60) { return .fetch(FetchPlan(.all, verify: random.chance(30))) }
    return .fetch(FetchPlan(.pages(Int.random(in: 1...4, using: &random))))
  }

  private mutating func run(_ command: Command, changes: UpstreamChanges) async throws {
    let before = try await repository.stored(query)
    let rowsBefore = try RowDates(query, in: store)
    let pagesBefore = try store.walkStatus(of: query)?.pages
    // The history is kept: what an earlier run read is still a part of the list.
    catalogue.beforeEachAnswer { upstream, page in changes.act(&upstream, page) }
    var isSecondReading = false
    if case .fetch(let plan) = command { isSecondReading = plan.verify && plan.goal == .all }
    let watch = Watch(
      store: store, query: query, clock, fallenSince: fallenSince,
      isSecondReading: isSecondReading)
    try watch.check(isFirst: true)
    let cutAfter = random.chance(30) ? Int.random(in: 1...8, using: &random) : .max
    let requestsBefore = catalogue.now.requests.count
    let lists = catalogue.now.history.count
    let task = Task { [repository, query, catalogue] in
      let observe: @Sendable (FetchEvent) -> Void = { event in
        watch.note(event)
        if catalogue.now.requests.count - requestsBefore >= cutAfter {
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      return switch command {
      case .fetch(let plan): await repository.fetch(query, plan, observe: observe)
      case .sync(let stored, let within):
        await repository.sync(stored, rereadingWithin: within, observe: observe)
      case .refresh(let stored):
        await repository.load(
          query, RecordingRepository.syncPlan(of: stored), .refresh, observe: observe)
      }
    }
    let report = await task.value
    log += changes.log + watch.log
    log.append(
      "-> \(report.stored.map { "\($0.count) rows, \($0.completeness)" } ?? "nothing"), failed \(report.failedPages.map(\.number)), \(report.failure.map { "\($0)" } ?? "ok")"
    )
    try watch.check(isFirst: false)
    fallenSince = watch.fallenSince
    failures += watch.failures
    tally += changes.tally
    tally += watch.tally
    tally.count(report)
    // Each pass asks for every page once, and for one after the last; a walk that continues asks
    // for page 1 again, and a sync for the uploads and two pages, or for updates and ids; only an
    // answer that fails makes it ask for more.
    let longest = catalogue.now.history.map(\.count).max() ?? 0
    let announced = (longest + query.pageSize - 1) / query.pageSize
    // One that never ends announces one page more, and may send twice as many and ten.
    let pages = changes.isEndless ? (announced + 1) * 2 + 10 : announced
    let updates = catalogue.kind == .updates ? pages * (changes.isEndless ? 2 : 1) : 0
    let totals = [.cursors, .updates].contains(catalogue.kind) ? Self.passLimit : 0
    // And before it is closed, pages that an earlier run read on another day are requested again,
    // and page 1 if the total is made of what is left.
    let bound =
      (Self.passLimit + 1) * (pages + 1) + 4 + updates + totals + changes.tally.failedAnswers
    let asked = catalogue.now.requests[requestsBefore...]
    if asked.count > bound { failures.append("\(asked.count) requests, bound \(bound)") }
    let hadEnd = before?.walkedAt != nil
    failures += try RowDates(query, in: store).problems(after: rowsBefore, report, hadEnd: hadEnd)
    tally.takenBack += watch.moved - report.new - report.gone
    checkDepartures(report, upstream: catalogue.now.history[(lists - 1)...])
    try checkClaim(
      command, report, asked: asked, storedPages: watch.storedPages,
      startedOver: watch.tally.restarts > 0, before: before, pagesBefore: pagesBefore,
      claimedAt: watch.closedAt ?? clock.now)
    if changes.isEndless { tally.endless += 1 }
    if before?.count ?? 0 > 0, report.stored?.count == 0, !catalogue.now.history.contains([]) {
      failures.append("the list was emptied by a hiccup")
    }
  }

  /// What a walk missed is said to be unconfirmed, or to have left.
  ///
  /// - Parameter lists: those that upstream had during the command.
  private mutating func checkDepartures(
    _ report: FetchReport, upstream lists: ArraySlice<[String]>
  ) {
    guard let stored = report.stored, case .complete = stored.completeness else { return }
    let missed = report.goneIDs.filter { id in lists.allSatisfy { $0.contains(id) } }
    if stored.unconfirmedDepartures < missed.count {
      failures.append("\(missed) did not leave, \(stored.unconfirmedDepartures) unconfirmed")
    }
    if !missed.isEmpty { tally.missed += 1 }
    if stored.unconfirmedDepartures > 0 { tally.unconfirmed += 1 }
  }

  /// Compares what the list is called with the lists that upstream really had.
  ///
  /// - Parameters:
  ///   - asked: the pages that were requested.
  ///   - storedPages: those that were stored, in the order of the commits.
  ///   - startedOver: whether the run walked, and started over.
  private mutating func checkClaim(
    _ command: Command, _ report: FetchReport, asked: ArraySlice<Int>, storedPages: [Int],
    startedOver: Bool, before: StoredQuery?,
    pagesBefore: [Int: WalkStatus.PageRecord]?, claimedAt: Date
  ) throws {
    if case .verified? = report.stored?.completeness {
      let contents = try repository.rows(of: query, in: 0..<1000).map {
        "\($0.id.value) \($0.text("text") ?? "")"
      }
      if !catalogue.now.contents.contains(contents) {
        failures.append(
          "verified is claimed wrongly: \(contents) was never upstream's list: \(catalogue.now.contents)"
        )
      }
    }
    guard let stored = report.stored, report.pagesFetched > 0 || report.isIncremental,
      stored.completeness != before?.completeness || report.failure == nil
    else { return }
    // A refresh that finds the rows of page 1 as they were stores nothing but that page, and leaves
    // the claim and the age of the others as they were; other fields make a `verified` list
    // `complete`. A run that stored another page walked, and so did one of a list that is shifted,
    // one that started over, as with a list that has one page left, and one that was cut
    // while its walk was open. What else was requested of a list that stays
    // complete was answered with what changed, in a sync by updates that was given up.
    var isUnchanged = false
    let isOpen = try store.walkStatus(of: query)?.isOpen == true
    let isWeaker = before?.completeness == .verified && stored.completeness == .complete
    if case .refresh = command, report.pagesFetched == 1, storedPages == [1], let before,
      !startedOver, !(isOpen && report.failure == .cancelled),
      asked.allSatisfy({ $0 == 1 }) || [.complete, .verified].contains(before.completeness),
      stored.pagesStored > 1, before.completeness.word != "shifted",
      stored.completeness == before.completeness || isWeaker
    {
      isUnchanged = true
      tally.refreshes += 1
      let pages = try store.walkStatus(of: query)?.pages
      if pages?.filter({ $0.key > 1 }) != pagesBefore?.filter({ $0.key > 1 }) {
        failures.append("a refresh that requests page 1 changes other pages")
      }
      if isWeaker != (before.completeness == .verified && report.changed > 0) {
        failures.append(
          "\(report.changed) changes on page 1 make \(before.completeness) \(stored.completeness)")
      }
    }
    if !report.isIncremental, !isUnchanged, report.failure == nil,
      [.complete, .verified].contains(stored.completeness),
      let status = try store.walkStatus(of: query), !status.isOpen,
      case let pages = status.pages.values,
      pages.contains(where: { abs(claimedAt.timeIntervalSince($0.fetchedAt)) > 86_400 })
    {
      failures.append("\(stored.completeness) at \(claimedAt) spans \(pages.map(\.fetchedAt))")
    }
    // A walk that was not closed leaves the claim of the one before as it was.
    let isClosed = try store.walkStatus(of: query)?.isOpen == false
    if [.cursors, .updates].contains(catalogue.kind), !report.isIncremental, !isUnchanged, isClosed,
      report.failure == nil, report.failedPages.isEmpty,
      [.complete, .verified].contains(stored.completeness)
    {
      let now = catalogue.now
      tally.saidTotals += 1
      if now.said?.total != stored.totals?.recordings || now.said?.requests != now.requests.count {
        failures.append("\(stored.completeness) with a total that was not said at the end")
      }
    }
    let ids = try store.audit(of: query).ids
    let isTrue = catalogue.now.history.contains(ids)
    if report.isIncremental, stored.completeness != .complete {
      failures.append("an incremental sync claims \(stored.completeness)")
    }
    switch stored.completeness {
    // An edit may give a record of `updates` another row.
    case .complete
    where change != .anything && !(change == .onlyEdits && catalogue.kind == .updates) && !isTrue:
      failures.append("complete is claimed wrongly: \(ids)")
    case .verified where change == .onlyEdits: tally.verifiedEdits += 1
    default: break
    }
  }

  /// Without changes upstream: what is left of an interrupted walk is finished, and a walk of its
  /// own is exact.
  private mutating func checkQuietEnd() async throws {
    catalogue.beforeEachAnswer { _, _ in nil }
    if Set(catalogue.ids).count < catalogue.ids.count { return try await checkDuplicates() }
    if catalogue.kind == .capped, catalogue.ids.count > ModelCatalogue.depth {
      try await checkDepth()
    }
    if random.chance(70) { try await checkConvergence() }
    let status = try store.walkStatus(of: query)
    let isContinued = status?.isOpen ?? false
    if isContinued { tally.resumed += 1 }
    let requests = catalogue.now.requests.count
    var report = await quietFetch()
    // Page 1 may be requested twice, for the total.
    let pagesRead = Set(catalogue.now.requests.dropFirst(requests))
    if isContinued, pagesRead.count < report.stored?.pagesStored ?? 0 {
      // Pages that an earlier run had read were kept. What changes on them in between without a
      // change of the total is found by the next walk: an edit, a row replaced by a new one, or a
      // row that was removed before the cursor.
      report = await quietFetch()
    }
    let ids = try store.audit(of: query).ids
    log.append("quiet: \(ids)")
    if ids != catalogue.ids {
      failures.append("the list is not upstream's: \(ids) for \(catalogue.ids)")
    }
    switch report.stored?.completeness {
    case .complete, .verified: break
    case let other: failures.append("a quiet walk ended \(String(describing: other))")
    }
    let again = await repository.fetch(query, FetchPlan(.all))
    if again.stored?.completeness != .verified {
      failures.append("a second quiet walk did not verify")
    }
    if again.new + again.changed + again.gone > 0 {
      failures.append("a quiet walk changed something")
    }
  }

  /// Fetches the list; one that falls once more half a day later.
  private mutating func quietFetch() async -> FetchReport {
    let report = await repository.fetch(query, FetchPlan(.all))
    guard report.stored?.fall != nil else { return report }
    if report.gone > 0 { failures.append("\(report.gone) rows of a list that falls are gone") }
    clock.advance(by: .seconds(13 * 3600))
    return await repository.fetch(query, FetchPlan(.all))
  }

  /// A list that was whole once becomes upstream's, rows and fields, by syncs alone: by the latest
  /// once each page had its turn.
  private mutating func checkConvergence() async throws {
    guard let stored = try await repository.stored(query), stored.walkedAt != nil else { return }
    var current = stored
    var isEqual = false
    for sync in 0..<pageCount + 4 where !isEqual {
      clock.advance(by: .seconds(current.fall == nil ? 3600 : 13 * 3600))
      let report = await repository.sync(current)
      guard let stored = report.stored, report.failure == nil, report.failedPages.isEmpty else {
        return failures.append("a quiet sync failed: \(report)")
      }
      if report.isIncremental, stored.completeness != .complete {
        failures.append("an incremental sync claims \(stored.completeness)")
      }
      if report.isIncremental {
        tally.incremental += 1
      } else if sync > 1 {
        tally.foundByRecheck += 1
      }
      current = stored
      let rows = try repository.rows(of: query, in: 0..<stored.count)
      isEqual =
        rows.map(\.id.value) == catalogue.ids
        && rows.map { $0.text("text") ?? "" } == catalogue.texts
    }
    log.append("after quiet syncs: \(try store.audit(of: query).ids)")
    if !isEqual { failures.append("syncs did not make the list upstream's: \(catalogue.ids)") }
    tally.converged += 1
  }

  /// A list that is longer than can be requested is refused after one page, and keeps what it has;
  /// a shorter one is read.
  private mutating func checkDepth() async throws {
    let before = try store.audit(of: query).ids
    let report = await repository.fetch(query, FetchPlan(.all))
    guard case .fetch(let error, _, _)? = report.failure,
      case .tooDeep(total: _, limit: ModelCatalogue.depth) = error.reason
    else {
      return failures.append("a list that is too long ended \(report)")
    }
    if !Set(try store.audit(of: query).ids).isSuperset(of: before) {
      failures.append("rows are lost: \(before)")
    }
    if report.requests > 3 {
      failures.append("\(report.requests) requests of a list that is too long")
    }
    tally.tooDeep += 1
    catalogue.change { $0 = Array($0.prefix(ModelCatalogue.depth)) }
  }

  /// A list with an id twice, on pages that each have other rows too, has every row and can only be
  /// shifted, after a bounded number of requests.
  private mutating func checkDuplicates() async throws {
    for _ in 0..<2 {
      let report = await repository.fetch(query, FetchPlan(.all))
      let ids = try store.audit(of: query).ids
      log.append("with duplicates: \(ids)")
      guard case .shifted? = report.stored?.completeness else {
        failures.append(
          "a list with an id twice ended \(String(describing: report.stored?.completeness))")
        continue
      }
      tally.duplicates += 1
      if !Set(ids).isSuperset(of: catalogue.ids) {
        failures.append("rows are missing: \(ids) for \(catalogue.ids)")
      }
      if report.requests > Self.passLimit * pageCount + 1 {
        failures.append("\(report.requests) requests of a quiet list")
      }
    }
  }

  /// As `Walk.passLimit`.
  private static let passLimit = 4

  private var pageCount: Int { max(1, (catalogue.ids.count + query.pageSize - 1) / query.pageSize) }
}

/// How often some schedules met what they are for, so that a simulation can show that it tested
/// anything.
struct Tally: Equatable, Sendable {
  /// Changes of the list between two requests, and answers that failed.
  var changes = 0
  var failedAnswers = 0
  /// Answers of an empty list, and commands whose answers had no end.
  var emptyAnswers = 0
  var endless = 0
  /// Fetches that were cancelled, and open walks that a later fetch resumed.
  var cuts = 0
  var resumed = 0
  /// Passes that started over because upstream changed, and second passes to verify.
  var restarts = 0
  var secondPasses = 0
  /// Rows that a finished walk removed from a list.
  var gone = 0
  /// Rows that entered a list and left it, or left it and came back, while one command ran.
  var takenBack = 0
  /// Walks that found less than half of ten or more rows: those that removed no row, and those that
  /// were believed.
  var falls = 0
  var believedFalls = 0
  /// Complete lists with rows that a walk missed, and those with unconfirmed departures.
  var missed = 0
  var unconfirmed = 0
  /// How the lists were left by fetches while upstream changed.
  var partial = 0
  var complete = 0
  var verified = 0
  var shifted = 0
  /// Complete lists whose total was said after their last page was read.
  var saidTotals = 0
  /// Verified lists of a catalogue that changes fields alone.
  var verifiedEdits = 0
  /// Quiet lists with an id twice.
  var duplicates = 0
  /// Syncs without a walk, and those that read a page again that differs.
  var incremental = 0
  var foundByRecheck = 0
  /// Refreshes that found page 1 as it was.
  var refreshes = 0
  /// Quiet lists that are longer than can be requested.
  var tooDeep = 0
  /// Lists that syncs alone made upstream's.
  var converged = 0

  fileprivate mutating func count(_ report: FetchReport) {
    if report.failure == .cancelled { cuts += 1 }
    if report.isIncremental { incremental += 1 }
    guard report.pagesFetched > 0 else { return }
    switch report.stored?.completeness {
    case .partial: partial += 1
    case .complete: complete += 1
    case .verified: verified += 1
    case .shifted: shifted += 1
    case .imported?, nil: break
    }
  }

  static func += (left: inout Tally, right: Tally) {
    for (path, _) in names { left[keyPath: path] += right[keyPath: path] }
  }

  /// Every count with its name.
  static let names: [(path: WritableKeyPath<Tally, Int> & Sendable, name: String)] = [
    (\.changes, "changes"), (\.failedAnswers, "failed answers"),
    (\.emptyAnswers, "empty answers"), (\.saidTotals, "totals said at the end"),
    (\.endless, "commands without an end"), (\.verifiedEdits, "verified despite edits"),
    (\.cuts, "cuts"), (\.resumed, "resumed"),
    (\.restarts, "restarts"), (\.secondPasses, "second passes"), (\.gone, "rows gone"),
    (\.takenBack, "moves taken back"), (\.missed, "with missed rows"),
    (\.unconfirmed, "with unconfirmed departures"), (\.falls, "falls"),
    (\.believedFalls, "falls believed"),
    (\.partial, "partial"),
    (\.complete, "complete"), (\.verified, "verified"), (\.shifted, "shifted"),
    (\.duplicates, "lists with an id twice"),
    (\.tooDeep, "lists that are too long"), (\.incremental, "incremental syncs"),
    (\.refreshes, "refreshes"),
    (\.foundByRecheck, "found by a page read again"), (\.converged, "made upstream's by syncs"),
  ]
}

/// The rows of a list, when each entered it after its first reading, and what left it.
private struct RowDates {
  private var entered: [String: Date?] = [:]
  private let gone: Set<String>

  init(_ query: CatalogueQuery, in store: RecordingStore) throws {
    func ids(_ keys: [Int64]) throws -> [String] {
      try store.recordings(keys).map(\.recording.id.value)
    }
    let keys = try store.keys(of: query)
    for (id, date) in zip(try ids(keys), try store.dates(.entered, of: keys, in: query)) {
      entered.updateValue(date, forKey: id)
    }
    gone = Set(try ids(store.readableKeys(of: query, .left, since: .distantPast).keys))
  }

  /// What a report says of the way from `before` to this that is not so.
  ///
  /// - Parameter hadEnd: whether the list was read to its end before, so that each row that enters
  ///   it has a date.
  func problems(after before: RowDates, _ report: FetchReport, hadEnd: Bool) -> [String] {
    var problems: [String] = []
    func expect(_ isTrue: Bool, _ problem: String) { if !isTrue { problems.append(problem) } }
    let (old, now) = (Set(before.entered.keys), Set(entered.keys))
    let (new, left) = (Set(report.newIDs), Set(report.goneIDs))
    expect(
      new == now.subtracting(old) && report.new == new.count,
      "\(report.new) new: \(new) of \(now), before \(old)")
    expect(
      left == old.subtracting(now) && report.gone == left.count,
      "\(report.gone) gone: \(left) of \(old), now \(now)")
    expect(
      gone == before.gone.union(left).subtracting(now),
      "--gone is \(gone), before \(before.gone), gone \(left)")
    for id in old.intersection(now) {
      expect(entered[id] == before.entered[id], "\(id) stayed, and has another date of entering")
    }
    for id in new where hadEnd {
      expect(entered[id] != .some(nil), "\(id) is new without a date of entering")
    }
    return problems
  }
}

/// Checks the list after every commit.
private final class Watch: Sendable {
  private struct State {
    var shown: [String] = []
    /// Rows that entered the list, and those that left it, between two checks.
    var moved = 0
    var log: [String] = []
    var storedPages: [Int] = []
    var tally = Tally()
    var failures: [String] = []
    var fallenSince: Date?
    var closedAt: Date?
  }

  private let store: RecordingStore
  private let query: CatalogueQuery
  private let clock: ManualClock
  private let isSecondReading: Bool
  private let state = Mutex(State())

  init(
    store: RecordingStore, query: CatalogueQuery, _ clock: ManualClock, fallenSince: Date?,
    isSecondReading: Bool
  ) {
    (self.store, self.query, self.clock) = (store, query, clock)
    self.isSecondReading = isSecondReading
    state.withLock { $0.fallenSince = fallenSince }
  }

  var fallenSince: Date? { state.withLock { $0.fallenSince } }
  /// The time at which a walk was closed last.
  var closedAt: Date? { state.withLock { $0.closedAt } }

  var log: [String] { state.withLock { $0.log } }
  var storedPages: [Int] { state.withLock { $0.storedPages } }
  var moved: Int { state.withLock { $0.moved } }
  var failures: [String] { state.withLock { $0.failures } }
  var tally: Tally { state.withLock { $0.tally } }

  func note(_ event: FetchEvent) {
    switch event {
    case .page(let number, _):
      state.withLock {
        $0.log.append("stored page \(number)")
        $0.storedPages.append(number)
      }
      checkAfterCommit()
    case .closed(let claim, let gone):
      state.withLock {
        $0.log.append("closed \(claim), \(gone) gone")
        $0.closedAt = clock.now
        $0.tally.gone += gone
      }
      checkFall(gone: gone)
      checkAfterCommit(gone: gone)
    case .startingOver(let pass):
      state.withLock {
        $0.log.append("pass \(pass)")
        $0.tally.restarts += 1
      }
    case .verifying:
      state.withLock {
        $0.log.append("verifying")
        $0.tally.secondPasses += 1
      }
    default: break
    }
  }

  /// - Parameter gone: rows that the walk that was just closed has removed.
  private func checkFall(gone: Int) {
    let stored = try? store.stored(query)
    let now = clock.now
    state.withLock { state in
      let before = state.shown.count
      // As for the program, a time in the future is that of a clock that was ahead.
      let since = state.fallenSince.flatMap { $0 <= now ? $0 : nil }
      let carried = stored?.carried ?? 0
      let falls = carried > (stored?.count ?? 0) - carried
      state.fallenSince = falls ? since ?? now : nil
      if falls, before >= 10 { state.tally.falls += 1 }
      guard before >= 10, gone > before - gone else { return }
      state.tally.believedFalls += 1
      if !isSecondReading, since.map({ now.timeIntervalSince($0) < 43_200 }) ?? true {
        state.failures.append("\(gone) of \(before) rows left at once")
      }
    }
  }

  private func checkAfterCommit(gone: Int = 0) {
    do {
      try check(isFirst: false, gone: gone)
    } catch {
      state.withLock { $0.failures.append("the list cannot be read: \(error)") }
    }
  }

  /// - Parameter gone: rows that a finished walk removed since the last check.
  func check(isFirst: Bool, gone: Int = 0) throws {
    let (ids, problems) = try store.audit(of: query)
    state.withLock { state in
      if Set(ids).count != ids.count { state.failures.append("a recording appears twice: \(ids)") }
      state.failures += problems
      let lost = Set(state.shown).subtracting(ids)
      if !isFirst, lost.count > gone { state.failures.append("lost by trying: \(lost.sorted())") }
      if !isFirst { state.moved += Set(state.shown).symmetricDifference(ids).count }
      state.shown = ids
    }
  }
}
