import ChirperModel

/// The fields of a recording in the spelling of xeno-canto's API, which the sample catalogue
/// shares: most are named like the tags that search them. What a catalogue has besides or otherwise
/// it changes in its own folder.
enum TagFields {
  private struct Reading {
    var latitude: Double?
    var longitude: Double?
  }

  /// The fields in the order of xeno-canto's answers; `group` and `lng` are API v2's names.
  /// A text that is empty, `?` or `-` is unknown, and so is the `uncertain` of sex, stage
  /// and type.
  private static let table = FieldTable<Reading>([
    .init("gen", .scientificName, .genus) { $0.genus = known($2) },
    .init("sp", .scientificName, .specificEpithet) { $0.specificEpithet = known($2) },
    .init("ssp", .scientificName, .infraspecificEpithet) { $0.infraspecificEpithet = known($2) },
    .init("grp", .group) { $0.group = known($2) ?? $0.group },
    .init("group", .group) { $0.group = known($2) ?? $0.group },
    .init("status", .issues) { $0.issues = $2.text == "questioned" ? [.identification] : [] },
    .init("en", .vernacularName) { $0.vernacularName = known($2) },
    .init("rec", .recordedBy) { $0.recordedBy = known($2) },
    .init("cnt", .country, .countryCode) {
      $0.country = $2.country.flatMap { isUnknown($0) ? nil : $0 }
    },
    .init("loc", .locality) { $0.locality = known($2) },
    .init("lat", .decimalLatitude, .decimalLongitude) { $1.latitude = $2.decimal },
    .init("lon", .decimalLatitude, .decimalLongitude) { $1.longitude = $2.decimal ?? $1.longitude },
    .init("lng", .decimalLatitude, .decimalLongitude) { $1.longitude = $2.decimal ?? $1.longitude },
    .init("alt", .minimumElevationInMeters) { $0.elevation = $2.elevation },
    .init("type", .behavior) { $0.soundType = terms($2) },
    .init("sex", .sex) { $0.sex = terms($2) },
    .init("stage", .lifeStage) { $0.lifeStage = terms($2) },
    .init("method", .samplingProtocol) { $0.samplingProtocol = known($2) },
    .init("url", .references) { $0.pageAddress = $2.url() },
    .init("file", .accessURI) { $0.audioAddress = $2.url() },
    .init("sono", .sonogramURL) { $0.sonogramAddress = sonogram($2) },
    .init("lic", .licenseName) { $0.licence = licence($2) },
    .init("q", .quality) { $0.quality = $2.text.flatMap(Quality.init) },
    .init("length", .mediaDuration) { $0.seconds = $2.duration },
    .init("time", .eventTime) { $0.eventTime = $2.time },
    .init("date", .eventDate) {
      ($0.eventDate, $0.eventInterval) = $2.dateOrInterval
      $0.eventDate = $0.eventDate ?? $0.eventInterval?.common
    },
    .init("uploaded", .available) { $0.uploaded = $2.date },
    .init("also", .associatedTaxa) {
      $0.backgroundSpecies = $2.texts.compactMap { isUnknown($0) ? nil : HTMLEntities.decoded($0) }
    },
    .init("rmk", .occurrenceRemarks) { $0.remarks = known($2) },
    .init("smp", .sampleRate) { $0.sampleRate = $2.count.flatMap { Int(exactly: $0) } },
    .init(
      "annotation-set", .annotations, .annotatedTaxa, .annotatedBehavior, .annotatedSex,
      .annotatedLifeStage
    ) { $0.annotations = TagAnnotations.read($2) },
    .init("_meta", .dataGeneralizations) {
      let reason = reason(forWithholding: ["loc", "lat", "lon", "lng"], $2)
      $0.dataGeneralizations = reason.map { "the place is withheld: \($0)" }
    },
  ])

  /// The pictures of the field `sono`, the best first: `full` can be as long as the recording and
  /// is often missing.
  private static let pictures = NameScan(["large", "med", "full", "small"])

  /// The raw fields that each detail comes from; the number, which `read` does not set, is the
  /// catalogue's.
  static let sources = table.sources.merging([.catalogNumber: ["id"]]) { shared, _ in shared }

  static let tableColumns: [Catalogue.TableColumn] = [
    .init("id", "ID", alignRight: true, place: 8),
    .init("en", "English name", place: 1, leastWidth: 16),
    .init("cnt", "Country", place: 5, leastWidth: 8),
    .init("type", "Type", place: 4, leastWidth: 8),
    .init("q", "Q", place: 2), .init("length", "Length", alignRight: true, place: 3),
    .init("date", "Date", place: 6),
    .init("rec", "Recordist"), .init("gen", "Genus"), .init("sp", "Species"), .init("loc", "Place"),
    .init("lic", "Licence", place: 7, leastWidth: 8),
  ]

  static func read(_ recording: Recording, _ details: inout RecordingDetails) {
    var reading = Reading()
    table.read(recording, into: &details, &reading)
    details.coordinate = Coordinate(reading.latitude, reading.longitude)
    nameSpecies(&details)
  }

  /// Joins the scientific name, and removes texts that only fill its place: `Sonus
  /// naturalis` is a soundscape, `Mystery mystery` an unknown species, `sp.` a species that
  /// was not determined. The English name says so in words and is kept.
  private static func nameSpecies(_ details: inout RecordingDetails) {
    switch (details.genus, details.specificEpithet) {
    case ("Sonus", "naturalis"), ("Mystery", "mystery"):
      (details.genus, details.specificEpithet, details.infraspecificEpithet) = (nil, nil, nil)
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

  static func licence(_ value: RawValue) -> Licence? {
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
