import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Logging
import Testing

@testable import Chirper

/// What the library logs to the logger of its dependencies.
@Suite struct LogTests {
  private let log = KeptLog()
  private let clock = ManualClock()

  private func dependencies(leastSleep: Duration = .zero) -> RecordingRepository.Dependencies {
    var dependencies = clock.dependencies(random: 1, leastSleep: leastSleep)
    dependencies.logger = log.logger
    return dependencies
  }

  @Test
  func `a fetch logs what it requests, what it waits for, what is stored, and how the walk ends`()
    async throws
  {
    let catalogue = ModelCatalogue(rows: (1...4).map { "r\($0)" })
    catalogue.beforeEachAnswer { upstream, page in
      switch (page, upstream.requests.filter { $0 == page }.count) {
      case (1, 1): .rateLimited(retryAfter: .seconds(20))
      case (2, 1): FetchError(.timedOut(host: "h", phase: .idle))
      default: nil
      }
    }
    let repository = RecordingRepository(store: try .inMemory(), dependencies: dependencies()) {
      _ in catalogue
    }
    _ = await repository.fetch(catalogue.query("q", pageSize: 2), FetchPlan(.all))
    #expect(
      log.messages == [
        "fetch", "requesting a page", "waiting as Retry-After asks", "requesting a page",
        "page stored", "requesting a page",
        "waiting to try again", "requesting a page", "page stored", "walk closed", "fetch ended",
      ])
    let lines = log.lines
    #expect(lines.allSatisfy { $0.contains("query=q") && $0.contains("catalogue=") })
    #expect(lines[0].contains("stored=nothing") && lines[2].contains("seconds=20.0"))
    #expect(
      lines[4].contains("new=2") && lines[4].contains("changed=0") && lines[4].contains("page=1"))
    #expect(lines[9].contains("completeness=complete") && lines[10].contains("failure=none"))
  }

  @Test func `a sync logs why it walks`() async throws {
    let catalogue = ModelCatalogue(rows: (1...4).map { "r\($0)" })
    let repository = RecordingRepository(store: try .inMemory(), dependencies: dependencies()) {
      _ in catalogue
    }
    let query = catalogue.query("q", pageSize: 2)
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    _ = await repository.sync(try #require(try repository.stored(query)))
    _ = await repository.fetch(query, FetchPlan(.all))
    _ = await repository.sync(try #require(try repository.stored(query)))
    let reasons = log.lines.filter { $0.hasPrefix("the sync walks") }
    #expect(reasons.count == 2)
    #expect(reasons[0].contains("because=the list is not complete"))
    #expect(reasons[1].contains("because=the catalogue cannot be asked for what changed"))
  }

  @Test func `a fetch logs which process it waited for, and how long`() async throws {
    let catalogue = ModelCatalogue(rows: ["r1"])
    let store = try RecordingStore.inMemory()
    let repository = RecordingRepository(
      store: store, dependencies: dependencies(leastSleep: .milliseconds(1))
    ) { _ in catalogue
    }
    let query = catalogue.query("q", pageSize: 2)
    let lock = Locked(try WalkLock.acquire(query, in: store))
    let report = await repository.fetch(query, FetchPlan(.all)) { event in
      // The holder ends its walk meanwhile.
      if case .waiting(_, .otherProcess) = event { lock.withLock { $0 = nil } }
    }
    #expect(report.failure == nil)
    #expect(
      log.messages.prefix(3) == [
        "fetch", "waiting for another process", "waited for another process",
      ])
  }

  @Test func `the index is logged, and a URL without the key`() async throws {
    let rows = (1...1000).map { FakeXenoCanto.Record($0, "alba") }
    let server = try FakeXenoCanto(records: rows, rowsPerPage: 500)
    for (key, plan) in [("c4n4rykey0123456789", FetchPlan(.all)), ("k3y", FetchPlan(.pages(1)))] {
      let log = KeptLog()
      var dependencies = clock.dependencies()
      dependencies.logger = log.logger
      let repository = try RecordingRepository.inMemory(
        configuration: RemoteConfiguration(
          baseURLs: [.xenoCanto: server.server.url], key: { _ in APIKey(key) }),
        dependencies: dependencies)
      let query = try #require(Catalogues.named(.xenoCanto)).query("gen:Genus", pageSize: 500)
      let isWhole = plan.goal == .all
      #expect(await repository.fetch(query, plan).stored?.count == (isWhole ? 1000 : 500))
      #expect(
        log.lines.contains {
          $0.hasPrefix("GET") && $0.contains("/api/3/recordings?query=gen")
            && $0.contains("key=***")
        })
      #expect(log.lines.contains { $0.hasPrefix("answer") && $0.contains("status=200") })
      #expect(
        log.lines.contains {
          $0.hasPrefix("search index written") && $0.contains("recordings=1000")
        } == isWhole)
      #expect(!log.lines.contains { $0.contains(key) })
    }
  }

  @Test func `a computed detail without a version is a warning, in a debug build`() async throws {
    for version in [nil, 1] {
      var catalogue = Catalogue(id: "notes", name: "Notes")
      catalogue.detailsVersion = version
      catalogue.details = [
        .text(\.locality, of: "place"), .value(\.country, from: ["land"]) { $0.text("land") },
        .coordinate(latitude: "lat", longitude: "lon"),
      ]
      let repository = RecordingRepository(
        store: try .inMemory(), own: [EmptyCatalogue(catalogue: catalogue)],
        dependencies: dependencies())
      try await repository.updateSearchIndex()
      let computed = "because these details are computed: country, countryCode."
      #expect(log.messages.count == 1 && log.messages[0].hasSuffix(computed), "\(log.messages)")
    }
  }

  @Test func `nothing is logged without a logger`() {
    #expect(RecordingRepository.Dependencies.live.logger.handler is SwiftLogNoOpLogHandler)
    #expect(RemoteConfiguration().log.logger.handler is SwiftLogNoOpLogHandler)
  }
}

/// A catalogue without recordings.
private struct EmptyCatalogue: PageFetcher {
  let catalogue: Catalogue

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    RecordingPage(number: request.number, recordings: [], totals: nil, next: nil)
  }
}

/// Keeps what is logged: message and metadata on a line.
private final class KeptLog: Sendable {
  private let kept = Locked<[(message: String, line: String)]>([])

  var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }
  var messages: [String] { kept.withLock { $0.map(\.message) } }
  var lines: [String] { kept.withLock { $0.map(\.line) } }

  private struct Handler: LogHandler {
    let log: KeptLog
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(log: KeptLog) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }.map { " \($0.key)=\($0.value)" }
        .sorted().joined()
      log.kept.withLock { $0.append(("\(event.message)", "\(event.message)\(all)")) }
    }
  }
}
