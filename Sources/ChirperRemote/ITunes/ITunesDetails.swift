import ChirperModel

/// What the fields of the iTunes Search API mean in the terms of recordings.
/// Prices are no detail (-1 is sent for what is not sold singly), nor is artwork, which is no picture of the sound.
enum ITunesDetails {
  private struct Reading {
    var details = RecordingDetails()
    var texts: [String: String] = [:]
  }

  private static let table = FieldTable<Reading>([
    .init("trackName", .vernacularName) { $0.texts["track"] = $1.text },
    .init("collectionName", .vernacularName, .locality) { $0.details.locality = $1.text },
    .init("artistName", .vernacularName, .recordedBy) { $0.details.recordedBy = $1.text },
    .init("wrapperType", .group) { $0.details.group = $1.text },
    .init("country", .country, .countryCode) {
      $0.details.country = $1.text
      $0.details.countryCode = $0.details.country.flatMap(Countries.code(ofName:))
    },
    .init("releaseDate", .eventDate) { $0.details.eventDate = $1.date },
    .init("kind", .behavior) { $0.details.soundType = $1.text.map { [$0] } ?? [] },
    .init("trackTimeMillis", .mediaDuration) { $0.details.seconds = $1.count.map { Double($0) / 1000 } },
    .init("copyright", .licenseName) { $0.details.licence = $1.text.map { Licence(other: $0) } },
    .init("longDescription", .occurrenceRemarks) { $0.texts["longDescription"] = $1.text },
    .init("description", .occurrenceRemarks) { $0.texts["description"] = $1.text },
    .init("shortDescription", .occurrenceRemarks) { $0.texts["shortDescription"] = $1.text },
    .init("trackViewUrl", .references) { $0.texts["trackViewUrl"] = $1.url() },
    .init("collectionViewUrl", .references) { $0.texts["collectionViewUrl"] = $1.url() },
    .init("artistLinkUrl", .references) { $0.texts["artistLinkUrl"] = $1.url() },
    .init("artistViewUrl", .references) { $0.texts["artistViewUrl"] = $1.url() },
    .init("previewUrl", .accessURI) { $0.details.audioAddress = $1.url(allowingHTTP: true) },
  ])

  static let mapping = Catalogue.DetailsMapping(fields: table.sources, details: details)

  /// Seconds (https://affiliate.itunes.apple.com/resources/blog/song-previews/).
  private static let previewLength = 30.0

  /// An album, an audiobook and an artist have no track: each is named and linked by the most particular thing it has.
  private static func details(of recording: Recording) -> RecordingDetails {
    let reading = table.reading(of: recording, Reading())
    let texts = reading.texts
    var details = reading.details
    details.vernacularName = texts["track"] ?? details.locality ?? details.recordedBy
    // The audio is a part of every kind of track; its length is documented for songs only.
    let isSong = details.soundType == ["song"] && details.audioAddress != nil
    details.preview = .init(seconds: isSong ? min(previewLength, details.seconds ?? previewLength) : nil)
    details.remarks = texts["longDescription"] ?? texts["description"] ?? texts["shortDescription"]
    details.pageAddress =
      texts["trackViewUrl"] ?? texts["collectionViewUrl"] ?? texts["artistLinkUrl"] ?? texts["artistViewUrl"]
    return details
  }
}
