#if Collection

import ChirperModel

struct INaturalistSound: RecordSound {
  /// The number of the sound, which stays.
  var suffix = ""
  private(set) var address: String?
  private(set) var url: String?
  /// All rights are reserved where the service sends null.
  private(set) var licence: RecordingDetails.Licence?
  /// Whether moderators have hidden it.
  private(set) var isHidden = false
  /// Whether a flag stands that people have set.
  private(set) var isFlagged = false

  init?(_ item: RawValue, isWhole _: Bool) {
    guard item.isObject else { return nil }
    item.forEachMember { name, value in
      switch name {
      case "id": suffix = value.count.map { "\($0)" } ?? ""
      case "file_url": (address, url) = (value.text, value.url())
      case "license_code": licence = Self.licence(value)
      case "hidden": isHidden = value.isTrue
      case "flags": value.forEachItem { isFlagged = isFlagged || Self.stands($0) }
      default: break
      }
    }
    if isHidden { url = nil }
  }

  private static func stands(_ flag: RawValue) -> Bool {
    var stands = flag.isObject
    flag.forEachMember { if $0 == "resolved", $1.isTrue { stands = false } }
    return stands
  }

  /// Codes have no version; the licences that iNaturalist offers are version 4.0, and CC0 is 1.0.
  private static func licence(_ value: RawValue) -> RecordingDetails.Licence? {
    guard let code = value.text?.lowercased() else {
      return value.isNull ? RecordingDetails.Licence(other: "all rights reserved") : nil
    }
    if code == "cc0" {
      return RecordingDetails.Licence(
        creativeCommons: "https://creativecommons.org/publicdomain/zero/1.0/")
    }
    let known =
      code.hasPrefix("cc-")
      ? RecordingDetails.Licence(creativeCommonsCode: String(code.dropFirst(3)), version: "4.0")
      : nil
    return known ?? RecordingDetails.Licence(other: code)
  }
}

/// The meaning of an observation's fields for the one of its sounds that a recording is.
///
/// Neither length nor quality of a sound are sent. Of the groups above the taxon only ids
/// are sent.
enum INaturalistDetails {
  private struct Reading: FieldReading {
    var accuracy: Double?
    var publicAccuracy: Double?
    var isObscured = false
    var isCaptive = false
    var grade: String?
    var sounds: [INaturalistSound] = []
  }

  private static let table = FieldTable<Reading>([
    .init(
      "taxon", .scientificName, .taxonRank, .genus, .specificEpithet, .infraspecificEpithet,
      .vernacularName, .group
    ) { details, _, value in name(value, &details) },
    .init("user", .recordedBy) { details, _, value in
      let texts = value.memberTexts
      details.recordedBy = texts["name"] ?? texts["login"]
    },
    .init("place_guess", .locality, .country, .countryCode, into: \.locality, \.text),
    // `47.7678,16.7803`
    .init("location", .decimalLatitude, .decimalLongitude, .country, .countryCode) {
      details, _, value in
      let numbers = value.numbers
      details.coordinate =
        numbers.count == 2 ? RecordingDetails.Coordinate(numbers[0], numbers[1]) : nil
    },
    .init("public_positional_accuracy", .coordinateUncertaintyInMeters) { _, reading, value in
      reading.publicAccuracy = value.uncertainty
    },
    .init("positional_accuracy", .coordinateUncertaintyInMeters) { _, reading, value in
      reading.accuracy = value.uncertainty
    },
    .init("obscured", .coordinateUncertaintyInMeters, .dataGeneralizations) { _, reading, value in
      reading.isObscured = value.isTrue
    },
    .init("observed_on", .eventDate, into: \.eventDate, \.date),
    .init("time_observed_at", .eventTime, into: \.eventTime, \.timeAfterDate),
    .init("quality_grade", .issues) { _, reading, value in reading.grade = value.text },
    .init("captive", .issues) { _, reading, value in reading.isCaptive = value.isTrue },
    .init("sounds", .licenseName, .accessURI, .issues) { _, reading, value in
      reading.sounds = INaturalistSound.all(in: value)
    },
    .init("description", .occurrenceRemarks, into: \.occurrenceRemarks, \.text),
    .init("created_at", .available, into: \.available, \.date),
    .init("uri", .references, into: \.pageAddress) { $0.url() },
    .init("id", .catalogNumber, into: \.catalogNumber) { $0.count.map { "\($0)" } },
  ])

  static let mapping = table.mapping(read)

  @Sendable private static func read(
    _ recording: Recording, _ reading: inout Reading, _ details: inout RecordingDetails
  ) {
    let country = details.locality.flatMap {
      INaturalistPlace.country(of: $0, at: details.coordinate)
    }
    details.country = country?.names[0]
    let sound = INaturalistSound.one(of: reading.sounds, id: recording.id)
    details.licence = sound?.licence
    details.audioAddress = sound?.url
    let issues: [(RecordingDetails.Issue, Bool)] = [
      (.identification, reading.grade == "needs_id"), (.casual, reading.grade == "casual"),
      (.captive, reading.isCaptive), (.sound, sound?.isFlagged == true),
    ]
    details.issues = issues.filter(\.1).map(\.0)
    // The accuracy of the true place says nothing about the one that is shown instead.
    details.coordinateUncertaintyInMeters =
      reading.publicAccuracy ?? (reading.isObscured ? nil : reading.accuracy)
    if reading.isObscured { details.dataGeneralizations = "the place is obscured" }
  }

  /// A sound without an address is hidden by moderators, or the service gives no reason.
  static func withheldAudio(of recording: Recording) -> Catalogue.WithheldAudio? {
    guard let sounds = recording["sounds"]?.withRaw({ INaturalistSound.all(in: $0) }),
      let sound = INaturalistSound.one(of: sounds, id: recording.id), sound.isHidden
    else { return nil }
    return Catalogue.WithheldAudio(reason: "hidden")
  }

  private static func name(_ taxon: RawValue, _ details: inout RecordingDetails) {
    let texts = taxon.memberTexts
    details.vernacularName = texts["preferred_common_name"] ?? texts["english_common_name"]
    details.group = texts["iconic_taxon_name"]
    details.taxonRank = texts["rank"]?.lowercased()
    details.scientificName = texts["name"]
    let words = (texts["name"] ?? "").split(separator: " ").map(String.init)
    switch (texts["rank"], words.count) {
    case ("genus", 1), ("complex", 2): details.genus = words[0]
    case ("species", 2): (details.genus, details.specificEpithet) = (words[0], words[1])
    case ("subspecies", 3), ("variety", 3), ("form", 3):
      details.genus = words[0]
      details.specificEpithet = words[1]
      details.infraspecificEpithet = words[2]
    default: break
    }
  }
}

#endif
