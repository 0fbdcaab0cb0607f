import ChirperTestSupport
import Foundation
import GRDB
import Testing

@testable import ChirperModel
@testable import ChirperStore

/// The store on a real file in a directory of its own.
@Suite struct RecordingStoreTests {
  private let directory: URL
  private let now = Date(timeIntervalSince1970: 1_780_000_000)
  private let query = CatalogueQuery(
    catalogue: .sample, identity: "q", pageSize: 2, typed: "Q", requestText: "en:Q")

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "chirper-\(UUID().uuidString)")
  }

  private func recording(_ id: String, _ text: String = "") -> Recording {
    Recording(
      id: RecordingID(catalogue: .sample, value: id),
      fields: RecordingFields(canonical: #"{"id":"\#(id)","t":"\#(text)"}"#))
  }

  private func page(_ number: Int, _ ids: [String], total: Int = 4, next: Int?) -> RecordingPage {
    RecordingPage(
      number: number, recordings: ids.map { recording($0) },
      totals: RecordingPage.Totals(recordings: total, pages: 2), next: next)
  }

  private func cleanUp() { try? FileManager.default.removeItem(at: directory) }

  @Test func `what is stored is there when the file is opened again`() throws {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory)
    _ = try store.store(page(1, ["a", "b"], next: 2), of: query, startsWalk: true, now: now)
    let again = try RecordingStore.readable(in: directory)
    let stored = try #require(try again.stored(query))
    #expect((stored.count, stored.next, stored.completeness) == (2, 2, .partial(pages: 1, of: 2)))
    #expect((stored.query.typed, stored.query.requestText) == ("Q", "en:Q"))
    #expect((stored.oldestFetchedAt, stored.newestFetchedAt) == (now, now))
    #expect(try again.rows(of: query, in: 0..<9).map(\.id.value) == ["a", "b"])
  }

  @Test func `a page's token is there when the file is opened again`() throws {
    defer { cleanUp() }
    let token = PageRequest.Token(rawValue: "id_below=17&ü")
    let page = RecordingPage(
      number: 1, recordings: [recording("a")], totals: nil, next: 2, nextToken: token)
    _ = try RecordingStore.writable(in: directory).store(
      page, of: query, startsWalk: true, now: now)
    let again = try RecordingStore.readable(in: directory)
    #expect(try again.walkStatus(of: query)?.pages[1]?.nextToken == token)
  }

  @Test func `the last page has no token, whatever the catalogue sent`() throws {
    let store = try RecordingStore.inMemory()
    let page = RecordingPage(
      number: 1, recordings: [recording("a")], totals: nil, next: nil,
      nextToken: PageRequest.Token(rawValue: "t"))
    let (outcome, _) = try store.store(page, of: query, startsWalk: true, now: now)
    #expect(outcome.nextToken == nil)
    #expect(try store.walkStatus(of: query)?.pages[1]?.nextToken == nil)
  }

  @Test
  func
    `a new token takes the pages after it out of the walk, and a page stored again does not change the list`()
    throws
  {
    let store = try RecordingStore.inMemory()
    func page(_ number: Int, _ id: String, token: String?) -> RecordingPage {
      RecordingPage(
        number: number, recordings: [recording(id)], totals: nil,
        next: token == nil ? nil : number + 1,
        nextToken: token.map(PageRequest.Token.init))
    }
    _ = try store.store(page(1, "a", token: "t1"), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, "b", token: nil), of: query, startsWalk: false, now: now)
    _ = try store.closeWalk(of: query, evenIfShifted: false, now: now)
    let (same, _) = try store.store(
      page(1, "a", token: "t1"), of: query, startsWalk: true, reusing: [2], now: now)
    #expect(!same.outdatesLaterPages)
    #expect(try store.walkStatus(of: query)?.pages[2]?.isInWalk == true)
    let (other, stored) = try store.store(
      page(1, "a", token: "t2"), of: query, startsWalk: true, reusing: [2], now: now)
    #expect(other.outdatesLaterPages)
    #expect(try store.walkStatus(of: query)?.pages[2]?.isInWalk == false)
    #expect(stored.completeness == .complete)
    #expect(try store.audit(of: query).ids == ["a", "b"])
  }

  @Test func `a read that writes is an error, and nothing of it is stored`() throws {
    let store = try RecordingStore.inMemory()
    let insert = "INSERT INTO catalogue (name) VALUES ('x')"
    let count = {
      try store.read { try $0.firstRow("SELECT count(*) FROM catalogue") { $0.int(0) } }
    }
    #expect(
      throws: StoreError(
        .unexpected(path: ":memory:", detail: "a read of the store tried to write"))
    ) {
      try store.read { try $0.run(insert) }
    }
    #expect(try count() == 0)
    struct Stop: Error {}
    #expect(throws: StoreError.self) {
      try store.read { db in
        try db.run(insert)
        throw Stop()
      }
    }
    #expect(try count() == 0)
    try store.write { try $0.run(insert) }
    #expect(try count() == 1)
  }

  @Test func `every kind of value is bound as what it is, whole`() throws {
    let store = try RecordingStore.inMemory()
    let fields = try RecordingFields(json: #"{"a":"ä"}"#)
    let date = Date(timeIntervalSince1970: 1.5)
    let types = try store.read { db in
      try db.firstRow(
        "SELECT hex(?1) || typeof(?1), typeof(?2) || typeof(?3), ?4 || typeof(?4), ?5, typeof(?6) || hex(?6) || typeof(?7)",
        "x\u{0}y", "", nil, date, fields, [0, 255] as [UInt8], [] as [UInt8]
      ) { row in (0..<5).map { row.text($0) } }
    }
    #expect(types == ["780079text", "textnull", "1500integer", #"{"a":"ä"}"#, "blob00FFblob"])
    #expect(
      try store.read { db in try db.firstRow("SELECT ?, ?", 7, true) { [$0.int(0), $0.int(1)] } }
        == [7, 1])
  }

  @Test func `only SQLite's own corruption codes say that the database is damaged`() throws {
    let store = try RecordingStore.inMemory()
    func error(_ body: (Database) throws -> Void) -> [StoreError] {
      let read = #expect(throws: StoreError.self) { try store.read(body) }
      let write = #expect(throws: StoreError.self) { try store.write(body) }
      return [read, write].compactMap(\.self)
    }
    func twice(_ reason: StoreError.Reason) -> [StoreError] {
      Array(repeating: StoreError(reason), count: 2)
    }
    struct Stop: Error {}
    #expect(error { _ in throw Stop() } == twice(.unexpected(path: ":memory:", detail: "Stop()")))
    #expect(error { _ in throw StoreError(.queryForgotten) } == twice(.queryForgotten))
    #expect(
      error { try $0.run("SELECT x FROM y") }
        == twice(.unexpected(path: ":memory:", detail: "SQLite reports: no such table: y")))
    for code in [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB] {
      #expect(
        try error { _ in throw DatabaseError(resultCode: code, message: "m") }
          == twice(.damaged(path: ":memory:", detail: "m")))
    }
  }

  @Test func `only the owner may enter the directory`() throws {
    defer { cleanUp() }
    _ = try RecordingStore.writable(in: directory)
    let mode =
      try FileManager.default.attributesOfItem(atPath: directory.path)[.posixPermissions]
      as? NSNumber
    #expect(mode?.intValue == 0o700)
  }

  @Test func `a query that never found anything is a miss, and is removed when it is old`() throws {
    let store = try RecordingStore.inMemory()
    func stored(_ text: String, _ ids: [String]) throws -> CatalogueQuery {
      let query = CatalogueQuery(
        catalogue: .sample, identity: text, pageSize: 2, typed: text, requestText: text)
      _ = try store.store(
        page(1, ids, total: ids.count, next: nil), of: query, startsWalk: true, now: now)
      _ = try store.closeWalk(of: query, evenIfShifted: false, now: now)
      return query
    }
    let (miss, full, gone) = (
      try stored("miss", []), try stored("full", ["a"]), try stored("gone", ["b"])
    )
    _ = try stored("gone", [])
    #expect(try [miss, full, gone].map { try store.stored($0)?.isMiss } == [true, false, false])
    try store.forgetMisses(before: now)
    #expect(try store.storedQueries().count == 3)
    try store.forgetMisses(before: now.addingTimeInterval(1))
    #expect(Set(try store.storedQueries().map(\.query)) == [full, gone])
  }

  @Test func `the catalogues with rows are those that have one in a list`() throws {
    let store = try RecordingStore.inMemory()
    func fetched(_ ids: [String], of catalogue: CatalogueID) throws {
      let recordings = ids.map {
        Recording(
          id: RecordingID(catalogue: catalogue, value: $0), fields: RecordingFields(canonical: "{}")
        )
      }
      let page = RecordingPage(
        number: 1, recordings: recordings,
        totals: RecordingPage.Totals(recordings: ids.count, pages: 1),
        next: nil, preceding: .unknown)
      let query = CatalogueQuery(
        catalogue: catalogue, identity: "a", pageSize: 2, typed: "a", requestText: "a")
      _ = try store.store(page, of: query, startsWalk: true, now: now)
      _ = try store.closeWalk(of: query, evenIfShifted: false, now: now)
    }
    #expect(try store.cataloguesWithRows() == [])
    try fetched(["1"], of: .sample)
    try fetched([], of: .xenoCanto)
    #expect(try store.cataloguesWithRows() == [.sample])
    try fetched(["1"], of: .xenoCanto)
    #expect(try store.cataloguesWithRows() == [.sample, .xenoCanto])
  }

  @Test func `reading where nothing is stored creates nothing`() throws {
    let store = try RecordingStore.readable(in: directory)
    #expect(try store.storedQueries() == [])
    #expect(!FileManager.default.fileExists(atPath: directory.path))
  }

  @Test
  func `a recording of a page that the walk has not read yet moves, one that it has read stays`()
    throws
  {
    let store = try RecordingStore.inMemory()
    _ = try store.store(page(1, ["a", "b"], next: 2), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, ["c", "d"], next: nil), of: query, startsWalk: false, now: now)
    _ = try store.closeWalk(of: query, evenIfShifted: false, now: now)
    // "x" was added at the top: b moved to page 2, and d was not found yet.
    let (first, _) = try store.store(
      page(1, ["x", "a"], total: 5, next: 2), of: query, startsWalk: true, now: now)
    #expect((first.new, first.isShifted) == (1, false))
    #expect(try store.audit(of: query).ids == ["x", "a", "b", "c", "d"])
    let (second, _) = try store.store(
      page(2, ["a", "b"], total: 5, next: 3), of: query, startsWalk: false, now: now)
    #expect(second.isShifted)
    #expect(try store.audit(of: query).ids == ["x", "a", "b", "c", "d"])
    #expect(try store.audit(of: query).problems == [])
  }

  @Test func `rows leave only when a finished walk did not find them, and the day is stored`()
    throws
  {
    let store = try RecordingStore.inMemory()
    _ = try store.store(page(1, ["a", "b"], next: 2), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, ["c", "d"], next: nil), of: query, startsWalk: false, now: now)
    #expect(
      try store.closeWalk(of: query, evenIfShifted: false, now: now)
        == WalkClosing(completeness: .complete))
    _ = try store.store(
      page(1, ["a", "c"], total: 3, next: 2), of: query, startsWalk: true, now: now)
    #expect(try store.audit(of: query).ids == ["a", "c", "b", "d"])
    _ = try store.store(page(2, ["d"], total: 3, next: nil), of: query, startsWalk: false, now: now)
    let closing = try store.closeWalk(of: query, evenIfShifted: false, now: now)
    #expect((closing.completeness, closing.removed.map(\.id)) == (.complete, ["b"]))
    #expect(try store.audit(of: query).ids == ["a", "c", "d"])
    #expect(try store.recording(RecordingID(catalogue: .sample, value: "b")) != nil)
  }

  @Test
  func `a total of records is compared with the records of the pages, whatever rows they gave`()
    throws
  {
    let store = try RecordingStore.inMemory()
    let first = ["a", "a2", "b"].map { recording($0) }
    let totals = RecordingPage.Totals(recordings: 3, pages: 2)
    let pages = [(2, WalkClosing(completeness: .complete)), (1, WalkClosing(completeness: nil))]
    for (records, closing) in pages {
      _ = try store.store(
        RecordingPage(number: 1, recordings: first, totals: totals, next: 2, records: records),
        of: query, startsWalk: true,
        now: now)
      _ = try store.store(
        RecordingPage(number: 2, recordings: [recording("c")], totals: totals, next: nil),
        of: query, startsWalk: false, now: now)
      #expect(try store.walkStatus(of: query)?.pages[1]?.records == records)
      #expect(try store.closeWalk(of: query, evenIfShifted: false, now: now) == closing)
    }
  }

  @Test func `counts that disagree close only as shifted, and keep every row`() throws {
    let store = try RecordingStore.inMemory()
    _ = try store.store(
      page(1, ["a", "b"], total: 5, next: 2), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, ["c"], total: 5, next: nil), of: query, startsWalk: false, now: now)
    #expect(try store.closeWalk(of: query, evenIfShifted: false, now: now).completeness == nil)
    #expect(
      try store.closeWalk(of: query, evenIfShifted: true, now: now).completeness
        == .shifted(rows: 3, total: 5))
    #expect(try store.audit(of: query).ids == ["a", "b", "c"])
  }

  @Test func `a changed recording is changed once, for every query that holds it`() throws {
    let store = try RecordingStore.inMemory()
    let other = CatalogueQuery(
      catalogue: .sample, identity: "r", pageSize: 2, typed: "r", requestText: "r")
    _ = try store.store(page(1, ["a"], next: nil), of: query, startsWalk: true, now: now)
    let changed = RecordingPage(
      number: 1, recordings: [recording("a", "new")], totals: nil, next: nil)
    let (outcome, _) = try store.store(changed, of: other, startsWalk: true, now: now)
    #expect((outcome.new, outcome.changed) == (1, 1))
    #expect(try store.rows(of: query, in: 0..<1).first?.text("t") == "new")
  }

  @Test
  func
    `a recording that differs only in volatile fields and in the order of names keeps its bytes`()
    throws
  {
    let store = try RecordingStore.inMemory()
    func fetched(_ json: String) throws -> PageOutcome {
      let recording = Recording(
        id: RecordingID(catalogue: .sample, value: "a"), fields: RecordingFields(canonical: json))
      let page = RecordingPage(number: 1, recordings: [recording], totals: nil, next: nil)
      return try store.store(
        page, of: query, startsWalk: true, volatileFields: ["crawled", "parsed"], now: now
      ).0
    }
    let first =
      #"{"id":"a","crawled":1,"t":"x","parsed":{"at":1},"place":{"lat":1,"lon":2,"in":[{"a":1,"b":"é"}]}}"#
    _ = try fetched(first)
    _ = try store.closeWalk(of: query, evenIfShifted: false, now: now)
    let writes = try store.read { $0.totalChangesCount }
    #expect(
      try fetched(
        #"{"t":"x","place":{"in":[{"b":"é","a":1}],"lon":2,"lat":1},"id":"a","crawled":2}"#
      ).changed == 0)
    #expect(try store.rows(of: query, in: 0..<1).first?.fields.json == first)
    // The query's walk and the page record.
    #expect(try store.read { $0.totalChangesCount } - writes == 2)
    #expect(
      try store.closeWalk(of: query, evenIfShifted: false, now: now).completeness == .verified)
    for changed in [
      #"{"id":"a","crawled":2,"t":"y"}"#, #"{"id":"a","t":"y","more":0}"#,
      #"{"id":"a","t":"y","more":[0,1]}"#,
      #"{"id":"a","t":"y","more":[1,0]}"#, #"{"id":"a","t":"y","more":{"0":1}}"#,
      #"{"id":"a","t":"y","more":{"1":0}}"#,
    ] {
      #expect(try fetched(changed).changed == 1)
      #expect(try store.rows(of: query, in: 0..<1).first?.fields.json == changed)
    }
  }

  @Test(
    arguments: [
      (#"{"set":{"made":1,"notes":[{"at":1}]}}"#, #"{"set":{"notes":[{"at":1}],"made":2}}"#, true),
      (#"{"set":{"notes":[{"at":1}]}}"#, #"{"set":{"made":2,"notes":[{"at":1}]}}"#, true),
      (#"{"set":{"made":1,"notes":[{"at":1}]}}"#, #"{"set":{"made":1,"notes":[{"at":2}]}}"#, false),
      (#"{"list":[{"seen":1,"a":1}]}"#, #"{"list":[{"a":1,"seen":2}]}"#, true),
      (#"{"list":[{"seen":1,"a":1}]}"#, #"{"list":[{"seen":1,"a":2}]}"#, false),
      (#"{"made":1,"set":[]}"#, #"{"made":2,"set":[]}"#, false),
      (#"{"set":[]}"#, #"{"set":{}}"#, false),
      (#"{"set":{"inner":{"made":1}}}"#, #"{"set":{"inner":{"made":2}}}"#, false),
    ])
  func `a volatile field can be a path below the top level, through arrays too`(
    first: String, second: String, isSame: Bool
  ) throws {
    let (one, other) = try (RecordingFields(json: first), RecordingFields(json: second))
    #expect(one.saysSame(as: other, ignoring: ["set.made", "list.seen"]) == isSame)
    #expect(other.saysSame(as: one, ignoring: ["set.made", "list.seen"]) == isSame)
  }

  @Test func `an incremental sync does not count volatile fields as changes either`() throws {
    let store = try RecordingStore.inMemory()
    func page(_ crawled: Int) -> RecordingPage {
      RecordingPage(
        number: 1,
        recordings: [
          Recording(
            id: RecordingID(catalogue: .sample, value: "a"),
            fields: RecordingFields(canonical: #"{"id":"a","crawled":\#(crawled)}"#))
        ], totals: RecordingPage.Totals(recordings: 1, pages: 1), next: nil)
    }
    _ = try store.store(page(1), of: query, startsWalk: true, now: now)
    _ = try store.closeWalk(of: query, evenIfShifted: false, now: now)
    let nothing = RecordingPage(
      number: 1, recordings: [], totals: RecordingPage.Totals(recordings: 0, pages: 0), next: nil)
    let position = { (_: Recording) in ListPosition(group: "g", rank: [1]) }
    #expect(
      try store.merge(
        nothing, page(2), into: query, position: position, volatileFields: ["crawled"], now: now)?
        .changedIDs == [])
    #expect(
      try store.merge(nothing, page(2), into: query, position: position, now: now)?.changedIDs == [
        "a"
      ])
  }

  @Test
  func
    `a row that the catalogue lists out of order causes no walk, unless it changed since its page was read`()
    throws
  {
    let store = try RecordingStore.inMemory()
    let position = { (recording: Recording) in
      ListPosition(group: "g", rank: [recording.id.value == "a" ? 1 : 2])
    }
    func merge(_ b: Recording, at time: Date) throws -> [String]? {
      let totals = RecordingPage.Totals(recordings: 2, pages: 1)
      return try store.merge(
        RecordingPage(number: 1, recordings: [b], totals: totals, next: nil),
        RecordingPage(number: 1, recordings: [b, recording("a")], totals: totals, next: nil),
        into: query, position: position, now: time
      )?.entered.map(\.id)
    }
    _ = try store.store(
      page(1, ["b", "a"], total: 2, next: nil), of: query, startsWalk: true, now: now)
    _ = try store.closeWalk(of: query, evenIfShifted: false, now: now)
    #expect(try merge(recording("b"), at: now) == [])
    let other = CatalogueQuery(
      catalogue: .sample, identity: "r", pageSize: 2, typed: "r", requestText: "r")
    let changed = recording("b", "moved")
    let otherPage = RecordingPage(
      number: 1, recordings: [changed], totals: RecordingPage.Totals(recordings: 1, pages: 1),
      next: nil)
    _ = try store.store(otherPage, of: other, startsWalk: true, now: now + 1)
    #expect(try merge(changed, at: now + 2) == nil)
  }

  @Test func `forgetting removes what only that query held`() throws {
    let store = try RecordingStore.inMemory()
    let other = CatalogueQuery(
      catalogue: .sample, identity: "r", pageSize: 2, typed: "r", requestText: "r")
    _ = try store.store(page(1, ["a", "b"], next: nil), of: query, startsWalk: true, now: now)
    _ = try store.store(page(1, ["b"], next: nil), of: other, startsWalk: true, now: now)
    let forgotten = try #require(try store.forget(query)).report
    #expect((forgotten.pages, forgotten.rows, forgotten.recordings) == (1, 2, 1))
    #expect(try store.forget(query) == nil)
    #expect(try store.audit(of: other).ids == ["b"])
    #expect(try store.recording(RecordingID(catalogue: .sample, value: "a")) == nil)
  }

  @Test
  func
    `a long list is forgotten in steps, and what an interrupted step leaves is a list that is not complete`()
    throws
  {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory)
    let other = CatalogueQuery(
      catalogue: .sample, identity: "r", pageSize: 2, typed: "r", requestText: "r")
    let ids = (0..<3500).map { "\($0)" }
    for number in 1...7 {
      let rows = Array(ids[(number * 500 - 500)..<(number * 500)])
      _ = try store.store(
        page(number, rows, total: 3500, next: number < 7 ? number + 1 : nil), of: query,
        startsWalk: number == 1, now: now)
    }
    #expect(
      try store.closeWalk(of: query, evenIfShifted: false, now: now).completeness == .complete)
    _ = try store.store(
      page(1, ["7", "3400", "new"], next: nil), of: other, startsWalk: true, now: now)
    var (report, forgotten) = (ForgetReport(), [RecordingID]())
    let isStored = try store.write { try store.forgetStep(query, &report, &forgotten, $0) }
    #expect(isStored && (report.pages, report.rows, report.recordings) == (2, 1000, 999))
    #expect(try store.audit(of: query).ids == Array(ids[..<2500]))
    #expect(try store.stored(query)?.completeness == .partial(pages: 5, of: 2))
    #expect(try store.diagnosis(of: directory).problems == [])
    let rest = try #require(try store.forget(query))
    #expect((rest.report.pages, rest.report.rows, rest.report.recordings) == (5, 2500, 2499))
    #expect(Set((forgotten + rest.recordings).map(\.value)) == Set(ids).subtracting(["7", "3400"]))
    #expect(try store.forget(query) == nil)
    #expect(try store.audit(of: other).ids == ["7", "3400", "new"])
    #expect(try store.diagnosis(of: directory).recordings == 3)
  }

  @Test
  func `a screen reads during a transaction, and does not wait for one that is being written`()
    throws
  {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory)
    _ = try store.store(page(1, ["a", "b"], next: nil), of: query, startsWalk: true, now: now)
    // Nothing waits for the file to be opened either.
    #expect(try store.rows(of: query, in: 0..<2, waits: false) == nil)
    #expect(try store.rows(of: query, in: 0..<2).map(\.id.value) == ["a", "b"])
    try store.write { db in
      try db.execute(sql: "UPDATE query SET walk_open = 1")
      #expect(try store.rows(of: query, in: 0..<2, waits: false)?.count == 2)
      #expect(try store.shown(query)?.count == 2)
    }
    let other = try RecordingStore.writable(in: directory)
    try other.queue.writeWithoutTransaction { db in
      try db.inTransaction(.exclusive) { () throws -> Database.TransactionCompletion in
        #expect(try store.rows(of: query, in: 0..<2, waits: false) == nil)
        return .commit
      }
    }
    #expect(try store.rows(of: query, in: 0..<2, waits: false)?.count == 2)
    let version = try store.version()
    _ = try store.store(page(1, ["a", "c"], next: nil), of: query, startsWalk: true, now: now)
    #expect(try store.version() != version)
    #expect(try store.rows(of: query, in: 0..<2, waits: false)?.map(\.id.value) == ["a", "c"])
  }

  @Test func `the bytes of rows are those of their fields`() throws {
    let store = try RecordingStore.inMemory()
    _ = try store.store(
      page(1, (1...20).map { "\($0)" }, next: nil), of: query, startsWalk: true, now: now)
    let keys = try store.keys(of: query)
    for some in [keys, Array(keys[3..<5]), keys.reversed()] {
      var bytes: [[UInt8]] = []
      try store.forEachRow(some) { bytes.append(Array($0)) }
      #expect(try bytes == store.recordings(some).map { Array($0.recording.fields.json.utf8) })
    }
  }

  @Test(arguments: [Journal.rollback, .wal])
  func `forgetting gives the space back to the file system`(_ journal: Journal) throws {
    defer { cleanUp() }
    let file = directory.appendingPathComponent(RecordingStore.fileName).path
    let store = try RecordingStore.writable(in: directory, journal: journal)
    let other = CatalogueQuery(
      catalogue: .sample, identity: "r", pageSize: 2, typed: "r", requestText: "r")
    // 12 MB in turns, so that what stays is in the whole file, and more pages are free than one
    // step moves.
    let size = {
      let files = [file, file + "-wal"].filter { FileManager.default.fileExists(atPath: $0) }
      return try files.reduce(0) {
        try $0 + #require(try FileManager.default.attributesOfItem(atPath: $1)[.size] as? Int)
      }
    }
    let empty = try size()
    for number in 1...20 {
      let text = String(repeating: "x", count: 60_000)
      let rows = (1...10).map { recording("\(number)-\($0)", text) }
      let next = number < 20 ? number + 1 : nil
      let page = RecordingPage(number: number, recordings: rows, totals: nil, next: next)
      _ = try store.store(page, of: query, startsWalk: number == 1, now: now)
      let single = RecordingPage(
        number: number, recordings: [recording("r\(number)")], totals: nil, next: next)
      _ = try store.store(single, of: other, startsWalk: number == 1, now: now)
    }
    let before = try size()
    #expect(before > 12_000_000)
    _ = try store.forget(query)
    #expect(try size() - empty < 70_000)
    #expect(try store.diagnosis(of: directory).problems == [])
    #expect(try store.audit(of: other).ids == (1...20).map { "r\($0)" })
  }

  @Test
  func
    `space is given back after each step, because SQLite searches the list of all free pages for each of them`()
    throws
  {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory)
    for number in 1...3 {
      let rows = (1...1000).map { recording("\(number)-\($0)") }
      let page = RecordingPage(
        number: number, recordings: rows, totals: nil, next: number < 3 ? number + 1 : nil)
      _ = try store.store(page, of: query, startsWalk: number == 1, now: now)
    }
    let statements = Locked<[String]>([])
    store.queue.writeWithoutTransaction { db in
      db.trace { event in statements.withLock { $0.append("\(event)") } }
    }
    _ = try store.forget(query)
    // A step has several statements that delete pages of the list.
    let turns = statements.withLock(\.self).reduce(into: [String]()) { turns, text in
      let found = ["DELETE FROM page", "PRAGMA incremental_vacuum"].first { text.hasPrefix($0) }
      if let found, found != turns.last { turns.append(found) }
    }
    #expect(
      turns
        == Array(repeating: ["DELETE FROM page", "PRAGMA incremental_vacuum"], count: 3).flatMap(
          \.self))
  }

  @Test func `forgetting does not fail where the space cannot be given back`() throws {
    defer { cleanUp() }
    let store = try RecordingStore.writable(in: directory)
    let rows = (1...50).map { recording("\($0)", String(repeating: "x", count: 6000)) }
    _ = try store.store(
      RecordingPage(number: 1, recordings: rows, totals: nil, next: nil), of: query,
      startsWalk: true, now: now)
    // Pages cannot be moved by a connection that may not write; what was deleted before stays
    // deleted.
    try store.queue.writeWithoutTransaction {
      try $0.execute(sql: "DELETE FROM query; DELETE FROM recording")
    }
    let readOnly = try RecordingStore.readOnly(file: store.path)
    readOnly.giveBackSpace()
    #expect(try readOnly.queue.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") } ?? 0 > 0)
    store.giveBackSpace()
    #expect(try store.queue.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") } == 0)
  }

  @Test func `what another process did to a query meanwhile is reported as what it was`() throws {
    let store = try RecordingStore.inMemory()
    #expect(throws: StoreError(.queryForgotten)) {
      try store.store(page(2, ["c"], next: nil), of: query, startsWalk: false, now: now)
    }
    #expect(throws: StoreError(.queryForgotten)) {
      try store.closeWalk(of: query, evenIfShifted: true, now: now)
    }
    _ = try store.store(page(1, ["a"], total: 1, next: nil), of: query, startsWalk: true, now: now)
    let keys = try store.keys(of: query)
    _ = try store.closeWalk(of: query, evenIfShifted: false, now: now)
    #expect(throws: StoreError(.walkClosed)) {
      try store.closeWalk(of: query, evenIfShifted: false, now: now)
    }
    _ = try store.forget(query)
    #expect(throws: StoreError(.recordingForgotten)) { try store.recordings(keys) }
  }

  @Test func `a window is clamped to the list, and may cross pages`() throws {
    let store = try RecordingStore.inMemory()
    _ = try store.store(page(1, ["a", "b"], next: 2), of: query, startsWalk: true, now: now)
    _ = try store.store(page(2, ["c", "d"], next: nil), of: query, startsWalk: false, now: now)
    for (window, ids) in [
      (0..<1, ["a"]), (1..<3, ["b", "c"]), (3..<9, ["d"]), (4..<5, []), (2..<2, []),
    ] {
      #expect(try store.rows(of: query, in: window).map(\.id.value) == ids)
      #expect(
        try store.recordings(store.keys(of: query, in: window)).map(\.recording.id.value) == ids)
    }
  }

  @Test func `a newer store and a database of another program are refused`() throws {
    defer { cleanUp() }
    let path = directory.appendingPathComponent("chirper.sqlite").path
    _ = try RecordingStore.writable(in: directory)
    try #require(try sqlite(path, "PRAGMA user_version = 99"))
    #expect(throws: StoreError(.newer(path: path, version: 99, known: Migrations.all.count))) {
      try RecordingStore.writable(in: directory)
    }
    try #require(try sqlite(path, "PRAGMA application_id = 1"))
    #expect(throws: StoreError(.notOurs(path: path))) { try RecordingStore.readable(in: directory) }
  }

  private func sqlite(_ path: String, _ sql: String) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = [path, sql]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
