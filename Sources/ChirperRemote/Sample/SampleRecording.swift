import ChirperModel

/// One made-up recording; its JSON is only written for the page that shows it.
struct SampleRecording: Sendable {
  let number: Int
  let species: SampleSpecies
  let country: String
  let place: Int
  let latitude: Int
  let longitude: Int
  let type: String
  let quality: String
  let seconds: Int
  let date: String
  let uploaded: String
  let background: String?

  /// `1:05`, as xeno-canto spells lengths.
  var length: String { "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)" }
  var placeName: String { "Sample place \(place)" }
  static let recordist = "Sample recordist"
  static let remarks = "Made up by chirper; not a recording."
  static let licence = "sample"

  var recording: Recording {
    let id = "sample:\(number)"
    let fields: [(String, String)] = [
      ("id", id), ("gen", species.genus), ("sp", species.epithet), ("ssp", ""), ("grp", "birds"), ("en", species.englishName),
      ("rec", Self.recordist), ("cnt", country), ("loc", placeName), ("lat", degrees(latitude)), ("lon", degrees(longitude)),
      ("type", type), ("url", id), ("file", ""), ("lic", Self.licence), ("q", quality), ("length", length), ("date", date),
      ("uploaded", uploaded),
    ]
    let members =
      fields.map { "\(JSONText.quoted($0)):\(JSONText.quoted($1))" } + [
        "\"also\":[\(background.map { JSONText.quoted($0) } ?? "")]", "\"rmk\":\(JSONText.quoted(Self.remarks))",
      ]
    return Recording(
      id: RecordingID(catalogue: .sample, value: id),
      fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
  }

  /// Whole degrees: a place nobody would take for a real one.
  private func degrees(_ value: Int) -> String { "\(value).0" }
}
