import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

@Suite struct SyncTests {
  /// 7 pages of 50; the largest lists of the service have 277, and are synced the same way.
  let xenoCanto: FakeXenoCanto
  let clock = ManualClock()
  let store: RecordingStore
  let repository: RecordingRepository
  let query: CatalogueQuery

  init() async throws {
    let rows = (1...330).map {
      FakeXenoCanto.Record(
        $0, ["alba", "alpina", "minor"][$0 % 3], quality: ["A", "B", "no score"][$0 % 5 % 3],
        uploaded: "20\(10 + $0 / 28)-01-\(10 + $0 % 28 / 2)")
    }
    xenoCanto = try FakeXenoCanto(records: rows)
    store = try RecordingStore.inMemory()
    let configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: xenoCanto.server.url], key: { _ in APIKey("canary") })
    repository = RecordingRepository(store: store, dependencies: clock.dependencies()) {
      Catalogues.fetcher(for: $0, configuration: configuration)
    }
    query = try #require(Catalogues.named(.xenoCanto)).query("gen:Genus", pageSize: 50)
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.stored?.completeness == .complete)
    clock.advance(by: .seconds(86_400))
  }

  func sync() async throws -> (FetchReport, requests: Int) {
    let before = xenoCanto.requests.count
    let stored = try #require(try await repository.stored(query))
    let report = await repository.sync(stored)
    return (report, xenoCanto.requests.count - before)
  }

  func ids() throws -> [String] { try store.audit(of: query).ids }

  @Test func `nothing new costs three requests and writes no row`() async throws {
    let writes = try RowWriteCounter(of: store)
    let (report, requests) = try await sync()
    #expect(requests == 3)
    #expect(report.isIncremental)
    #expect((report.new, report.changed, report.gone) == (0, 0, 0))
    #expect(try writes.count() == 0)
    #expect(report.stored?.checkedAt == clock.now)
    #expect(report.stored?.completeness == .complete)
  }

  @Test
  func
    `the uploads since the newest one are requested first, then page 1, then the page read longest ago`()
    async throws
  {
    let before = xenoCanto.requests.count
    _ = try await sync()
    let requests = xenoCanto.requests[before...]
    // The newest upload of the list has that day, whatever this machine's clock says.
    #expect(
      requests.map { $0.query("query") } == [
        "gen:Genus since:2021-01-21", "gen:Genus", "gen:Genus",
      ])
    #expect(xenoCanto.pagesAsked[before...] == [1, 1, 2])
  }

  @Test func `an upload is found although this machine's clock is years ahead`() async throws {
    xenoCanto.change { $0.append(.init(900, "alba", uploaded: "2021-02-01")) }
    let (report, requests) = try await sync()
    #expect((report.new, requests) == (1, 3))
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a sync without a walk claims at most complete, and keeps the day of the last walk`()
    async throws
  {
    let walk = clock.now
    let verified = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(verified.stored?.completeness == .verified)
    #expect(verified.stored?.checkedAt == nil)
    clock.advance(by: .seconds(9 * 86_400))
    let (report, _) = try await sync()
    #expect(report.stored?.completeness == .complete)
    #expect(report.stored?.checkedAt == clock.now)
    let walkedAt = try #require(report.stored?.walkedAt)
    #expect(walkedAt >= walk && walkedAt < walk + 60)
  }

  @Test func `a list of a few pages is walked, which takes no more requests`() async throws {
    let short = try #require(Catalogues.named(.xenoCanto)).query("gen:Genus", pageSize: 110)
    _ = await repository.fetch(short, FetchPlan(.all))
    let report = await repository.sync(try #require(try repository.stored(short)))
    #expect(
      (report.requests, report.isIncremental, report.stored?.completeness) == (3, false, .verified))
  }

  @Test func `an upload between the two requests of a sync causes a walk, whatever else changed`()
    async throws
  {
    let xenoCanto = xenoCanto
    xenoCanto.change { $0.append(.init(7777, "minor", quality: "B", uploaded: "2011-11-11")) }
    let server = try ScriptedServer { request in
      let answer = xenoCanto.answer(request)
      if request.query("query")?.contains("since:") == true {
        xenoCanto.change { $0.append(.init(900, "alba", uploaded: "2026-06-20")) }
      }
      return answer
    }
    let configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url], key: { _ in APIKey("canary") })
    let repository = RecordingRepository(store: store, dependencies: clock.dependencies()) {
      Catalogues.fetcher(for: $0, configuration: configuration)
    }
    let report = await repository.sync(try #require(try repository.stored(query)))
    #expect(
      (report.new, report.isIncremental, report.stored?.completeness) == (2, false, .complete))
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a removal is found by the total and repaired by a walk`() async throws {
    xenoCanto.change { $0.removeAll { $0.number == 100 } }
    let (report, requests) = try await sync()
    #expect(report.gone == 1)
    #expect(requests == 2 + 6)
    #expect(try ids() == xenoCanto.ids)
    #expect(report.stored?.completeness == .complete)
  }

  @Test func `a recording that enters the list by a new identification causes a walk`() async throws
  {
    xenoCanto.change { $0.append(.init(77_777, "alba", quality: "B", uploaded: "2011-11-11")) }
    let (report, _) = try await sync()
    #expect(report.new == 1)
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `an upload of a species that is new to the list causes a walk`() async throws {
    xenoCanto.change { $0.append(.init(901, "borealis", uploaded: "2026-06-20")) }
    let (report, requests) = try await sync()
    #expect(report.new == 1)
    #expect(requests == 2 + 6)
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `uploads of more than a page cause a walk, even if removals make up for the others`()
    async throws
  {
    xenoCanto.change { rows in
      // A page of the uploads has 49 of these 60, and one that is stored.
      rows += (1...60).map {
        .init(900 + $0, "minor", quality: "no score", uploaded: "2026-06-20")
      }
      rows.removeAll { $0.species == "alpina" && (100..<133).contains($0.number) }
    }
    let (report, _) = try await sync()
    #expect((report.new, report.gone, report.isIncremental) == (60, 11, false))
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a first page that differs from the stored one causes a walk`() async throws {
    xenoCanto.change { rows in
      let first = rows.removeFirst()
      rows.append(
        .init(first.number + 5000, first.species, quality: first.quality, uploaded: "2011-11-11"))
    }
    _ = try await sync()
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a walk after an incremental sync verifies only pages that were read`() async throws {
    xenoCanto.change { $0.append(.init(900, "alba", uploaded: "2026-06-20")) }
    _ = try await sync()
    let report = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(report.stored?.completeness == .verified)
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a changed recording on the first page is updated without further requests`()
    async throws
  {
    xenoCanto.change { $0[0].remark = "seen again" }
    let (report, requests) = try await sync()
    #expect((report.changed, requests) == (1, 3))
    #expect(try repository.rows(of: query, in: 0..<1).first?.text("rmk") == "seen again")
  }

  /// Answers `since:` with something else.
  private func sync(since answer: ScriptedAnswer) async throws -> (FetchReport, asked: [String]) {
    let xenoCanto = xenoCanto
    let server = try ScriptedServer { request in
      request.query("query")?.contains("since:") == true ? answer : xenoCanto.answer(request)
    }
    let configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url], key: { _ in APIKey("canary") })
    let repository = RecordingRepository(store: store, dependencies: clock.dependencies()) {
      Catalogues.fetcher(for: $0, configuration: configuration)
    }
    let report = await repository.sync(try #require(try repository.stored(query)))
    return (
      report,
      server.requests.map { $0.query("query")?.contains("since:") == true ? "since" : "page" }
    )
  }

  @Test(arguments: [
    ScriptedAnswer.empty(500), .empty(400), .json(200, "[]"), .json(200, #"{"recordings":[]}"#),
    .json(200, "{"),
  ])
  func `additions that cannot be fetched cause a walk`(answer: ScriptedAnswer) async throws {
    xenoCanto.change { $0.append(.init(900, "alba", quality: "no score", uploaded: "2026-06-20")) }
    let (report, asked) = try await sync(since: answer)
    #expect(report.failure == nil)
    #expect(report.stored?.completeness == .complete)
    #expect(asked.suffix(7) == Array(repeating: "page", count: 7))
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a rate limit or a refused key during an incremental sync ends the sync`() async throws
  {
    let limited = try await sync(since: .empty(429, headers: ["Retry-After": "3600"]))
    #expect(
      limited.0.failure
        == .fetch(.rateLimited(retryAfter: .seconds(3600)), catalogue: .xenoCanto, page: 1))
    #expect(limited.asked == ["since"])
    clock.advance(by: .seconds(3601))
    let refused = try await sync(since: .empty(401))
    #expect(
      refused.0.failure
        == .fetch(.keyRefused(status: 401, message: nil), catalogue: .xenoCanto, page: 1))
    #expect(refused.asked == ["since"])
  }

  /// Leaves a walk over the complete list open after that page, as an interrupted `--verify` does.
  private func leaveWalkOpen(after page: Int) async {
    let report = await repository.fetch(query, FetchPlan(.pages(page)))
    #expect(report.stored?.completeness == .complete)
    clock.advance(by: .seconds(86_400))
  }

  /// One removed and one uploaded, both on page 1: no total shows it.
  private func changePage1() {
    xenoCanto.change { rows in
      rows.removeFirst()
      rows.append(.init(900, "alba", uploaded: "2026-06-20"))
    }
  }

  @Test func `a sync restarts an open walk if page 1 is not what is stored`() async throws {
    await leaveWalkOpen(after: 4)
    changePage1()
    let (report, requests) = try await sync()
    #expect(try ids() == xenoCanto.ids)
    #expect((report.new, report.gone, report.stored?.completeness) == (1, 1, .complete))
    // The page 1 that was read is the first one of the new walk.
    #expect(requests == 2 + 6)
  }

  @Test func `a fetch restarts an open walk if page 1 is not what is stored`() async throws {
    await leaveWalkOpen(after: 4)
    changePage1()
    let before = xenoCanto.requests.count
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(try ids() == xenoCanto.ids)
    #expect((report.new, report.gone, report.stored?.completeness) == (1, 1, .complete))
    #expect(xenoCanto.pagesAsked[before...] == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test
  func `a sync after an interrupted verify restarts the walk if page 1 is not what is stored`()
    async throws
  {
    let cut = Task { [repository, query] in
      await repository.fetch(query, FetchPlan(.all, verify: true)) { event in
        if case .page(2, _) = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    #expect(await cut.value.failure == .cancelled)
    changePage1()
    let (report, _) = try await sync()
    #expect(try ids() == xenoCanto.ids)
    #expect(report.stored?.completeness == .complete)
  }

  @Test func `a sync restarts an open walk if an upload is missing from the list`() async throws {
    await leaveWalkOpen(after: 5)
    xenoCanto.change { rows in
      rows.removeAll { $0.number == 30 }
      rows.append(.init(900, "alpina", quality: "B", uploaded: "2026-06-20"))
    }
    let (report, requests) = try await sync()
    #expect(try ids() == xenoCanto.ids)
    #expect((report.new, report.gone, report.stored?.completeness) == (1, 1, .complete))
    #expect(requests == 2 + 6)
  }

  @Test func `a sync continues an open walk if nothing shows a change`() async throws {
    await leaveWalkOpen(after: 5)
    let (report, requests) = try await sync()
    #expect(report.stored?.completeness == .verified)
    #expect(requests == 2 + 2)
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a list that a sync found changed is not complete until a walk has read it`()
    async throws
  {
    xenoCanto.change { $0.removeAll { $0.number == 100 } }
    let stored = try #require(try await repository.stored(query))
    let cut = Task { [repository] in
      await repository.sync(stored) { event in
        if case .page(1, _) = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    #expect(await cut.value.stored?.completeness == .partial(pages: 1, of: 7))
    let (report, requests) = try await sync()
    #expect(requests == 6)
    #expect((report.gone, report.stored?.completeness) == (1, .complete))
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a sync of a partial list requests the same pages again`() async throws {
    let other = try #require(Catalogues.named(.xenoCanto)).query("gen:Other", pageSize: 50)
    _ = await repository.fetch(other, FetchPlan(.pages(2)))
    let before = xenoCanto.requests.count
    let report = await repository.sync(try #require(try repository.stored(other)))
    #expect(xenoCanto.requests.count - before == 2)
    #expect(report.stored?.next == 3)
  }

  /// Adds a recording so recent that each incremental sync returns it again.
  private func addRecent() async throws {
    xenoCanto.change { $0.append(.init(900, "alpina", quality: "A", uploaded: "2026-06-27")) }
    #expect(try await sync().requests == 3)
  }

  private func changeRecent(_ body: (inout FakeXenoCanto.Record) -> Void) {
    xenoCanto.change { rows in
      for index in rows.indices where rows[index].number == 900 { body(&rows[index]) }
    }
  }

  @Test func `a recording that moved because its quality changed causes a walk`() async throws {
    try await addRecent()
    changeRecent { $0.quality = "B" }
    let (report, requests) = try await sync()
    #expect(requests == 2 + 6)
    #expect(report.changed == 1)
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a recording that moved because its species changed causes a walk`() async throws {
    try await addRecent()
    changeRecent { $0.species = "minor" }
    #expect(try await sync().requests == 2 + 6)
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a recording that moved, and that another query already updated, causes a walk`()
    async throws
  {
    try await addRecent()
    changeRecent { $0.quality = "B" }
    let other = try #require(Catalogues.named(.xenoCanto)).query("gen:Other", pageSize: 50)
    _ = await repository.fetch(other, FetchPlan(.all))
    #expect(try await sync().requests == 2 + 6)
    #expect(try ids() == xenoCanto.ids)
  }

  @Test func `a recent recording that changed but did not move costs three requests`() async throws
  {
    try await addRecent()
    changeRecent { $0.remark = "seen again" }
    let (report, requests) = try await sync()
    #expect((report.changed, requests) == (1, 3))
    #expect(try ids() == xenoCanto.ids)
  }
}

/// Counts the writes to recordings and lists, with temporary triggers on the store's connection.
private struct RowWriteCounter {
  private let store: RecordingStore

  init(of store: RecordingStore) throws {
    self.store = store
    try store.write { db in
      try db.run("CREATE TEMP TABLE row_write (what TEXT)")
      for table in ["recording", "entry"] {
        for change in ["INSERT", "UPDATE", "DELETE"] {
          try db.run(
            """
            CREATE TEMP TRIGGER \(table)_\(change) AFTER \(change) ON \(table)
            BEGIN INSERT INTO row_write VALUES ('\(change) \(table)'); END
            """)
        }
      }
    }
  }

  func count() throws -> Int {
    try store.read { db in try db.firstRow("SELECT count(*) FROM row_write") { $0.int(0) } ?? 0 }
  }
}
