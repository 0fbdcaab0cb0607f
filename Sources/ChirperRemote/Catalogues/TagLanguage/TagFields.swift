import ChirperModel

/// The fields of a recording in the spelling of xeno-canto's API, which the sample catalogue
/// shares: most are named like the tags that search them. What a catalogue has besides or otherwise
/// it changes in its own folder.
enum TagFields {
  struct Reading: FieldReading {
    var latitude: Double?
    var longitude: Double?
  }

  /// The fields in the order of xeno-canto's answers; `group` and `lng` are API v2's names.
  /// A text that is empty, `?` or `-` is unknown, and so is the `uncertain` of sex, stage
  /// and type.
  static let table = FieldTable<Reading>([
    .init("gen", .scientificName, .genus, into: \.genus, known),
    .init("sp", .scientificName, .specificEpithet, into: \.specificEpithet, known),
    .init("ssp", .scientificName, .infraspecificEpithet, into: \.infraspecificEpithet, known),
    .init("grp", .group) { details, _, value in details.group = known(value) ?? details.group },
    .init("group", .group) { details, _, value in details.group = known(value) ?? details.group },
    .init("status", .issues) { details, _, value in
      details.issues = value.text == "questioned" ? [.identification] : []
    },
    .init("en", .vernacularName, into: \.vernacularName, known),
    .init("rec", .recordedBy, into: \.recordedBy, known),
    .init("cnt", .country, .countryCode) { details, _, value in
      details.country = value.country.flatMap { isUnknown($0) ? nil : $0 }
    },
    .init("loc", .locality, into: \.locality, known),
    .init("lat", .decimalLatitude, .decimalLongitude) { _, reading, value in
      reading.latitude = value.decimal
    },
    .init("lon", .decimalLatitude, .decimalLongitude) { _, reading, value in
      reading.longitude = value.decimal ?? reading.longitude
    },
    .init("lng", .decimalLatitude, .decimalLongitude) { _, reading, value in
      reading.longitude = value.decimal ?? reading.longitude
    },
    .init("alt", .minimumElevationInMeters, into: \.elevation, \.elevation),
    .init("type", .behavior, into: \.behavior, terms),
    .init("sex", .sex, into: \.sex, terms),
    .init("stage", .lifeStage, into: \.lifeStage, terms),
    .init("method", .samplingProtocol, into: \.samplingProtocol, known),
    .init("url", .references, into: \.pageAddress) { $0.url() },
    .init("file", .accessURI, into: \.audioAddress) { $0.url() },
    .init("sono", .sonogramURL, into: \.sonogramAddress, sonogram),
    .init("lic", .licenseName, into: \.licence, licence),
    .init("q", .quality, into: \.quality) { $0.text.flatMap(RecordingDetails.Quality.init) },
    .init("length", .mediaDuration, into: \.seconds, \.duration),
    .init("time", .eventTime, into: \.eventTime, \.time),
    .init("date", .eventDate) { details, _, value in
      (details.eventDate, details.eventInterval) = value.dateOrInterval
      details.eventDate = details.eventDate ?? details.eventInterval?.common
    },
    .init("uploaded", .available, into: \.available, \.date),
    .init("also", .associatedTaxa) { details, _, value in
      details.associatedTaxa = value.texts.compactMap {
        isUnknown($0) ? nil : HTMLEntities.decoded($0)
      }
    },
    .init("rmk", .occurrenceRemarks, into: \.occurrenceRemarks, known),
    .init("smp", .sampleRate, into: \.sampleRate) { $0.count.flatMap { Int(exactly: $0) } },
    .init(
      "annotation-set", .annotations, .annotatedTaxa, .annotatedBehavior, .annotatedSex,
      .annotatedLifeStage, into: \.annotations, TagAnnotations.read),
    .init("_meta", .dataGeneralizations) { details, _, value in
      let reason = reason(forWithholding: ["loc", "lat", "lon", "lng"], value)
      details.dataGeneralizations = reason.map { "the place is withheld: \($0)" }
    },
  ])

  /// The pictures of the field `sono`, the best first: `full` can be as long as the recording and
  /// is often missing.
  private static let pictures = NameScan(["large", "med", "full", "small"])

  /// The raw fields that each detail comes from; the number, which `read` does not set, is the
  /// catalogue's.
  static let sources = table.sources.merging([.catalogNumber: ["id"]]) { shared, _ in shared }

  static let tableColumns: [Catalogue.TableColumn] = [
    .init("id", "ID", alignRight: true, rank: 8),
    .init("en", "English name", rank: 1, leastWidth: 16),
    .init("cnt", "Country", rank: 5, leastWidth: 8),
    .init("type", "Type", rank: 4, leastWidth: 8),
    .init("q", "Q", rank: 2), .init("length", "Length", alignRight: true, rank: 3),
    .init("date", "Date", rank: 6),
    .init("rec", "Recordist"), .init("gen", "Genus"), .init("sp", "Species"), .init("loc", "Place"),
    .init("lic", "Licence", rank: 7, leastWidth: 8),
  ]

  static func read(_ reading: Reading, _ details: inout RecordingDetails) {
    details.coordinate = RecordingDetails.Coordinate(reading.latitude, reading.longitude)
    nameSpecies(&details)
  }

  /// Joins the scientific name, and removes texts that only fill its place: `Sonus
  /// naturalis` is a soundscape, `Mystery mystery` an unknown species, `sp.` a species that
  /// was not determined. The English name says so in words and is kept.
  private static func nameSpecies(_ details: inout RecordingDetails) {
    switch (details.genus, details.specificEpithet) {
    case ("Sonus", "naturalis"), ("Mystery", "mystery"):
      details.genus = nil
      details.specificEpithet = nil
      details.infraspecificEpithet = nil
    case (_, "sp."), (_, "sp"): details.specificEpithet = nil
    default: break
    }
    guard let genus = details.genus, let epithet = details.specificEpithet else {
      details.scientificName = details.genus
      return
    }
    details.scientificName =
      details.infraspecificEpithet.map { "\(genus) \(epithet) \($0)" } ?? "\(genus) \(epithet)"
  }

  /// The reason why one of the fields is withheld, from `_meta`: `{"redacted_fields":
  /// {"file": "restricted_species"}}`.
  static func reason(forWithholding fields: Set<String>, _ meta: RawValue) -> String? {
    var reason: String?
    meta.forEachMember { name, redacted in
      guard name == "redacted_fields" else { return }
      redacted.forEachMember { name, value in
        if fields.contains(name) { reason = reason ?? value.text }
      }
    }
    return reason
  }

  private static func isUnknown(_ text: String) -> Bool { text == "?" || text == "-" }

  /// The text of a value; `nil` if it is unknown. The service sends some of the texts that
  /// people typed into the website with HTML entities.
  static func known(_ value: RawValue) -> String? {
    guard let text = value.text, !isUnknown(text) else { return nil }
    return HTMLEntities.decoded(text)
  }

  static func licence(_ value: RawValue) -> RecordingDetails.Licence? {
    value.licence.flatMap { isUnknown($0.name) ? nil : $0 }
  }

  static func terms(_ value: RawValue) -> [String] {
    value.commaList.compactMap {
      isUnknown($0) || $0 == "uncertain" ? nil : HTMLEntities.decoded($0)
    }
  }

  private static func sonogram(_ value: RawValue) -> String? {
    var (large, medium, full, small): (RawValue?, RawValue?, RawValue?, RawValue?)
    pictures.forEach(in: value) { index, picture in
      switch index {
      case 0: large = picture
      case 1: medium = picture
      case 2: full = picture
      default: small = picture
      }
    }
    return large?.url() ?? medium?.url() ?? full?.url() ?? small?.url()
  }
}
