import ChirperModel
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct `The registry of catalogues` {
  @Test func `has xeno-canto, iTunes and the sample`() {
    #expect(Catalogues.all.map(\.id) == [.xenoCanto, .itunes, .sample])
    #expect(Catalogues.named(.itunes)?.name == "iTunes")
    #expect(Catalogues.named(CatalogueID(rawValue: "gbif")) == nil)
    #expect(Catalogues.fetcher(for: CatalogueID(rawValue: "gbif"), configuration: RemoteConfiguration()) == nil)
  }

  @Test func `makes the fetcher of each, paced on its own host, without reading the key`() throws {
    let configuration = RemoteConfiguration(key: { _ in
      Issue.record("the key was read")
      return nil
    })
    let intervals: [CatalogueID: Duration] = [.xenoCanto: .seconds(1), .itunes: .seconds(3), .sample: .zero]
    for catalogue in Catalogues.all {
      let fetcher = try #require(Catalogues.fetcher(for: catalogue.id, configuration: configuration))
      #expect(fetcher.catalogue.id == catalogue.id)
      #expect(fetcher.minimumInterval == intervals[catalogue.id])
    }
  }

  @Test(arguments: [CatalogueID.xenoCanto, .itunes, .sample]) func `describes each without contradiction`(_ id: CatalogueID)
    throws
  {
    let catalogue = try #require(Catalogues.named(id))
    #expect(catalogue.pageSizes.contains(catalogue.defaultPageSize))
    #expect(Set(catalogue.fields).count == catalogue.fields.count)
    #expect(catalogue.tableColumns.allSatisfy { catalogue.fields.contains($0.field) })
    let mapped = catalogue.mapping.fields.values.flatMap(\.self)
    #expect(!mapped.isEmpty && mapped.allSatisfy { catalogue.fields.contains($0) })
    #expect(try catalogue.query("parrot").pageSize == catalogue.defaultPageSize)
    #expect(throws: QueryError.self) { try catalogue.query("parrot", pageSize: catalogue.pageSizes.upperBound + 1) }
  }
}
