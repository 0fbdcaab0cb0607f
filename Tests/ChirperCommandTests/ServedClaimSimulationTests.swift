import Chirper
import ChirperModel
import ChirperRemote
import ChirperTestSupport
import Foundation
import NIOHTTP1
import Testing

@testable import ChirperServer

/// A list on its way from xeno-canto to a lab, whose server a chirper at home asks, under seeded
/// schedules of changes upstream, of commands at the lab while home reads, of cuts, and of a server
/// that is started again. The server and both fetchers are the real ones, without sockets.
///
/// `CHIRPER_SIMULATION_COUNT` sets how many run, a sixth of it; `CHIRPER_SEED` is the first seed.
struct ServedClaimSimulationTests {
  @Test func `no claim at home is false, whatever happens at the lab and upstream`() async throws {
    let environment = ProcessInfo.processInfo.environment
    let count = (environment["CHIRPER_SIMULATION_COUNT"].flatMap(Int.init) ?? 600) / 6
    let first =
      environment["CHIRPER_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000_000)
    print("simulation of a server in the middle: seeds from \(first), \(count)")
    var tally: [String: Int] = [:]
    try await withThrowingTaskGroup(of: [String: Int].self) { group in
      for seed in 0..<count {
        if seed >= 4, let done = try await group.next() { tally.merge(done, uniquingKeysWith: +) }
        group.addTask {
          var home = try Home(seed: first + UInt64(seed))
          return try await home.run()
        }
      }
      for try await done in group { tally.merge(done, uniquingKeysWith: +) }
    }
    print("simulation of a server in the middle: \(tally)")
    guard count >= 50 else { return }
    for (what, perHundred) in [
      ("partial", 30), ("complete", 30), ("verified", 40), ("not there", 3), ("cut", 20),
      ("changed meanwhile", 20),
    ] {
      #expect(tally[what, default: 0] > count * perHundred / 100, "\(what): \(tally)")
    }
  }
}

/// The rows of a list: what they say, by their ids.
private typealias ListRows = [String: String]

private func rows(of query: CatalogueQuery, in repository: RecordingRepository) throws -> ListRows {
  let reader = try ListReader(repository, [query])
  return Dictionary(
    uniqueKeysWithValues: try reader.rows(0..<reader.count).map {
      ($0.id.value, $0["q"]?.text ?? "")
    })
}

/// xeno-canto, whose list changes now and then before it answers.
private actor Upstream {
  private var random: SeededRandom
  private var list: [(id: Int, quality: String)]
  private(set) var history: Set<ListRows> = []

  init(_ random: SeededRandom) {
    self.random = random
    list = (1...Int.random(in: 30...120, using: &self.random)).map { (1000 - $0, "A") }
    history = [Self.rows(list)]
  }

  private static func rows(_ list: [(id: Int, quality: String)]) -> ListRows {
    Dictionary(uniqueKeysWithValues: list.map { ("\($0.id)", $0.quality) })
  }

  private func change() {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: list.insert(((list.first?.id ?? 1000) + 1, "B"), at: 0)
    case 1 where list.count > 1: list.remove(at: Int.random(in: list.indices, using: &random))
    default: list[Int.random(in: list.indices, using: &random)].quality += "C"
    }
    history.insert(Self.rows(list))
  }

  func answer(_ url: URL) -> CatalogueClient.Response {
    if random.chance(12) { change() }
    if random.chance(4) { return CatalogueClient.Response(status: 503, body: "".utf8) }
    let page = url.number("page")
    let pages = max(1, (list.count + 49) / 50)
    let shown = page > pages ? [] : list[(page - 1) * 50..<min(page * 50, list.count)]
    let records = shown.map { #"{"id":"\#($0.id)","gen":"Aus","q":"\#($0.quality)"}"# }
    return CatalogueClient.Response(
      body: """
        {"numRecordings":"\(list.count)","numSpecies":"1","page":\(page),"numPages":\(pages),\
        "recordings":[\(records.joined(separator: ","))]}
        """.utf8)
  }
}

/// A chirper that reads the list, and the API of its server.
private actor Lab {
  /// The list after one of its commands.
  struct State {
    let claim: StoredQuery.Completeness
    let rows: ListRows
    let oldest: Date
  }

  private let repository: RecordingRepository
  private let query: CatalogueQuery
  private var random: SeededRandom
  private var api: RecordingsAPI
  private(set) var states: [State] = []
  private(set) var commands = 0

  init(_ upstream: Upstream, _ query: CatalogueQuery, _ clock: ManualClock, _ random: SeededRandom)
    throws
  {
    var configuration = RemoteConfiguration()
    configuration.key = { _ in APIKey("k") }
    configuration.transport = { url, _, _ in await upstream.answer(url) }
    repository = try .inMemory(configuration: configuration, dependencies: clock.dependencies())
    api = RecordingsAPI(repository: repository)
    self.query = query
    self.random = random
  }

  func work() async throws {
    commands += 1
    let stored = try await repository.stored(query)
    if let stored, random.chance(40) {
      _ = await repository.sync(stored)
    } else if random.chance(70) {
      _ = await repository.fetch(query, FetchPlan(.all, verify: random.chance(70)))
    } else {
      _ = await repository.fetch(query, FetchPlan(.pages(1)))
    }
    guard let list = try await repository.stored(query), list.count > 0 else { return }
    states.append(
      State(
        claim: list.completeness, rows: try rows(of: query, in: repository),
        oldest: list.oldestFetchedAt))
  }

  /// The server's answer, before which the lab may go on and the server be started again.
  func answer(_ url: URL, _ headers: [String: String]) async throws -> CatalogueClient.Response {
    if random.chance(15) { try await work() }
    if random.chance(40) { api = RecordingsAPI(repository: repository) }
    var head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "\(url.path)?\(url.query ?? "")")
    for (name, value) in headers { head.headers.add(name: name, value: value) }
    var request = Request(head)
    request.hasExclusiveAccess = true
    let answer = try api.answer(request, .three)
    guard case .bytes(let body) = answer.body else { return .init(status: 500, body: "".utf8) }
    return CatalogueClient.Response(
      status: Int(answer.status.code),
      headers: Dictionary(answer.headers.map { ($0.name, $0.value) }) { first, _ in first },
      body: body)
  }
}

/// A chirper that reads the list from the lab's server.
private struct Home {
  private let upstream: Upstream
  private let lab: Lab
  private let repository: RecordingRepository
  private let query: CatalogueQuery
  private let clock = ManualClock()
  private var random: SeededRandom
  private let seed: UInt64

  init(seed: UInt64) throws {
    self.seed = seed
    var random = SeededRandom(seed: seed)
    upstream = Upstream(SeededRandom(seed: random.next()))
    let catalogue = try #require(Catalogues.named(.xenoCanto))
    query = try catalogue.query("gen:aus", pageSize: 50)
    lab = try Lab(upstream, query, clock, SeededRandom(seed: random.next()))
    var configuration = RemoteConfiguration()
    configuration.baseURLs[.xenoCanto] = URL(string: "http://127.0.0.1:8642")
    configuration.server = .init(token: nil)
    configuration.transport = { [lab] url, headers, _ throws(FetchError) in
      do {
        return try await lab.answer(url, headers)
      } catch {
        throw FetchError(error)
      }
    }
    repository = try .inMemory(configuration: configuration, dependencies: clock.dependencies())
    self.random = random
  }

  mutating func run() async throws -> [String: Int] {
    var tally: [String: Int] = [:]
    // The commands of the lab when the reading began, which a later run may continue.
    var before = 0
    for _ in 0..<Int.random(in: 2...4, using: &random) {
      if random.chance(80) { try await lab.work() }
      clock.advance(by: .seconds(Int.random(in: 0...40_000, using: &random)))
      let stored = try await repository.stored(query)
      if stored?.next == nil { before = await lab.commands }
      let plan =
        random.chance(75)
        ? FetchPlan(.all, verify: random.chance(60)) : FetchPlan(.pages(1))
      let events = random.chance(25) ? Int.random(in: 2...9, using: &random) : .max
      let report = await fetch(plan, most: events)
      if events < .max { tally["cut", default: 0] += 1 }
      let isCalm = await lab.commands == before
      if !isCalm { tally["changed meanwhile", default: 0] += 1 }
      guard let list = report.stored, list.count > 0 else {
        tally["not there", default: 0] += 1
        continue
      }
      tally[list.completeness.word, default: 0] += 1
      // A later fetch of a page leaves the claim of the last reading.
      if list.walkedAt != stored?.walkedAt { try await check(list, isCalm: isCalm) }
    }
    return tally
  }

  private func fetch(_ plan: FetchPlan, most: Int) async -> FetchReport {
    let events = Locked(0)
    return await Task { [repository, query] in
      await repository.fetch(query, plan) { _ in
        let count = events.withLock { count in
          count += 1
          return count
        }
        if count >= most { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }.value
  }

  private func check(_ list: StoredQuery, isCalm: Bool) async throws {
    let found = try rows(of: query, in: repository)
    let states = await lab.states
    let newest = states.map(\.oldest).max() ?? .distantPast
    #expect(list.oldestFetchedAt <= newest, "seed \(seed): newer than the lab's list")
    switch list.completeness {
    case .complete, .verified:
      let whole = states.filter { [.complete, .verified].contains($0.claim) }
      // Of a list that changes while it is read, a reading that is not verified may miss a row.
      #expect(
        whole.contains { isCalm ? $0.rows == found : $0.rows.count == found.count },
        "seed \(seed): \(list.completeness)")
    default: return
    }
    if list.completeness == .verified {
      let isTrue = await upstream.history.contains(found)
      #expect(isTrue, "seed \(seed): verified, and xeno-canto never had it")
      #expect(states.contains { $0.claim == .verified && $0.rows == found }, "seed \(seed)")
    }
  }
}

extension URL {
  fileprivate func number(_ name: String) -> Int {
    let items = URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems
    return items?.first { $0.name == name }?.value.flatMap { Int($0) } ?? 1
  }
}
