import ChirperModel

/// The fields of a recording in the spelling of xeno-canto's API, which the sample catalogue shares: most are named like
/// the tags that search them. What a catalogue has besides or otherwise it changes in its own folder.
enum TagFields {
  /// The fields that details come from, in the order of xeno-canto's answers; `group` and `lng` are API v2's names.
  private enum Field: String, CaseIterable {
    case gen, sp, ssp, grp, group, en, rec, cnt, loc, lat, lon, lng, alt, type, sex, stage, method, url, file, sono, lic, q
    case length, time, date, uploaded, also, rmk, smp
    case meta = "_meta"
  }

  private static let scan = FieldScan(Field.self)

  /// The pictures of the field `sono`.
  private enum Picture: String, CaseIterable { case large, med, full, small }

  private static let pictures = FieldScan(Picture.self)

  /// The raw fields that each detail comes from.
  static let sources: [DetailColumn: [String]] = [
    .scientificName: ["gen", "sp", "ssp"], .genus: ["gen"], .specificEpithet: ["sp"], .infraspecificEpithet: ["ssp"],
    .vernacularName: ["en"], .group: ["grp", "group"], .recordedBy: ["rec"], .country: ["cnt"], .countryCode: ["cnt"],
    .locality: ["loc"], .decimalLatitude: ["lat", "lon", "lng"], .decimalLongitude: ["lat", "lon", "lng"],
    .minimumElevationInMeters: ["alt"], .eventDate: ["date"], .eventTime: ["time"], .behavior: ["type"], .sex: ["sex"],
    .lifeStage: ["stage"], .quality: ["q"], .mediaDuration: ["length"], .sampleRate: ["smp"], .licenseName: ["lic"],
    .occurrenceRemarks: ["rmk"], .samplingProtocol: ["method"], .associatedTaxa: ["also"], .available: ["uploaded"],
    .references: ["url"], .accessURI: ["file"], .sonogramURL: ["sono"],
  ]

  static let tableColumns: [Catalogue.TableColumn] = [
    .init("id", "ID", alignRight: true, place: 8), .init("en", "English name", place: 1, leastWidth: 16),
    .init("cnt", "Country", place: 5, leastWidth: 8), .init("type", "Type", place: 4, leastWidth: 8),
    .init("q", "Q", place: 2), .init("length", "Length", alignRight: true, place: 3), .init("date", "Date", place: 6),
    .init("rec", "Recordist"), .init("gen", "Genus"), .init("sp", "Species"), .init("loc", "Place"),
    .init("lic", "Licence", place: 7, leastWidth: 8),
  ]

  /// What the fields mean.
  ///
  /// A text that is empty, `?` or `-` is unknown, and so is the `uncertain` of sex, stage and type.
  static func details(of recording: Recording, catalogueNumber: String?) -> RecordingDetails {
    var details = RecordingDetails()
    details.catalogueNumber = catalogueNumber
    read(recording.fields, into: &details)
    return details
  }

  private static func read(_ fields: RecordingFields, into details: inout RecordingDetails) {
    var (latitude, longitude): (Double?, Double?)
    scan.forEach(in: fields) { field, value in
      switch field {
      case .gen: details.genus = known(value)
      case .sp: details.specificEpithet = known(value)
      case .ssp: details.infraspecificEpithet = known(value)
      case .grp, .group: details.group = known(value) ?? details.group
      case .en: details.vernacularName = known(value)
      case .rec: details.recordedBy = freeText(value)
      case .cnt:
        details.country = freeText(value)
        details.countryCode = details.country.flatMap(CountryCodes.code(ofName:))
      case .loc: details.locality = freeText(value)
      case .lat: latitude = value.decimal
      case .lon, .lng: longitude = value.decimal ?? longitude
      // Deeper than any sea or higher than planes fly is a slip of the pen.
      case .alt: details.elevation = value.metres.flatMap { (-11_000...20_000).contains($0) ? $0 : nil }
      case .type: details.soundType = terms(value)
      case .sex: details.sex = terms(value)
      case .stage: details.lifeStage = terms(value)
      case .method: details.samplingProtocol = known(value)
      case .url: details.pageURL = value.url()
      case .file: details.audioURL = value.url(allowingHTTP: true)
      case .sono: details.sonogramURL = sonogram(value)
      case .lic: details.licence = licence(value)
      case .q: details.quality = value.text.flatMap(Quality.init)
      case .length: details.duration = value.duration
      case .time: details.eventTime = value.time
      case .date: details.eventDate = value.date
      case .uploaded: details.uploaded = value.date
      case .also: details.backgroundSpecies = value.texts.filter { !isUnknown($0) }
      case .rmk: details.remarks = freeText(value)
      case .smp: details.sampleRate = value.count.flatMap { Int(exactly: $0) }
      case .meta: details.dataGeneralizations = withheldPlace(value)
      }
    }
    if let latitude, let longitude { details.coordinate = Coordinate(latitude: latitude, longitude: longitude) }
    nameSpecies(&details)
  }

  /// Joins the scientific name, and takes away what only fills its place: `Sonus naturalis` is a soundscape, `Mystery
  /// mystery` an unknown species, `sp.` a species that was not determined. The English name says so in words and is kept.
  private static func nameSpecies(_ details: inout RecordingDetails) {
    let isFiller =
      switch (details.genus, details.specificEpithet) {
      case ("Sonus", "naturalis"), ("Mystery", "mystery"): true
      default: false
      }
    if isFiller { (details.genus, details.specificEpithet, details.infraspecificEpithet) = (nil, nil, nil) }
    if details.specificEpithet == "sp." || details.specificEpithet == "sp" { details.specificEpithet = nil }
    guard let genus = details.genus else { return }
    guard let epithet = details.specificEpithet else {
      details.scientificName = genus
      return
    }
    details.scientificName = details.infraspecificEpithet.map { "\(genus) \(epithet) \($0)" } ?? "\(genus) \(epithet)"
  }

  /// Why the place of a restricted species is withheld: `{"redacted_fields": {"lat": "restricted_species"}}`.
  private static func withheldPlace(_ meta: RawValue) -> String? {
    var reason: String?
    meta.forEachMember { name, fields in
      guard name == "redacted_fields" else { return }
      fields.forEachMember { name, value in
        if ["loc", "lat", "lon", "lng"].contains(name) { reason = reason ?? value.text }
      }
    }
    return reason.map { "the place is withheld: \($0)" }
  }

  private static func isUnknown(_ text: String) -> Bool { text == "?" || text == "-" }

  private static func known(_ value: RawValue) -> String? {
    guard let text = value.text, !isUnknown(text) else { return nil }
    return text
  }

  /// What people typed into the website; the service sends some of it with HTML entities.
  private static func freeText(_ value: RawValue) -> String? { known(value).map(HTMLEntities.decoded) }

  private static func terms(_ value: RawValue) -> [String] {
    value.commaList.filter { !isUnknown($0) && $0 != "uncertain" }
  }

  private static func licence(_ value: RawValue) -> Licence? {
    guard let text = known(value) else { return nil }
    return Licence(creativeCommons: text) ?? Licence(other: text, url: value.url())
  }

  /// The largest picture of those that fit a screen; `full` can be as long as the recording and is often missing.
  private static func sonogram(_ value: RawValue) -> String? {
    var (large, medium, full, small): (RawValue?, RawValue?, RawValue?, RawValue?)
    pictures.forEach(in: value) { picture, value in
      switch picture {
      case .large: large = value
      case .med: medium = value
      case .full: full = value
      case .small: small = value
      }
    }
    return large?.url() ?? medium?.url() ?? full?.url() ?? small?.url()
  }
}

/// The character references of HTML within a text that should have none.
enum HTMLEntities {
  /// The text with `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;` and references by number replaced, also where they were
  /// escaped twice (`&amp;#233;`). Everything else is left as it is, references to control characters included.
  static func decoded(_ text: String) -> String {
    // A reference that was escaped twice is another one after the first time.
    guard text.utf8.contains(sign), let once = decodedOnce(Array(text.utf8)) else { return text }
    return decodedOnce(Array(once.utf8)) ?? once
  }

  /// `nil` if nothing is replaced.
  private static func decodedOnce(_ text: [UInt8]) -> String? {
    var out: [UInt8] = []
    var (copied, at) = (0, 0)
    while let start = text[at...].firstIndex(of: sign) {
      at = start + 1
      // The longest reference there is: `&#x10FFFF;`.
      guard let end = text[at..<min(start + 12, text.count)].firstIndex(of: UInt8(ascii: ";")),
        let scalar = scalar(String(decoding: text[at..<end], as: UTF8.self))
      else { continue }
      out += text[copied..<start]
      out += String(scalar).utf8
      (copied, at) = (end + 1, end + 1)
    }
    guard copied > 0 else { return nil }
    return String(decoding: out + text[copied...], as: UTF8.self)
  }

  private static let sign = UInt8(ascii: "&")

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.first == "#" else { return nil }
      let digits = name.dropFirst()
      let isHex = digits.first == "x" || digits.first == "X"
      guard let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits),
        let scalar = Unicode.Scalar(value), !JSONText.isControl(scalar)
      else { return nil }
      return scalar
    }
  }
}
