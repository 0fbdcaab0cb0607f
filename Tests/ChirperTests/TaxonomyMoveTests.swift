import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper
@testable import ChirperRemote

/// Lists of GBIF that were stored with a key of the older taxonomy.
@Suite struct TaxonomyMoveTests {
  /// What the service has in each taxonomy.
  private struct World {
    var older: [Int] = []
    var newer: [Int] = []
    /// The answer to the key of the older taxonomy; by default the taxon of the same name.
    var match: String?
    /// The species of the records in the newer taxonomy.
    var species = "Turdus merula"
    var isBroken = false
  }

  private final class Service: Sendable {
    let world = Mutex(World())
  }

  private let service = Service()
  private let server: ScriptedServer
  private let repository: RecordingRepository
  private let query: CatalogueQuery
  private static let newer = "7ddf754f-d193-4cc9-b351-99906754a03b"
  private static let older = "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c"
  private static let stored = "taxonKey=42 (Turdus merula, species)"
  private static let moved = "taxonKey=4DX (Turdus merula, species)&checklistKey=\(newer)"

  init() throws {
    let service = service
    server = try ScriptedServer { request in
      let world = service.world.withLock(\.self)
      if request.path == "/v2/species/match" {
        return .json(200, world.match ?? Self.match("Turdus merula", "SPECIES"))
      }
      let isNewer = request.query("checklistKey") == Self.newer
      if isNewer, world.isBroken { return .json(400, "broken") }
      let isKnown = request.query("taxonKey") == (isNewer ? "4DX" : "42")
      let keys = isKnown ? isNewer ? world.newer : world.older : []
      let offset = request.query("offset").flatMap { Int($0) } ?? 0
      let size = request.query("limit").flatMap { Int($0) } ?? 300
      let rows = keys.dropFirst(offset).prefix(size).map { Self.record($0, world.species) }
      let ends = offset + size >= keys.count
      let head =
        #""offset":\#(offset),"limit":\#(size),"endOfRecords":\#(ends),"count":\#(keys.count)"#
      return .json(200, #"{\#(head),"results":[\#(rows.joined(separator: ","))]}"#)
    }
    let configuration = RemoteConfiguration(baseURLs: [.gbif: server.url])
    repository = RecordingRepository(
      store: try .inMemory(), configuration: configuration,
      dependencies: ManualClock().dependencies())
    query = try #require(Catalogues.named(.gbif)).query("turdus merula", pageSize: 2)
  }

  private static func match(_ name: String, _ rank: String, type: String = "EXACT") -> String {
    let usage = #"{"key":"4DX","name":"\#(name)","canonicalName":"\#(name)","rank":"\#(rank)"}"#
    return #"{"usage":\#(usage),"diagnostics":{"matchType":"\#(type)"}}"#
  }

  private static func record(_ key: Int, _ species: String) -> String {
    let usage = #"{"key":"4DX","name":"\#(species) L.","rank":"SPECIES"}"#
    let names = #"{"usage":\#(usage),"classification":[{"rank":"SPECIES","name":"\#(species)"}]}"#
    let classifications = #""classifications":{"\#(newer)":\#(names)}"#
    return
      #"{"key":\#(key),"species":"Turdus merula","media":[{"type":"Sound"}],\#(classifications)}"#
  }

  /// Stores the list as a version that knew one taxonomy did.
  private func store(_ keys: [Int], newer: [Int], pages: FetchPlan.Goal = .all) async {
    service.world.withLock { ($0.older, $0.newer) = (keys, newer) }
    _ = await repository.fetch(query.requested(as: Self.stored), FetchPlan(pages).moving(.never))
  }

  private func sync(_ moving: FetchPlan.Moving = .ifAllAreFound) async throws -> FetchReport {
    await repository.sync(try #require(try repository.stored(query)), moving: moving)
  }

  private func isAsked(since count: Int = 0) -> [String] {
    server.requests.dropFirst(count).map { request in
      let isNewer = request.query("checklistKey") == Self.newer
      return request.query("scientificNameID")
        ?? "\(isNewer ? "newer" : "older") \(request.query("offset") ?? "")"
    }
  }

  private var ids: [String] {
    get throws { try repository.store.ids(of: query).map { String($0.value.prefix { $0 != "-" }) } }
  }

  @Test func `a list whose recordings are all in the newer taxonomy moves once`() async throws {
    await store([1, 2, 3], newer: [1, 2, 3])
    let count = server.requests.count
    let report = try await sync()
    #expect(isAsked(since: count) == ["older 0", "older 2", "gbif:42", "newer 0", "newer 2"])
    #expect(report.new == 0 && report.gone == 0 && report.changed == 0 && report.failure == nil)
    #expect(report.move?.result == .moved && report.move?.newerRecords == 3)
    let stored = try #require(try await repository.stored(query))
    #expect(
      stored.query.requestText == Self.moved && stored.count == 3
        && stored.completeness == .complete)
    let later = server.requests.count
    let again = try await sync()
    #expect(isAsked(since: later) == ["newer 0", "newer 2"] && again.move == nil)
    #expect(again.new == 0 && again.gone == 0)
  }

  @Test
  func `a fetch of the typed words moves the list too, and what the newer taxon has more is new`()
    async throws
  {
    await store([1, 2, 3], newer: [1, 2, 3, 4])
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.move?.result == .moved && report.new == 1 && report.gone == 0)
    #expect(try ids == ["1", "2", "3", "4"])
    #expect(try await repository.stored(query)?.query.requestText == Self.moved)
  }

  @Test
  func
    `a list with a recording that the newer taxon does not have stays, and is not asked about again`()
    async throws
  {
    await store(Array(1...15), newer: [1, 2, 3])
    let report = try await sync()
    let move = try #require(report.move)
    #expect(move.result == .recordingsMissing && move.rows == 15 && move.newerRecords == 3)
    #expect(move.missing == 12 && move.missingIDs == (4...13).map { "\($0)-s1" })
    #expect(report.gone == 0 && report.failure == nil)
    let stored = try #require(try await repository.stored(query))
    #expect(stored.query.requestText == "\(Self.stored)&checklistKey=\(Self.older)")
    #expect(stored.count == 15)
    let count = server.requests.count
    let later = try await sync()
    #expect(later.move == nil)
    #expect(isAsked(since: count).allSatisfy { $0.hasPrefix("older") })
  }

  @Test func `a list that stayed moves when that is asked for, and what is not there leaves it`()
    async throws
  {
    await store(Array(1...15), newer: [1, 2, 3])
    _ = try await sync()
    let report = try await sync(.always)
    #expect(report.move?.result == .moved && report.move?.missing == 12)
    #expect(report.gone == 12 && report.new == 0)
    #expect(try ids == ["1", "2", "3"])
    #expect(try await repository.stored(query)?.query.requestText == Self.moved)
  }

  @Test(arguments: [
    (match("Turdus merula", "GENUS"), TaxonomyMove.Result.taxonMissing),
    (match("Turdus", "GENUS", type: "HIGHERRANK"), .taxonMissing),
    (match("Turdus merulus", "SPECIES", type: "FUZZY"), .taxonMissing),
    (#"{"diagnostics":{"matchType":"NONE"}}"#, .taxonMissing),
    (match("Turdus simillimus", "SPECIES"), .renamed),
  ])
  func `a list stays if the newer taxonomy has no taxon of that name and rank`(
    _ match: String, _ result: TaxonomyMove.Result
  ) async throws {
    await store([1, 2], newer: [1, 2])
    service.world.withLock { $0.match = match }
    #expect(try await sync().move?.result == result)
    #expect(
      try await repository.stored(query)?.query.requestText
        == "\(Self.stored)&checklistKey=\(Self.older)"
    )
    #expect(try ids == ["1", "2"])
    let forced = try await sync(.always)
    #expect(forced.move?.result == (result == .renamed ? .moved : result))
  }

  @Test func `a service that fails meanwhile changes nothing, and the next sync asks again`()
    async throws
  {
    await store([1, 2, 3], newer: [1, 2, 3])
    service.world.withLock { $0.isBroken = true }
    let report = try await sync()
    #expect(report.move?.result == .undecided && report.failure == nil)
    #expect(try await repository.stored(query)?.query.requestText == Self.stored)
    service.world.withLock { $0.isBroken = false }
    #expect(try await sync().move?.result == .moved)
  }

  @Test func `a part of a list moves if its pages are found, and no more pages are read`()
    async throws
  {
    await store([1, 2, 3, 4, 5], newer: [1, 2, 3, 4, 5, 6], pages: .pages(1))
    let count = server.requests.count
    let report = await repository.fetch(query, FetchPlan(.pages(1)))
    #expect(isAsked(since: count) == ["older 0", "gbif:42", "newer 0"])
    #expect(report.move?.result == .moved && report.new == 0)
    let whole = await repository.fetch(query, FetchPlan(.all))
    #expect(try ids == ["1", "2", "3", "4", "5", "6"] && whole.gone == 0)
    #expect(whole.stored?.completeness == .complete)
  }

  @Test func `a key in an address that a user typed stays what it is`() async throws {
    service.world.withLock { ($0.older, $0.newer) = ([1, 2], [1, 2]) }
    let gbif = try #require(Catalogues.named(.gbif))
    let typed = try gbif.query("https://www.gbif.org/species/42", pageSize: 2)
    for moving in [FetchPlan.Moving.ifAllAreFound, .always] {
      let report = await repository.fetch(typed, FetchPlan(.all).moving(moving))
      #expect(report.move == nil && report.stored?.query.requestText == typed.requestText)
    }
    #expect(isAsked().allSatisfy { $0.hasPrefix("older") })
  }

  @Test
  func
    `a new name of a species in the newer taxonomy is a renaming, and its keys and times are not`()
    async throws
  {
    await store([1, 2], newer: [1, 2])
    service.world.withLock { $0.species = "Merula merula" }
    let report = try await sync(.never)
    #expect(report.changed == 2 && report.gone == 0)
    let news = try #require(try await repository.news(since: .distantPast).first)
    #expect(news.renamed.count == 2 && news.changed.count == 2)
    let found = try await repository.reader(of: query).changes()
    #expect(found.renamed == 2)
    let row = try #require(try await found.rows(0..<1).first)
    #expect(row.column == .scientificName)
    #expect(row.old == .text("Turdus merula") && row.new == .text("Merula merula"))
  }
}
