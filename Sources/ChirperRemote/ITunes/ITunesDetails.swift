import ChirperModel

/// What the fields of the iTunes Search API mean in the terms of recordings.
enum ITunesDetails {
  static let mapping = Catalogue.DetailsMapping(
    fields: [
      .vernacularName: ["trackName"], .recordedBy: ["artistName"], .country: ["country"], .locality: ["collectionName"],
      .eventDate: ["releaseDate"], .soundType: ["kind"], .duration: ["trackTimeMillis"], .licence: ["copyright"],
      .remarks: ["longDescription"], .pageURL: ["trackViewUrl"], .audioURL: ["previewUrl"], .sonogramURL: ["artworkUrl100"],
    ],
    details: details)

  static func details(of recording: Recording) -> RecordingDetails {
    var details = RecordingDetails()
    details.vernacularName = recording.text("trackName")
    details.recordedBy = recording.text("artistName")
    details.licence = recording.text("copyright").map { Licence(other: $0) }
    details.pageURL = recording.text("trackViewUrl")
    details.audioURL = recording.text("previewUrl")
    return details
  }
}
