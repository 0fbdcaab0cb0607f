#if Collection

import ChirperModel

/// The meaning of the fields of the iTunes Search API in the terms of recordings.
///
/// Prices are not a detail (-1 is sent for items not sold singly). Artwork is not one
/// either, because it is not a picture of the sound.
enum ITunesDetails {
  private struct Reading: TextReading {
    var texts: [String: String] = [:]
  }

  private static let table = FieldTable<Reading>([
    .init("trackName", .vernacularName, text: \.text),
    .init("collectionName", .vernacularName, .locality, into: \.locality, \.text),
    .init("artistName", .vernacularName, .recordedBy, into: \.recordedBy, \.text),
    .init("wrapperType", .group, into: \.group, \.text),
    .init("country", .country, .countryCode, into: \.country, \.country),
    .init("releaseDate", .eventDate, into: \.eventDate, \.date),
    .init("kind", .behavior) { details, _, value in
      details.behavior = value.text.map { [$0] } ?? []
    },
    .init("trackTimeMillis", .mediaDuration) { details, _, value in
      details.seconds = value.count.map { Double($0) / 1000 }
    },
    .init("copyright", .licenseName, into: \.licence) {
      $0.text.map { RecordingDetails.Licence(other: $0) }
    },
    .init("longDescription", .occurrenceRemarks, text: \.text),
    .init("description", .occurrenceRemarks, text: \.text),
    .init("shortDescription", .occurrenceRemarks, text: \.text),
    .init("trackViewUrl", .references, text: { $0.url() }),
    .init("collectionViewUrl", .references, text: { $0.url() }),
    .init("artistLinkUrl", .references, text: { $0.url() }),
    .init("artistViewUrl", .references, text: { $0.url() }),
    .init("previewUrl", .accessURI, into: \.audioAddress) { $0.url() },
  ])

  static let mapping = table.mapping(read)

  /// Seconds (https://affiliate.itunes.apple.com/resources/blog/song-previews/).
  private static let previewLength = 30.0

  /// An album, an audiobook and an artist have no track: each is named and linked by the most
  /// particular thing it has.
  @Sendable private static func read(
    _ recording: Recording, _ reading: inout Reading, _ details: inout RecordingDetails
  ) {
    let texts = reading.texts
    details.vernacularName = texts["trackName"] ?? details.locality ?? details.recordedBy
    // The audio is a part of every kind of track; its length is documented for songs only.
    let isSong = details.behavior == ["song"] && details.audioAddress != nil
    details.preview = .init(
      seconds: isSong ? min(previewLength, details.seconds ?? previewLength) : nil)
    details.occurrenceRemarks =
      texts["longDescription"] ?? texts["description"] ?? texts["shortDescription"]
    details.pageAddress =
      texts["trackViewUrl"] ?? texts["collectionViewUrl"] ?? texts["artistLinkUrl"]
      ?? texts["artistViewUrl"]
  }
}

#endif
