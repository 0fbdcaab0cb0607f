import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper
@testable import ChirperRemote

/// Lists of GBIF with keys of the backbone, its older taxonomy.
@Suite struct TaxonomyTests {
  /// The species of the records in the Catalogue of Life.
  private final class Species: Sendable {
    let name = Mutex("Turdus merula")
  }

  private let species = Species()
  private let server: ScriptedServer
  private let repository: RecordingRepository
  private let query: CatalogueQuery
  private static let newer = "7ddf754f-d193-4cc9-b351-99906754a03b"
  private static let older = "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c"
  private static let stored = "taxonKey=42 (Turdus merula, species)&checklistKey=\(older)"

  init() throws {
    let species = species
    server = try ScriptedServer { request in
      let name = species.name.withLock(\.self)
      let rows = (1...2).map { Self.record($0, name) }.joined(separator: ",")
      let head = #""offset":0,"limit":2,"endOfRecords":true,"count":2"#
      return .json(200, #"{\#(head),"results":[\#(rows)]}"#)
    }
    let configuration = RemoteConfiguration(baseURLs: [.gbif: server.url])
    repository = RecordingRepository(
      store: try .inMemory(), configuration: configuration,
      dependencies: ManualClock().dependencies())
    query = try #require(Catalogues.named(.gbif)).query("turdus merula", pageSize: 2)
  }

  private static func record(_ key: Int, _ species: String) -> String {
    let usage = #"{"key":"4DX","name":"\#(species) L.","rank":"SPECIES"}"#
    let names = #"{"usage":\#(usage),"classification":[{"rank":"SPECIES","name":"\#(species)"}]}"#
    let classifications = #""classifications":{"\#(newer)":\#(names)}"#
    return
      #"{"key":\#(key),"species":"Turdus merula","media":[{"type":"Sound"}],\#(classifications)}"#
  }

  @Test func `a list of the backbone stays one, in a sync and in a fetch of the same name`()
    async throws
  {
    let first = await repository.fetch(query.requested(as: Self.stored), FetchPlan(.all))
    _ = await repository.sync(try #require(first.stored))
    let last = await repository.fetch(query, FetchPlan(.all))
    #expect(last.stored?.query.requestText == Self.stored && last.gone == 0)
    #expect(server.requests.count >= 3)
    #expect(
      server.requests.allSatisfy {
        $0.query("taxonKey") == "42" && $0.query("checklistKey") == Self.older
      })
  }

  @Test
  func
    `a new name of a species in the newer taxonomy is a renaming, and its keys and times are not`()
    async throws
  {
    let first = await repository.fetch(query.requested(as: Self.stored), FetchPlan(.all))
    species.name.withLock { $0 = "Merula merula" }
    let report = await repository.sync(try #require(first.stored))
    #expect(report.changed == 2 && report.gone == 0)
    let news = try #require(try await repository.news(since: .distantPast).first)
    #expect(news.renamed.count == 2 && news.changed.count == 2)
    let found = try ListReader(repository, [query]).changes()
    #expect(found.renamed == 2)
    let row = try #require(try await found.rows(0..<1).first)
    #expect(row.column == .scientificName)
    #expect(row.old == .text("Turdus merula") && row.new == .text("Merula merula"))
  }
}
