#if Collection

import ChirperModel

extension CatalogueID {
  /// The iTunes Search API.
  public static let itunes = CatalogueID(rawValue: "itunes")
}

/// The iTunes Search API: songs, films, audiobooks and more, counted by offset and limit
/// (https://performance-partners.apple.com/search-api).
enum ITunes {
  static let catalogue: Catalogue = {
    var catalogue = Catalogue(id: .itunes, name: "iTunes")
    catalogue.service = Catalogue.Service("https://itunes.apple.com")
    catalogue.pageSizes = 1...largestLimit
    // "Approximately 20 calls per minute".
    catalogue.minimumInterval = .seconds(3)
    catalogue.fields = fields
    catalogue.tableColumns = tableColumns
    catalogue.mapping = ITunesDetails.mapping
    catalogue.recordings = { fields in
      ([Recording(fields, of: .itunes, id: ITunesFetcher.id(fields))].compactMap(\.self), 0)
    }
    // The hosts of the previews in every recorded answer that has HTTPS ones.
    catalogue.audio = .download(hosts: ["audio-ssl.itunes.apple.com", "video-ssl.itunes.apple.com"])
    // An id has its kind before the number.
    catalogue.idAliases = { [$0, "track-\($0)"] }
    return catalogue
  }()

  /// A larger `limit` has no effect.
  static let largestLimit = 200

  /// The names in the order in which the service sends them, the kinds merged.
  static let fields = [
    "wrapperType", "kind", "collectionType", "artistType", "artistId", "collectionId", "trackId",
    "bundleId", "artistName",
    "collectionName", "trackName", "collectionCensoredName", "trackCensoredName",
    "collectionArtistId",
    "collectionArtistName", "amgArtistId", "artistLinkUrl", "artistViewUrl",
    "collectionArtistViewUrl",
    "collectionViewUrl", "trackViewUrl", "feedUrl", "previewUrl", "artworkUrl30", "artworkUrl60",
    "artworkUrl100",
    "artworkUrl512", "artworkUrl600", "collectionPrice", "trackPrice", "trackRentalPrice",
    "collectionHdPrice",
    "trackHdPrice", "trackHdRentalPrice", "price", "formattedPrice", "releaseDate",
    "collectionExplicitness",
    "trackExplicitness", "discCount", "discNumber", "trackCount", "trackNumber", "trackTimeMillis",
    "country", "currency",
    "primaryGenreName", "primaryGenreId", "genres", "genreIds", "contentAdvisoryRating",
    "trackContentRating",
    "shortDescription", "longDescription", "description", "copyright", "version", "fileSizeBytes",
    "isStreamable",
    "radioStationUrl",
  ]

  static let tableColumns: [Catalogue.TableColumn] = [
    .init("trackName", "Track", rank: 1, leastWidth: 16),
    .init("artistName", "Artist", rank: 2, leastWidth: 11),
    .init("collectionName", "Collection", rank: 6, leastWidth: 10),
    .init("kind", "Kind", rank: 3, leastWidth: 8),
    .init("releaseDate", "Released", rank: 4), .init("primaryGenreName", "Genre"),
    .init("trackPrice", "Price", alignRight: true), .init("currency", "Currency"),
    .init("wrapperType", "Type"),
    .init("trackId", "ID", rank: 5, showsID: true),
  ]
}

#endif
