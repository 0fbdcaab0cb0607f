import ChirperModel

/// What the fields of an occurrence mean for the one of its sounds that a recording is.
enum GBIFDetails {
  private struct Reading {
    var details = RecordingDetails()
    var texts: [String: String] = [:]
    var numbers: [String: Double] = [:]
    var hasTime = false
    /// That of the event's date.
    var dateTime: TimeOfDay?
    var behaviors: [String] = []
    var sounds: [GBIFSound] = []
    var files: [SoundFile] = []
  }

  private static let table = FieldTable<Reading>([
    .init("taxonRank", .taxonRank, .scientificName) { $0.details.taxonRank = $1.text?.lowercased() },
    .init("species", .scientificName, .taxonRank, .genus, .specificEpithet, .infraspecificEpithet) {
      $0.texts["species"] = $1.text
    },
    .init("genus", .scientificName, .taxonRank, .genus) { $0.texts["genus"] = $1.text },
    .init("specificEpithet", .scientificName, .taxonRank, .infraspecificEpithet) { $0.texts["specificEpithet"] = $1.text },
    .init("infraspecificEpithet", .scientificName, .taxonRank, .infraspecificEpithet) {
      $0.details.infraspecificEpithet = $1.text
    },
    .init("scientificName", .scientificName) { $0.details.scientificName = $1.text },
    .init("kingdom", .kingdom, .scientificName) { $0.details.kingdom = $1.text },
    .init("phylum", .phylum, .scientificName) { $0.details.phylum = $1.text },
    .init("class", .taxonClass, .group, .scientificName) { ($0.details.taxonClass, $0.details.group) = ($1.text, $1.text) },
    .init("order", .order, .scientificName) { $0.details.order = $1.text },
    .init("family", .family, .scientificName) { $0.details.family = $1.text },
    .init("vernacularName", .vernacularName) { $0.details.vernacularName = $1.plainText },
    .init("recordedBy", .recordedBy) { $0.details.recordedBy = $1.plainText },
    .init("countryCode", .countryCode) { $0.details.countryCode = $1.text.flatMap(Countries.code(sent:)) },
    .init("country", .country, .countryCode) { $0.details.country = $1.text },
    .init("locality", .locality) { $0.texts["locality"] = $1.plainText },
    .init("verbatimLocality", .locality) { $0.texts["verbatimLocality"] = $1.plainText },
    .init("decimalLatitude", .decimalLatitude, .decimalLongitude) { $0.numbers["latitude"] = $1.decimal },
    .init("decimalLongitude", .decimalLatitude, .decimalLongitude) { $0.numbers["longitude"] = $1.decimal },
    .init("coordinateUncertaintyInMeters", .coordinateUncertaintyInMeters) {
      $0.details.coordinateUncertainty = $1.uncertainty
    },
    .init("dataGeneralizations", .dataGeneralizations) { $0.texts["dataGeneralizations"] = $1.text },
    .init("informationWithheld", .dataGeneralizations) { $0.texts["informationWithheld"] = $1.text },
    .init("elevation", .minimumElevationInMeters) { $0.numbers["elevation"] = $1.elevation },
    .init("verbatimElevation", .minimumElevationInMeters) { $0.numbers["verbatimElevation"] = $1.elevation },
    .init("eventTime", .eventTime) { ($0.hasTime, $0.details.eventTime) = ($1.text != nil, $1.time) },
    .init("eventDate", .eventDate, .eventTime) { ($0.details.eventDate, $0.dateTime) = ($1.date, time($1)) },
    .init("year", .eventDate) { $0.numbers["year"] = $1.decimal },
    .init("month", .eventDate) { $0.numbers["month"] = $1.decimal },
    .init("day", .eventDate) { $0.numbers["day"] = $1.decimal },
    .init("sex", .sex) { $0.details.sex = $1.commaList.map { $0.lowercased() } },
    .init("lifeStage", .lifeStage) { $0.details.lifeStage = $1.commaList.map { $0.lowercased() } },
    .init("behavior", .behavior, .sex, .lifeStage) {
      $0.behaviors = $1.commaList.map(HTMLEntities.decoded).filter { $0 != "uncertain" && $0 != "?" }
    },
    .init("extensions", .quality, .sampleRate) { $0.files = SoundFile.all(in: $1) },
    .init("rightsHolder", .rightsHolder) { $0.details.rightsHolder = $1.plainText },
    .init("fieldNotes", .occurrenceRemarks) { $0.texts["fieldNotes"] = $1.plainText },
    .init("occurrenceRemarks", .occurrenceRemarks) { $0.texts["occurrenceRemarks"] = $1.plainText },
    .init("catalogNumber", .catalogNumber, .alsoIn) { $0.details.catalogueNumber = $1.text },
    .init("identifier", .catalogNumber, .alsoIn) { $0.texts["identifier"] = $1.text },
    .init("occurrenceID", .occurrenceID, .alsoIn) { $0.details.occurrenceID = $1.text },
    .init("references", .references, .alsoIn) { $0.details.pageAddress = $1.url() },
    .init("key", .references) { $0.texts["key"] = $1.text },
    .init(
      "media", .recordedBy, .quality, .mediaDuration, .sampleRate, .licenseName, .rightsHolder, .accessURI, .sonogramURL,
      .alsoIn
    ) {
      $0.sounds = GBIFSound.all(in: $1)
      $0.details.sonogramAddress = sonogram($1)
    },
    .init("basisOfRecord", .basisOfRecord) { $0.details.basisOfRecord = $1.text },
    .init("datasetKey", .datasetKey, .quality, .alsoIn) { $0.details.datasetKey = $1.text },
    .init("datasetName", .datasetName) { $0.details.datasetName = $1.text },
    .init("datasetID", .datasetID) { $0.details.datasetID = $1.text },
  ])

  static let mapping = Catalogue.DetailsMapping(fields: table.sources, details: details)

  /// xeno-canto's birds and frogs.
  private static let xenoCantoDatasets: Set = [
    "b1047888-ae52-4179-9dd5-5448ea342a24", "bcf8d1fc-6bf0-4f57-9076-7d9ae2828ec2",
  ]

  private static func details(of recording: Recording) -> RecordingDetails {
    let reading = table.reading(of: recording, Reading())
    let (texts, numbers) = (reading.texts, reading.numbers)
    var details = reading.details
    nameSpecies(texts, &details)
    details.countryCode = details.countryCode ?? details.country.flatMap(Countries.code(ofName:))
    details.locality = texts["locality"] ?? texts["verbatimLocality"]
    details.coordinate = Coordinate(numbers["latitude"], numbers["longitude"])
    details.dataGeneralizations = texts["dataGeneralizations"] ?? texts["informationWithheld"]
    details.elevation = numbers["elevation"] ?? numbers["verbatimElevation"]
    // An interval has no day, or no month, where its ends differ in it, so the numbers are what is known of the date.
    details.eventDate = date(numbers) ?? details.eventDate
    // A time in another zone than the place's is no time, though it may be in the date, too.
    if !reading.hasTime { details.eventTime = reading.dateTime }
    sort(reading.behaviors, into: &details)
    // xeno-canto's remarks end with two of its fields: `bird-seen:no  playback-used:no`.
    let notes = texts["fieldNotes"]?.withoutLast(named: ["bird-seen", "playback-used"]) ?? ""
    details.remarks = notes.isEmpty ? texts["occurrenceRemarks"] : String(notes)
    details.pageAddress =
      details.pageAddress ?? texts["key"].flatMap { $0.isDigits ? "https://www.gbif.org/occurrence/\($0)" : nil }
    // People do not cite any other identifier than `695654@XC`.
    let number = texts["identifier"]?.digits(between: [""], and: "@XC")
    details.catalogueNumber = details.catalogueNumber ?? number.map { "XC\($0)" }
    apply(reading.sounds, reading.files, to: &details, id: recording.id)
    if !xenoCantoDatasets.contains(details.datasetKey ?? "") { details.quality = nil }
    details.alsoIn = origin(
      details, [details.occurrenceID, details.pageAddress], GBIFSound.one(of: reading.sounds, id: recording.id),
      of: reading.sounds)
    return details
  }

  /// What holds for one sound only: the one that the recording's id names.
  private static func apply(
    _ sounds: [GBIFSound], _ files: [SoundFile], to details: inout RecordingDetails, id: RecordingID
  ) {
    guard let sound = GBIFSound.one(of: sounds, id: id) else { return }
    details.audioAddress = sound.url
    details.seconds = sound.duration
    details.recordedBy = details.recordedBy ?? sound.creator
    details.rightsHolder = sound.rightsHolder ?? details.rightsHolder
    // The record's own licence is another one: xeno-canto's records are BY-NC where the sound is BY-NC-SA.
    details.licence = sound.licence
    let same = files.first { $0.address != nil && $0.address == sound.identifier }
    guard let file = same ?? (sounds.count == 1 && files.count == 1 ? files[0] : nil) else { return }
    details.sampleRate = file.sampleRate
    details.quality = file.quality
  }

  /// The recording that the row is a copy of. A number of xeno-canto is one file: of several sounds each must have its own.
  ///
  /// - Parameter addresses: where the address of an observation may be.
  private static func origin(
    _ details: RecordingDetails, _ addresses: [String?], _ sound: GBIFSound?, of sounds: [GBIFSound]
  ) -> RecordingID? {
    guard let dataset = details.datasetKey, let sound else { return nil }
    if xenoCantoDatasets.contains(dataset) {
      let own = sound.xenoCantoNumber
      if sounds.count > 1, sounds.count(where: { $0.xenoCantoNumber == own }) > 1 { return nil }
      let number = sounds.count == 1 ? details.catalogueNumber?.digits(between: ["XC"]) ?? own : own
      return number.map { RecordingID(catalogue: .xenoCanto, value: $0) }
    }
    let schemes = ["https://", "http://"]
    // iNaturalist's observations of research grade.
    guard dataset == "50c9509d-22c7-4a22-a47d-8c48425ef4a7",
      let sound = details.audioAddress?.digits(between: schemes.map { $0 + "static.inaturalist.org/sounds/" }, and: "."),
      let observation = addresses.lazy.compactMap({ address in
        address?.digits(
          between: schemes.flatMap { ["\($0)inaturalist.org/observations/", "\($0)www.inaturalist.org/observations/"] })
      }).first
    else { return nil }
    return RecordingID(catalogue: .iNaturalist, value: "\(observation)-\(sound)")
  }

  /// The accepted name, and its rank: `species` is one name, while `genus` and `specificEpithet` can be of two.
  private static func nameSpecies(_ texts: [String: String], _ details: inout RecordingDetails) {
    let words = (texts["species"] ?? "").split(separator: " ").map(String.init)
    guard words.count >= 2 else {
      details.genus = texts["genus"] ?? words.first
      if let genus = details.genus {
        details.scientificName = genus
        if details.taxonRank != nil { details.taxonRank = "genus" }
      } else {
        let groups = [
          "family": details.family, "order": details.order, "class": details.taxonClass, "phylum": details.phylum,
          "kingdom": details.kingdom,
        ]
        // Another rank has its name in `scientificName` alone, with the author.
        details.scientificName = groups[details.taxonRank ?? ""].flatMap(\.self) ?? details.scientificName
      }
      return
    }
    (details.genus, details.specificEpithet) = (words[0], words[1...].joined(separator: " "))
    // The form of a synonym belongs to the other name.
    if let epithet = texts["specificEpithet"], epithet != details.specificEpithet { details.infraspecificEpithet = nil }
    if details.infraspecificEpithet == nil, details.taxonRank != nil { details.taxonRank = "species" }
    details.scientificName = (words + [details.infraspecificEpithet].compactMap(\.self)).joined(separator: " ")
  }

  /// The time in an `eventDate`. Midnight is written for a time that is not known, and `Z` is UTC, not the time at the place.
  private static func time(_ date: RawValue) -> TimeOfDay? {
    guard let text = date.text, !text.hasSuffix("Z"), !text.contains("/"), let time = date.timeAfterDate else { return nil }
    return (time.hour, time.minute) == (0, 0) ? nil : time
  }

  private static func date(_ numbers: [String: Double]) -> PartialDate? {
    func whole(_ name: String) -> Int? { numbers[name].flatMap { Int(exactly: $0) } }
    return whole("year").flatMap { PartialDate(year: $0, month: whole("month") ?? 0, day: whole("day") ?? 0) }
  }

  /// `call, male, song`: xeno-canto has sex and stage among the sound types.
  private static func sort(_ behaviors: [String], into details: inout RecordingDetails) {
    var (sex, stage): ([String], [String]) = ([], [])
    for word in behaviors {
      switch word {
      case "male", "female": sex.append(word)
      case "adult", "juvenile", "nestling", "hatchling or nestling": stage.append(word)
      default: details.soundType.append(word)
      }
    }
    if details.sex.isEmpty { details.sex = sex }
    if details.lifeStage.isEmpty { details.lifeStage = stage }
  }

  private static func sonogram(_ media: RawValue) -> String? {
    var sonogram: String?
    media.forEachItem { item in
      let texts = item.memberTexts
      let isSonogram = [texts["title"], texts["description"]].contains { $0?.lowercased().hasPrefix("sonogram") ?? false }
      guard sonogram == nil, isSonogram, texts["type"] == "StillImage" else { return }
      item.forEachMember { if $0 == "identifier" { sonogram = $1.url() } }
    }
    return sonogram
  }
}

/// The technical data of a sound, from the Audubon Core extension.
private struct SoundFile {
  /// As in the field `media`.
  var address: String?
  /// Hertz.
  var sampleRate: Int?
  var quality: Quality?

  static func all(in extensions: RawValue) -> [SoundFile] {
    var files: [SoundFile] = []
    extensions.forEachMember { name, value in
      guard name == "http://rs.tdwg.org/ac/terms/Multimedia" else { return }
      value.forEachItem { item in
        if let file = SoundFile(item) { files.append(file) }
      }
    }
    return files
  }

  private init?(_ item: RawValue) {
    let texts = item.memberTexts
    guard texts["http://purl.org/dc/elements/1.1/type"] == "Sound" else { return nil }
    address = texts["http://rs.tdwg.org/ac/terms/accessURI"]
    // From 5, the best, to 1. That 5 is xeno-canto's A is taken from the order of both, it is not documented.
    let rating = texts["http://ns.adobe.com/xap/1.0/Rating"].flatMap(Double.init).flatMap { Int(exactly: $0) }
    quality = rating.flatMap { (1...5).contains($0) ? Quality.allCases[5 - $0] : nil }
    // `bitrate: 163113 bps; audio sampling rate: 44100 Hz; number of channels: 2; lossy`
    let technique = texts["http://rs.tdwg.org/ac/terms/resourceCreationTechnique"] ?? ""
    let rate = technique.split(separator: "; ").lazy.compactMap {
      String($0).digits(between: ["audio sampling rate: "], and: " Hz").flatMap { Int($0) }
    }.first
    sampleRate = rate.flatMap { (1..<10_000_000).contains($0) ? $0 : nil }
  }
}
