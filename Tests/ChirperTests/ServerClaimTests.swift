import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// What is stored of answers in which a different chirper says what it knows of its list.
@Suite struct ServerClaimTests {
  private let clock = ManualClock()

  /// A repository whose xeno-canto is a server with a list of two pages.
  ///
  /// - Parameters:
  ///   - claim: of the server.
  ///   - age: of the list, in days, at the time of each request, from 1.
  private func repository(
    claim: String, requests: Locked<[String]>, age: @escaping @Sendable (Int) -> Double
  ) throws -> RecordingRepository {
    let now = clock.now
    var configuration = RemoteConfiguration()
    configuration.key = { _ in APIKey("k") }
    configuration.transport = { url, _, _ in
      let page = url.absoluteString.firstMatch(of: /[?&]page=([0-9]+)/).map { String($0.1) } ?? ""
      let number = requests.withLock { requests in
        requests.append(page)
        return requests.count
      }
      let rows = page == "1" ? #"{"id":"1"},{"id":"2"}"# : page == "2" ? #"{"id":"3"}"# : ""
      let date = now.addingTimeInterval(-86_400 * age(number)).formatted(.iso8601)
      return CatalogueClient.Response(
        headers: [
          "X-Chirper-List": "gen:a", "X-Chirper-Completeness": claim, "X-Chirper-Fetched": date,
        ],
        body: #"{"numRecordings":"3","page":\#(page),"numPages":2,"recordings":[\#(rows)]}"#.utf8)
    }
    return RecordingRepository(
      store: try .inMemory(), configuration: configuration, dependencies: clock.dependencies())
  }

  private func stored(
    _ claim: String, verify: Bool = false, requests: Locked<[String]> = Locked([]),
    age: @escaping @Sendable (Int) -> Double
  ) async throws -> StoredQuery {
    let repository = try repository(claim: claim, requests: requests, age: age)
    let query = try #require(Catalogues.named(.xenoCanto)).query("gen:a")
    let report = await repository.fetch(query, FetchPlan(.all, verify: verify))
    return try #require(report.stored)
  }

  @Test func `a list is as old as that of the server, and as whole`() async throws {
    for (claim, verify, expected) in [
      ("complete", false, "complete"), ("complete", true, "complete"),
      ("verified", false, "complete"), ("verified", true, "verified"),
      ("partial", true, "partial"), ("shifted", false, "partial"), ("imported", false, "partial"),
    ] {
      let list = try await stored(claim, verify: verify) { _ in 5 }
      #expect(list.completeness.word == expected, "\(claim)")
      #expect(list.count == 3)
      let age = clock.now.timeIntervalSince(list.oldestFetchedAt)
      #expect(abs(age - 5 * 86_400) < 60, "\(claim): \(age)")
      #expect(list.newestFetchedAt == list.oldestFetchedAt)
    }
  }

  @Test func `pages of before and after a sync of the server are no list`() async throws {
    let requests = Locked<[String]>([])
    // The server has synced between the two requests.
    let list = try await stored("complete", requests: requests) { $0 == 1 ? 5 : 0 }
    #expect(requests.withLock { $0 }.prefix(3) == ["1", "2", "1"])
    #expect(list.completeness == .complete)
    #expect(clock.now.timeIntervalSince(list.oldestFetchedAt) < 60)
  }

  @Test func `what a server read before this store did replaces nothing`() async throws {
    let requests = Locked<[String]>([])
    // The third answer is of an older copy, the next two of the first one, the last two of a newer.
    let repository = try repository(claim: "complete", requests: requests) {
      $0 == 3 ? 5 : $0 < 6 ? 1 : 0
    }
    let query = try #require(Catalogues.named(.xenoCanto)).query("gen:a")
    let first = await repository.fetch(query, FetchPlan(.all))
    #expect(first.failure == nil && first.stored?.completeness == .complete)
    let older = await repository.fetch(query, FetchPlan(.all))
    #expect(older.failure?.presentation.code == "server-older")
    #expect(older.stored == first.stored)
    #expect(requests.withLock { $0 } == ["1", "2", "1"])
    let same = await repository.fetch(query, FetchPlan(.all))
    #expect(same.failure == nil && same.stored?.newestFetchedAt == first.stored?.newestFetchedAt)
    let newer = await repository.fetch(query, FetchPlan(.all))
    #expect(newer.failure == nil && newer.stored?.completeness == .complete)
    let age = try clock.now.timeIntervalSince(#require(newer.stored).oldestFetchedAt)
    #expect(age < 60)
  }

  @Test func `what a server has not read yet is neither new nor a change of the list`() async throws
  {
    let store = try RecordingStore.inMemory()
    let isCatalogue = Locked(false)
    let requests = Locked<[String]>([])
    let date = clock.now.addingTimeInterval(-3600).formatted(.iso8601)
    var configuration = RemoteConfiguration()
    configuration.key = { _ in APIKey("k") }
    configuration.transport = { url, _, _ in
      let page = url.absoluteString.firstMatch(of: /[?&]page=([0-9]+)/).map { String($0.1) } ?? ""
      requests.withLock { $0.append(page) }
      guard isCatalogue.withLock({ $0 }) else {
        let rows = page == "1" ? #"{"id":"1"},{"id":"2"}"# : ""
        return CatalogueClient.Response(
          headers: [
            "X-Chirper-List": "gen:a", "X-Chirper-Completeness": "partial",
            "X-Chirper-Fetched": date,
          ],
          body: #"{"numRecordings":"2","page":\#(page),"numPages":1,"recordings":[\#(rows)]}"#.utf8)
      }
      let rows = page == "1" ? #"{"id":"1"},{"id":"2"},{"id":"3"}"# : #"{"id":"4"}"#
      return CatalogueClient.Response(
        body: #"{"numRecordings":"4","page":\#(page),"numPages":2,"recordings":[\#(rows)]}"#.utf8)
    }
    let repository = RecordingRepository(
      store: store, configuration: configuration, dependencies: clock.dependencies())
    let query = try #require(Catalogues.named(.xenoCanto)).query("gen:a")
    let partial = await repository.fetch(query, FetchPlan(.all))
    #expect(partial.stored?.completeness.word == "partial" && partial.stored?.count == 2)
    isCatalogue.withLock { $0 = true }
    requests.withLock { $0 = [] }
    let whole = await repository.fetch(query, FetchPlan(.all))
    #expect(whole.failure == nil && whole.stored?.completeness == .complete)
    #expect(whole.stored?.count == 4)
    #expect(requests.withLock { $0 } == ["1", "2"])
    #expect(try store.readableKeys(of: query, .entered, since: .distantPast).keys.isEmpty)
  }

  @Test func `a web server that is not a chirper is not taken for one without the list`()
    async throws
  {
    let refusal = #"{"error":"client_error","message":"The lists here are: q:A"}"#
    for (status, body, code) in [
      (404, refusal, "list-not-there"), (404, "<html>Not found</html>", "not-chirper"),
      (404, #"{"message":"no such page"}"#, "not-chirper"),
      (200, #"{"numRecordings":"0","page":1,"numPages":1,"recordings":[]}"#, "not-chirper"),
    ] {
      var configuration = RemoteConfiguration()
      configuration.baseURLs[.xenoCanto] = URL(string: "https://birds.example")
      configuration.server = .init(token: nil)
      configuration.transport = { _, _, _ in
        CatalogueClient.Response(status: status, body: body.utf8)
      }
      let repository = RecordingRepository(
        store: try .inMemory(), configuration: configuration, dependencies: clock.dependencies())
      let query = try #require(Catalogues.named(.xenoCanto)).query("gen:a")
      let report = await repository.fetch(query, FetchPlan(.all))
      #expect(report.failure?.presentation.code == code, "\(status) \(body)")
    }
  }

  @Test func `an error names the server, and not the catalogue in whose place it was asked`()
    async throws
  {
    let address = try #require(URL(string: "https://birds.example:8642"))
    for (error, message) in [
      (FetchError(.truncated), "The answer of birds.example:8642 broke off, so it was not stored."),
      (FetchError(.tooLarge(limit: 5)), "The answer of birds.example:8642 is too large."),
      (
        .unreachable(host: "birds.example", detail: "refused"),
        "birds.example:8642 cannot be reached."
      ),
    ] {
      var configuration = RemoteConfiguration()
      configuration.baseURLs[.xenoCanto] = address
      configuration.server = .init(token: nil)
      configuration.transport = { _, _, _ throws(FetchError) in throw error }
      let repository = RecordingRepository(
        store: try .inMemory(), configuration: configuration, dependencies: clock.dependencies())
      let query = try #require(Catalogues.named(.xenoCanto)).query("gen:a")
      let report = await repository.fetch(query, FetchPlan(.all))
      #expect(report.failure?.presentation.message == message)
    }
  }

  @Test func `a server whose clock is ahead makes no list of the future`() async throws {
    let list = try await stored("complete") { _ in -3 }
    #expect(list.oldestFetchedAt <= clock.now)
  }
}
