import ChirperModel

/// The catalogues chirper knows. This module requests pages from them, over HTTP or from memory;
/// rate limits, retries and storing are the library's work.
///
/// Its surface is this type, `PageFetcher` and `CatalogueClient`, with which an app writes a
/// catalogue of its own, `RemoteConfiguration`, and `AudioFetcher`.
package enum Catalogues {
  private struct Entry {
    let catalogue: Catalogue
    let fetcher: @Sendable (RemoteConfiguration) -> any PageFetcher
  }

  /// A catalogue is one line here, or in `further`, and a folder of its own, which holds everything
  /// that is particular to it.
  private static let registry =
    [
      Entry(catalogue: XenoCanto.catalogue) {
        XenoCantoFetcher(client: CatalogueClient(XenoCanto.catalogue, $0))
      }
    ]
    + further + [Entry(catalogue: Sample.catalogue) { SampleFetcher(now: $0.now) }]

  /// Every catalogue that can be asked, in the order in which they are listed to people.
  package static let all: [Catalogue] = registry.map(\.catalogue)

  /// The catalogues that recordings can be of: those that can be asked, and those that cannot.
  package static let known = all + importedOnly

  /// The catalogue that is asked if no catalogue is named and its key is set.
  package static let defaultCatalogue = XenoCanto.catalogue

  /// The catalogue that is asked if no catalogue is named and the key of the default one is
  /// not set. It needs neither key nor network.
  package static let defaultWithoutKey = Sample.catalogue

  /// The catalogue of that id; `nil` if chirper knows none.
  package static func named(_ id: CatalogueID) -> Catalogue? { known.first { $0.id == id } }

  /// A fetcher for that catalogue; nothing is opened, read or connected before a page is requested.
  package static func fetcher(for id: CatalogueID, configuration: RemoteConfiguration) -> (
    any PageFetcher
  )? {
    registry.first { $0.catalogue.id == id }?.fetcher(configuration)
  }

  #if Collection
  private static let further = [
    Entry(catalogue: GBIF.catalogue) { GBIFFetcher(client: CatalogueClient(GBIF.catalogue, $0)) },
    Entry(catalogue: INaturalist.catalogue) {
      INaturalistFetcher(client: CatalogueClient(INaturalist.catalogue, $0))
    },
    Entry(catalogue: ITunes.catalogue) {
      ITunesFetcher(client: CatalogueClient(ITunes.catalogue, $0))
    },
  ]

  /// The catalogues that no service answers for: their recordings are imported from files.
  private static let importedOnly = [Macaulay.catalogue, Archive.catalogue]

  /// The catalogue whose names are looked up for words that no other knows, in any language.
  package static let nameService = GBIF.catalogue
  #else
  private static let further: [Entry] = []
  private static let importedOnly: [Catalogue] = []
  #endif
}

extension Catalogue {
  /// A catalogue that no service answers for.
  init(importedOnly id: CatalogueID, name: String) {
    self.init(id: id, name: name)
    isImportedOnly = true
    makeQuery = { (_, _) throws(QueryError) in throw QueryError(.importedOnly(catalogue: name)) }
  }
}
