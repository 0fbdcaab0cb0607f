import ChirperModel

/// What the fields of an occurrence mean for the one of its sounds that a recording is.
enum GBIFDetails {
  private enum Field: String, CaseIterable {
    case key, datasetKey, extensions, sex, lifeStage, genus, species, infraspecificEpithet, decimalLongitude
    case decimalLatitude, coordinateUncertaintyInMeters, elevation, year, month, day, eventDate, references, media
    case recordedBy, country, occurrenceID, rightsHolder, identifier, locality, verbatimLocality, catalogNumber, vernacularName
    case fieldNotes, occurrenceRemarks, eventTime, behavior, verbatimElevation, informationWithheld, dataGeneralizations
    case basisOfRecord, taxonRank, kingdom, phylum, order, family, countryCode, datasetName
    case taxonClass = "class"
  }

  private static let scan = FieldScan(Field.self)

  static let mapping = Catalogue.DetailsMapping(
    fields: [
      .scientificName: ["species", "genus", "infraspecificEpithet"], .taxonRank: ["taxonRank"], .kingdom: ["kingdom"],
      .phylum: ["phylum"], .taxonClass: ["class"], .order: ["order"], .family: ["family"], .genus: ["genus", "species"],
      .specificEpithet: ["species"], .infraspecificEpithet: ["infraspecificEpithet"], .vernacularName: ["vernacularName"],
      .group: ["class"], .recordedBy: ["recordedBy", "media"], .country: ["country"],
      .countryCode: ["countryCode", "country"],
      .locality: ["locality", "verbatimLocality"], .decimalLatitude: ["decimalLatitude", "decimalLongitude"],
      .decimalLongitude: ["decimalLatitude", "decimalLongitude"],
      .coordinateUncertaintyInMeters: ["coordinateUncertaintyInMeters"],
      .dataGeneralizations: ["dataGeneralizations", "informationWithheld"],
      .minimumElevationInMeters: ["elevation", "verbatimElevation"],
      .eventDate: ["eventDate", "year", "month", "day"], .eventTime: ["eventTime"], .behavior: ["behavior"],
      .sex: ["sex", "behavior"], .lifeStage: ["lifeStage", "behavior"],
      .quality: ["extensions", "media", "datasetKey"], .mediaDuration: ["media"], .sampleRate: ["extensions", "media"],
      .licenseName: ["media"], .rightsHolder: ["media", "rightsHolder"], .occurrenceRemarks: ["fieldNotes", "occurrenceRemarks"],
      .references: ["references", "key"], .accessURI: ["media"], .sonogramURL: ["media"],
      .catalogNumber: ["catalogNumber", "identifier"],
      .alsoIn: ["datasetKey", "catalogNumber", "identifier", "occurrenceID", "references", "media"],
      .basisOfRecord: ["basisOfRecord"], .datasetKey: ["datasetKey"], .datasetName: ["datasetName"],
    ],
    details: details)

  /// xeno-canto's birds and frogs.
  private static let xenoCantoDatasets: Set = [
    "b1047888-ae52-4179-9dd5-5448ea342a24", "bcf8d1fc-6bf0-4f57-9076-7d9ae2828ec2",
  ]

  static func details(of recording: Recording) -> RecordingDetails {
    var details = RecordingDetails()
    var texts: [Field: String] = [:]
    var numbers: [Field: Double] = [:]
    var behaviors: [String] = []
    var sounds: [GBIFSound] = []
    var files: [SoundFile] = []
    scan.forEach(in: recording.fields) { field, value in
      switch field {
      case .vernacularName: details.vernacularName = value.text
      case .taxonClass:
        details.taxonClass = value.text
        details.group = details.taxonClass
      case .kingdom: details.kingdom = value.text
      case .phylum: details.phylum = value.text
      case .order: details.order = value.text
      case .family: details.family = value.text
      case .taxonRank: details.taxonRank = value.text?.lowercased()
      case .basisOfRecord: details.basisOfRecord = value.text
      case .datasetKey: details.datasetKey = value.text
      case .datasetName: details.datasetName = value.text
      case .countryCode: details.countryCode = value.text.flatMap(CountryCodes.code(sent:))
      case .recordedBy: details.recordedBy = value.text
      case .country: details.country = value.text
      case .decimalLatitude, .decimalLongitude, .coordinateUncertaintyInMeters, .year, .month, .day:
        numbers[field] = value.decimal
      case .elevation, .verbatimElevation: numbers[field] = value.metres
      case .eventDate: details.eventDate = value.date
      case .eventTime: details.eventTime = value.time
      case .behavior: behaviors = value.commaList.filter { $0 != "uncertain" && $0 != "?" }
      case .sex: details.sex = value.commaList.map { $0.lowercased() }
      case .lifeStage: details.lifeStage = value.commaList.map { $0.lowercased() }
      case .references: details.pageURL = value.url()
      case .media:
        sounds = GBIFSound.all(in: value)
        details.sonogramURL = sonogram(value)
      case .extensions: files = SoundFile.all(in: value)
      case .key, .genus, .species, .infraspecificEpithet, .rightsHolder, .identifier, .locality,
        .verbatimLocality, .occurrenceID, .catalogNumber, .fieldNotes, .occurrenceRemarks, .informationWithheld,
        .dataGeneralizations:
        texts[field] = value.text
      }
    }
    nameSpecies(texts, &details)
    details.countryCode = details.countryCode ?? details.country.flatMap(CountryCodes.code(ofName:))
    details.locality = texts[.locality] ?? texts[.verbatimLocality]
    if let latitude = numbers[.decimalLatitude], let longitude = numbers[.decimalLongitude] {
      details.coordinate = Coordinate(latitude: latitude, longitude: longitude)
    }
    details.coordinateUncertainty = numbers[.coordinateUncertaintyInMeters].flatMap { $0 > 0 && $0 <= 1e9 ? $0 : nil }
    details.dataGeneralizations = texts[.dataGeneralizations] ?? texts[.informationWithheld]
    details.elevation = [numbers[.elevation], numbers[.verbatimElevation]].lazy.compactMap { $0 }
      .first { (-11_000...20_000).contains($0) }
    // An interval has no day, or no month, where its ends differ in it, so the numbers are what is known of the date.
    details.eventDate = date(numbers) ?? details.eventDate
    sort(behaviors, into: &details)
    details.remarks = remarks(texts[.fieldNotes]) ?? texts[.occurrenceRemarks]
    details.pageURL = details.pageURL ?? page(texts[.key])
    details.catalogueNumber = texts[.catalogNumber] ?? texts[.identifier].flatMap(number)
    details.rightsHolder = texts[.rightsHolder]
    apply(sounds, files, to: &details, id: recording.id)
    if !xenoCantoDatasets.contains(details.datasetKey ?? "") { details.quality = nil }
    details.alsoIn = origin(details, [texts[.occurrenceID], details.pageURL], sounds: sounds.count)
    return details
  }

  /// What holds for one sound only: the one that the recording's id names.
  private static func apply(
    _ sounds: [GBIFSound], _ files: [SoundFile], to details: inout RecordingDetails, id: RecordingID
  ) {
    guard let sound = sounds.first(where: { $0.suffix == id.soundSuffix }) ?? sounds.first else { return }
    details.audioURL = sound.url
    details.duration = sound.duration
    details.recordedBy = details.recordedBy ?? sound.creator
    details.rightsHolder = sound.rightsHolder ?? details.rightsHolder
    // The record's own licence is another one: xeno-canto's records are BY-NC where the sound is BY-NC-SA.
    details.licence = sound.licence
    let same = files.first { $0.address != nil && $0.address == sound.identifier }
    guard let file = same ?? (sounds.count == 1 && files.count == 1 ? files[0] : nil) else { return }
    details.sampleRate = file.sampleRate
    details.quality = file.quality
  }

  private static let iNaturalistDataset = "50c9509d-22c7-4a22-a47d-8c48425ef4a7"

  /// The recording that the row is a copy of. A number of xeno-canto is one file, so an occurrence with several has none.
  ///
  /// - Parameter addresses: where the address of an observation may be.
  private static func origin(
    _ details: RecordingDetails, _ addresses: [String?], sounds: Int
  ) -> RecordingID? {
    guard let dataset = details.datasetKey else { return nil }
    if xenoCantoDatasets.contains(dataset) {
      guard sounds == 1, let number = details.catalogueNumber?.digits(between: ["XC"]) else { return nil }
      return RecordingID(catalogue: .xenoCanto, value: number)
    }
    let schemes = ["https://", "http://"]
    guard dataset == iNaturalistDataset,
      let sound = details.audioURL?.digits(between: schemes.map { $0 + "static.inaturalist.org/sounds/" }, and: "."),
      let observation = addresses.lazy.compactMap({ address in
        address?.digits(
          between: schemes.flatMap { ["\($0)inaturalist.org/observations/", "\($0)www.inaturalist.org/observations/"] })
      }).first
    else { return nil }
    return RecordingID(catalogue: .iNaturalist, value: "\(observation)-\(sound)")
  }

  /// The accepted name: `species` has genus and epithet of one name, while `genus` and `specificEpithet` can be of two.
  private static func nameSpecies(_ texts: [Field: String], _ details: inout RecordingDetails) {
    let words = (texts[.species] ?? "").split(separator: " ").map(String.init)
    details.infraspecificEpithet = texts[.infraspecificEpithet]
    guard words.count >= 2 else {
      details.genus = texts[.genus] ?? words.first
      details.scientificName = details.genus
      return
    }
    (details.genus, details.specificEpithet) = (words[0], words[1...].joined(separator: " "))
    details.scientificName = (words + [texts[.infraspecificEpithet]].compactMap { $0 }).joined(separator: " ")
  }

  private static func date(_ numbers: [Field: Double]) -> PartialDate? {
    func whole(_ field: Field) -> Int? { numbers[field].flatMap { Int(exactly: $0) } }
    return whole(.year).flatMap { PartialDate(year: $0, month: whole(.month) ?? 0, day: whole(.day) ?? 0) }
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

  /// xeno-canto's remarks end with two of its fields: `bird-seen:no  playback-used:no`.
  private static func remarks(_ text: String?) -> String? {
    let rest = text?.withoutLast(named: ["bird-seen", "playback-used"]) ?? ""
    return rest.isEmpty ? nil : String(rest)
  }

  private static func page(_ key: String?) -> String? {
    guard let key, !key.isEmpty, key.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return "https://www.gbif.org/occurrence/\(key)"
  }

  /// `695654@XC`; people do not cite any other identifier.
  private static func number(_ identifier: String) -> String? {
    guard identifier.hasSuffix("@XC"), case let digits = identifier.dropLast(3), !digits.isEmpty,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return "XC\(digits)"
  }

  private static func sonogram(_ media: RawValue) -> String? {
    var sonogram: String?
    media.forEachItem { item in
      var (isImage, isSonogram, url) = (false, false, nil as String?)
      item.forEachMember { name, value in
        switch name {
        case "type": isImage = value.text == "StillImage"
        case "description", "title": isSonogram = isSonogram || value.text?.lowercased().hasPrefix("sonogram") == true
        case "identifier": url = value.url()
        default: break
        }
      }
      if isImage, isSonogram { sonogram = sonogram ?? url }
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
    var isSound = false
    item.forEachMember { name, value in
      switch name {
      case "http://purl.org/dc/elements/1.1/type": isSound = value.text == "Sound"
      case "http://rs.tdwg.org/ac/terms/accessURI": address = value.text
      case "http://ns.adobe.com/xap/1.0/Rating": quality = Self.quality(value)
      case "http://rs.tdwg.org/ac/terms/resourceCreationTechnique": sampleRate = value.text.flatMap(Self.sampleRate)
      default: break
      }
    }
    guard isSound else { return nil }
  }

  /// From 5, the best, to 1. That 5 is xeno-canto's A is taken from the order of both, it is not documented.
  private static func quality(_ value: RawValue) -> Quality? {
    guard let rating = value.count, (1...5).contains(rating) else { return nil }
    return [Quality.e, .d, .c, .b, .a][Int(rating) - 1]
  }

  /// `bitrate: 163113 bps; audio sampling rate: 44100 Hz; number of channels: 2; lossy`.
  private static func sampleRate(_ technique: String) -> Int? {
    technique.number(after: "audio sampling rate: ", atMost: 7, unit: " Hz").flatMap { $0 > 0 ? $0 : nil }
  }
}
