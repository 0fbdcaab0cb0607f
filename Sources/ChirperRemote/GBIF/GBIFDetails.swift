import ChirperModel

/// The meaning of an occurrence's fields for the one of its sounds that a recording is.
enum GBIFDetails {
  private struct Reading {
    var texts: [String: String] = [:]
    var numbers: [String: Double] = [:]
    var hasTime = false
    /// The time of day in the event's date.
    var dateTime: TimeOfDay?
    var behaviors: [String] = []
    var sounds: [GBIFSound] = []
    /// The record's names in the Catalogue of Life.
    var names: GBIFNames?
    /// The problems that the interpretation found, in GBIF's words.
    var issues: [String] = []
    var files: [SoundFile] = []
  }

  private static let table = FieldTable<Reading>([
    .init(
      GBIFNames.field, .issues, .scientificName, .taxonRank, .genus, .specificEpithet,
      .infraspecificEpithet,
      .kingdom, .phylum, .taxonClass, .group, .order, .family
    ) { $1.names = GBIFNames($2) },
    .init("taxonRank", .taxonRank, .scientificName) { $0.taxonRank = $2.text?.lowercased() },
    .init("species", .scientificName, .taxonRank, .genus, .specificEpithet, .infraspecificEpithet) {
      $1.texts["species"] = $2.text
    },
    .init("genus", .scientificName, .taxonRank, .genus) { $1.texts["genus"] = $2.text },
    .init("specificEpithet", .scientificName, .taxonRank, .infraspecificEpithet) {
      $1.texts["specificEpithet"] = $2.text
    },
    .init("infraspecificEpithet", .scientificName, .taxonRank, .infraspecificEpithet) {
      $0.infraspecificEpithet = $2.text
    },
    .init("scientificName", .scientificName) { $0.scientificName = $2.text },
    .init("kingdom", .kingdom, .scientificName) { $0.kingdom = $2.text },
    .init("phylum", .phylum, .scientificName) { $0.phylum = $2.text },
    .init("class", .taxonClass, .group, .scientificName) {
      ($0.taxonClass, $0.group) = ($2.text, $2.text)
    },
    .init("order", .order, .scientificName) { $0.order = $2.text },
    .init("family", .family, .scientificName) { $0.family = $2.text },
    .init("vernacularName", .vernacularName) { $0.vernacularName = $2.plainText },
    .init("recordedBy", .recordedBy) { $0.recordedBy = $2.plainText },
    .init("countryCode", .countryCode) {
      $0.countryCode = $2.text.flatMap(Countries.code(sent:))
    },
    .init("country", .country, .countryCode) { $0.country = $2.country },
    .init("locality", .locality) { $1.texts["locality"] = $2.plainText },
    .init("verbatimLocality", .locality) { $1.texts["verbatimLocality"] = $2.plainText },
    .init("decimalLatitude", .decimalLatitude, .decimalLongitude) {
      $1.numbers["latitude"] = $2.decimal
    },
    .init("decimalLongitude", .decimalLatitude, .decimalLongitude) {
      $1.numbers["longitude"] = $2.decimal
    },
    .init("coordinateUncertaintyInMeters", .coordinateUncertaintyInMeters) {
      $0.coordinateUncertainty = $2.uncertainty
    },
    .init("dataGeneralizations", .dataGeneralizations) { $0.dataGeneralizations = $2.text },
    .init("informationWithheld", .informationWithheld) { $0.informationWithheld = $2.text },
    .init("issues", .issues) { $1.issues = $2.texts },
    .init("elevation", .minimumElevationInMeters) { $1.numbers["elevation"] = $2.elevation },
    .init("verbatimElevation", .minimumElevationInMeters) {
      $1.numbers["verbatimElevation"] = $2.elevation
    },
    .init("eventTime", .eventTime) { ($1.hasTime, $0.eventTime) = ($2.text != nil, $2.time) },
    .init("eventDate", .eventDate, .eventTime) {
      ($0.eventDate, $0.eventInterval) = $2.dateOrInterval
      $1.dateTime = time($2)
    },
    .init("year", .eventDate) { $1.numbers["year"] = $2.decimal },
    .init("month", .eventDate) { $1.numbers["month"] = $2.decimal },
    .init("day", .eventDate) { $1.numbers["day"] = $2.decimal },
    .init("sex", .sex) { $0.sex = $2.commaList.map { $0.lowercased() } },
    .init("lifeStage", .lifeStage) { $0.lifeStage = $2.commaList.map { $0.lowercased() } },
    .init("behavior", .behavior, .sex, .lifeStage) {
      $1.behaviors = $2.commaList.map(HTMLEntities.decoded).filter {
        $0 != "uncertain" && $0 != "?"
      }
    },
    .init("extensions", .quality, .sampleRate) { $1.files = SoundFile.all(in: $2) },
    .init("rightsHolder", .rightsHolder) { $0.rightsHolder = $2.plainText },
    .init("fieldNotes", .occurrenceRemarks) { $1.texts["fieldNotes"] = $2.plainText },
    .init("occurrenceRemarks", .occurrenceRemarks) { $1.texts["occurrenceRemarks"] = $2.plainText },
    .init("catalogNumber", .catalogNumber, .alsoIn) { $0.catalogueNumber = $2.text },
    .init("identifier", .catalogNumber, .alsoIn) { $1.texts["identifier"] = $2.text },
    .init("occurrenceID", .occurrenceID, .alsoIn) { $0.occurrenceID = $2.text },
    .init("references", .references, .alsoIn) { $0.pageAddress = $2.url() },
    .init("key", .references) { $1.texts["key"] = $2.text },
    .init(
      "media", .recordedBy, .quality, .mediaDuration, .sampleRate, .licenseName, .rightsHolder,
      .accessURI, .sonogramURL,
      .alsoIn
    ) {
      $1.sounds = GBIFSound.all(in: $2)
      $0.sonogramAddress = sonogram($2)
    },
    .init("basisOfRecord", .basisOfRecord) { $0.basisOfRecord = $2.text },
    .init("datasetKey", .datasetKey, .quality, .alsoIn) { $0.datasetKey = $2.text },
    .init("datasetName", .datasetName) { $0.datasetName = $2.text },
    .init("datasetID", .datasetID) { $0.datasetID = $2.text },
  ])

  static let mapping = Catalogue.DetailsMapping(fields: table.sources, read: read)

  /// xeno-canto's birds and frogs.
  private static let xenoCantoDatasets: Set = [
    "b1047888-ae52-4179-9dd5-5448ea342a24", "bcf8d1fc-6bf0-4f57-9076-7d9ae2828ec2",
  ]

  @Sendable private static func read(_ recording: Recording, _ details: inout RecordingDetails) {
    var reading = Reading()
    table.read(recording, into: &details, &reading)
    if let names = reading.names, names.hasTaxon { use(names, &reading.texts, &details) }
    details.issues = issues(reading.issues, reading.names)
    let (texts, numbers) = (reading.texts, reading.numbers)
    nameSpecies(texts, &details)
    details.locality = texts["locality"] ?? texts["verbatimLocality"]
    details.coordinate = Coordinate(numbers["latitude"], numbers["longitude"])
    details.elevation = numbers["elevation"] ?? numbers["verbatimElevation"]
    // An interval has no day, or no month, where its ends differ in it, so the numbers are what is
    // known of the date.
    details.eventDate = date(numbers) ?? details.eventDate ?? details.eventInterval?.common
    // A time in a zone that is not the place's is not taken, though it may be in the date, too.
    if !reading.hasTime { details.eventTime = reading.dateTime }
    sort(reading.behaviors, into: &details)
    // xeno-canto's remarks end with two of its fields: `bird-seen:no  playback-used:no`.
    let notes = texts["fieldNotes"]?.withoutLast(named: ["bird-seen", "playback-used"]) ?? ""
    details.remarks = notes.isEmpty ? texts["occurrenceRemarks"] : String(notes)
    details.pageAddress =
      details.pageAddress
      ?? texts["key"].flatMap { $0.isDigits ? "https://www.gbif.org/occurrence/\($0)" : nil }
    // People do not cite any other identifier than `695654@XC`.
    let number = texts["identifier"]?.digits(between: [""], and: "@XC")
    details.catalogueNumber = details.catalogueNumber ?? number.map { "XC\($0)" }
    apply(reading.sounds, reading.files, to: &details, id: recording.id)
    if !xenoCantoDatasets.contains(details.datasetKey ?? "") { details.quality = nil }
    details.alsoIn = origin(
      details, [details.occurrenceID, details.pageAddress],
      GBIFSound.one(of: reading.sounds, id: recording.id),
      of: reading.sounds)
  }

  /// Sets the details of the one sound that the recording's id names.
  private static func apply(
    _ sounds: [GBIFSound], _ files: [SoundFile], to details: inout RecordingDetails, id: RecordingID
  ) {
    guard let sound = GBIFSound.one(of: sounds, id: id) else { return }
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
    details.quality = file.quality
  }

  /// The recording that the row is a copy of. A number of xeno-canto is one file: of several sounds
  /// each must have its own.
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
      let sound = details.audioAddress?.digits(
        between: schemes.map { $0 + "static.inaturalist.org/sounds/" }, and: "."),
      let observation = addresses.lazy.compactMap({ address in
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
  private static func issues(_ words: [String], _ names: GBIFNames?) -> [RecordingIssue] {
    var found = Set(words.compactMap { Self.issues[$0] })
    if let names, names.hasTaxon {
      found.remove(.name)
      if names.issues.contains(where: { Self.issues[$0] == .name }) { found.insert(.name) }
    }
    return RecordingIssue.allCases.filter(found.contains)
  }

  private static let issues: [String: RecordingIssue] = {
    let words: [RecordingIssue: [String]] = [
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
    let words = (texts["species"] ?? "").split(separator: " ").map(String.init)
    guard words.count >= 2 else {
      details.genus = texts["genus"] ?? words.first
      if let genus = details.genus {
        details.scientificName = genus
        if details.taxonRank != nil { details.taxonRank = "genus" }
      } else {
        let groups = [
          "family": details.family, "order": details.order, "class": details.taxonClass,
          "phylum": details.phylum,
          "kingdom": details.kingdom,
        ]
        // Another rank has its name in `scientificName` alone, with the author.
        details.scientificName =
          groups[details.taxonRank ?? ""].flatMap(\.self) ?? details.scientificName
      }
      return
    }
    (details.genus, details.specificEpithet) = (words[0], words[1...].joined(separator: " "))
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
  private static func time(_ date: RawValue) -> TimeOfDay? {
    guard let text = date.text, !text.hasSuffix("Z"), !text.contains("/"),
      let time = date.timeAfterDate
    else { return nil }
    return (time.hour, time.minute) == (0, 0) ? nil : time
  }

  private static func date(_ numbers: [String: Double]) -> PartialDate? {
    func whole(_ name: String) -> Int? { numbers[name].flatMap { Int(exactly: $0) } }
    return whole("year").flatMap {
      PartialDate(year: $0, month: whole("month") ?? 0, day: whole("day") ?? 0)
    }
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
      let isSonogram = [texts["title"], texts["description"]].contains {
        $0?.lowercased().hasPrefix("sonogram") ?? false
      }
      guard sonogram == nil, isSonogram, texts["type"] == "StillImage" else { return }
      item.forEachMember { if $0 == "identifier" { sonogram = $1.url() } }
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
    // From 5, the best, to 1. That 5 is xeno-canto's A is taken from the order of both, it is not
    // documented.
    let rating = texts["http://ns.adobe.com/xap/1.0/Rating"].flatMap(Double.init).flatMap {
      Int(exactly: $0)
    }
    quality = rating.flatMap { (1...5).contains($0) ? Quality.allCases[5 - $0] : nil }
    // `bitrate: 163113 bps; audio sampling rate: 44100 Hz; number of channels: 2; lossy`
    let technique = texts["http://rs.tdwg.org/ac/terms/resourceCreationTechnique"] ?? ""
    let rate = technique.split(separator: "; ").lazy.compactMap {
      String($0).digits(between: ["audio sampling rate: "], and: " Hz").flatMap { Int($0) }
    }.first
    sampleRate = rate.flatMap { (1..<10_000_000).contains($0) ? $0 : nil }
  }
}
