import ChirperModel
import ChirperTestSupport
import Testing

@testable import Chirper
@testable import ChirperStore

/// A text that finds nothing is asked under the other names of its species, and has one list.
@Suite struct AskedFormsTests {
  /// xeno-canto's language over a few recordings, which have older names.
  private struct Upstream: PageFetcher {
    let catalogue = Catalogues.named(.xenoCanto) ?? Catalogues.defaultWithoutKey
    let rows = [
      ("Sylvia communis", "Common Whitethroat"), ("Corvus monedula", "Eurasian Jackdaw"),
      ("Turdus merula", "Common Blackbird"),
    ]
    let asked = Locked<[String]>([])
    let failing = Locked<String?>(nil)
    /// Whether a chirper is asked, which has a list of each text that finds something.
    let isServer = Locked(false)
    /// Whether the chirper has no list any more.
    let isGone = Locked(false)

    func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
      let text = request.query.requestText
      asked.withLock { $0.append(text) }
      if failing.withLock({ $0 == text }) { throw FetchError(.webPage) }
      let named = NamedText(text)
      let found = rows.enumerated().filter { _, row in
        if isGone.withLock(\.self) { return false }
        if text.hasPrefix("gen:") { return row.0.lowercased().hasPrefix(text.dropFirst(4)) }
        guard let name = named?.name else { return false }
        return (name.kinds == [.english] ? row.1 : row.0).lowercased() == name.text.lowercased()
      }
      let recordings = found.map { index, row in
        let words = row.0.split(separator: " ")
        return Recording(
          id: RecordingID(catalogue: .xenoCanto, value: "\(index + 1)"),
          fields: RecordingFields(
            canonical: #"{"id":"\#(index + 1)","gen":"\#(words[0])","sp":"\#(words[1])","#
              + #""en":"\#(row.1)"}"#))
      }
      if recordings.isEmpty, isServer.withLock(\.self) { throw FetchError(.listNotThere("x")) }
      let totals = RecordingPage.Totals(recordings: recordings.count, pages: 1)
      return RecordingPage(
        number: request.number, recordings: recordings, totals: totals, next: nil)
    }
  }

  private let upstream = Upstream()
  private let repository: RecordingRepository

  init() throws {
    let fetcher = upstream
    repository = RecordingRepository(
      store: try .inMemory(), dependencies: ManualClock().dependencies()
    ) { _ in fetcher }
  }

  /// Fetches a typed text as the command does, and returns what was asked for it.
  @discardableResult
  private func fetch(_ text: String, scientific: Bool = false) async throws -> (
    asked: [String], report: FetchReport
  ) {
    let typed = try TypedText(text, scientific: scientific)
    let query = try typed.query(
      in: upstream.catalogue, stored: try typed.stored(in: repository))
    upstream.asked.withLock { $0 = [] }
    let report = await repository.fetch(query, FetchPlan(.all))
    return (upstream.asked.withLock(\.self), report)
  }

  @Test func `a name of an added list is asked under the names of its species`() async throws {
    let texts = [#"en:"Dorngrasmücke""#, #"sp:"Dorngrasmücke""#, #"en:"Common Whitethroat""#]
    #expect(try await fetch("Dorngrasmücke").asked == Array(texts.prefix(1)))
    _ = try repository.addNames("a", from: "a.csv") { add in
      let species = try #require(Binomial("Curruca communis"))
      try add(AddedName(species, language: "de", text: "Dorngrasmücke", position: 0))
    }
    let (asked, report) = try await fetch("Dorngrasmücke")
    #expect(asked.first == texts.first && asked.last == texts.last)
    #expect(report.stored?.count == 1)
    #expect(report.stored?.query.typed == "Dorngrasmücke")
  }

  @Test(arguments: [
    ("Common Whitethroat", [#"en:"Common Whitethroat""#], 1),
    ("sylvia communis", [#"en:"sylvia communis""#, #"sp:"sylvia communis""#], 1),
    (
      "curruca communis",
      [#"sp:"curruca communis""#, #"en:"curruca communis""#, #"en:"Common Whitethroat""#], 1
    ),
    (
      "common white-throat",
      [#"en:"common white-throat""#, #"sp:"common white-throat""#, #"en:"Common Whitethroat""#], 1
    ),
    (
      "curruca communis q:A",
      [
        #"sp:"curruca communis" q:A"#, #"en:"curruca communis" q:A"#,
        #"en:"Common Whitethroat" q:A"#,
      ], 1
    ),
    (
      #"q:A sp:"curruca communis""#,
      [#"q:A sp:"curruca communis""#, #"en:"Common Whitethroat" q:A"#], 1
    ),
    (#"sp:"=curruca communis""#, [#"sp:"=curruca communis""#], 0),
    (
      "coloeus monedula",
      [#"sp:"coloeus monedula""#, #"en:"coloeus monedula""#, #"en:"Western Jackdaw""#], 0
    ),
    (
      "larus canus",
      [#"sp:"larus canus""#, #"en:"larus canus""#, #"en:"Common Gull""#], 0
    ),
    ("corvus monedula", [#"en:"corvus monedula""#, #"sp:"corvus monedula""#], 1),
    ("turdus merula", [#"sp:"turdus merula""#], 1),
    ("nightngale", [#"en:"nightngale""#, "gen:nightngale"], 0),
    ("sp:communis", ["sp:communis"], 0),
  ])
  func `a text is asked under further names as long as nothing is found`(
    typed: String, asked: [String], rows: Int
  ) async throws {
    let (texts, report) = try await fetch(typed)
    #expect(texts == asked)
    #expect(report.requests == asked.count && report.stored?.count == rows)
    #expect(report.stored?.completeness == .complete && report.foundNothing == (rows == 0))
    // A text is stored once, as it was typed.
    #expect(try repository.store.storedQueries().map(\.query.typed) == [typed])
    #expect(try repository.misses().count == (rows == 0 ? 1 : 0))
  }

  @Test func `the list keeps what was typed and what was asked, and is asked so the next time`()
    async throws
  {
    try await fetch("curruca communis")
    let stored = try #require(try repository.store.storedQueries().first)
    #expect(stored.query.typed == "curruca communis")
    #expect(stored.query.requestText == #"en:"Common Whitethroat""#)
    #expect(stored.query.otherName == "Common Whitethroat")
    for text in ["curruca communis", "CURRUCA COMMUNIS", "common whitethroat"] {
      let (texts, report) = try await fetch(text)
      #expect(texts.map { $0.lowercased() } == [#"en:"common whitethroat""#])
      #expect(report.new == 0 && report.stored?.completeness == .verified)
    }
    for text in ["curruca communis", "common whitethroat"] {
      #expect(try TypedText(text).stored(in: repository).count == 1)
    }
    // As a scientific name only, it is a different query.
    let scientific = try await fetch("curruca communis", scientific: true).asked
    #expect(scientific == [#"sp:"curruca communis""#])
    // That this found nothing does not hide the list.
    #expect(try TypedText("curruca communis").stored(in: repository).map(\.count) == [1, 0])
  }

  @Test func `a different chirper is asked for the list of each form`() async throws {
    upstream.isServer.withLock { $0 = true }
    let (asked, report) = try await fetch("sylvia communis")
    #expect(asked == [#"en:"sylvia communis""#, #"sp:"sylvia communis""#])
    #expect(report.failure == nil && report.stored?.count == 1)
    // A list that is stored stays the only one of its text.
    upstream.isGone.withLock { $0 = true }
    let gone = try await fetch("sylvia communis")
    #expect(gone.asked == [#"sp:"sylvia communis""#] && gone.report.failure != nil)
    let none = try await fetch("nightngale").report
    #expect(
      none.failure
        == .fetch(FetchError(.listNotThere("x")), catalogue: .xenoCanto, page: 1))
    #expect(try repository.store.storedQueries().count == 1)
  }

  @Test(arguments: [false, true])
  func `the name that stored rows of the catalogue have is asked first`(isIndexed: Bool)
    async throws
  {
    try await fetch("gen:corvus")
    if isIndexed { try repository.writeSearchIndex(least: 1) }
    // Which species the older name is, a recording with the English name of the list says.
    let other = Recording(
      id: RecordingID(catalogue: .iNaturalist, value: "9"),
      fields: RecordingFields(
        canonical: #"{"id":9,"taxon":{"name":"Corvus monedula","preferred_common_name":"#
          + #""Western Jackdaw"}}"#))
    let query = try #require(Catalogues.named(.iNaturalist)).query("jackdaw")
    _ = try repository.store.store(
      RecordingPage(number: 1, recordings: [other], totals: nil, next: nil), of: query,
      startsWalk: true, now: .now)
    let (texts, report) = try await fetch("coloeus monedula")
    #expect(
      texts == [
        #"sp:"coloeus monedula""#, #"en:"coloeus monedula""#, #"sp:"Corvus monedula""#,
      ])
    #expect(report.stored?.count == 1)
    let again = try await fetch("coloeus monedula").asked
    #expect(again == [#"sp:"Corvus monedula""#])
  }

  @Test func `an error under a further name is the result, and claims nothing`() async throws {
    upstream.failing.withLock { $0 = #"en:"Common Whitethroat""# }
    let (texts, report) = try await fetch("curruca communis")
    #expect(texts.count == 3 && report.requests == 3)
    #expect(report.failure == .fetch(FetchError(.webPage), catalogue: .xenoCanto, page: 1))
    #expect(report.stored == nil && !report.foundNothing)
    #expect(try repository.store.storedQueries().allSatisfy(\.isMiss))
    upstream.failing.withLock { $0 = nil }
    let again = try await fetch("curruca communis").report
    #expect(again.stored?.count == 1)
    #expect(try repository.misses().isEmpty)
  }

  @MainActor @Test func `a screen shows what is found under a further name`() async throws {
    let model = ListModel(repository)
    model.search(try upstream.catalogue.query("curruca communis"))
    try await eventually { !model.rows.isEmpty }
    #expect(upstream.asked.withLock(\.count) == 3)
    #expect(model.query?.requestText == #"en:"Common Whitethroat""#)
    model.search(try upstream.catalogue.query("larus canus"))
    try await eventually { !model.isLoading }
    #expect(model.state == .empty && model.query?.typed == "larus canus")
    #expect(upstream.asked.withLock(\.count) == 6)
    #expect(try repository.misses().count == 1)
  }

  @MainActor @Test func `a filter stays while one form after the other is asked`() async throws {
    for (filter, rows) in [("communis", 1), ("merula", 0)] {
      let model = ListModel(repository)
      model.filter = try SearchExpression(filter, catalogues: [])
      model.search("curruca communis", in: .xenoCanto)
      var most = 0
      try await eventually {
        most = max(most, model.rows.count)
        return !model.isLoading && model.snapshot?.count == 1 && model.rows.count == rows
      }
      #expect(most == rows)
    }
  }

  @Test(arguments: [
    ("curruca communis", 3, 1), ("larus canus", 3, 0), ("common whitethroat", 1, 1),
  ])
  func `a screen is loading until the last form has answered`(
    typed: String, requests: Int, rows: Int
  ) async throws {
    let pager = Pager(repository, query: try upstream.catalogue.query(typed))
    let states = Task {
      var states: [ListState?] = []
      for await snapshot in pager.snapshots {
        states.append(snapshot.state)
        if !snapshot.isLoading, snapshot.state != nil { break }
      }
      return states
    }
    let report = await pager.start()
    #expect(report?.requests == requests && report?.stored?.count == rows)
    let shown = await states.value.compactMap(\.self)
    #expect(shown.dropLast().allSatisfy { $0 == .loading || $0.currentRecordings.count == rows })
    #expect(shown.dropLast().allSatisfy { $0 != .empty })
    #expect(shown.last?.currentRecordings.count == rows)
    #expect((shown.last == .empty) == (rows == 0))
  }

  @MainActor @Test(arguments: ["curruca communis", "sylvia communis", "Common Whitethroat"])
  func `a name that was found is the same list for whatever asks for it`(typed: String)
    async throws
  {
    let query = try upstream.catalogue.query(typed)
    let found = try #require(await repository.fetch(query, FetchPlan(.all)).stored)
    upstream.asked.withLock { $0 = [] }
    let again = try upstream.catalogue.query(typed.uppercased())
    #expect(try await repository.stored(again) == found)
    #expect(try await repository.snapshot(of: again).count == 1)
    #expect(try await repository.rows(of: Selection([again])).count == 1)
    let plan = FetchPlan(.all, maxAge: .seconds(3600))
    #expect(await repository.fetch(again, plan).requests == 0)
    for policy in [.storeOnly, .ifOlder(than: .seconds(3600))] as [Pager.ReadPolicy] {
      let model = ListModel(repository, policy: policy)
      model.search(again)
      // The first frame has the rows.
      #expect(model.rows.count == 1 && model.query == found.query)
      try await eventually { !model.isLoading }
      let shown = model.snapshot
      for query in [again, query, found.query] { model.search(query) }
      #expect(model.snapshot == shown && !model.isLoading && model.rows.count == 1)
    }
    #expect(upstream.asked.withLock(\.count) == 0)
    // As a scientific name only, it is a different query.
    let scientific = try upstream.catalogue.query(typed, scientific: true)
    let isStored = try await repository.stored(scientific) != nil
    #expect(isStored == (typed == "sylvia communis"))
    #expect(try await repository.forget(again)?.rows == 1)
    #expect(try await repository.stored(query) == nil)
  }

  @Test func `a text that led to the list of a different text leads there again`() async throws {
    try await fetch("sylvia communis")
    let query = try upstream.catalogue.query("curruca communis")
    #expect(await repository.fetch(query, FetchPlan(.all)).requests == 3)
    upstream.asked.withLock { $0 = [] }
    #expect(try await repository.stored(query)?.query.typed == "sylvia communis")
    #expect(try await fetch("curruca communis").asked == [#"sp:"Sylvia communis""#])
    let pager = Pager(repository, query: query, policy: .ifOlder(than: .seconds(3600)))
    #expect(await pager.start() == nil && pager.snapshotAtOnce?.count == 1)
    // Nothing says that it is not a name of its own.
    #expect(try await repository.storedQueries().map(\.query.typed) == ["sylvia communis"])
    let (lists, note) = try TypedText("curruca communis").listsToRead(in: repository)
    #expect(lists.map(\.count) == [1] && note != nil)
    // Forgetting it leaves the other text's list.
    #expect(try await repository.forget(query)?.rows == 0)
    #expect(try await repository.storedQueries().map(\.count) == [1])
  }

  @Test func `a stored list of a scientific name is refreshed as it was asked`() async throws {
    let words = try upstream.catalogue.query("turdus merula")
    let row = Recording(
      id: RecordingID(catalogue: .xenoCanto, value: "3"),
      fields: RecordingFields(["id": "3", "en": "Turdus merula"]))
    _ = try repository.store.store(
      RecordingPage(number: 1, recordings: [row], totals: nil, next: nil), of: words,
      startsWalk: true, now: .now)
    let asked = try await fetch("turdus merula").asked
    #expect(!asked.isEmpty && asked.allSatisfy { $0 == words.requestText }, "\(asked)")
    // Also once its rows have left it; what they were stays.
    #expect(try await repository.stored(words)?.count == 0)
    #expect(try await fetch("turdus merula").asked.allSatisfy { $0 == words.requestText })
    _ = await repository.fetch(words, FetchPlan(.all))
    #expect(try await repository.recording(row.id) != nil)
    #expect(try await repository.stored(words) != nil)
  }

  @Test func `the events say which form is asked, but for the query itself at first`() async throws
  {
    for (typed, events) in [
      ("curruca communis", ["sp:", "en:", "en:\"Common"]), ("sylvia communis", ["sp:"]),
      ("common whitethroat", []),
    ] {
      let asking = Locked<[String]>([])
      let repository = RecordingRepository(
        store: try .inMemory(), dependencies: ManualClock().dependencies()
      ) { [upstream] _ in upstream }
      _ = await repository.fetch(try upstream.catalogue.query(typed), FetchPlan(.all)) { event in
        if case .asking(let query) = event { asking.withLock { $0.append(query.requestText) } }
      }
      let asked = asking.withLock(\.self)
      #expect(asked.count == events.count)
      #expect(zip(asked, events).allSatisfy { $0.hasPrefix($1) }, "\(asked)")
    }
  }

  @Test func `a screen without rows shows those that are found by another name meanwhile`()
    async throws
  {
    let pager = Pager(
      repository, query: try upstream.catalogue.query("curruca communis"), policy: .storeOnly)
    var snapshots = pager.snapshots.makeAsyncIterator()
    #expect(await snapshots.next()?.state == nil)
    _ = try await repository.fetch("Curruca communis", in: .xenoCanto, pages: .all)
    while let snapshot = await snapshots.next(), snapshot.count == 0 {}
    let rows = try await pager.snapshotAtOnce?.rows.read(0..<9)
    #expect(rows?.map(\.id.value) == ["1"])
  }
}
