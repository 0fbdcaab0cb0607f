import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper

/// What a run reports of pages that it reads more than once.
@Suite struct `Unreadable records` {
  @Test func `are counted once, however often their page is read`() async throws {
    let server = try ScriptedServer { _ in
      let results = ([1, 1, 2].map(Self.song) + [#""no object""#, "null"]).joined(separator: ",")
      return .json(200, #"{"resultCount":5,"results":[\#(results)]}"#)
    }
    let (repository, query) = try asking(server)
    let report = await repository.fetch(query, FetchPlan(.all))
    // The id that comes twice has the list read again.
    #expect(report.pagesFetched > 1)
    #expect(report.skipped == 2 && report.stored?.skipped == 2)
  }

  @Test func `leave every row in its list, which is shifted until they can be read`() async throws {
    let isBroken = Mutex(false)
    let server = try ScriptedServer { _ in
      let last = isBroken.withLock(\.self) ? "null" : Self.song(3)
      let results = "\(Self.song(1)),\(Self.song(2)),\(last)"
      return .json(200, #"{"resultCount":3,"results":[\#(results)]}"#)
    }
    let (repository, query) = try asking(server)
    let whole = try #require(await repository.fetch(query, FetchPlan(.all)).stored)
    #expect(whole.completeness == .complete)
    isBroken.withLock { $0 = true }
    let report = await repository.sync(whole)
    #expect(report.skipped == 1 && report.gone == 0 && report.stored?.count == 3)
    #expect(report.stored?.completeness.word == "shifted")
    isBroken.withLock { $0 = false }
    let again = await repository.sync(try #require(report.stored))
    #expect(again.new == 0 && again.stored?.completeness == .complete)
  }

  /// A repository that asks the server in place of iTunes, and a query.
  private func asking(_ server: ScriptedServer) throws -> (RecordingRepository, CatalogueQuery) {
    let configuration = RemoteConfiguration(baseURLs: [.itunes: server.url])
    let repository = RecordingRepository(
      store: try .inMemory(), configuration: configuration,
      dependencies: ManualClock().dependencies()
    ) { Catalogues.fetcher(for: $0, configuration: configuration) }
    return (repository, try #require(Catalogues.named(.itunes)).query("examples"))
  }

  private static func song(_ number: Int) -> String {
    #"{"wrapperType":"track","kind":"song","trackId":\#(number),"trackName":"a song"}"#
  }
}

/// iNaturalist's fetcher, the walk and the store against a service on loopback whose list changes.
@Suite struct INaturalistListTests {
  private let service: FakeINaturalist
  private let repository: RecordingRepository
  private let query: CatalogueQuery
  private let clock = ManualClock()

  init() throws {
    let service = try FakeINaturalist(
      (1...10).map { FakeINaturalist.Observation(100 + $0, sounds: $0 % 4 == 0 ? 2 : 1) })
    let configuration = RemoteConfiguration(baseURLs: [.iNaturalist: service.server.url])
    self.service = service
    repository = RecordingRepository(
      store: try .inMemory(), configuration: configuration, dependencies: clock.dependencies()
    ) {
      Catalogues.fetcher(for: $0, configuration: configuration)
    }
    query = try #require(Catalogues.named(.iNaturalist)).query("year:2024", pageSize: 4)
  }

  private func ids() throws -> [String] {
    try repository.rows(of: query, in: 0..<100).map(\.id.value)
  }

  @Test func `a list has a row for each sound, and its total counts observations`() async throws {
    let report = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(try ids() == service.rowIDs && report.stored?.count == 12)
    #expect(report.stored?.records == 10 && report.stored?.totals?.recordings == 10)
    #expect(report.stored?.completeness == .verified)
    let first = [nil, nil, nil, "-1"]
    #expect(service.server.requests.map { $0.query("ttl") } == first + ["-1", "-1", "-1", "-1"])
  }

  @Test
  func
    `sounds that are no rows, and rows that come twice, are counted once however often their page is read`()
    async throws
  {
    service.change { list in
      list[0].sounds = 250
      list.insert(list[1], at: 1)
    }
    let report = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect((report.leftOut, report.repeated) == (50, 1))
    #expect(report.stored?.completeness.word == "shifted")
  }

  @Test func `what enters before the cursor shifts no page, and page 1 shows it`() async throws {
    service.beforeAnswer { list, number in if number == 2 { list.insert(.init(200), at: 0) } }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(service.server.requests.map { $0.query("id_below") }.filter { $0 == nil }.count == 3)
    #expect(report.stored?.completeness == .complete && report.stored?.totals?.recordings == 11)
    #expect(try ids() == service.rowIDs)
  }

  @Test(arguments: [false, true])
  func `a walk that goes on after one left before its cursor has the catalogue's total`(
    syncs: Bool
  ) async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    service.change { $0.removeAll { $0.id == 109 } }
    let stored = try #require(try await repository.stored(query))
    let report =
      syncs ? await repository.sync(stored) : await repository.fetch(query, FetchPlan(.all))
    guard !syncs || report.stored?.next == nil else {
      _ = await repository.fetch(query, FetchPlan(.all))
      #expect(try ids() == service.rowIDs)
      return
    }
    #expect(report.stored?.completeness == .complete && report.stored?.totals?.recordings == 9)
    #expect(try ids() == service.rowIDs)
  }

  @Test func `what enters and leaves ahead of the cursor is read, and the walk starts over`()
    async throws
  {
    service.beforeAnswer { list, number in
      if number == 3 { list.removeAll { $0.id == 101 } }
      if number == 5 { list.insert(.init(90), at: list.count) }
    }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(try ids() == service.rowIDs && report.stored?.completeness == .complete)
  }

  @Test
  func
    `a sync reports the sounds that came, changed and left, those of an observation that stays included`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.all))
    service.change { list in
      list[5].text = "edited"
      list.removeAll { $0.id == 103 }
      if let index = list.firstIndex(where: { $0.id == 108 }) { list[index].sounds = 1 }
      if let index = list.firstIndex(where: { $0.id == 109 }) { list[index].sounds = 2 }
      list.insert(.init(200, sounds: 3), at: 0)
    }
    let report = await repository.sync(try #require(try repository.stored(query)))
    // The rows that 108 and 109 keep have another record than before.
    #expect((report.new, report.changed, report.gone) == (4, 3, 2))
    #expect(try ids() == service.rowIDs && report.stored?.completeness == .complete)
    #expect(report.stored?.records == 10 && report.stored?.count == 14)
  }

  /// More pages than a sync by updates needs requests.
  private func fetchFivePages() async throws -> CatalogueQuery {
    let query = try #require(Catalogues.named(.iNaturalist)).query("year:2024", pageSize: 2)
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.records == 10)
    return query
  }

  @Test func `a page is as old as its request, however long its answer takes`() async throws {
    let (query, clock) = (
      try #require(Catalogues.named(.iNaturalist)).query("year:2024", pageSize: 2), clock
    )
    let start = clock.now
    service.answer { _ in
      clock.advance(by: .seconds(90))
      return nil
    }
    let stored = await repository.fetch(query, FetchPlan(.all)).stored
    #expect(stored?.oldestFetchedAt == start + 90)
    #expect((stored?.newestFetchedAt ?? start) <= clock.now - 90)
  }

  @Test func `empty answers to the requests for ids empty nothing`() async throws {
    let query = try await fetchFivePages()
    service.answer { request in
      request.query("only_id") == nil
        ? nil : #"{"total_results":0,"page":1,"per_page":200,"results":[]}"#
    }
    let report = await repository.sync(try #require(try repository.stored(query)))
    #expect((report.failure, report.gone, report.pagesFetched) == (nil, 0, 6))
    #expect(!report.isIncremental)
    #expect(try repository.rows(of: query, in: 0..<100).map(\.id.value) == service.rowIDs)
    service.answer { _ in nil }
    #expect(await repository.sync(try #require(try repository.stored(query))).isIncremental)
  }

  /// What the answers are that have no end.
  enum Endless: CaseIterable {
    case known, repeated, aboveTheCursor, ascendingOnAPage, descending

    /// The ids of the page before that one.
    func ids(below cursor: Int) -> [Int] {
      switch self {
      case .known: [101 + cursor % 10]
      case .repeated: [5]
      case .aboveTheCursor: [cursor + 1]
      case .ascendingOnAPage: [cursor - 2, cursor - 1]
      case .descending: [cursor - 1]
      }
    }
  }

  @Test(arguments: Endless.allCases, [9, 1_000_000_000])
  func `ids without an end are requested a bounded number of times, whatever total they have`(
    _ ids: Endless, total: Int
  ) async throws {
    let query = try await fetchFivePages()
    let before = service.server.requests.count
    service.answer { request in
      guard request.query("only_id") != nil else { return nil }
      let found = ids.ids(below: request.query("id_below").flatMap { Int($0) } ?? 110)
        .map { #"{"id":\#($0)}"# }.joined(separator: ",")
      return #"{"total_results":\#(total),"page":1,"per_page":200,"results":[\#(found)]}"#
    }
    let report = await repository.sync(try #require(try repository.stored(query)))
    #expect((report.failure, report.gone, report.pagesFetched) == (nil, 0, 6))
    let requests = service.server.requests.dropFirst(before)
    // Ids that are where they may be are requested as often as ten stored records allow.
    #expect(requests.count { $0.query("only_id") != nil } <= (ids == .descending ? 11 : 4))
    #expect(requests.count < 30)
    #expect(try repository.rows(of: query, in: 0..<100).map(\.id.value) == service.rowIDs)
  }

  @Test(arguments: [Endless.known, .repeated, .aboveTheCursor, .ascendingOnAPage])
  func `a walk stops at the first id that is not below the cursor, and says so`(
    _ ids: Endless
  ) async throws {
    let query = try await fetchFivePages()
    let before = service.server.requests.count
    service.answer { request in
      let found = ids.ids(below: request.query("id_below").flatMap { Int($0) } ?? 110)
        .map { FakeINaturalist.Observation($0).json }.joined(separator: ",")
      return #"{"total_results":1000000000,"page":1,"per_page":2,"results":[\#(found)]}"#
    }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(service.server.requests.count - before <= 3)
    guard ids != .ascendingOnAPage else {
      let fault = FetchError.malformed("it has the id 109 where only ids below 108 follow")
      #expect(report.failure == .fetch(fault, catalogue: .iNaturalist, page: 1))
      return
    }
    guard case .malformed(let fault)? = report.failedPages.first?.error.reason else {
      Issue.record("\(report)")
      return
    }
    #expect(fault.hasPrefix("it has the id ") && fault.contains(" where only ids below "))
    #expect(report.stored?.completeness.word == "partial" && report.gone == 0)
    let rows = Set(try repository.rows(of: query, in: 0..<100).map(\.id.value))
    #expect(rows.isSuperset(of: service.rowIDs))
    service.answer { _ in nil }
    let last = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(last.stored?.completeness == .verified)
    #expect(try repository.rows(of: query, in: 0..<100).map(\.id.value) == service.rowIDs)
  }

  @Test func `a list without an end is an error that says so, and nothing that was stored is lost`()
    async throws
  {
    let query = try await fetchFivePages()
    let before = service.server.requests.count
    service.answer { request in
      let cursor = request.query("id_below").flatMap { Int($0) } ?? 500
      let found = FakeINaturalist.Observation(cursor - 1).json
      return #"{"total_results":10,"page":1,"per_page":2,"results":[\#(found)]}"#
    }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(
      report.failure
        == .fetch(FetchError(.endless(pages: 20, announced: 5)), catalogue: .iNaturalist, page: 20)
    )
    #expect(
      report.failure?.localizedDescription == "iNaturalist does not come to the end of this list.")
    #expect(service.server.requests.count - before < 30)
    let rows = Set(try repository.rows(of: query, in: 0..<100).map(\.id.value))
    #expect(rows.isSuperset(of: service.rowIDs))
    #expect(report.stored?.completeness.word == "partial")
    service.answer { _ in nil }
    _ = await repository.fetch(query, FetchPlan(.all))
    #expect(
      await repository.fetch(query, FetchPlan(.all, verify: true)).stored?.completeness == .verified
    )
    #expect(try repository.rows(of: query, in: 0..<100).map(\.id.value) == service.rowIDs)
  }
}

/// Observations on loopback, the latest first, with a list that may change before any answer.
private final class FakeINaturalist: Sendable {
  struct Observation: Sendable {
    let id: Int
    var sounds: Int
    var text = ""

    init(_ id: Int, sounds: Int = 1) {
      self.id = id
      self.sounds = sounds
    }

    var rowIDs: [String] { (0..<sounds).map { "\(id)-\(id * 10 + $0)" } }

    var json: String {
      let sounds = (0..<sounds).map { #"{"id":\#(id * 10 + $0),"file_url":null}"# }.joined(
        separator: ",")
      return #"{"id":\#(id),"created_at":"\#(id)","description":"\#(text)","sounds":[\#(sounds)]}"#
    }
  }

  private final class State: Sendable {
    let list: Mutex<[Observation]>
    let change = Mutex<@Sendable (inout [Observation], Int) -> Void> { _, _ in }
    let odd = Mutex<@Sendable (ScriptedServer.Request) -> String?> { _ in nil }
    let answers = Mutex(0)

    init(_ list: [Observation]) { self.list = Mutex(list) }
  }

  private let state: State
  let server: ScriptedServer

  init(_ list: [Observation]) throws {
    let state = State(list.sorted { $0.id > $1.id })
    self.state = state
    server = try ScriptedServer { request in
      let number = state.answers.withLock { count in
        count += 1
        return count
      }
      if let odd = state.odd.withLock({ $0 })(request) { return .json(200, odd) }
      let change = state.change.withLock { $0 }
      let list = state.list.withLock { list in
        change(&list, number)
        return list
      }
      let below = request.query("id_below").flatMap { Int($0) } ?? .max
      // Nothing is updated after it was created.
      let since = request.query("updated_since").flatMap { Int($0) } ?? 0
      let found = list.filter { $0.id < below && $0.id >= since }
      let size = request.query("per_page").flatMap { Int($0) } ?? 30
      let page = found.prefix(size).map(\.json).joined(separator: ",")
      return .json(
        200, #"{"total_results":\#(found.count),"page":1,"per_page":\#(size),"results":[\#(page)]}"#
      )
    }
  }

  var rowIDs: [String] { state.list.withLock { $0.flatMap(\.rowIDs) } }

  func change(_ body: (inout [Observation]) -> Void) { state.list.withLock { body(&$0) } }

  /// Sets what is answered in place of the list, where that is not `nil`.
  func answer(_ body: @escaping @Sendable (ScriptedServer.Request) -> String?) {
    state.odd.withLock { $0 = body }
  }

  /// Sets what happens to the list before the answer of that number, from 1.
  func beforeAnswer(_ body: @escaping @Sendable (inout [Observation], _ number: Int) -> Void) {
    state.change.withLock { $0 = body }
  }
}

/// GBIF's fetcher, the walk and the store against a service on loopback whose list changes.
@Suite struct GBIFListTests {
  private let service: FakeGBIF
  private let repository: RecordingRepository
  private let query: CatalogueQuery
  private let clock = ManualClock()

  init() throws {
    let service = try FakeGBIF(
      (1...10).map { FakeGBIF.Occurrence($0, sounds: $0 % 4 == 0 ? 2 : 1) })
    let configuration = RemoteConfiguration(baseURLs: [.gbif: service.server.url])
    self.service = service
    repository = RecordingRepository(
      store: try .inMemory(), configuration: configuration, dependencies: clock.dependencies()
    ) {
      Catalogues.fetcher(for: $0, configuration: configuration)
    }
    query = try #require(Catalogues.named(.gbif)).query("cnt:poland", pageSize: 4)
  }

  @Test
  func `a crawl that changes no content changes no row, and what differs besides is reported`()
    async throws
  {
    let first = await repository.fetch(query, FetchPlan(.all))
    #expect(
      first.new == 12 && first.stored?.records == 10 && first.stored?.completeness == .complete)
    service.change { list in for index in list.indices { list[index].crawl += 1 } }
    let second = await repository.fetch(query, FetchPlan(.all))
    #expect(second.changed == 0 && second.stored?.completeness == .verified)
    service.change { list in
      for index in list.indices { list[index].crawl += 1 }
      list[2].locality = "Elsewhere"
      list.remove(at: 6)
      list.insert(.init(50, sounds: 3), at: 4)
    }
    let third = await repository.sync(try #require(try repository.stored(query)))
    #expect((third.new, third.changed, third.gone) == (3, 1, 1))
    #expect(third.stored?.completeness == .complete && third.stored?.count == 14)
  }

  @Test
  func
    `an occurrence that the index has twice ends as shifted, after a bounded number of requests`()
    async throws
  {
    service.change { $0.insert($0[0], at: 1) }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.stored?.completeness == .shifted(rows: 10, total: 11))
    #expect(service.server.requests.count <= 12)
    service.change { $0.remove(at: 0) }
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness == .complete)
  }

  @Test func `too many requests are waited for as long as the service asks`() async throws {
    service.refuse(2)
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.failure == nil && report.stored?.completeness == .complete)
    #expect(clock.slept.filter { $0 == .seconds(3) }.count == 2)
  }
}

/// Occurrences on loopback, in the order given.
private final class FakeGBIF: Sendable {
  struct Occurrence: Sendable {
    let key: Int
    var sounds: Int
    var crawl = 1
    var locality = "Wood"

    init(_ key: Int, sounds: Int = 1) {
      self.key = key
      self.sounds = sounds
    }

    var json: String {
      let sounds = (0..<sounds).map {
        #"{"type":"Sound","identifier":"https://x.example/\#(key)/\#($0).mp3"}"#
      }
      return
        #"{"key":\#(key),"lastCrawled":"\#(crawl)","crawlId":\#(crawl),"locality":"\#(locality)","#
        + #""media":[\#(sounds.joined(separator: ","))],"classifications":{"a":\#(crawl)}}"#
    }
  }

  private final class State: Sendable {
    let list: Mutex<[Occurrence]>
    let refusals = Mutex(0)

    init(_ list: [Occurrence]) { self.list = Mutex(list) }
  }

  private let state: State
  let server: ScriptedServer

  init(_ list: [Occurrence]) throws {
    let state = State(list)
    self.state = state
    server = try ScriptedServer { request in
      let isRefused = state.refusals.withLock { refusals in
        refusals -= 1
        return refusals >= 0
      }
      if isRefused {
        return .json(429, #"["Please use downloads.","Or ask."]"#, headers: ["Retry-After": "3"])
      }
      let list = state.list.withLock { $0 }
      let offset = request.query("offset").flatMap { Int($0) } ?? 0
      let limit = request.query("limit").flatMap { Int($0) } ?? 20
      let page = list.dropFirst(offset).prefix(limit).map(\.json).joined(separator: ",")
      return .json(
        200,
        #"{"offset":\#(offset),"limit":\#(limit),"endOfRecords":\#(offset + limit >= list.count),"count":\#(list.count),"#
          + #""results":[\#(page)],"facets":[]}"#)
    }
  }

  func change(_ body: (inout [Occurrence]) -> Void) { state.list.withLock { body(&$0) } }

  /// Refuses as many requests as too many.
  func refuse(_ count: Int) { state.refusals.withLock { $0 = count } }
}

/// Records of one page need not have the same fields.
@Suite struct FieldNameTests {
  @Test
  func `every field that a page's records have is known, in the order of its first appearance`()
    async throws
  {
    let records = [
      #"{"id":"1","en":"Robin"}"#, #"{"id":"2","en":"Wren"}"#, #"{"id":"3","en":"Jay","mic":"x"}"#,
      #"{"en":"Rook","id":"4"}"#,
      #"{"id":"5","en":"Crow"}"#, #"{"id":"6","new":{"a":1}}"#,
    ]
    let page =
      #"{"numRecordings":"6","numPages":1,"page":1,"recordings":[\#(records.joined(separator: ","))]}"#
    let server = try ScriptedServer { _ in .json(200, page) }
    let configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url], key: { _ in APIKey("canary") })
    let store = try RecordingStore.inMemory()
    let repository = RecordingRepository(
      store: store, configuration: configuration, dependencies: ManualClock().dependencies()
    ) { Catalogues.fetcher(for: $0, configuration: configuration) }
    let query = try #require(Catalogues.named(.xenoCanto)).query("grp:birds")
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.count == 6)
    #expect(try store.fieldNames(of: .xenoCanto) == ["id", "en", "mic", "new"])
  }
}
