import Chirper
import ChirperTesting
import Foundation
import Testing

/// Tests of a screen, as an app writes them. The code of the articles is here.
@Suite(.timeLimit(.minutes(10))) struct ScreenTests {
  private let robins = PreviewCatalogue(titles: (1...30).map { "Robin \($0)" })

  @Test func `a screen is loading until its page arrives`() async throws {
    let gate = GatedCatalogue(robins)
    let repository = try RecordingRepository.inMemory(catalogues: [gate])
    let pager = Pager(repository, query: try gate.catalogue.query("robin"))
    gate.close()
    async let start = pager.start()
    try await gate.requested(1)
    let waiting = await pager.snapshots.first { $0.isLoading }
    #expect(waiting?.state == .loading)
    gate.open()
    _ = await start
    let shown = await pager.snapshots.first { $0.count == 20 && !$0.isLoading }
    #expect(shown?.stored?.next == 2)
  }

  @Test func `a request that is cancelled at the gate ends, unless it shall not`() async throws {
    let gate = GatedCatalogue(robins)
    let repository = try RecordingRepository.inMemory(catalogues: [gate])
    let query = try gate.catalogue.query("robin")
    gate.close()
    let cancelled = Task { await repository.fetch(query, FetchPlan(.pages(1))) }
    try await gate.requested(1)
    cancelled.cancel()
    #expect(await cancelled.value.failure == .cancelled)
    #expect(robins.requests.isEmpty)
  }

  @Test func `a service that is busy is asked five times, and waiting takes no time`() async throws
  {
    let clock = ManualClock()
    let repository = try RecordingRepository.inMemory(
      catalogues: [robins], dependencies: clock.dependencies())
    let pager = Pager(repository, query: try robins.catalogue.query("robin"))
    robins.failure = .serverBusy(status: 503, retryAfter: .seconds(30))
    await pager.start()
    #expect(robins.requests.count == 5 && clock.slept.reduce(.zero, +) >= .seconds(4 * 30))
    let failed = await pager.snapshots.first { $0.failure != nil }
    #expect(failed?.failure?.title == "Service busy")
    robins.failure = nil
    await pager.retry()
    let shown = await pager.snapshots.first { $0.count == 20 && !$0.isLoading }
    #expect(shown?.failure == nil)
  }

  @Test func `an app may choose a write-ahead log, which the store keeps`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let repository = try RecordingRepository(directory: directory, access: .writeAheadLog)
    let query = try #require(repository.catalogue(.sample)).query("parrot")
    #expect(await repository.fetch(query, FetchPlan(.pages(2))).failure == nil)
    let pager = Pager(repository, query: query)
    await pager.start()
    let shown = try #require(await pager.snapshots.first { $0.count == 100 })
    #expect(shown.rows.allSatisfy { !$0.isMissing })
    let selection = Selection(where: ["type:song"])
    let songs = try await repository.rows(of: selection).count
    // Another program that chooses none.
    let other = try RecordingRepository(directory: directory)
    #expect(try await other.rows(of: selection).count == songs && songs > 0)
    #expect(FileManager.default.fileExists(atPath: directory.path + "/chirper.sqlite-wal"))
    #expect(try await repository.forget(query)?.rows == 100)
    #expect(try await other.stored(query) == nil)
  }

  @Test func `a list that is young enough is not requested`() async throws {
    let clock = ManualClock()
    let repository = try RecordingRepository.inMemory(
      catalogues: [robins], dependencies: clock.dependencies())
    let query = try robins.catalogue.query("robin")
    let pager = Pager(repository, query: query, policy: .ifOlder(than: .seconds(3600)))
    await pager.start()
    await pager.start()
    #expect(robins.requests.count == 1)
    clock.advance(by: .seconds(3601))
    await pager.start()
    #expect(robins.requests.count == 2)
  }

  @Test func `a list that falls is believed half a day later`() async throws {
    let clock = ManualClock()
    let repository = try RecordingRepository.inMemory(
      catalogues: [robins], dependencies: clock.dependencies())
    let query = try robins.catalogue.query("robin", pageSize: 50)
    let pager = Pager(repository, query: query)
    await pager.start()
    robins.titles = ["Robin 1"]
    await pager.refresh()
    let fallen = try await repository.snapshot(of: query)
    #expect(fallen.count == 30 && fallen.stored?.fall != nil)
    clock.advance(by: .seconds(12 * 3600))
    await pager.refresh()
    #expect(try await repository.snapshot(of: query).count == 1)
  }

  @Test func `a preview's recordings are filtered and sorted by the details that it was given`()
    async throws
  {
    let places = PreviewCatalogue(
      rows: [
        ["title": "Robin 1", "country": "Poland"], ["title": "Robin 2", "country": "Spain"],
      ],
      details: [.text(\.country, of: "country")])
    let repository = try RecordingRepository.inMemory(catalogues: [places])
    let pager = Pager(repository, query: try places.catalogue.query("robin"))
    await pager.start()
    try await pager.show(where: try repository.searchExpression("cnt:spain"))
    #expect(await pager.snapshots.first { $0.rows.count == 1 }?.rows.first?.id.value == "Robin 2")
    try await pager.show(sort: [SortKey(\.country, descending: true)])
    #expect(await pager.snapshots.first { $0.rows.count == 2 }?.rows.first?.id.value == "Robin 2")
    places.titles.append("Robin 3")
    await pager.refresh()
    #expect(try await repository.snapshot(of: pager.query).count == 3)
  }

  @Test func `a sync says what entered and left a list`() async throws {
    let repository = try RecordingRepository.inMemory(
      catalogues: [robins], dependencies: ManualClock().dependencies())
    _ = await repository.fetch(try robins.catalogue.query("robin"), FetchPlan(.all))
    robins.titles = ["Robin 31"] + robins.titles.dropLast()
    var lines: [String] = []
    for stored in try await repository.storedQueries() {
      let report = await repository.sync(stored)
      lines.append("\(stored.query.typed): \(report.new) new, \(report.gone) gone")
    }
    #expect(lines == ["robin: 1 new, 1 gone"])
    #expect(try await repository.news(since: .distantPast).count == 1)
  }

  @Test func `everything stored is searched`() async throws {
    let repository = try RecordingRepository.inMemory(
      catalogues: [robins], dependencies: ManualClock().dependencies())
    _ = await repository.fetch(try robins.catalogue.query("robin"), FetchPlan(.all))
    let found = try await repository.rows(of: Selection(where: ["\"robin 7\""]))
    #expect(try await found.rows(0..<20).map(\.recording.id.value) == ["Robin 7"])
  }

  /// An alert in the language of the app, if it has a text of its own for the error.
  private func alert(_ error: any PresentableError, texts: [String: String]) -> (
    title: String, message: String
  ) {
    let sentences = [error.localizedDescription, error.recoverySuggestion].compactMap(\.self)
    return (
      texts["\(error.code).title"] ?? error.title,
      texts[error.code] ?? sentences.joined(separator: " ")
    )
  }

  @Test func `an alert has the app's texts, or those of the library`() {
    let texts = ["offline.title": "Kein Netz", "offline": "Was gespeichert ist, bleibt sichtbar."]
    let offline = alert(
      LoadError.fetch(.offline(host: "a.example"), catalogue: .sample, page: 1), texts: texts)
    #expect(
      offline.title == "Kein Netz" && offline.message == "Was gespeichert ist, bleibt sichtbar.")
    let none = alert(AudioError.none, texts: texts)
    #expect(none.title == "No audio" && none.message == "This recording has no audio.")
  }
}
