import Chirper
import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization

/// One seeded run: a few commands against a catalogue that changes meanwhile, then a fetch without changes.
///
/// Checked after every commit: no recording appears twice, pages are whole, trying loses nothing. Checked when a list is
/// called `complete` or `verified`: upstream had exactly this list at some moment of the run (`complete` only where
/// upstream just grew or just shrank). Checked at the end: one walk without changes gives upstream's list.
struct Schedule {
  let catalogue: ModelCatalogue
  private(set) var log: [String] = []
  /// What this run met.
  private(set) var tally = Tally()
  private var failures: [String] = []
  private var random: SeededRandom
  private let store: RecordingStore
  private let repository: RecordingRepository
  private let query: SearchQuery
  private let clock = ManualClock()

  /// What may happen upstream in this run.
  fileprivate enum Change: CaseIterable {
    case onlyGrows, onlyShrinks, anything
  }

  private let change: Change

  init(seed: UInt64, store: RecordingStore) {
    var random = SeededRandom(seed: seed)
    let kind = ModelCatalogue.Kind.allCases.randomElement(using: &random)!  // Safe: the list is not empty.
    change = Change.allCases.randomElement(using: &random)!  // Safe: the list is not empty.
    let count = Int.random(in: 0...14, using: &random)
    var rows = (0..<count).map { "r\($0)" }
    if kind == .duplicates, count > 1 { rows[Int.random(in: 1..<count, using: &random)] = rows[0] }
    catalogue = ModelCatalogue("model-\(seed)", kind: kind, rows: rows)
    query = catalogue.query("q", pageSize: Int.random(in: 1...4, using: &random))
    let fetcher = catalogue
    repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in fetcher }
    self.store = store
    self.random = random
  }

  mutating func run() async throws -> [String] {
    for command in 0..<Int.random(in: 1...4, using: &random) {
      let plan = randomPlan()
      log.append("command \(command): \(plan.goal)\(plan.verify ? " --verify" : "")")
      try await self.run(plan, changes: UpstreamChanges(random: random, change: change))
      _ = random.next()
      if !failures.isEmpty { return failures }
    }
    try await checkQuietEnd()
    return failures
  }

  private mutating func randomPlan() -> FetchPlan {
    if random.chance(60) { return FetchPlan(.all, verify: random.chance(30)) }
    return FetchPlan(.pages(Int.random(in: 1...4, using: &random)))
  }

  private mutating func run(_ plan: FetchPlan, changes: UpstreamChanges) async throws {
    let before = try repository.stored(query)
    // The history is kept: what an earlier run read is still a part of the list.
    catalogue.beforeEachAnswer { upstream, page in changes.act(&upstream, page) }
    let watch = Watch(store: store, query: query)
    try watch.check(isFirst: true)
    let cutAfter = random.chance(30) ? Int.random(in: 1...8, using: &random) : .max
    let requestsBefore = catalogue.now.requests.count
    let task = Task { [repository, query, catalogue] in
      await repository.fetch(query, plan) { event in
        watch.note(event)
        if catalogue.now.requests.count - requestsBefore >= cutAfter { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    let report = await task.value
    log += changes.log + watch.log
    log.append(
      "-> \(report.stored.map { "\($0.count) rows, \($0.completeness)" } ?? "nothing"), failed \(report.failedPages.map(\.number)), \(report.failure.map { "\($0)" } ?? "ok")"
    )
    try watch.check(isFirst: false)
    failures += watch.failures
    tally += changes.tally
    tally += watch.tally
    tally.count(report)
    // Each pass asks for every page once, and for one behind the last; the first may ask for page 1 again, and only an answer
    // that fails makes it ask for more.
    let longest = catalogue.now.history.map(\.count).max() ?? 0
    let pages = (longest + query.pageSize - 1) / query.pageSize
    let bound = Self.passLimit * (pages + 1) + 1 + changes.tally.failedAnswers
    let asked = catalogue.now.requests.count - requestsBefore
    if asked > bound { failures.append("\(asked) requests, bound \(bound)") }
    try checkClaim(report, before: before)
  }

  /// Compares what the list is called with the lists that upstream really had.
  private mutating func checkClaim(_ report: FetchReport, before: StoredQuery?) throws {
    guard let stored = report.stored, report.pagesFetched > 0,
      stored.completeness != before?.completeness || report.failure == nil
    else { return }
    let ids = try store.audit(of: query).ids
    let isTrue = catalogue.now.history.contains(ids)
    switch stored.completeness {
    case .complete where change != .anything && !isTrue:
      failures.append("complete is claimed wrongly: \(ids)")
    case .verified where !isTrue:
      failures.append("verified is claimed wrongly: \(ids) was never upstream's list: \(catalogue.now.history)")
    default: break
    }
  }

  /// Without changes upstream: what is left of an interrupted walk is finished, and a walk of its own is exact.
  private mutating func checkQuietEnd() async throws {
    catalogue.beforeEachAnswer { _, _ in nil }
    if Set(catalogue.ids).count < catalogue.ids.count { return try await checkDuplicates() }
    let status = try store.walkStatus(of: query)
    let isContinued = status?.isOpen ?? false
    if isContinued { tally.resumed += 1 }
    var report = await repository.fetch(query, FetchPlan(.all))
    if isContinued, report.pagesFetched < pageCount {
      // It kept pages that an earlier run had read; as many rows added as removed in between show in no count.
      report = await repository.fetch(query, FetchPlan(.all))
    }
    let ids = try store.audit(of: query).ids
    log.append("quiet: \(ids)")
    if ids != catalogue.ids { failures.append("the list is not upstream's: \(ids) for \(catalogue.ids)") }
    switch report.stored?.completeness {
    case .complete, .verified: break
    case let other: failures.append("a quiet walk ended \(String(describing: other))")
    }
    let again = await repository.fetch(query, FetchPlan(.all))
    if again.stored?.completeness != .verified { failures.append("a second quiet walk did not verify") }
    if again.new + again.changed + again.gone > 0 { failures.append("a quiet walk changed something") }
  }

  /// A list with an id twice has every row and can only be shifted, after a bounded number of requests.
  private mutating func checkDuplicates() async throws {
    for _ in 0..<2 {
      let report = await repository.fetch(query, FetchPlan(.all))
      let ids = try store.audit(of: query).ids
      log.append("with duplicates: \(ids)")
      guard case .shifted? = report.stored?.completeness else {
        failures.append("a list with an id twice ended \(String(describing: report.stored?.completeness))")
        continue
      }
      tally.duplicates += 1
      if !Set(ids).isSuperset(of: catalogue.ids) { failures.append("rows are missing: \(ids) for \(catalogue.ids)") }
      if report.requests > Self.passLimit * pageCount + 1 { failures.append("\(report.requests) requests of a quiet list") }
    }
  }

  /// As `Walk.passLimit`.
  private static let passLimit = 4

  private var pageCount: Int { max(1, (catalogue.ids.count + query.pageSize - 1) / query.pageSize) }
}

/// How often some schedules met what they are for, so that a simulation can show that it tested anything.
struct Tally: Equatable, Sendable {
  /// Changes of the list between two requests, and answers that failed.
  var changes = 0
  var failedAnswers = 0
  /// Fetches that were cancelled, and open walks that a later fetch resumed.
  var cuts = 0
  var resumed = 0
  /// Passes that started over because upstream changed, and second passes to verify.
  var restarts = 0
  var secondPasses = 0
  /// Rows that a finished walk removed from a list.
  var gone = 0
  /// How the lists were left by fetches while upstream changed.
  var partial = 0
  var complete = 0
  var verified = 0
  var shifted = 0
  /// Quiet lists with an id twice.
  var duplicates = 0

  fileprivate mutating func count(_ report: FetchReport) {
    if report.failure == .cancelled { cuts += 1 }
    guard report.pagesFetched > 0 else { return }
    switch report.stored?.completeness {
    case .partial: partial += 1
    case .complete: complete += 1
    case .verified: verified += 1
    case .shifted: shifted += 1
    case nil: break
    }
  }

  static func += (left: inout Tally, right: Tally) {
    for (path, _) in names { left[keyPath: path] += right[keyPath: path] }
  }

  /// Every count with its name.
  static let names: [(path: WritableKeyPath<Tally, Int> & Sendable, name: String)] = [
    (\.changes, "changes"), (\.failedAnswers, "failed answers"), (\.cuts, "cuts"), (\.resumed, "resumed"),
    (\.restarts, "restarts"), (\.secondPasses, "second passes"), (\.gone, "rows gone"), (\.partial, "partial"),
    (\.complete, "complete"), (\.verified, "verified"), (\.shifted, "shifted"), (\.duplicates, "lists with an id twice"),
  ]
}

/// What happens upstream between requests, by chance.
private final class UpstreamChanges: Sendable {
  private struct State {
    var random: SeededRandom
    var fresh: Int
    var log: [String] = []
    var tally = Tally()
  }

  private let state: Mutex<State>
  private let change: Schedule.Change

  init(random: SeededRandom, change: Schedule.Change) {
    var random = random
    self.change = change
    state = Mutex(State(random: random, fresh: Int(random.next() % 1_000_000) * 100))
  }

  var log: [String] { state.withLock { $0.log } }
  var tally: Tally { state.withLock { $0.tally } }

  func act(_ upstream: inout ModelCatalogue.Upstream, _ page: Int) -> FetchError? {
    state.withLock { state in
      while state.random.chance(18) { change(&upstream.rows, &state) }
      let error: FetchError? =
        state.random.chance(6) ? .serverBusy(status: 503, retryAfter: nil) : state.random.chance(2) ? .malformed("cut") : nil
      if error != nil { state.tally.failedAnswers += 1 }
      state.log.append("page \(page) of \(upstream.rows.map(\.id))\(error.map { " fails: \($0)" } ?? "")")
      return error
    }
  }

  private func change(_ rows: inout [ModelCatalogue.Row], _ state: inout State) {
    let kind =
      switch change {
      case .onlyGrows: 0
      case .onlyShrinks: 1
      case .anything: Int.random(in: 0...3, using: &state.random)
      }
    let before = rows
    defer { if rows != before { state.tally.changes += 1 } }
    switch kind {
    case 0:
      state.fresh += 1
      // Where pages follow ids, the letter decides the place.
      let letter = ["a", "n", "r", "z"].randomElement(using: &state.random) ?? "n"
      rows.insert(.init("\(letter)\(state.fresh)"), at: Int.random(in: 0...rows.count, using: &state.random))
    case 1 where !rows.isEmpty:
      rows.remove(at: Int.random(in: 0..<rows.count, using: &state.random))
    case 2 where !rows.isEmpty:
      let row = rows.remove(at: Int.random(in: 0..<rows.count, using: &state.random))
      rows.insert(row, at: Int.random(in: 0...rows.count, using: &state.random))
    case 3 where !rows.isEmpty:
      rows[Int.random(in: 0..<rows.count, using: &state.random)].text += "x"
    default: break
    }
  }
}

/// Checks the list after every commit.
private final class Watch: Sendable {
  private struct State {
    var shown: [String] = []
    var log: [String] = []
    var tally = Tally()
    var failures: [String] = []
  }

  private let store: RecordingStore
  private let query: SearchQuery
  private let state = Mutex(State())

  init(store: RecordingStore, query: SearchQuery) {
    self.store = store
    self.query = query
  }

  var log: [String] { state.withLock { $0.log } }
  var failures: [String] { state.withLock { $0.failures } }
  var tally: Tally { state.withLock { $0.tally } }

  func note(_ event: FetchEvent) {
    switch event {
    case .page(let number, _):
      state.withLock { $0.log.append("stored page \(number)") }
      checkAfterCommit()
    case .closed(let claim, let gone):
      state.withLock {
        $0.log.append("closed \(claim), \(gone) gone")
        $0.tally.gone += gone
      }
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
      state.shown = ids
    }
  }
}
