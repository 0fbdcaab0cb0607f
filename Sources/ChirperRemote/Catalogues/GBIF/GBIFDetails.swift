#if Collection

import ChirperModel

/// The meaning of an occurrence's fields for the one of its sounds that a recording is.
enum GBIFDetails {
  private struct Reading: TextReading, NumberReading {
    var texts: [String: String] = [:]
    var numbers: [String: Double] = [:]
    var hasTime = false
    var isTimeLost = false
    /// Whether the record has a date and a coordinate, whether or not they can be read.
    var hasDate = false
    var hasPlace = false
    var isInWGS84 = true
    var isUncertaintyRead = true
    /// The time of day in the event's date.
    var dateTime: PartialDate.TimeOfDay?
    var behaviors: [String] = []
    var sounds: [GBIFSound] = []
    /// The record's names in the Catalogue of Life.
    var names: GBIFNames?
    /// The problems that the interpretation found, in GBIF's words.
    var issues: [String] = []
    /// Whether the record has a qualifier of its name, such as `cf.`.
    var isUncertain = false
    var files: [SoundFile] = []
  }

  private static let table = FieldTable<Reading>([
    .init(
      GBIFNames.field, .issues, .scientificName, .taxonRank, .genus, .specificEpithet,
      .infraspecificEpithet,
      .kingdom, .phylum, .taxonClass, .group, .order, .family
    ) { _, reading, value in reading.names = GBIFNames(value) },
    .init("taxonRank", .taxonRank, .scientificName, into: \.taxonRank) { $0.text?.lowercased() },
    .init(
      "species", .scientificName, .taxonRank, .genus, .specificEpithet, .infraspecificEpithet,
      text: \.text),
    .init("genus", .scientificName, .taxonRank, .genus, text: \.text),
    .init("specificEpithet", .scientificName, .taxonRank, .infraspecificEpithet, text: \.text),
    .init(
      "infraspecificEpithet", .scientificName, .taxonRank, .infraspecificEpithet,
      into: \.infraspecificEpithet, \.text),
    .init("scientificName", .scientificName, into: \.scientificName, \.text),
    .init("verbatimScientificName", .scientificName, .taxonRank, text: \.text),
    .init("identificationQualifier", .issues) { _, reading, value in
      reading.isUncertain = value.text != nil
    },
    .init("kingdom", .kingdom, .scientificName, into: \.kingdom, \.text),
    .init("phylum", .phylum, .scientificName, into: \.phylum, \.text),
    .init("class", .taxonClass, .group, .scientificName) { details, _, value in
      details.taxonClass = value.text
      details.group = value.text
    },
    .init("order", .order, .scientificName, into: \.order, \.text),
    .init("family", .family, .scientificName, into: \.family, \.text),
    .init("vernacularName", .vernacularName, into: \.vernacularName, \.plainText),
    .init("recordedBy", .recordedBy, into: \.recordedBy, \.plainText),
    .init("countryCode", .countryCode, into: \.countryCode, \.countryCode),
    .init("country", .country, .countryCode, into: \.country, \.country),
    .init("locality", .locality, text: \.plainText),
    .init("verbatimLocality", .locality, text: \.plainText),
    .degrees("decimalLatitude", .decimalLatitude, .decimalLongitude, .issues),
    .degrees("decimalLongitude", .decimalLatitude, .decimalLongitude, .issues),
    .init("geodeticDatum", .decimalLatitude, .decimalLongitude, .issues) { _, reading, value in
      reading.isInWGS84 = value.text.map(GeodeticDatum.isWGS84) ?? true
    },
    .init("coordinateUncertaintyInMeters", .coordinateUncertaintyInMeters, .issues) {
      details, reading, value in
      details.coordinateUncertaintyInMeters = value.uncertainty
      reading.isUncertaintyRead = value.text == nil || value.uncertainty != nil
    },
    .init("dataGeneralizations", .dataGeneralizations, into: \.dataGeneralizations, \.text),
    .init("informationWithheld", .informationWithheld, into: \.informationWithheld, \.text),
    .init("issues", .issues) { _, reading, value in reading.issues = value.texts },
    .number("elevation", .minimumElevationInMeters, by: \.elevation),
    .number("verbatimElevation", .minimumElevationInMeters, by: \.elevation),
    .init("eventTime", .eventTime, .issues) { details, reading, value in
      details.eventTime = value.time
      reading.hasTime = value.text != nil
      reading.isTimeLost = value.isUnreadableTime
    },
    .init("eventDate", .eventDate, .eventTime, .issues) { details, reading, value in
      (details.eventDate, details.eventInterval) = value.dateOrInterval
      reading.hasDate = value.text != nil
      reading.dateTime = time(value)
    },
    .number("year", .eventDate, by: \.decimal),
    .number("month", .eventDate, by: \.decimal),
    .number("day", .eventDate, by: \.decimal),
    .init("sex", .sex, into: \.sex, terms),
    .init("lifeStage", .lifeStage, into: \.lifeStage, terms),
    .init("behavior", .behavior, .sex, .lifeStage) { _, reading, value in
      reading.behaviors = value.commaList.map(HTMLEntities.decoded).filter {
        $0 != "uncertain" && $0 != "?"
      }
    },
    .init("extensions", .quality, .sampleRate) { _, reading, value in
      reading.files = SoundFile.all(in: value)
    },
    .init("rightsHolder", .rightsHolder, into: \.rightsHolder, \.plainText),
    .init("fieldNotes", .occurrenceRemarks, text: \.plainText),
    .init("occurrenceRemarks", .occurrenceRemarks, text: \.plainText),
    .init("catalogNumber", .catalogNumber, .alsoIn, into: \.catalogNumber, \.text),
    .init("identifier", .catalogNumber, .alsoIn, text: \.text),
    .init("occurrenceID", .occurrenceID, .alsoIn, into: \.occurrenceID, \.text),
    .init("references", .references, .alsoIn, into: \.pageAddress) { $0.url() },
    .init("key", .references, text: \.text),
    .init(
      "media", .recordedBy, .quality, .mediaDuration, .sampleRate, .licenseName, .rightsHolder,
      .accessURI, .sonogramURL,
      .alsoIn
    ) { details, reading, value in
      reading.sounds = GBIFSound.all(in: value)
      details.sonogramAddress = sonogram(value)
    },
    .init("basisOfRecord", .basisOfRecord, into: \.basisOfRecord, \.text),
    .init("datasetKey", .datasetKey, .quality, .alsoIn, into: \.datasetKey, \.text),
    .init("datasetName", .datasetName, into: \.datasetName, \.text),
    .init("datasetID", .datasetID, into: \.datasetID, \.text),
  ])

  static let mapping = table.mapping(read)

  private static func terms(_ value: RawValue) -> [String] {
    value.commaList.map { $0.lowercased() }
  }

  /// xeno-canto's birds and frogs.
  private static let xenoCantoDatasets: Set = [
    "b1047888-ae52-4179-9dd5-5448ea342a24", "bcf8d1fc-6bf0-4f57-9076-7d9ae2828ec2",
  ]

  @Sendable private static func read(
    _ recording: Recording, _ reading: inout Reading, _ details: inout RecordingDetails
  ) {
    let backbone = reading.texts["species"]
    if let names = reading.names, names.hasTaxon { use(names, &reading.texts, &details) }
    details.acceptedNames = [backbone].compactMap { $0 == reading.texts["species"] ? nil : $0 }
    if details.country == nil, recording.fields.importedForm == .archive {
      details.country = details.countryCode.flatMap(GBIFArchive.country)
    }
    let texts = reading.texts
    let numbers = reading.numbers
    nameSpecies(texts, &details)
    details.locality = texts["locality"] ?? texts["verbatimLocality"]
    // Coordinates in another datum are up to a kilometre beside those in WGS 84.
    if reading.isInWGS84 {
      details.coordinate = RecordingDetails.Coordinate(
        numbers["decimalLatitude"], numbers["decimalLongitude"])
    }
    details.elevation = numbers["elevation"] ?? numbers["verbatimElevation"]
    // An interval has no day, or no month, where its ends differ in it, so the numbers are what is
    // known of the date.
    details.eventDate =
      reading.dateOfNumbers("year", "month", "day") ?? details.eventDate
      ?? details.eventInterval?.common
    details.issues = issues(reading)
    details.addDoubts(
      hasDate: reading.hasDate, isTimeLost: reading.isTimeLost, hasPlace: reading.hasPlace)
    // A time in a zone that is not the place's is not taken, though it may be in the date, too.
    if !reading.hasTime { details.eventTime = reading.dateTime }
    sort(reading.behaviors, into: &details)
    // xeno-canto's remarks end with two of its fields: `bird-seen:no  playback-used:no`.
    let notes = texts["fieldNotes"]?.withoutLast(named: ["bird-seen", "playback-used"]) ?? ""
    details.occurrenceRemarks = notes.isEmpty ? texts["occurrenceRemarks"] : String(notes)
    details.pageAddress =
      details.pageAddress
      ?? texts["key"].flatMap { $0.isDigits ? "https://www.gbif.org/occurrence/\($0)" : nil }
    // People do not cite any other identifier than `695654@XC`.
    let number = texts["identifier"]?.digits(between: [""], and: "@XC")
    details.catalogNumber = details.catalogNumber ?? number.map { "XC\($0)" }
    guard let sound = GBIFSound.one(of: reading.sounds, id: recording.id) else { return }
    apply(sound, of: reading.sounds, reading.files, to: &details)
    details.alsoIn = origin(details, sound, of: reading.sounds)
  }

  /// Sets the details of the one sound that the recording's id names.
  private static func apply(
    _ sound: GBIFSound, of sounds: [GBIFSound], _ files: [SoundFile],
    to details: inout RecordingDetails
  ) {
    details.audioAddress = sound.url
    details.seconds = sound.duration
    details.recordedBy = details.recordedBy ?? sound.creator
    details.rightsHolder = sound.rightsHolder ?? details.rightsHolder
    // The record's own licence is another one: xeno-canto's records are BY-NC where the sound is
    // BY-NC-SA.
    details.licence = sound.licence
    let same = files.first { $0.address != nil && $0.address == sound.identifier }
    guard let file = same ?? (sounds.count == 1 && files.count == 1 ? files[0] : nil) else {
      return
    }
    details.sampleRate = file.sampleRate
    if xenoCantoDatasets.contains(details.datasetKey ?? "") { details.quality = file.quality }
  }

  /// The recording that the row is a copy of. A number of xeno-canto is one file: of several sounds
  /// each must have its own.
  private static func origin(
    _ details: RecordingDetails, _ sound: GBIFSound, of sounds: [GBIFSound]
  ) -> RecordingID? {
    guard let dataset = details.datasetKey else { return nil }
    if xenoCantoDatasets.contains(dataset) {
      let own = sound.xenoCantoNumber
      if sounds.count > 1, sounds.count(where: { $0.xenoCantoNumber == own }) > 1 { return nil }
      let number = sounds.count == 1 ? details.catalogNumber?.digits(between: ["XC"]) ?? own : own
      return number.map { RecordingID(catalogue: .xenoCanto, value: $0) }
    }
    let schemes = ["https://", "http://"]
    // iNaturalist's observations of research grade.
    guard dataset == "50c9509d-22c7-4a22-a47d-8c48425ef4a7",
      let sound = details.audioAddress?.digits(
        between: schemes.map { $0 + "static.inaturalist.org/sounds/" }, and: "."),
      let observation = [details.occurrenceID, details.pageAddress].lazy.compactMap({ address in
        address?.digits(
          between: schemes.flatMap {
            ["\($0)inaturalist.org/observations/", "\($0)www.inaturalist.org/observations/"]
          })
      }).first
    else { return nil }
    return RecordingID(catalogue: .iNaturalist, value: "\(observation)-\(sound)")
  }

  /// Takes a record's names from the Catalogue of Life. The names of the species and below
  /// are taken together, so that they are never from two taxonomies. The names of higher
  /// ranks are taken if it has them.
  private static func use(
    _ names: GBIFNames, _ texts: inout [String: String], _ details: inout RecordingDetails
  ) {
    details.kingdom = names.name(of: "kingdom") ?? details.kingdom
    details.phylum = names.name(of: "phylum") ?? details.phylum
    details.taxonClass = names.name(of: "class") ?? details.taxonClass
    details.group = details.taxonClass
    details.order = names.name(of: "order") ?? details.order
    details.family = names.name(of: "family") ?? details.family
    texts["species"] = names.species
    texts["genus"] = names.name(of: "genus")
    texts["specificEpithet"] = names.specificEpithet
    details.infraspecificEpithet = names.infraspecificEpithet
    details.taxonRank = names.rank
    details.scientificName = names.fullName
  }

  /// Reads the issues that GBIF's interpretation found; issues about the name are read from
  /// the taxonomy that the name is taken from. Most of the words are harmless, as
  /// `COORDINATE_ROUNDED`, and new ones come without notice
  /// (https://techdocs.gbif.org/en/data-use/occurrence-issues-and-flags).
  private static func issues(_ reading: Reading) -> [RecordingDetails.Issue] {
    var found = Set(reading.issues.compactMap { Self.issues[$0] })
    if reading.isUncertain { found.insert(.identification) }
    if !reading.isUncertaintyRead { found.insert(.coordinate) }
    if let names = reading.names, names.hasTaxon {
      found.remove(.name)
      if names.issues.contains(where: { Self.issues[$0] == .name }) { found.insert(.name) }
    }
    return RecordingDetails.Issue.allCases.filter(found.contains)
  }

  private static let issues: [String: RecordingDetails.Issue] = {
    let words: [RecordingDetails.Issue: [String]] = [
      .coordinate: [
        "ZERO_COORDINATE", "COORDINATE_OUT_OF_RANGE", "COORDINATE_INVALID",
        "COUNTRY_COORDINATE_MISMATCH", "PRESUMED_NEGATED_LATITUDE", "PRESUMED_NEGATED_LONGITUDE",
        "PRESUMED_SWAPPED_COORDINATE", "COORDINATE_REPROJECTION_SUSPICIOUS",
        "COORDINATE_REPROJECTION_FAILED",
      ],
      .date: ["RECORDED_DATE_INVALID", "RECORDED_DATE_MISMATCH", "RECORDED_DATE_UNLIKELY"],
      .name: [
        "TAXON_MATCH_FUZZY", "TAXON_MATCH_HIGHERRANK", "TAXON_MATCH_NONE", "TAXON_MATCH_AGGREGATE",
      ],
    ]
    return words.reduce(into: [:]) { issues, entry in
      for word in entry.value { issues[word] = entry.key }
    }
  }()

  /// The accepted name, and its rank: `species` is one name, while `genus` and `specificEpithet`
  /// can be of two.
  private static func nameSpecies(_ texts: [String: String], _ details: inout RecordingDetails) {
    // The interpretation has the genus alone of a hybrid.
    let given = texts["species"] == nil ? texts["verbatimScientificName"] : nil
    let whole = given.flatMap { ScientificName.isHybrid($0) ? $0 : nil } ?? details.scientificName
    if let whole, ScientificName.isOfNoTaxon(whole) {
      details.scientificName = whole
      details.genus = texts["genus"]
      details.infraspecificEpithet = nil
      if details.taxonRank == "species" || given == whole { details.taxonRank = nil }
      return
    }
    let words = (texts["species"] ?? "").utf8.split(separator: 0x20).map { String(Substring($0)) }
    guard words.count >= 2 else {
      details.genus = texts["genus"] ?? words.first
      if let genus = details.genus {
        details.scientificName = genus
        if details.taxonRank != nil { details.taxonRank = "genus" }
      } else {
        let groups = [
          "family": details.family, "order": details.order, "class": details.taxonClass,
          "phylum": details.phylum, "kingdom": details.kingdom,
        ]
        // Another rank has its name in `scientificName` alone, with the author.
        details.scientificName =
          groups[details.taxonRank ?? ""].flatMap(\.self) ?? details.scientificName
      }
      return
    }
    details.genus = words[0]
    details.specificEpithet = words[1...].joined(separator: " ")
    // The form of a synonym belongs to the other name.
    if let epithet = texts["specificEpithet"], epithet != details.specificEpithet {
      details.infraspecificEpithet = nil
    }
    if details.infraspecificEpithet == nil, details.taxonRank != nil {
      details.taxonRank = "species"
    }
    details.scientificName = (words + [details.infraspecificEpithet].compactMap(\.self)).joined(
      separator: " ")
  }

  /// The time in an `eventDate`. Midnight is written for a time that is not known, and `Z` is UTC,
  /// not the time at the place.
  private static func time(_ date: RawValue) -> PartialDate.TimeOfDay? {
    guard let time = date.timeAfterDate, let text = date.text, !text.hasSuffix("Z"),
      !text.contains("/")
    else { return nil }
    return (time.hour, time.minute) == (0, 0) ? nil : time
  }

  /// `call, male, song`: xeno-canto has sex and stage among the sound types.
  private static func sort(_ behaviors: [String], into details: inout RecordingDetails) {
    var (sex, stage): ([String], [String]) = ([], [])
    for word in behaviors {
      switch word {
      case "male", "female": sex.append(word)
      case "adult", "juvenile", "nestling", "hatchling or nestling": stage.append(word)
      default: details.behavior.append(word)
      }
    }
    if details.sex.isEmpty { details.sex = sex }
    if details.lifeStage.isEmpty { details.lifeStage = stage }
  }

  private static func sonogram(_ media: RawValue) -> String? {
    var sonogram: String?
    media.forEachItem { item in
      guard sonogram == nil else { return }
      var isImage = false
      var isSonogram = false
      var address = String?.none
      item.forEachMember { name, value in
        switch name {
        case "type": isImage = value.text == "StillImage"
        case "title", "description":
          if value.text?.lowercased().hasPrefix("sonogram") == true { isSonogram = true }
        case "identifier": address = value.url()
        default: break
        }
      }
      if isImage, isSonogram { sonogram = address }
    }
    return sonogram
  }
}

/// The technical data of a sound, from the Audubon Core extension.
private struct SoundFile {
  /// The address as in the field `media`.
  var address: String?
  /// Hertz.
  var sampleRate: Int?
  var quality: RecordingDetails.Quality?

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
    // From 5, the best, to 1. That 5 is xeno-canto's A is taken from the order of both, it is not
    // documented.
    let rating = texts["http://ns.adobe.com/xap/1.0/Rating"].flatMap(Double.init).flatMap {
      Int(exactly: $0)
    }
    quality = rating.flatMap {
      (1...5).contains($0) ? RecordingDetails.Quality.allCases[5 - $0] : nil
    }
    // `bitrate: 163113 bps; audio sampling rate: 44100 Hz; number of channels: 2; lossy`
    let technique = texts["http://rs.tdwg.org/ac/terms/resourceCreationTechnique"] ?? ""
    let rate = technique.split(separator: "; ").lazy.compactMap {
      String($0).digits(between: ["audio sampling rate: "], and: " Hz").flatMap { Int($0) }
    }.first
    sampleRate = rate.flatMap { (1..<10_000_000).contains($0) ? $0 : nil }
  }
}

#endif
