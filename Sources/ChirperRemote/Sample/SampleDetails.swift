import ChirperModel

/// The sample has xeno-canto's field names; its licence is none, and its ids are their own numbers.
enum SampleDetails {
  static let mapping = Catalogue.DetailsMapping(
    fields: XenoCantoDetails.mapping.fields.filter { detail, _ in
      ![.elevation, .eventTime, .sex, .lifeStage, .sampleRate, .sonogramURL].contains(detail)
    },
    details: details)

  static func details(of recording: Recording) -> RecordingDetails {
    var details = XenoCantoDetails.details(of: recording)
    details.licence = recording.text("lic").map { Licence(other: $0) }
    details.catalogueNumber = recording.id.value
    // Its address is only its id.
    (details.pageURL, details.audioURL) = (nil, nil)
    return details
  }
}
