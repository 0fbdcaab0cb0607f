import ChirperModel

/// The fields of a recording in the spelling of xeno-canto's API, which the sample catalogue shares: most are named like
/// the tags that search them. What a catalogue has besides or otherwise it changes in its own folder.
enum TagFields {
  private struct Reading {
    var details = RecordingDetails()
    var latitude: Double?
    var longitude: Double?
  }

  /// In the order of xeno-canto's answers; `group` and `lng` are API v2's names. A text that is empty, `?` or `-` is unknown,
  /// and so is the `uncertain` of sex, stage and type.
  private static let table = FieldTable<Reading>([
    .init("gen", .scientificName, .genus) { $0.details.genus = known($1) },
    .init("sp", .scientificName, .specificEpithet) { $0.details.specificEpithet = known($1) },
    .init("ssp", .scientificName, .infraspecificEpithet) { $0.details.infraspecificEpithet = known($1) },
    .init("grp", .group) { $0.details.group = known($1) ?? $0.details.group },
    .init("group", .group) { $0.details.group = known($1) ?? $0.details.group },
    .init("en", .vernacularName) { $0.details.vernacularName = known($1) },
    .init("rec", .recordedBy) { $0.details.recordedBy = known($1) },
    .init("cnt", .country, .countryCode) {
      $0.details.country = known($1)
      $0.details.countryCode = $0.details.country.flatMap(Countries.code(ofName:))
    },
    .init("loc", .locality) { $0.details.locality = known($1) },
    .init("lat", .decimalLatitude, .decimalLongitude) { $0.latitude = $1.decimal },
    .init("lon", .decimalLatitude, .decimalLongitude) { $0.longitude = $1.decimal ?? $0.longitude },
    .init("lng", .decimalLatitude, .decimalLongitude) { $0.longitude = $1.decimal ?? $0.longitude },
    .init("alt", .minimumElevationInMeters) { $0.details.elevation = $1.elevation },
    .init("type", .behavior) { $0.details.soundType = terms($1) },
    .init("sex", .sex) { $0.details.sex = terms($1) },
    .init("stage", .lifeStage) { $0.details.lifeStage = terms($1) },
    .init("method", .samplingProtocol) { $0.details.samplingProtocol = known($1) },
    .init("url", .references) { $0.details.pageAddress = $1.url() },
    .init("file", .accessURI) { $0.details.audioAddress = $1.url(allowingHTTP: true) },
    .init("sono", .sonogramURL) { $0.details.sonogramAddress = sonogram($1) },
    .init("lic", .licenseName) { $0.details.licence = $1.licence.flatMap { isUnknown($0.name) ? nil : $0 } },
    .init("q", .quality) { $0.details.quality = $1.text.flatMap(Quality.init) },
    .init("length", .mediaDuration) { $0.details.seconds = $1.duration },
    .init("time", .eventTime) { $0.details.eventTime = $1.time },
    .init("date", .eventDate) { $0.details.eventDate = $1.date },
    .init("uploaded", .available) { $0.details.uploaded = $1.date },
    .init("also", .associatedTaxa) {
      $0.details.backgroundSpecies = $1.texts.filter { !isUnknown($0) }.map(HTMLEntities.decoded)
    },
    .init("rmk", .occurrenceRemarks) { $0.details.remarks = known($1) },
    .init("smp", .sampleRate) { $0.details.sampleRate = $1.count.flatMap { Int(exactly: $0) } },
    .init("_meta", .dataGeneralizations) {
      let reason = reason(forWithholding: ["loc", "lat", "lon", "lng"], $1)
      $0.details.dataGeneralizations = reason.map { "the place is withheld: \($0)" }
    },
  ])

  /// The pictures of the field `sono`, the best first: `full` can be as long as the recording and is often missing.
  private static let pictures = NameScan(["large", "med", "full", "small"])

  /// The raw fields that each detail comes from; the number is the catalogue's.
  static let sources = table.sources.merging([.catalogNumber: ["id"]]) { shared, _ in shared }

  static let tableColumns: [Catalogue.TableColumn] = [
    .init("id", "ID", alignRight: true, place: 8), .init("en", "English name", place: 1, leastWidth: 16),
    .init("cnt", "Country", place: 5, leastWidth: 8), .init("type", "Type", place: 4, leastWidth: 8),
    .init("q", "Q", place: 2), .init("length", "Length", alignRight: true, place: 3), .init("date", "Date", place: 6),
    .init("rec", "Recordist"), .init("gen", "Genus"), .init("sp", "Species"), .init("loc", "Place"),
    .init("lic", "Licence", place: 7, leastWidth: 8),
  ]

  static func details(of recording: Recording, catalogueNumber: String?) -> RecordingDetails {
    let reading = table.reading(of: recording, Reading())
    var details = reading.details
    details.catalogueNumber = catalogueNumber
    details.coordinate = Coordinate(reading.latitude, reading.longitude)
    nameSpecies(&details)
    return details
  }

  /// Joins the scientific name, and takes away what only fills its place: `Sonus naturalis` is a soundscape, `Mystery
  /// mystery` an unknown species, `sp.` a species that was not determined. The English name says so in words and is kept.
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
    details.scientificName = details.infraspecificEpithet.map { "\(genus) \(epithet) \($0)" } ?? "\(genus) \(epithet)"
  }

  /// Why one of the fields is withheld, from `_meta`: `{"redacted_fields": {"file": "restricted_species"}}`.
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

  /// The service sends some of what people typed into the website with HTML entities.
  private static func known(_ value: RawValue) -> String? {
    guard let text = value.text, !isUnknown(text) else { return nil }
    return HTMLEntities.decoded(text)
  }

  private static func terms(_ value: RawValue) -> [String] {
    value.commaList.compactMap { isUnknown($0) || $0 == "uncertain" ? nil : HTMLEntities.decoded($0) }
  }

  private static func sonogram(_ value: RawValue) -> String? {
    var found = [RawValue?](repeating: nil, count: 4)
    pictures.forEach(in: value) { found[$0] = $1 }
    for picture in found {
      if let url = picture?.url() { return url }
    }
    return nil
  }
}
