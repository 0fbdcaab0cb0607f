import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper

/// A catalogue whose pages can only be requested with the token that the page before named.
@Suite struct CursorPagingTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "chirper-\(UUID().uuidString)")
  private let catalogue = CursorCatalogue(ids: (1...9).map { "r\($0)" })
  private let clock = ManualClock()

  /// A repository as a new process has it: it shares nothing with the one before but the file.
  private func repository() throws -> RecordingRepository {
    let fetcher = catalogue
    return RecordingRepository(
      store: try .writable(in: directory), dependencies: clock.dependencies()
    ) { _ in fetcher }
  }

  private func cleanUp() { try? FileManager.default.removeItem(at: directory) }

  @Test func `every page is requested with the token of the page before`() async throws {
    defer { cleanUp() }
    let report = await (try repository()).fetch(catalogue.query, FetchPlan(.all))
    #expect(catalogue.requests == ["1", "2 after r2", "3 after r4", "4 after r6", "5 after r8"])
    #expect(report.stored?.completeness == .complete)
  }

  @Test func `a walk that was cut off continues with the token in the store`() async throws {
    defer { cleanUp() }
    let cut = Task { [catalogue] in
      await (try repository()).fetch(catalogue.query, FetchPlan(.all)) { event in
        if case .page(2, _) = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    #expect(try await cut.value.failure == .cancelled)
    catalogue.forgetRequests()
    let report = await (try repository()).fetch(catalogue.query, FetchPlan(.all))
    #expect(catalogue.requests == ["3 after r4", "4 after r6", "5 after r8"])
    #expect(report.stored?.completeness == .complete)
    #expect(try repository().rows(of: catalogue.query, in: 0..<20).map(\.id.value) == catalogue.ids)
  }

  @Test func `no page after a failed one is requested, and the next run continues with that one`()
    async throws
  {
    defer { cleanUp() }
    catalogue.fail(page: 3, with: .malformed("cut"))
    let report = await (try repository()).fetch(catalogue.query, FetchPlan(.all))
    #expect(catalogue.requests == ["1", "2 after r2", "3 after r4"])
    #expect(report.failedPages.map(\.number) == [3])
    catalogue.fail(page: nil, with: FetchError(.truncated))
    catalogue.forgetRequests()
    #expect(
      await (try repository()).fetch(catalogue.query, FetchPlan(.all)).stored?.completeness
        == .complete)
    #expect(catalogue.requests == ["3 after r4", "4 after r6", "5 after r8"])
  }

  @Test func `a stored token that has expired makes the walk begin again, and no row is lost`()
    async throws
  {
    defer { cleanUp() }
    _ = await (try repository()).fetch(catalogue.query, FetchPlan(.pages(2)))
    catalogue.forgetRequests()
    catalogue.expireTokens()
    let report = await (try repository()).fetch(catalogue.query, FetchPlan(.all))
    #expect(
      catalogue.requests == [
        "3 after r4", "1", "2 after r2+", "3 after r4+", "4 after r6+", "5 after r8+",
      ])
    #expect((report.failure, report.failedPages.count, report.gone) == (nil, 0, 0))
    #expect(report.stored?.completeness == .complete)
  }

  @Test func `a field that the catalogue calls volatile does not count as a change`() async throws {
    defer { cleanUp() }
    _ = await (try repository()).fetch(catalogue.query, FetchPlan(.all))
    let report = await (try repository()).fetch(catalogue.query, FetchPlan(.all))
    #expect((report.changed, report.stored?.completeness) == (0, .verified))
    #expect(try repository().rows(of: catalogue.query, in: 0..<1).first?.text("crawled") == "1")
  }

  @Test
  func
    `totals that count only what is ahead make one total, over several runs and with several rows a record`()
    async throws
  {
    let records = (10..<40).map { "r\($0)" }
    let catalogue = ModelCatalogue(kind: .cursors, rows: records)
    let repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies())
    { _ in catalogue }
    let query = catalogue.query("q", pageSize: 7)
    let first = await repository.fetch(query, FetchPlan(.pages(2)))
    #expect(first.stored?.totals == RecordingPage.Totals(recordings: 30, pages: 5))
    let report = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(report.stored?.completeness == .verified)
    #expect(
      (report.stored?.count, report.stored?.totals) == (
        45, RecordingPage.Totals(recordings: 30, pages: 5)
      ))
    #expect(catalogue.now.requests == [1, 2, 3, 4, 5, 1, 1, 2, 3, 4, 5, 1])
    #expect(try repository.rows(of: query, in: 0..<50).map(\.id.value) == catalogue.ids)
  }

  @Test func `a record that leaves a list paged by id is found by the totals`() async throws {
    let catalogue = ModelCatalogue(kind: .cursors, rows: (10..<40).map { "r\($0)" })
    let repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies())
    { _ in catalogue }
    let query = catalogue.query("q", pageSize: 7)
    _ = await repository.fetch(query, FetchPlan(.pages(2)))
    catalogue.change { $0.removeAll { $0.id == "r30" } }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.stored?.completeness == .complete)
    #expect(catalogue.now.requests == [1, 2, 3, 1, 2, 3, 4, 5, 1])
    #expect(try repository.rows(of: query, in: 0..<50).map(\.id.value) == catalogue.ids)
  }

  @Test func `a list paged by id whose page 1 changes in each pass ends shifted`() async throws {
    let catalogue = ModelCatalogue(kind: .cursors, rows: (10..<40).map { "r\($0)" })
    let store = try RecordingStore.inMemory()
    let repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in
      catalogue
    }
    let query = catalogue.query("q", pageSize: 7)
    catalogue.beforeEachAnswer { upstream, page in
      if page == 5 { upstream.rows.append(.init("r10x\(upstream.requests.count)")) }
      return nil
    }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.failure == nil && report.gone == 0)
    #expect(report.stored?.completeness.word == "shifted")
    #expect(report.requests <= 4 * 6 + 1)
    catalogue.beforeEachAnswer { _, _ in nil }
    #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness == .complete)
    #expect(try repository.rows(of: query, in: 0..<100).map(\.id.value) == catalogue.ids)
  }

  @Test func `a cursor is read back from its token, and another token is none`() {
    for (lastID, count) in [("r1", 0), ("a b  ü", 12_000)] {
      let cursor = PageRequest.Token.after(lastID, recordsBefore: count).position
      #expect(cursor?.lastID == lastID && cursor?.recordsBefore == count)
    }
    for text in ["", "r1", "-1 r1", "x r1", "9223372036854775807 r1"] {
      let isCursor = PageRequest.Token(rawValue: text).position != nil
      #expect(!isCursor, "\(text)")
    }
  }

  @Test func `fresh pages after a page that names a new token are not reused`() async throws {
    defer { cleanUp() }
    _ = await (try repository()).fetch(catalogue.query, FetchPlan(.pages(1)))
    clock.advance(by: .seconds(100))
    _ = await (try repository()).fetch(catalogue.query, FetchPlan(.all))
    catalogue.expireTokens()
    catalogue.forgetRequests()
    let report = await (try repository()).fetch(
      catalogue.query, FetchPlan(.all, maxAge: .seconds(50)))
    #expect(
      catalogue.requests == ["1", "2 after r2+", "3 after r4+", "4 after r6+", "5 after r8+"])
    #expect(report.stored?.completeness == .complete)
  }
}

/// Pages of two rows, without totals; a token is the last id of the page before, and a plus for
/// each time that tokens expired. Every answer has another crawl time.
private final class CursorCatalogue: PageFetcher {
  private struct State {
    var requests: [String] = []
    var failing: (page: Int, error: FetchError)?
    var suffix = ""
    var crawled = 0
  }

  let ids: [String]
  let catalogue: Catalogue
  private let state = Mutex(State())

  init(ids: [String]) {
    self.ids = ids
    var catalogue = Catalogue(id: "cursor", name: "cursor")
    catalogue.pageSizes = 1...10
    catalogue.defaultPageSize = 2
    catalogue.minimumInterval = .zero
    catalogue.fields = ["id", "crawled"]
    catalogue.volatileFields = ["crawled"]
    catalogue.makeQuery = { text, _ in (text, text) }
    self.catalogue = catalogue
  }

  var query: CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue.id, identity: "q", pageSize: 2, typed: "q", requestText: "q")
  }
  var requests: [String] { state.withLock { $0.requests } }

  func forgetRequests() { state.withLock { $0.requests = [] } }
  func expireTokens() { state.withLock { $0.suffix += "+" } }
  func fail(page: Int?, with error: FetchError) {
    state.withLock { $0.failing = page.map { ($0, error) } }
  }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (failing, suffix, crawled) = state.withLock { state in
      state.crawled += 1
      state.requests.append(
        "\(request.number)\(request.token.map { " after \($0.rawValue)" } ?? "")")
      return (state.failing, state.suffix, state.crawled)
    }
    if let failing, failing.page == request.number { throw failing.error }
    var start = 0
    if let token = request.token?.rawValue {
      guard let last = ids.firstIndex(where: { $0 + suffix == token }) else {
        throw .refused(status: 410, message: "the cursor has expired")
      }
      start = last + 1
    } else if request.number > 1 {
      throw .refused(status: 400, message: "a page without a cursor")
    }
    let window = ids[start...].prefix(2)
    let isLast = start + 2 >= ids.count
    return RecordingPage(
      number: request.number,
      recordings: window.map { id in
        Recording(
          id: RecordingID(catalogue: catalogue.id, value: id),
          fields: RecordingFields(canonical: #"{"id":"\#(id)","crawled":\#(crawled)}"#))
      },
      totals: nil, next: isLast ? nil : request.number + 1,
      nextToken: isLast ? nil : window.last.map { PageRequest.Token(rawValue: $0 + suffix) })
  }
}
