import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// Pages that a sync without a walk reads again.
extension SyncTests {
  @Test func `each sync reads the page again that was read longest ago, so that each has its turn`()
    async throws
  {
    var rechecked: [[Int]] = []
    for _ in 0..<8 {
      rechecked.append(try await sync().0.recheckedPages)
      clock.advance(by: .seconds(86_400))
    }
    #expect(rechecked == [[2], [3], [4], [5], [6], [7], [2], [3]])
  }

  @Test(arguments: [3, 14, 30])
  func `after every daily sync each page was read within the limit`(days: Int) async throws {
    for day in 0..<days + 10 {
      if day % 9 == 5 {
        xenoCanto.change {
          $0.append(.init(5000 + day, "minor", quality: "B", uploaded: "2022-01-\(10 + day / 9)"))
        }
      }
      let stored = try #require(try await repository.stored(query))
      let report = await repository.sync(stored, rereadingWithin: .seconds(days * 86_400))
      let oldest = try #require(report.stored?.oldestFetchedAt)
      #expect(clock.now.timeIntervalSince(oldest) <= Double(days * 86_400), "day \(day)")
      #expect(report.stored?.completeness == .complete)
      #expect(try ids() == xenoCanto.ids)
      clock.advance(by: .seconds(86_400))
    }
  }

  @Test func `pages that were read by a clock that was ahead are read again first`() async throws {
    clock.advance(by: .seconds(2 * 86_400))
    _ = try await sync()
    clock.advance(by: .seconds(-1 * 86_400))
    #expect(try await sync().0.recheckedPages == [2, 3])
    #expect(try await sync().0.recheckedPages == [4])
  }

  @Test func `a page that cannot be read again does not keep the others from their turn`()
    async throws
  {
    let xenoCanto = xenoCanto
    let server = try ScriptedServer { request in
      request.query("page") == "2" ? .json(200, "{") : xenoCanto.answer(request)
    }
    let configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url], key: { _ in APIKey("canary") })
    let repository = RecordingRepository(store: store, dependencies: clock.dependencies()) {
      Catalogues.fetcher(for: $0, configuration: configuration)
    }
    for page in [3, 4] {
      let report = await repository.sync(try #require(try repository.stored(query)))
      #expect(
        (report.failedPages.map(\.number), report.recheckedPages, report.failure) == (
          [2], [page], nil
        ))
      #expect(report.stored?.completeness == .complete)
      clock.advance(by: .seconds(60))
    }
  }

  /// Syncs until a page that is read again differs; the number of syncs.
  private func syncsUntilWalk() async throws -> Int {
    for number in 1...7 {
      let (report, _) = try await sync()
      if !report.isIncremental { return number }
      #expect(report.stored?.completeness == .complete)
      clock.advance(by: .seconds(86_400))
    }
    return 0
  }

  @Test func `an edit of an old recording is stored when its page is read again`() async throws {
    xenoCanto.change { rows in
      for index in rows.indices where rows[index].number == 200 {
        rows[index].remark = "seen again"
      }
    }
    #expect(try await syncsUntilWalk() == 0)
    let recording = try await repository.recording(RecordingID(catalogue: .xenoCanto, value: "200"))
    #expect(recording?.text("rmk") == "seen again")
  }

  @Test func `a list that grows by pages has the catalogue's pages, each of which has its turn`()
    async throws
  {
    for number in 0..<4 {
      xenoCanto.change { rows in
        for upload in 0..<20 {
          rows.append(
            .init(
              1000 + number * 20 + upload, ["alba", "minor"][upload % 2], quality: "B",
              uploaded: "202\(2 + number)-06-20"))
        }
      }
      #expect(try await sync().requests == 3)
      #expect(try ids() == xenoCanto.ids)
      clock.advance(by: .seconds(86_400))
    }
    #expect(try store.walkStatus(of: query)?.pages.count == 9)
    #expect(try store.audit(of: query).problems == [])
    #expect(try await syncsUntilWalk() == 0)
    // The pages were changed without being read, so the first walk does not verify them.
    for claim in [StoredQuery.Completeness.complete, .verified] {
      let report = await repository.fetch(query, FetchPlan(.all))
      #expect((report.changed, report.stored?.completeness) == (0, claim))
    }
  }
}
