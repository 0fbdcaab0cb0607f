#if Collection

import ChirperModel

/// The meaning of the columns of a file that the Macaulay Library exports.
enum MacaulayDetails {
  private struct Reading: TextReading, NumberReading {
    var numbers: [String: Double] = [:]
    var date: PartialDate?
    /// Whether the file has a coordinate and a date, whether or not they can be read.
    var hasPlace = false
    var hasDate = false
    var isTimeLost = false
    var texts: [String: String] = [:]
    var issues: Set<RecordingDetails.Issue> = []
  }

  private static let table = FieldTable<Reading>([
    .init(Macaulay.number, .catalogNumber, .references) { _, _, _ in },
    .init("Common Name", .vernacularName, into: \.vernacularName, \.plainText),
    .init(
      "Scientific Name", .scientificName, .genus, .specificEpithet, .infraspecificEpithet,
      into: \.scientificName, \.text),
    .init("Background Species", .associatedTaxa, into: \.associatedTaxa, \.commaList),
    .init("Recordist", .recordedBy, into: \.recordedBy, \.plainText),
    .init("Date", .eventDate, .issues) { _, reading, value in
      reading.date = value.date
      if value.text != nil { reading.hasDate = true }
    },
    .number("Year", .eventDate, by: \.decimal),
    .number("Month", .eventDate, by: \.decimal),
    .number("Day", .eventDate, by: \.decimal),
    .init("Time", .eventTime, .issues) { details, reading, value in
      details.eventTime = value.time
      reading.isTimeLost = value.isUnreadableTime
    },
    .init("Country", .country, .countryCode, into: \.country, \.country),
    .init("Country-State-County", .countryCode, into: \.countryCode) {
      $0.text.flatMap { Countries.code(sent: String($0.prefix(2))) }
    },
    .init("Locality", .locality, into: \.locality, \.plainText),
    .degrees("Latitude", .decimalLatitude, .decimalLongitude),
    .degrees("Longitude", .decimalLatitude, .decimalLongitude),
    .init("Age/Sex", .sex, .lifeStage) { details, _, value in
      let words = (value.text ?? "").lowercased().split { !$0.isLetter }.map(String.init)
      details.sex = ["female", "male"].filter(words.contains)
      details.lifeStage = ["adult", "immature", "juvenile"].filter(words.contains)
    },
    .init("Behaviors", .behavior) { details, _, value in
      details.behavior = (value.text ?? "").split { ";,".contains($0) }.map {
        TagOperand.trimmed(String($0)).lowercased()
      }
    },
    .init("Captive", .issues) { _, reading, value in
      if ["yes", "true", "1"].contains(value.text?.lowercased()) {
        reading.issues.insert(.captive)
      }
    },
    .init("Unconfirmed", .issues) { _, reading, value in
      if value.text != nil, !["no", "false", "0"].contains(value.text?.lowercased()) {
        reading.issues.insert(.identification)
      }
    },
    .init("Media notes", .occurrenceRemarks, text: \.plainText),
    .init("Observation Details", .occurrenceRemarks, text: \.plainText),
  ])

  static let mapping = table.mapping(
    from: table.sources.merging([.licenseName: [Macaulay.number]]) { own, _ in own }, read)

  @Sendable private static func read(
    _ recording: Recording, _ reading: inout Reading, _ details: inout RecordingDetails
  ) {
    let number = recording.id.value
    (details.catalogNumber, details.pageAddress) = ("ML\(number)", Macaulay.page(number))
    details.licence = RecordingDetails.Licence(other: "All rights reserved")
    // Hybrids, and what was not determined to the species (`Anas sp.`), are a name alone.
    if let name = details.scientificName.flatMap({ ScientificName($0) }), name.species != nil {
      details.genus = name.genus
      details.specificEpithet = name.specificEpithet
      details.infraspecificEpithet = name.infraspecificEpithet
      details.taxonRank = name.infraspecificEpithet == nil ? "species" : "subspecies"
    }
    details.coordinate = RecordingDetails.Coordinate(
      reading.numbers["Latitude"], reading.numbers["Longitude"])
    details.eventDate = reading.dateOfNumbers("Year", "Month", "Day") ?? reading.date
    details.issues = RecordingDetails.Issue.allCases.filter(reading.issues.contains)
    details.addDoubts(
      hasDate: reading.hasDate, isTimeLost: reading.isTimeLost, hasPlace: reading.hasPlace)
    details.occurrenceRemarks = reading.texts["Media notes"] ?? reading.texts["Observation Details"]
  }
}

#endif
