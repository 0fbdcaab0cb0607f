import ChirperModel

/// The catalogues chirper knows; this module asks them, over HTTP or from memory, and does nothing else: pacing, retry
/// and storing are the library's.
public enum Catalogues {
  public static let all: [Catalogue] = registry.map(\.catalogue)

  /// The catalogue that is asked where none is named and its key is set.
  public static let standard = XenoCanto.catalogue
  /// The catalogue that is asked where none is named and no key is set: built in, so that everything works at once.
  public static let builtIn = Sample.catalogue

  /// The catalogue of that id; `nil` where chirper knows none.
  public static func named(_ id: CatalogueID) -> Catalogue? { all.first { $0.id == id } }

  /// A fetcher for that catalogue; nothing is opened, read or connected before it is asked for a page.
  public static func fetcher(for id: CatalogueID, configuration: RemoteConfiguration) -> (any PageFetcher)? {
    registry.first { $0.catalogue.id == id }?.fetcher(configuration)
  }

  private typealias Entry = (catalogue: Catalogue, fetcher: @Sendable (RemoteConfiguration) -> any PageFetcher)

  private static let registry: [Entry] = [
    (XenoCanto.catalogue, { XenoCantoFetcher(configuration: $0) }),
    (ITunes.catalogue, { ITunesFetcher(configuration: $0) }),
    (Sample.catalogue, { SampleFetcher(configuration: $0) }),
  ]
}
