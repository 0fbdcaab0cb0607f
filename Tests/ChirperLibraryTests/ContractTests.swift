import Chirper
import Foundation
import Testing

// This is the contract of the project. No later change may alter this file, or
// `ChirperCommandTests/ContractTests.swift`: what does not pass them is not chirper. Other tests
// say more about the same subjects; these say what must never change.

/// A list is shown from the store first and then refreshed, in five states; its pages are stored by
/// query and number.
@Suite struct ContractTests {
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "chirper-\(UUID().uuidString)")
  /// 20 recordings a page.
  private let catalogue = PreviewCatalogue(titles: Self.robins + ["Wren"])
  private static let robins = (100..<165).map { "Robin \($0)" }

  /// A repository as a program that was just started opens it.
  private func opened() throws -> RecordingRepository {
    try RecordingRepository(directory: directory, catalogues: [catalogue])
  }

  private func pager(_ text: String) throws -> Pager {
    Pager(try opened(), query: try catalogue.catalogue.query(text))
  }

  /// The first snapshot that satisfies the condition, and those before it.
  private func snapshots(
    of pager: Pager, until condition: (ListSnapshot) -> Bool
  ) async throws -> (seen: [ListSnapshot], last: ListSnapshot) {
    var seen: [ListSnapshot] = []
    for await snapshot in pager.snapshots {
      if condition(snapshot) { return (seen, snapshot) }
      seen.append(snapshot)
    }
    throw CancellationError()
  }

  /// What a screen shows before anything was requested.
  private func first(of pager: Pager) async throws -> ListSnapshot {
    try await snapshots(of: pager) { _ in true }.last
  }

  private func titles(_ state: ListState?) -> [String] {
    state?.currentRecordings.map(\.id.value) ?? []
  }

  @Test
  func
    `a query that was never fetched has no state, is loading while page 1 is requested, and then pages`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let pager = try pager("robin")
    #expect(try await first(of: pager).state == nil)
    catalogue.delay = .seconds(300)
    let start = Task { await pager.start() }
    #expect(try await snapshots(of: pager) { $0.state != nil }.last.state == .loading)
    await pager.cancel()
    _ = await start.value
    catalogue.delay = .zero
    await pager.refresh()
    guard case .paging(let rows, next: 2)? = try await first(of: pager).state else {
      Issue.record("\(try await first(of: pager))")
      return
    }
    #expect(rows.map(\.id.value) == Array(Self.robins.prefix(20)))
  }

  @Test
  func
    `later pages are merged into the same list until it is populated, and no page is requested twice`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let pager = try pager("robin")
    await pager.start()
    for page in 2...4 {
      await pager.loadNextPage()
      let state = try await first(of: pager).state
      #expect(titles(state) == Array(Self.robins.prefix(page * 20)))
      switch state {
      case .paging(_, next: let next)?: #expect(next == page + 1 && page < 4)
      case .populated?: #expect(page == 4)
      default: Issue.record("\(String(describing: state))")
      }
    }
    #expect(catalogue.requests.map(\.number) == [1, 2, 3, 4])
    #expect(await pager.loadNextPage() == nil)
  }

  @Test func `a query that finds nothing is empty, from the network and from the store`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let pager = try pager("dodo")
    await pager.start()
    #expect(try await first(of: pager).state == .empty)
    let requests = catalogue.requests.count
    let later = try await first(of: self.pager("dodo"))
    #expect(
      later.state == .empty && later.source == .store && catalogue.requests.count == requests
    )
  }

  @Test func `an error keeps the rows that are stored, and has none where nothing is`() async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let pager = try pager("robin")
    await pager.start()
    catalogue.failure = FetchError(.webPage)
    let failure = LoadError.fetch(FetchError(.webPage), catalogue: catalogue.catalogue.id, page: 2)
    await pager.loadNextPage()
    guard case .error(failure, cached: let rows)? = try await first(of: pager).state else {
      Issue.record("\(try await first(of: pager))")
      return
    }
    #expect(rows.map(\.id.value) == Array(Self.robins.prefix(20)))
    let other = try self.pager("wren")
    await other.start()
    let nothing = LoadError.fetch(FetchError(.webPage), catalogue: catalogue.catalogue.id, page: 1)
    #expect(try await first(of: other).state == .error(nothing, cached: []))
  }

  @Test func `a list is built from the store before anything is requested, and then refreshed`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    _ = try await opened().fetch(try catalogue.catalogue.query("robin"), FetchPlan(.all))
    let requests = catalogue.requests.count
    catalogue.titles = ["Robin 099"] + Self.robins.dropLast()
    let pager = try pager("robin")
    let stored = try await first(of: pager)
    #expect(titles(stored.state) == Self.robins && stored.source == .store)
    guard case .populated? = stored.state else {
      Issue.record("\(stored)")
      return
    }
    #expect(catalogue.requests.count == requests)
    // What was stored is shown while the catalogue is asked.
    catalogue.delay = .seconds(300)
    let refresh = Task { await pager.start() }
    let asking = try await snapshots(of: pager) { $0.load != .idle }.last
    #expect(titles(asking.state) == Self.robins)
    await pager.cancel()
    _ = await refresh.value
    catalogue.delay = .zero
    await pager.refresh()
    let refreshed = try await first(of: pager)
    #expect(
      titles(refreshed.state) == ["Robin 099"] + Self.robins.dropLast()
        && refreshed.source == .network)
    #expect(catalogue.requests.count > requests)
    // The next program finds it so.
    #expect(
      try await titles(first(of: self.pager("robin")).state) == ["Robin 099"]
        + Self.robins.dropLast())
  }

  // iOS starts no process.
  #if !os(iOS)
  @Test func `pages are stored by query and page number, each once`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let repository = try opened()
    for (text, pages) in [("robin", 3), ("wren", 1), ("robin", 4)] {
      _ = await repository.fetch(try catalogue.catalogue.query(text), FetchPlan(.pages(pages)))
    }
    let pages = try sqlite(
      """
      SELECT query.typed, page.number, count(*) FROM page JOIN query USING (query_id)
      JOIN entry ON entry.query_id = page.query_id AND entry.page = page.number GROUP BY 1, 2 ORDER BY 1, 2
      """)
    #expect(
      pages.output == "robin|1|20\nrobin|2|20\nrobin|3|20\nrobin|4|5\nwren|1|1\n", "\(pages)")
    let again = try sqlite("INSERT INTO page SELECT * FROM page WHERE number = 4")
    #expect(
      again.error.contains("UNIQUE constraint failed: page.query_id, page.number"), "\(again)")
    #expect(try sqlite("SELECT count(*) FROM recording").output == "66\n")
  }

  /// What the system's `sqlite3` prints for a statement about the store's file.
  private func sqlite(_ statement: String) throws -> (output: String, error: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", directory.appending(path: "chirper.sqlite").path, statement]
    let (output, error) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, error)
    try process.run()
    // Each fits into the pipe.
    process.waitUntilExit()
    return (
      String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
      String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    )
  }
  #endif
}
