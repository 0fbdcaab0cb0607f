import Chirper
import Foundation
import Testing

/// A screen over a `Pager`, as an app uses it.
@Suite struct PagerTests {
  private let catalogue = PreviewCatalogue(
    titles: (100..<160).map { $0 % 10 == 0 ? "Wren \($0) a" : "Robin \($0) a" })
  private let repository: RecordingRepository

  init() throws {
    repository = try .inMemory(
      catalogues: [catalogue],
      dependencies: RecordingRepository.Dependencies(
        now: RecordingRepository.Dependencies.live.now, sleep: { _ in await Task.yield() },
        random: { 0 }))
  }

  private func pager(pageSize: Int = 20) throws -> Pager {
    Pager(repository, query: try catalogue.catalogue.query("a", pageSize: pageSize))
  }

  /// The first snapshot like that; the test's time limit ends a wait in vain.
  private func first(of pager: Pager, where condition: @Sendable (ListSnapshot) -> Bool)
    async throws -> ListSnapshot
  {
    for await snapshot in pager.snapshots where condition(snapshot) { return snapshot }
    throw CancellationError()
  }

  private func titles(_ snapshot: ListSnapshot) -> [String] { snapshot.rows.map(\.id.value) }

  @Test(.timeLimit(.minutes(10)))
  func `rows near the end load pages until they are not near it any more`() async throws {
    let pager = try pager(pageSize: 4)
    await pager.start()
    pager.rowAppeared(at: 0, distance: 3)
    // Row 3 of 4 is near the end until there are three pages; the next rows have not appeared.
    pager.rowAppeared(at: 3, distance: 6)
    let snapshot = try await first(of: pager) { $0.count == 12 && !$0.isLoading }
    #expect(snapshot.canLoadMore && snapshot.stored?.next == 4 && snapshot.failure == nil)
    pager.rowAppeared(at: 5, distance: 6)
    try await Task.sleep(for: .milliseconds(50))
    #expect(catalogue.requests.map(\.number) == [1, 2, 3])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a refresh and the next page are two loads, each with its progress and its error`()
    async throws
  {
    let pager = try pager()
    catalogue.failure = FetchError(.webPage)
    await pager.start()
    let begun = try await first(of: pager) { $0.failure != nil }
    #expect(begun.refreshing == begun.load && begun.loadingMore == .idle)
    catalogue.failure = nil
    await pager.start()
    catalogue.failure = FetchError(.webPage)
    await pager.loadNextPage()
    let appended = try await first(of: pager) { $0.failure != nil }
    #expect(appended.loadingMore == appended.load && appended.refreshing == .idle)
    #expect(appended.loadingMore.message?.contains("page 2") == true)
    catalogue.failure = nil
    catalogue.delay = .seconds(300)
    let next = Task { await pager.loadNextPage() }
    let loading = try await first(of: pager) { $0.loadingMore.message == "loading page 2 of 3" }
    #expect(loading.refreshing == .idle && loading.refreshing.message == nil)
    next.cancel()
    _ = await next.value
  }

  @Test func `a text is fetched from a catalogue by its id, a number of pages or all`() async throws
  {
    let id = catalogue.catalogue.id
    try await repository.fetch("a", in: id, pages: 1)
    let query = try repository.query("a", in: id)
    #expect(try await repository.stored(query)?.pagesStored == 1)
    #expect(try await repository.fetch("a", in: id, pages: .all).stored?.count == 60)
    let known = ["preview", "xeno-canto", "gbif", "inaturalist", "itunes", "sample"]
    #expect(throws: QueryError(.unknownCatalogue("herbarium", known: known))) {
      try repository.query("a", in: "herbarium")
    }
    #expect(throws: QueryError(.blank)) { try repository.query(" ", in: id) }
  }

  @Test(.timeLimit(.minutes(10)))
  func `after a failure no row loads anything until a retry, which goes on`() async throws {
    let pager = try pager(pageSize: 10)
    await pager.start()
    catalogue.failure = FetchError(.webPage)
    pager.rowAppeared(at: 9, distance: 10)
    let failed = try await first(of: pager) { $0.failure != nil }
    #expect(
      failed.failure == .fetch(FetchError(.webPage), catalogue: catalogue.catalogue.id, page: 2))
    #expect(failed.stored?.next == 2 && failed.canLoadMore && titles(failed).count == 10)
    let requests = catalogue.requests.count
    for position in 0..<10 { pager.rowAppeared(at: position) }
    try await Task.sleep(for: .milliseconds(50))
    #expect(catalogue.requests.count == requests)
    catalogue.failure = nil
    await pager.retry()
    // Row 9, which does not appear again, is still one of the last 20 of 20 and not of 30.
    let later = try await first(of: pager) { $0.count == 30 && !$0.isLoading }
    #expect(later.failure == nil && later.stored?.next == 4)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a screen shows some rows in another order, and its state stays that of the list`()
    async throws
  {
    let pager = try pager()
    await pager.start()
    let wrens = try SearchExpression("wren", catalogues: [])
    try await pager.show(
      where: wrens, sort: [SortKey(\.vernacularName, descending: true)])
    let filtered = try await first(of: pager) { $0.count == 20 }
    #expect(titles(filtered) == ["Wren 110 a", "Wren 100 a"])
    #expect(try await filtered.rows.ids().map(\.value) == ["Wren 110 a", "Wren 100 a"])
    guard case .paging(let rows, next: 2)? = filtered.state else {
      Issue.record("\(filtered)")
      return
    }
    #expect(rows.count == 20)
    // No page is loaded because few rows are shown.
    for position in 0..<2 { pager.rowAppeared(at: position) }
    try await Task.sleep(for: .milliseconds(50))
    #expect(catalogue.requests.count == 1)
    // A change of the list selects the rows again.
    await pager.loadNextPage()
    let more = try await first(of: pager) { $0.rows.count == 4 }
    #expect(
      titles(more) == ["Wren 130 a", "Wren 120 a", "Wren 110 a", "Wren 100 a"] && more.count == 40)
    // Nothing that is found is no empty list.
    try await pager.show(where: try SearchExpression("dodo", catalogues: []))
    let none = try await first(of: pager) { $0.rows.isEmpty }
    #expect(none.state != .empty && none.count == 40)
    // Without a filter, rows near the end load the next page, whatever their order.
    try await pager.show(sort: [SortKey(\.vernacularName, descending: true)])
    let sorted = try await first(of: pager) { $0.rows.count == 40 }
    #expect(titles(sorted).prefix(2) == ["Wren 130 a", "Wren 120 a"])
    pager.rowAppeared(at: 30)
    let whole = try await first(of: pager) { $0.rows.count == 60 && !$0.isLoading }
    #expect(whole.stored?.next == nil && !whole.canLoadMore)
    try await pager.show()
    let all = try await first(of: pager) { $0.rows == $0.state?.currentRecordings }
    #expect(titles(all) == catalogue.titles)
    await #expect(throws: SearchExpressionError.self) {
      try await pager.show(where: try SearchExpression("in:nowhere", catalogues: []))
    }
  }

  @MainActor @Test(.timeLimit(.minutes(10)))
  func `of two calls of show the later one decides, and one that is cancelled changes nothing`()
    async throws
  {
    let pager = try pager(pageSize: 60)
    await pager.start()
    for _ in 0..<20 {
      // The main actor runs its tasks in the order in which they are made.
      let calls = ["robin", "robin", "wren"].map { text in
        Task { try await pager.show(where: try SearchExpression(text, catalogues: [])) }
      }
      for call in calls { try await call.value }
      #expect(try await self.first(of: pager) { _ in true }.rows.count == 6)
    }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await pager.show()
      try await pager.show(where: try SearchExpression("robin", catalogues: []))
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  #if canImport(Observation)
  @MainActor @Test(.timeLimit(.minutes(10)))
  func `between two stored searches there is no frame without rows`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let repository = try RecordingRepository(directory: directory, catalogues: [catalogue])
    let queries = try ["robin", "wren"].map { try catalogue.catalogue.query($0) }
    for query in queries { _ = await repository.fetch(query, FetchPlan(.pages(1))) }
    let model = ListModel(repository)
    #expect(model.state == nil && !model.isLoading)
    model.search(queries[0])
    #expect(model.state != nil && model.isLoading)
    while model.rows.isEmpty || model.isLoading { try await Task.sleep(for: .milliseconds(1)) }
    for query in [queries[1], queries[0], queries[1]] {
      model.search(query)
      #expect(model.snapshot?.query == query && !model.rows.isEmpty && model.isLoading)
      while model.isLoading {
        #expect(!model.rows.isEmpty)
        try await Task.sleep(for: .microseconds(100))
      }
    }
    // A list that was never fetched is being loaded from the first frame on.
    catalogue.delay = .milliseconds(20)
    model.search(try catalogue.catalogue.query("robin 11"))
    while model.isLoading {
      #expect(model.state != nil)
      try await Task.sleep(for: .microseconds(100))
    }
    #expect(model.rows.count == 9)
  }
  #endif
}
