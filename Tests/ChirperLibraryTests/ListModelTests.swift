#if canImport(Observation)
import Chirper
import Foundation
import Testing

/// The model of a search screen, as an app uses it.
@MainActor @Suite struct ListModelTests {
  private let catalogue = PreviewCatalogue(titles: (100..<165).map { "Robin \($0)" } + ["Wren 1"])
  private let repository: RecordingRepository
  private let model: ListModel

  init() throws {
    repository = try .inMemory(catalogues: [catalogue], dependencies: .withoutWaits)
    model = ListModel(repository)
  }

  private func query(_ text: String) throws -> CatalogueQuery {
    try catalogue.catalogue.query(text)
  }

  /// Waits until the model shows what is expected.
  private func until(
    _ condition: (ListModel) -> Bool, _ what: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while !condition(model) {
      try #require(ContinuousClock.now < end, what, sourceLocation: sourceLocation)
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test func `a search shows its first page, and rows that appear load the others`() async throws {
    model.search(try query("robin"))
    try await until({ $0.rows.count == 20 && $0.snapshot?.load == .idle }, "the first page")
    while case .paging(let rows, next: _)? = model.state {
      model.rowAppeared(at: rows.count - 1)
      try await until(
        { $0.rows.count > rows.count && $0.snapshot?.load == .idle }, "the next page")
    }
    guard case .populated(let rows)? = model.state else {
      throw Unexpected("\(String(describing: model.state))")
    }
    #expect(rows.map(\.id.value) == (100..<165).map { "Robin \($0)" })
    #expect(catalogue.requests.map(\.number) == [1, 2, 3, 4])
  }

  @Test func `a window has the first rows by their recordings, and grows while rows appear`()
    async throws
  {
    let titles = (0..<450).map { "Robin \($0 + 100)" }
    catalogue.titles = titles
    model.search(try catalogue.catalogue.query("robin", pageSize: 500))
    try await until({ $0.rows.count == 450 && !$0.isLoading }, "every row")
    try await until({ $0.window.count == 200 }, "a window")
    model.rowAppeared(model.window[50])
    #expect(model.window.count == 200)
    model.rowAppeared(model.window[150])
    try await until({ $0.window.count == 350 }, "a longer window")
    model.rowAppeared(model.window[349])
    try await until({ $0.window.count == 450 }, "the whole list")
    #expect(model.window.map(\.id.value) == titles)
    #expect(model.window.map(\.position) == Array(0..<450))
    let last = try #require(model.window.last)
    try await until({ $0.rows[last]?.id == last.id }, "the recording of a row")
    // After another row came first, the row is not that of its position.
    catalogue.titles = ["Robin 1"] + titles
    await model.refresh()
    try await until({ $0.window.first?.id.value == "Robin 1" }, "the new row")
    #expect(model.rows[last]?.id != last.id && model.rows[last] == nil)
    model.clear()
    #expect(model.window.isEmpty)
  }

  @Test func `a page that arrives after the last row appeared is in the window`() async throws {
    catalogue.titles = (0..<450).map { "Robin \($0 + 100)" }
    model.search(try catalogue.catalogue.query("robin", pageSize: 200))
    try await until({ $0.window.count == 200 && !$0.isLoading }, "the first page")
    model.rowAppeared(model.window[199])
    try await until({ $0.rows.count == 400 && $0.window.count == 399 }, "the rows of page 2")
  }

  @Test
  func `the order is that which was chosen, and what a refresh brought is there when it returns`()
    async throws
  {
    model.search(try query("robin"))
    try await until({ $0.rows.count == 20 && !$0.isLoading }, "the first page")
    for (isDescending, first) in [(true, 119), (false, 100), (true, 119)] {
      model.sort = [SortKey(\.vernacularName, descending: isDescending)]
      try await until({ $0.rows.first?.id.value == "Robin \(first)" }, "the first row")
      #expect(model.window.first?.id.value == "Robin \(first)")
    }
    model.sort = []
    catalogue.titles = ["Robin 1"] + catalogue.titles
    await model.refresh()
    #expect(model.rows.first?.id.value == "Robin 1" && !model.isLoading)
  }

  @Test func `the songs of a list are shown, the longest first`() async throws {
    model.search("parrot", in: .sample)
    try await until({ $0.rows.count == 50 && !$0.isLoading }, "the first page")
    let all = model.rows.map(repository.details)
    model.filter = try repository.searchExpression("type:song")
    model.sort = [SortKey(\.mediaDuration, descending: true)]
    let songs = all.filter { $0.behavior.contains("song") }.compactMap(\.mediaDuration)
    try await until(
      { [repository] in
        $0.rows.compactMap { repository.details(of: $0).mediaDuration } == songs.sorted(by: >)
      }, "the songs")
    #expect((1..<50).contains(songs.count) && model.snapshot?.count == 50)
  }

  @Test func `a new search keeps filter and order, and never shows what they hide`() async throws {
    model.filter = try SearchExpression("11", catalogues: [])
    for text in ["robin", "robin 1"] {
      model.search(text, in: catalogue.catalogue.id)
      var shown: Set<String> = []
      try await until(
        { model in
          shown.formUnion(model.window.map(\.id.value))
          return model.rows.count == 10 && !model.isLoading
        }, "the filtered rows")
      #expect(shown == Set((110..<120).map { "Robin \($0)" }))
      #expect(model.snapshot?.count == 20)
      model.sort = [SortKey(\.vernacularName, descending: true)]
      try await until({ $0.window.first?.id.value == "Robin 119" }, "the order")
    }
    model.filter = try SearchExpression("in:nowhere", catalogues: [])
    try await until({ $0.arrangementError is SearchExpressionError }, "why it is not applied")
    #expect(model.rows.count == 10)
    model.filter = nil
    try await until({ $0.rows.count == 20 && $0.arrangementError == nil }, "every row")
  }

  @Test func `a text that cannot be searched for is a state, and an empty one shows nothing`()
    async throws
  {
    let id = catalogue.catalogue.id
    model.search("robin", in: id)
    #expect(model.state == .loading && model.load.message != nil)
    try await until({ $0.rows.count == 20 && !$0.isLoading }, "the first page")
    model.search("robin \u{202E}", in: id)
    let error = LoadError.query(QueryError(.controlCharacter(0x202E)))
    #expect(model.state == .error(error, cached: []) && model.load == .failed(error))
    #expect(model.window.isEmpty && model.query == nil && !model.isLoading)
    model.search(" ", in: id)
    #expect(model.state == nil && model.load == .idle)
    model.search("robin", in: "removed")
    guard case .error(let failure, _)? = model.state, failure.code == "unknown-catalogue" else {
      throw Unexpected("\(String(describing: model.state))")
    }
    model.search("robin", in: id)
    #expect(model.rows.count == 20)
  }

  @Test func `a list whose load cannot begin says why`() async throws {
    let unknown = PreviewCatalogue(id: "removed", titles: ["Robin"]).catalogue
    model.search(try unknown.query("robin"))
    try await until({ !$0.isLoading }, "the end")
    let failure = LoadError.fetch(FetchError(.unknownCatalogue), catalogue: "removed", page: nil)
    #expect(model.state == .error(failure, cached: []))
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString)")
    let reading = ListModel(
      try RecordingRepository(directory: directory, access: .read, catalogues: [catalogue]))
    reading.search(try query("robin"))
    while reading.isLoading { try await Task.sleep(for: .milliseconds(2)) }
    #expect(reading.snapshot?.failure?.code == "read-only")
  }

  @Test func `a preview shows its snapshot and loads nothing`() throws {
    let row = Recording(
      id: RecordingID(catalogue: catalogue.catalogue.id, value: "Robin"),
      fields: RecordingFields(["title": "Robin"]))
    let snapshot = ListSnapshot.preview(.populated([row]), of: try query("robin"))
    let preview = ListModel(previewing: snapshot)
    #expect(preview.state == .populated([row]) && preview.window.map(\.id) == [row.id])
    preview.search(try query("wren"))
    #expect(preview.snapshot == snapshot && catalogue.requests.isEmpty)
  }

  @Test
  func `scrolling does not stall where rows appear before the load of their page has ended`()
    async throws
  {
    model.search(try catalogue.catalogue.query("robin", pageSize: 5))
    var shown = 0
    try await until(
      { model in
        // As a list does: a row appears once, as soon as it is there.
        while shown < model.rows.count {
          model.rowAppeared(at: shown)
          shown += 1
        }
        return shown == 65
      }, "every row")
  }

  @Test(arguments: [0, 1, 3, 10])
  func `a row that appears right after a search of a stored list loads the next page`(
    waited: Int
  ) async throws {
    _ = await repository.fetch(try query("robin"), FetchPlan(.pages(1)))
    let stored = ListModel(repository, policy: .storeOnly)
    stored.search(try query("robin"))
    #expect(stored.rows.count == 20)
    if waited > 0 { try await Task.sleep(for: .milliseconds(waited)) }
    // Once each, as a list does when it draws them.
    for position in stored.rows.indices { stored.rowAppeared(at: position) }
    try await until({ _ in stored.rows.count == 40 }, "the second page")
  }

  @Test func `the same search again repeats a load that failed, nothing else`() async throws {
    let failure = FetchError.refused(status: 400, message: "no")
    catalogue.failure = failure
    model.search(try query("robin"))
    try await until({ $0.snapshot?.failure != nil }, "the failure")
    catalogue.failure = nil
    model.search(try query("robin"))
    try await until({ $0.rows.count == 20 && $0.snapshot?.load == .idle }, "the rows")
    let requests = catalogue.requests.count
    model.search(try query("robin"))
    try await Task.sleep(for: .milliseconds(100))
    #expect(catalogue.requests.count == requests && model.rows.count == 20)
  }

  @Test func `a row far from the end loads nothing`() async throws {
    model.search(try catalogue.catalogue.query("robin", pageSize: 50))
    try await until({ $0.rows.count == 50 && $0.snapshot?.load == .idle }, "the first page")
    model.rowAppeared(at: 29)
    try await Task.sleep(for: .milliseconds(100))
    #expect(catalogue.requests.count == 1)
    model.rowAppeared(at: 30)
    try await until({ $0.rows.count == 65 }, "the second page")
  }

  @Test func `nothing found is empty, and an error is repaired by a retry`() async throws {
    model.search(try query("dodo"))
    try await until({ $0.state == .empty }, "no rows")
    catalogue.failure = FetchError(.webPage)
    model.search(try query("wren"))
    let failure = LoadError.fetch(FetchError(.webPage), catalogue: catalogue.catalogue.id, page: 1)
    try await until({ $0.state == .error(failure, cached: []) }, "the error")
    #expect(
      failure.localizedDescription == "The network answered with a web page: a captive portal?")
    catalogue.failure = nil
    model.retry()
    try await until({ $0.rows.map(\.id.value) == ["Wren 1"] }, "the row")
  }

  @Test func `another search cancels the one before, and what is stored of it stays`()
    async throws
  {
    model.search(try query("robin"))
    try await until({ $0.rows.count == 20 && $0.snapshot?.load == .idle }, "the first page")
    catalogue.delay = .seconds(60)
    model.rowAppeared(at: 19)
    let requests = catalogue.requests.count
    try await until({ _ in catalogue.requests.count > requests }, "the request of page 2")
    catalogue.delay = .zero
    // The request takes a minute if it is not cancelled, and the next search of the same text
    // would wait for it.
    model.search(try query("wren"))
    try await until({ $0.rows.map(\.id.value) == ["Wren 1"] }, "the row of the other search")
    model.search(try query("robin"))
    try await until({ $0.rows.count == 20 }, "the stored rows")
  }

  @Test func `a model that is released ends its load`() async throws {
    catalogue.delay = .seconds(60)
    var other: ListModel? = ListModel(repository)
    other?.search(try query("robin"))
    try await until({ _ in catalogue.requests.count == 1 }, "the request")
    let isReleased = { [weak other] in other == nil }
    other = nil
    catalogue.delay = .zero
    try await until({ _ in isReleased() }, "the release")
    // A load that went on would hold the lock of the query for a minute.
    let report = await repository.fetch(try query("robin"), FetchPlan(.pages(1)))
    #expect(report.stored?.count == 20 && !report.joined)
  }

  @Test func `the rows stored before are shown without a network`() async throws {
    _ = await repository.fetch(try query("robin"), FetchPlan(.pages(2)))
    catalogue.failure = .offline(host: "preview.invalid")
    model.search(try query("robin"))
    try await until(
      {
        if case .error(let error, cached: let rows)? = $0.state {
          error.isOffline && rows.count == 40
        } else {
          false
        }
      },
      "the rows and the error")
    model.clear()
    #expect(model.state == nil && model.rows.isEmpty && model.query == nil)
  }
}

private struct Unexpected: Error {
  let what: String
  init(_ what: String) { self.what = what }
}

extension RecordingRepository.Dependencies {
  /// The real clock; pauses between attempts take a millisecond.
  fileprivate static let withoutWaits = RecordingRepository.Dependencies(
    now: RecordingRepository.Dependencies.live.now,
    sleep: { _ in try await Task.sleep(for: .milliseconds(1)) },
    random: { 0 })
}
#endif
