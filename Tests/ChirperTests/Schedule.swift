import Chirper
import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization

/// One seeded run: a few commands against a catalogue that changes under them, then a quiet end.
///
/// Checked after every commit: no doubles, whole pages, nothing shown lost by trying. Checked at each claim: `complete`
/// is true where upstream only grew or only shrank, `verified` always, of some moment of the run. Checked at the end:
/// one undisturbed walk gives upstream's list.
struct Schedule {
  let catalogue: ModelCatalogue
  private(set) var log: [String] = []
  private var failures: [String] = []
  private var random: SeededRandom
  private let store: RecordingStore
  private let repository: RecordingRepository
  private let query: SearchQuery
  private let clock = ManualClock()

  /// What may happen upstream in this run.
  private enum Weather: CaseIterable {
    case grows, shrinks, anything
  }

  private let weather: Weather

  init(seed: UInt64, store: RecordingStore) {
    var random = SeededRandom(seed: seed)
    let kind = ModelCatalogue.Kind.allCases.randomElement(using: &random)!  // Safe: the list is not empty.
    weather = Weather.allCases.randomElement(using: &random)!  // Safe: the list is not empty.
    let count = Int.random(in: 0...14, using: &random)
    catalogue = ModelCatalogue("model-\(seed)", kind: kind, rows: (0..<count).map { "r\($0)" })
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
      try await self.run(plan, upset: Upset(random: random, weather: weather == .grows ? 0 : weather == .shrinks ? 1 : 2))
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

  private mutating func run(_ plan: FetchPlan, upset: Upset) async throws {
    let before = try repository.stored(query)
    // Whatever was read by earlier runs counts as read under the lists of then, so the history goes on.
    catalogue.beforeEachAnswer { world, page in upset.act(&world, page) }
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
    log += upset.log + watch.log
    log.append(
      "-> \(report.stored.map { "\($0.count) rows, \($0.completeness)" } ?? "nothing"), failed \(report.failedPages.map(\.number)), \(report.failure.map { "\($0)" } ?? "ok")"
    )
    try watch.check(isFirst: false)
    failures += watch.failures
    let asked = catalogue.now.requests.count - requestsBefore
    let bound = 4 * 5 * (catalogue.now.history.map(\.count).max() ?? 0 + 3)
    if asked > bound + 60 { failures.append("\(asked) requests, bound \(bound)") }
    try checkClaim(report, before: before)
  }

  /// What a claim means against what upstream really was.
  private mutating func checkClaim(_ report: FetchReport, before: StoredQuery?) throws {
    guard let stored = report.stored, report.pagesFetched > 0,
      stored.completeness != before?.completeness || report.failure == nil
    else { return }
    let ids = try store.audit(of: query).ids
    let isTrue = catalogue.now.history.contains(ids)
    switch stored.completeness {
    case .complete where weather != .anything && !isTrue:
      failures.append("complete is claimed wrongly: \(ids)")
    case .verified where !isTrue:
      failures.append("verified is claimed wrongly: \(ids) was never upstream's list: \(catalogue.now.history)")
    default: break
    }
  }

  /// Once upstream stands still: what is left of an interrupted walk is finished, and a walk of its own is exact.
  private mutating func checkQuietEnd() async throws {
    catalogue.beforeEachAnswer { _, _ in nil }
    let status = try store.walkStatus(of: query)
    let isContinued = status?.isOpen ?? false
    var report = await repository.fetch(query, FetchPlan(.all))
    if isContinued, report.pagesFetched < pageCount {
      // It took over pages that an earlier run had read; a balanced shift in between shows in no count.
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

  private var pageCount: Int { max(1, (catalogue.ids.count + query.pageSize - 1) / query.pageSize) }
}

/// What happens upstream between requests, by chance.
private final class Upset: Sendable {
  private struct State {
    var random: SeededRandom
    var fresh: Int
    var log: [String] = []
  }

  private let state: Mutex<State>
  private let weather: Int

  init(random: SeededRandom, weather: Int) {
    var random = random
    self.weather = weather
    state = Mutex(State(random: random, fresh: Int(random.next() % 1_000_000) * 100))
  }

  var log: [String] { state.withLock { $0.log } }

  func act(_ world: inout ModelCatalogue.World, _ page: Int) -> FetchError? {
    state.withLock { state in
      while state.random.chance(18) { change(&world.rows, &state) }
      let error: FetchError? =
        state.random.chance(6) ? .serverBusy(status: 503, retryAfter: nil) : state.random.chance(2) ? .malformed("cut") : nil
      state.log.append("page \(page) of \(world.rows.map(\.id))\(error.map { " fails: \($0)" } ?? "")")
      return error
    }
  }

  private func change(_ rows: inout [ModelCatalogue.Row], _ state: inout State) {
    let kind = weather == 0 ? 0 : weather == 1 ? 1 : Int.random(in: 0...3, using: &state.random)
    switch kind {
    case 0:
      state.fresh += 1
      rows.insert(.init("n\(state.fresh)"), at: Int.random(in: 0...rows.count, using: &state.random))
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

/// Looks at the list after every commit.
private final class Watch: Sendable {
  private struct State {
    var shown: [String] = []
    var log: [String] = []
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

  func note(_ event: FetchEvent) {
    switch event {
    case .page(let number, _):
      state.withLock { $0.log.append("stored page \(number)") }
      try? check(isFirst: false)
    case .closed(let claim, let gone):
      state.withLock { $0.log.append("closed \(claim), \(gone) gone") }
      try? check(isFirst: false, gone: gone)
    case .startingOver(let pass): state.withLock { $0.log.append("pass \(pass)") }
    case .verifying: state.withLock { $0.log.append("verifying") }
    default: break
    }
  }

  /// - Parameter gone: rows that a finished walk took out since the last look.
  func check(isFirst: Bool, gone: Int = 0) throws {
    let (ids, problems) = try store.audit(of: query)
    state.withLock { state in
      if Set(ids).count != ids.count { state.failures.append("a recording stands twice: \(ids)") }
      state.failures += problems
      let lost = Set(state.shown).subtracting(ids)
      if !isFirst, lost.count > gone { state.failures.append("lost by trying: \(lost.sorted())") }
      state.shown = ids
    }
  }
}
