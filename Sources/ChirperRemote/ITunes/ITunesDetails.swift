import ChirperModel

/// What the fields of the iTunes Search API mean in the terms of recordings.
///
/// Prices are no detail: they stay in the raw fields as sent, -1 for what is not sold singly included. Neither is artwork,
/// which is no picture of the sound.
enum ITunesDetails {
  private enum Field: String, CaseIterable {
    case wrapperType, kind, artistName, collectionName, trackName, artistLinkUrl, artistViewUrl, collectionViewUrl
    case trackViewUrl, previewUrl, releaseDate, trackTimeMillis, country, shortDescription, longDescription, description
    case copyright
  }

  private static let scan = FieldScan(Field.self)

  static let mapping = Catalogue.DetailsMapping(
    fields: [
      .vernacularName: ["trackName", "collectionName", "artistName"], .group: ["wrapperType"],
      .recordedBy: ["artistName"], .country: ["country"], .countryCode: ["country"], .locality: ["collectionName"],
      .eventDate: ["releaseDate"], .behavior: ["kind"], .mediaDuration: ["trackTimeMillis"], .licenseName: ["copyright"],
      .occurrenceRemarks: ["longDescription", "description", "shortDescription"],
      .references: ["trackViewUrl", "collectionViewUrl", "artistLinkUrl", "artistViewUrl"], .accessURI: ["previewUrl"],
    ],
    details: details)

  /// An album, an audiobook and an artist have no track: each is named and linked by the most particular thing it has.
  static func details(of recording: Recording) -> RecordingDetails {
    var details = RecordingDetails()
    var (track, remarks, pages): (String?, [Field: String], [Field: String]) = (nil, [:], [:])
    scan.forEach(in: recording.fields) { field, value in
      switch field {
      case .wrapperType: details.group = value.text
      case .kind: details.soundType = value.text.map { [$0] } ?? []
      case .artistName: details.recordedBy = value.text
      case .collectionName: details.locality = value.text
      case .trackName: track = value.text
      case .trackViewUrl, .collectionViewUrl, .artistLinkUrl, .artistViewUrl: pages[field] = value.url()
      case .previewUrl: details.audioURL = value.url(allowingHTTP: true)
      case .releaseDate: details.eventDate = value.date
      case .trackTimeMillis: details.duration = value.count.map { Double($0) / 1000 }
      case .country:
        details.country = value.text
        details.countryCode = details.country.flatMap(CountryCodes.code(ofName:))
      case .longDescription, .description, .shortDescription: remarks[field] = value.text
      case .copyright: details.licence = value.text.map { Licence(other: $0) }
      }
    }
    details.vernacularName = track ?? details.locality ?? details.recordedBy
    details.remarks = remarks[.longDescription] ?? remarks[.description] ?? remarks[.shortDescription]
    details.pageURL = pages[.trackViewUrl] ?? pages[.collectionViewUrl] ?? pages[.artistLinkUrl] ?? pages[.artistViewUrl]
    return details
  }
}
