import ChirperModel
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct `The registry of catalogues` {
  @Test func `lists five catalogues`() {
    #expect(Catalogues.all.map(\.id) == [.xenoCanto, .gbif, .iNaturalist, .itunes, .sample])
    #expect(
      Catalogues.all.map(\.id.rawValue) == [
        "xeno-canto", "gbif", "inaturalist", "itunes", "sample",
      ])
    #expect(Catalogues.named(.itunes)?.name == "iTunes")
    #expect(Catalogues.named(CatalogueID(rawValue: "ebird")) == nil)
    #expect(
      Catalogues.fetcher(for: CatalogueID(rawValue: "ebird"), configuration: RemoteConfiguration())
        == nil)
  }

  @Test func `names the default with a key and the one that needs neither key nor network`() {
    #expect(
      Catalogues.defaultCatalogue.id == .xenoCanto && Catalogues.defaultCatalogue.keyHelpURL != nil)
    #expect(
      Catalogues.defaultWithoutKey.id == .sample && Catalogues.defaultWithoutKey.keyHelpURL == nil
        && Catalogues.defaultWithoutKey.service == nil)
    #expect(Catalogues.defaultWithoutKey.notice != nil)
    #expect(
      [Catalogues.defaultCatalogue, Catalogues.defaultWithoutKey].allSatisfy {
        Catalogues.named($0.id) != nil
      })
  }

  /// What `list` prints in a pipe. From 1.0 on columns are only added, at the end.
  @Test func `has these columns of each table, in this order`() {
    let tags =
      "ID, English name, Country, Type, Q, Length, Date, Recordist, Genus, Species, Place, Licence"
    #expect(
      Catalogues.all.map { "\($0.id): \($0.tableColumns.map(\.heading).joined(separator: ", "))" }
        == [
          "xeno-canto: \(tags)",
          "gbif: Number, English name, Species, Country, Type, Q, Length, Date, Recordist, Licence, Place, ID",
          "inaturalist: ID, English name, Species, Place, Date, Recordist, Grade, Licence",
          "itunes: Track, Artist, Collection, Kind, Released, Genre, Price, Currency, Type, ID",
          "sample: \(tags)",
        ])
  }

  @Test func `makes the fetcher of each, paced on its own host, without reading the key`() throws {
    let configuration = RemoteConfiguration(key: { _ in
      Issue.record("the key was read")
      return nil
    })
    let intervals: [CatalogueID: Duration] = [
      .xenoCanto: .seconds(1), .gbif: .seconds(1), .iNaturalist: .milliseconds(1100),
      .itunes: .seconds(3), .sample: .zero,
    ]
    for catalogue in Catalogues.all {
      let fetcher = try #require(
        Catalogues.fetcher(for: catalogue.id, configuration: configuration))
      #expect(fetcher.catalogue.id == catalogue.id)
      #expect(fetcher.minimumInterval == intervals[catalogue.id])
    }
  }
}
