import ChirperModel

/// One sound of an observation.
struct INaturalistSound {
  /// Distinguishes the sounds of an observation.
  private(set) var suffix = ""
  private(set) var url: String?
  /// All rights are reserved where the service sends null.
  private(set) var licence: Licence?
  /// Whether moderators have hidden it.
  private(set) var isHidden = false

  /// A row for each sound of an observation. The suffix is the number of the sound, which stays.
  static func rows(of observation: Recording) -> [Recording] {
    guard let sounds = observation["sounds"] else { return [observation] }
    return observation.rows(suffixes: sounds.withRaw(all(in:)).map(\.suffix))
  }

  /// The sounds of the field `sounds`, in its order.
  static func all(in sounds: RawValue) -> [INaturalistSound] {
    var all: [INaturalistSound] = []
    sounds.forEachItem { item in
      guard item.isObject else { return }
      var sound = INaturalistSound()
      item.forEachMember { name, value in
        switch name {
        case "id": sound.suffix = value.count.map { "\($0)" } ?? ""
        case "file_url": sound.url = value.url(allowingHTTP: true)
        case "license_code": sound.licence = licence(value)
        case "hidden": sound.isHidden = value.isTrue
        default: break
        }
      }
      if sound.suffix.isEmpty { sound.suffix = "s\(all.count + 1)" }
      if sound.isHidden { sound.url = nil }
      all.append(sound)
    }
    return all
  }

  /// The sound that the recording is.
  static func one(of sounds: [INaturalistSound], id: RecordingID) -> INaturalistSound? {
    sounds.first { $0.suffix == id.soundSuffix } ?? sounds.first
  }

  /// Codes have no version; the licences that iNaturalist offers are version 4.0, and CC0 is 1.0.
  private static func licence(_ value: RawValue) -> Licence? {
    guard let code = value.text?.lowercased() else {
      return value.isNull ? Licence(other: "all rights reserved") : nil
    }
    if code == "cc0" { return Licence(creativeCommons: "https://creativecommons.org/publicdomain/zero/1.0/") }
    let known = code.hasPrefix("cc-") ? Licence(creativeCommonsCode: String(code.dropFirst(3)), version: "4.0") : nil
    return known ?? Licence(other: code)
  }
}

/// What the fields of an observation mean for the one of its sounds that a recording is.
///
/// Neither length nor quality of a sound are sent, and no country. Of the groups above the taxon only ids are.
enum INaturalistDetails {
  private enum Field: String, CaseIterable {
    case id
    case createdAt = "created_at"
    case timeObservedAt = "time_observed_at"
    case observedOn = "observed_on"
    case positionalAccuracy = "positional_accuracy"
    case publicPositionalAccuracy = "public_positional_accuracy"
    case description, sounds, taxon, uri, obscured, location, user
    case placeGuess = "place_guess"
  }

  private static let scan = FieldScan(Field.self)

  static let mapping = Catalogue.DetailsMapping(
    fields: [
      .scientificName: ["taxon"], .taxonRank: ["taxon"], .genus: ["taxon"], .specificEpithet: ["taxon"],
      .infraspecificEpithet: ["taxon"],
      .vernacularName: ["taxon"], .group: ["taxon"], .recordedBy: ["user"], .locality: ["place_guess"],
      .decimalLatitude: ["location"], .decimalLongitude: ["location"],
      .coordinateUncertaintyInMeters: ["public_positional_accuracy", "positional_accuracy", "obscured"],
      .dataGeneralizations: ["obscured"], .eventDate: ["observed_on"], .eventTime: ["time_observed_at"],
      .licenseName: ["sounds"], .occurrenceRemarks: ["description"], .available: ["created_at"], .references: ["uri"],
      .accessURI: ["sounds"], .catalogNumber: ["id"],
    ],
    details: details)

  static func details(of recording: Recording) -> RecordingDetails {
    var details = RecordingDetails()
    var (accuracy, publicAccuracy): (Double?, Double?)
    var isObscured = false
    scan.forEach(in: recording.fields) { field, value in
      switch field {
      case .id: details.catalogueNumber = value.count.map { "\($0)" }
      case .createdAt: details.uploaded = value.date
      case .timeObservedAt: details.eventTime = time(value)
      case .observedOn: details.eventDate = value.date
      case .positionalAccuracy: accuracy = value.decimal
      case .publicPositionalAccuracy: publicAccuracy = value.decimal
      case .description: details.remarks = value.text
      case .sounds:
        let sound = INaturalistSound.one(of: INaturalistSound.all(in: value), id: recording.id)
        details.licence = sound?.licence
        details.audioURL = sound?.url
      case .taxon: name(value, &details)
      case .uri: details.pageURL = value.url()
      case .obscured: isObscured = value.isTrue
      case .location: details.coordinate = coordinate(value)
      case .user: details.recordedBy = observer(value)
      case .placeGuess: details.locality = value.text
      }
    }
    // The accuracy of the true place says nothing about the one that is shown instead.
    let uncertainty = isObscured ? publicAccuracy : publicAccuracy ?? accuracy
    details.coordinateUncertainty = uncertainty.flatMap { $0 > 0 && $0 <= 1e9 ? $0 : nil }
    if isObscured { details.dataGeneralizations = "the place is obscured" }
    return details
  }

  /// A sound without an address is hidden by moderators, or the service gives no reason.
  static func withheldAudio(of recording: Recording) -> Catalogue.WithheldAudio? {
    guard let sounds = recording["sounds"]?.withRaw(INaturalistSound.all(in:)),
      let sound = INaturalistSound.one(of: sounds, id: recording.id), sound.isHidden
    else { return nil }
    return Catalogue.WithheldAudio(reason: "hidden")
  }

  private static func name(_ taxon: RawValue, _ details: inout RecordingDetails) {
    var texts: [String: String] = [:]
    taxon.forEachMember { name, value in
      switch name {
      case "name", "rank", "preferred_common_name", "english_common_name", "iconic_taxon_name": texts[name] = value.text
      default: break
      }
    }
    details.vernacularName = texts["preferred_common_name"] ?? texts["english_common_name"]
    details.group = texts["iconic_taxon_name"]
    details.taxonRank = texts["rank"]?.lowercased()
    let words = (texts["name"] ?? "").split(separator: " ").map(String.init)
    switch (texts["rank"], words.count) {
    case ("genus", 1): details.genus = words[0]
    case ("species", 2): (details.genus, details.specificEpithet) = (words[0], words[1])
    case ("subspecies", 3), ("variety", 3), ("form", 3):
      (details.genus, details.specificEpithet, details.infraspecificEpithet) = (words[0], words[1], words[2])
    default: return
    }
    details.scientificName = words.joined(separator: " ")
  }

  private static func observer(_ user: RawValue) -> String? {
    var (name, login): (String?, String?)
    user.forEachMember { member, value in
      if member == "name" { name = value.text }
      if member == "login" { login = value.text }
    }
    return name ?? login
  }

  /// `47.7678,16.7803`.
  private static func coordinate(_ value: RawValue) -> Coordinate? {
    let numbers = value.numbers
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The hour and minute of `2018-05-12T06:00:00+02:00`, which are those of the observer's clock.
  private static func time(_ value: RawValue) -> TimeOfDay? {
    guard let text = value.text, text.utf8.count <= 40, let start = text.firstIndex(of: "T") else { return nil }
    return TimeOfDay(String(text[text.index(after: start)...].prefix(5)))
  }
}
