import ChirperModel

/// stub
public enum Catalogues {
  public static let all: [Catalogue] = []
  public static func named(_ id: CatalogueID) -> Catalogue? { nil }
  public static func fetcher(for id: CatalogueID, configuration: RemoteConfiguration) -> (any PageFetcher)? { nil }
}
