import ChirperModel

/// What xeno-canto's fields mean; docs/decisions and the comments say what was seen in recorded answers.
enum XenoCantoDetails {
  static let mapping = Catalogue.DetailsMapping(
    fields: [
      .scientificName: ["gen", "sp", "ssp"], .genus: ["gen"], .specificEpithet: ["sp"], .infraspecificEpithet: ["ssp"],
      .vernacularName: ["en"], .group: ["grp"], .recordedBy: ["rec"], .country: ["cnt"], .locality: ["loc"],
      .coordinate: ["lat", "lon"], .elevation: ["alt"], .eventDate: ["date"], .eventTime: ["time"], .soundType: ["type"],
      .sex: ["sex"], .lifeStage: ["stage"], .quality: ["q"], .duration: ["length"], .sampleRate: ["smp"], .licence: ["lic"],
      .remarks: ["rmk"], .backgroundSpecies: ["also"], .uploaded: ["uploaded"], .pageURL: ["url"], .audioURL: ["file"],
      .sonogramURL: ["sono"], .catalogueNumber: ["id"],
    ],
    details: details)

  static func details(of recording: Recording) -> RecordingDetails {
    var details = RecordingDetails()
    details.vernacularName = recording.text("en")
    let names = ["gen", "sp", "ssp"].compactMap(recording.text)
    details.scientificName = names.isEmpty ? nil : names.joined(separator: " ")
    details.recordedBy = recording.text("rec")
    details.country = recording.text("cnt")
    details.locality = recording.text("loc")
    details.eventDate = recording.text("date").flatMap { PartialDate($0) }
    details.quality = recording.text("q").flatMap(Quality.init)
    details.licence = recording.text("lic").flatMap { Licence(creativeCommons: $0) ?? Licence(other: $0) }
    details.pageURL = recording.text("url").map(absolute)
    details.audioURL = recording.text("file").map(absolute)
    details.catalogueNumber = "XC\(recording.id.value)"
    return details
  }

  /// Answers before 2026 left the scheme out.
  private static func absolute(_ address: String) -> String { address.hasPrefix("//") ? "https:" + address : address }

  /// `_meta.redacted_fields` names what is withheld and why: `{"file": "restricted_species"}`.
  static func withheldAudio(of recording: Recording) -> Catalogue.WithheldAudio? {
    guard recording.text("file") == nil else { return nil }
    guard let meta = recording["_meta"], !meta.isNull else {
      return recording["file"] == nil ? nil : Catalogue.WithheldAudio(reason: nil)
    }
    var reason: String?
    var reader = JSONReader(Array(meta.json.utf8))
    try? reader.object { name, reader throws(JSONFault) in
      guard name == "redacted_fields", reader.kind == .object else { return try reader.skipValue() }
      try reader.object { name, reader throws(JSONFault) in
        if name == "file", reader.kind == .string { reason = try reader.string() } else { try reader.skipValue() }
      }
    }
    return Catalogue.WithheldAudio(reason: reason)
  }
}
