import ChirperModel

/// The meaning of the fields of the iTunes Search API in the terms of recordings.
///
/// Prices are not a detail (-1 is sent for items not sold singly). Artwork is not one
/// either, because it is not a picture of the sound.
enum ITunesDetails {
  private struct Reading {
    var texts: [String: String] = [:]
  }

  private static let table = FieldTable<Reading>([
    .init("trackName", .vernacularName) { $1.texts["track"] = $2.text },
    .init("collectionName", .vernacularName, .locality) { $0.locality = $2.text },
    .init("artistName", .vernacularName, .recordedBy) { $0.recordedBy = $2.text },
    .init("wrapperType", .group) { $0.group = $2.text },
    .init("country", .country, .countryCode) { $0.country = $2.country },
    .init("releaseDate", .eventDate) { $0.eventDate = $2.date },
    .init("kind", .behavior) { $0.soundType = $2.text.map { [$0] } ?? [] },
    .init("trackTimeMillis", .mediaDuration) { $0.seconds = $2.count.map { Double($0) / 1000 } },
    .init("copyright", .licenseName) { $0.licence = $2.text.map { Licence(other: $0) } },
    .init("longDescription", .occurrenceRemarks) { $1.texts["longDescription"] = $2.text },
    .init("description", .occurrenceRemarks) { $1.texts["description"] = $2.text },
    .init("shortDescription", .occurrenceRemarks) { $1.texts["shortDescription"] = $2.text },
    .init("trackViewUrl", .references) { $1.texts["trackViewUrl"] = $2.url() },
    .init("collectionViewUrl", .references) { $1.texts["collectionViewUrl"] = $2.url() },
    .init("artistLinkUrl", .references) { $1.texts["artistLinkUrl"] = $2.url() },
    .init("artistViewUrl", .references) { $1.texts["artistViewUrl"] = $2.url() },
    .init("previewUrl", .accessURI) { $0.audioAddress = $2.url() },
  ])

  static let mapping = Catalogue.DetailsMapping(fields: table.sources, read: read)

  /// Seconds (https://affiliate.itunes.apple.com/resources/blog/song-previews/).
  private static let previewLength = 30.0

  /// An album, an audiobook and an artist have no track: each is named and linked by the most
  /// particular thing it has.
  @Sendable private static func read(_ recording: Recording, _ details: inout RecordingDetails) {
    var reading = Reading()
    table.read(recording, into: &details, &reading)
    let texts = reading.texts
    details.vernacularName = texts["track"] ?? details.locality ?? details.recordedBy
    // The audio is a part of every kind of track; its length is documented for songs only.
    let isSong = details.soundType == ["song"] && details.audioAddress != nil
    details.preview = .init(
      seconds: isSong ? min(previewLength, details.seconds ?? previewLength) : nil)
    details.remarks = texts["longDescription"] ?? texts["description"] ?? texts["shortDescription"]
    details.pageAddress =
      texts["trackViewUrl"] ?? texts["collectionViewUrl"] ?? texts["artistLinkUrl"]
      ?? texts["artistViewUrl"]
  }
}
