import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper

/// A catalogue that must look names up before its pages can be requested.
@Suite struct NameLookupTests {
  private let catalogue = LookupCatalogue(rows: (1...6).map { "r\($0)" })
  private let clock = ManualClock()
  private let repository: RecordingRepository

  init() throws {
    let fetcher = catalogue
    repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies()) {
      _ in fetcher
    }
  }

  @Test func `a name is looked up once, before page 1, and the list keeps what was found`()
    async throws
  {
    let report = await repository.fetch(catalogue.query("parrot"), FetchPlan(.all))
    #expect(catalogue.asked == ["look up parrot", "1 of taxon 7", "2 of taxon 7"])
    #expect(
      report.lookup?.taxa == [NameLookup.Taxon(key: "7", name: "Psittaciformes", rank: "order")])
    #expect(report.requests == 3 && report.stored?.query.requestText == "taxon 7")
    let again = await repository.fetch(catalogue.query("parrot"), FetchPlan(.all))
    #expect(Array(catalogue.asked.dropFirst(3)) == ["1 of taxon 7", "2 of taxon 7"])
    #expect(again.lookup == report.lookup && again.stored?.completeness == .verified)
  }

  @Test func `a walk that was cut off continues with the taxon that it began with`() async {
    _ = await repository.fetch(catalogue.query("parrot"), FetchPlan(.pages(1)))
    catalogue.rename(to: "8")
    let report = await repository.fetch(catalogue.query("parrot"), FetchPlan(.all))
    #expect(catalogue.asked == ["look up parrot", "1 of taxon 7", "2 of taxon 7"])
    #expect(report.stored?.completeness == .complete)
  }

  @Test func `the list is found by the words that were typed`() async throws {
    _ = await repository.fetch(catalogue.query("Parrot"), FetchPlan(.all))
    #expect(try await repository.stored(catalogue.query("parrot"))?.count == 6)
  }

  @Test func `a name that no taxon has gives an empty list, and is looked up again the next time`()
    async throws
  {
    let report = await repository.fetch(catalogue.query("xyzzy"), FetchPlan(.all))
    #expect(
      report.lookup?.taxa == [] && report.stored?.count == 0
        && report.stored?.completeness == .complete)
    catalogue.rename(to: "8", name: "xyzzy")
    let again = await repository.fetch(catalogue.query("xyzzy"), FetchPlan(.all))
    #expect(
      again.lookup?.taxa.map(\.key) == ["8"] && again.new == 6
        && again.stored?.query.requestText == "taxon 8")
  }

  @Test func `a lookup is retried, paced and reported as a page is`() async {
    catalogue.fail([.serverBusy(status: 503, retryAfter: .seconds(20))])
    let found = Mutex<[NameLookup]>([])
    let report = await repository.fetch(catalogue.query("parrot"), FetchPlan(.pages(1))) { event in
      if case .lookedUp(let lookup) = event { found.withLock { $0.append(lookup) } }
    }
    #expect(clock.slept == [.seconds(20)] && report.requests == 3 && report.failure == nil)
    #expect(found.withLock { $0.count } == 1)
    catalogue.fail([.refused(status: 400, message: "no")])
    let failed = await repository.fetch(catalogue.query("macaw"), FetchPlan(.all))
    #expect(
      failed.failure
        == .fetch(.refused(status: 400, message: "no"), catalogue: catalogue.catalogue.id, page: 1))
    #expect(failed.stored == nil)
  }

  @Test func `a page that was read before is marked as read again`() async {
    _ = await repository.fetch(catalogue.query("parrot"), FetchPlan(.all, verify: true))
    _ = await repository.fetch(catalogue.query("parrot"), FetchPlan(.pages(1)))
    #expect(catalogue.isReread == [false, false, true, true, true])
  }

  @Test func `pages from a cache verify nothing`() async {
    catalogue.answerFromCache()
    let report = await repository.fetch(catalogue.query("parrot"), FetchPlan(.all, verify: true))
    #expect(report.stored?.completeness == .complete)
  }

  @Test
  func
    `a list that is longer than the catalogue serves is refused at its first page, and some pages are not`()
    async throws
  {
    let short = LookupCatalogue(rows: (1...9).map { "r\($0)" }, depth: 8)
    let repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies())
    { _ in short }
    let report = await repository.fetch(short.query("parrot"), FetchPlan(.all))
    #expect(
      report.failure
        == .fetch(FetchError(.tooDeep(total: 9, limit: 8)), catalogue: short.catalogue.id, page: 1)
    )
    #expect(short.asked == ["look up parrot", "1 of taxon 7"] && report.stored?.count == 3)
    let part = await repository.fetch(short.query("parrot"), FetchPlan(.pages(2)))
    #expect(part.failure == nil && part.stored?.count == 6)
  }
}

/// Pages of a `ModelCatalogue`, for queries whose name was looked up.
private final class LookupCatalogue: NameFetcher {
  private struct State {
    var asked: [String] = []
    var isReread: [Bool] = []
    var taxa = ["parrot": "7", "macaw": "9"]
    var failures: [FetchError] = []
    var isFromCache = false
  }

  private let model: ModelCatalogue
  private let state = Mutex(State())
  let catalogue: Catalogue

  init(rows: [String], depth: Int? = nil) {
    model = ModelCatalogue("lookup", rows: rows)
    var catalogue = Catalogue(id: model.catalogue.id, name: "lookup")
    catalogue.pageSizes = 1...10
    catalogue.defaultPageSize = 3
    catalogue.minimumInterval = .zero
    catalogue.depth = depth.map { Catalogue.Depth(records: $0, narrowing: "year:") }
    catalogue.fields = ["id"]
    catalogue.makeQuery = { text, _ in (text.lowercased(), "name \(text.lowercased())") }
    self.catalogue = catalogue
  }

  var asked: [String] { state.withLock { $0.asked } }
  var isReread: [Bool] { state.withLock { $0.isReread } }

  func query(_ text: String) -> CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue.id, identity: text.lowercased(), pageSize: 3, typed: text,
      requestText: "name \(text.lowercased())")
  }

  func rename(to key: String, name: String = "parrot") { state.withLock { $0.taxa[name] = key } }
  func fail(_ failures: [FetchError]) { state.withLock { $0.failures = failures } }
  func answerFromCache() { state.withLock { $0.isFromCache = true } }

  func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery? {
    guard let stored, stored.hasPrefix("taxon ") else { return nil }
    return found(query, key: String(stored.dropFirst(6)))
  }

  func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery {
    let (failure, key) = state.withLock { state in
      state.asked.append("look up \(query.identity)")
      return (
        state.failures.isEmpty ? nil : state.failures.removeFirst(), state.taxa[query.identity]
      )
    }
    if let failure { throw failure }
    return found(query, key: key)
  }

  private func found(_ query: CatalogueQuery, key: String?) -> LookedUpQuery {
    let taxa = key.map { [NameLookup.Taxon(key: $0, name: "Psittaciformes", rank: "order")] } ?? []
    let lookup = NameLookup(name: query.identity, parameter: "taxon", taxa: taxa)
    return LookedUpQuery(key.map { query.requested(as: "taxon \($0)") } ?? query, lookup: lookup)
  }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    guard request.query.requestText.hasPrefix("taxon ") else {
      return RecordingPage(
        number: 1, recordings: [], totals: RecordingPage.Totals(recordings: 0, pages: 1), next: nil)
    }
    let isFromCache = state.withLock { state in
      state.asked.append("\(request.number) of \(request.query.requestText)")
      state.isReread.append(request.isReread)
      return state.isFromCache
    }
    let page = try await model.page(request)
    return RecordingPage(
      number: page.number, recordings: page.recordings, totals: page.totals, next: page.next,
      isFromCache: isFromCache && request.isReread)
  }
}
