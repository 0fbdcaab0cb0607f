import Foundation

/// The details of a recording of which nothing else is known: a record that was imported from a
/// table of details, such as chirper's own exports.
enum ImportedDetails {
  private static let scan = NameScan(DetailColumn.allCases.map(\.name))
  private static let texts = DetailColumn.allCases.map { DetailColumn.texts[$0] }

  /// The details of a record whose members are named after columns. Tables have several texts of a
  /// column as one, with ` | ` between them.
  static func read(_ fields: RecordingFields) -> RecordingDetails {
    var details = RecordingDetails()
    var (latitude, longitude): (Double?, Double?) = (nil, nil)
    var (licence, licenceName): (String?, String?) = (nil, nil)
    var hasDate = false
    var isTimeLost = false
    var hasPlace = false
    scan.forEach(in: fields) { index, value in
      if let text = texts[index] { return details[keyPath: text] = value.text }
      switch DetailColumn.allCases[index] {
      case .countryCode: details.countryCode = value.countryCode
      case .decimalLatitude: (latitude, hasPlace) = (value.degrees, value.text != nil)
      case .decimalLongitude: longitude = value.degrees
      case .coordinateUncertaintyInMeters: details.coordinateUncertaintyInMeters = value.decimal
      case .minimumElevationInMeters: details.elevation = value.decimal
      case .eventDate:
        hasDate = value.text != nil
        (details.eventDate, details.eventInterval) = value.dateOrInterval
      case .eventTime:
        details.eventTime = value.time
        isTimeLost = value.isUnreadableTime
      case .behavior: details.behavior = value.listedTexts
      case .sex: details.sex = value.listedTexts
      case .lifeStage: details.lifeStage = value.listedTexts
      case .quality: details.quality = value.text.flatMap(RecordingDetails.Quality.init)
      case .mediaDuration: details.seconds = value.decimal
      case .sampleRate: details.sampleRate = value.count.flatMap { Int(exactly: $0) }
      case .license: licence = value.text
      case .licenseName: licenceName = value.text
      case .associatedTaxa: details.associatedTaxa = value.listedTexts
      case .available: details.available = value.date
      case .references: details.pageAddress = value.url()
      case .accessURI: details.audioAddress = value.url()
      case .sonogramURL: details.sonogramAddress = value.url()
      case .alsoIn: details.alsoIn = value.text.flatMap(RecordingID.init(described:))
      case .issues:
        let words = Set(value.listedTexts)
        details.issues = RecordingDetails.Issue.allCases.filter { words.contains($0.rawValue) }
      case .annotations: details.annotations = annotations(value)
      // The name that the catalogue says is accepted, as far as a list of names is.
      case .acceptedNameUsage: details.acceptedNames = [value.text].compactMap(\.self)
      // Parts of others, and what follows from others.
      default: break
      }
    }
    details.eventDate = details.eventDate ?? details.eventInterval?.common
    details.acceptedNames.removeAll { $0 == details.scientificName }
    details.coordinate = latitude.flatMap { latitude in
      longitude.flatMap { RecordingDetails.Coordinate(latitude: latitude, longitude: $0) }
    }
    details.licence = Self.licence(licence, licenceName)
    details.addDoubts(hasDate: hasDate, isTimeLost: isTimeLost, hasPlace: hasPlace)
    return details
  }

  private static func licence(_ address: String?, _ name: String?) -> RecordingDetails.Licence? {
    address.flatMap { RecordingDetails.Licence(creativeCommons: $0) }
      ?? name.flatMap { RecordingDetails.Licence(creativeCommons: $0) }
      ?? (name ?? address).map { RecordingDetails.Licence(other: $0, address: address) }
  }

  private static func annotations(_ value: RawValue) -> [RecordingDetails.Annotation] {
    var annotations: [RecordingDetails.Annotation] = []
    value.forEachItem { item in
      var annotation = RecordingDetails.Annotation()
      var address = String?.none
      var name = String?.none
      item.forEachMember { member, value in
        switch AnnotationColumn(rawValue: member) {
        case .annotationID: annotation.id = value.text
        case .startTime: annotation.startTime = value.decimal
        case .endTime: annotation.endTime = value.decimal
        case .freqLow: annotation.lowFrequency = value.decimal
        case .freqHigh: annotation.highFrequency = value.decimal
        case .scientificName: annotation.scientificName = value.text
        case .behavior: annotation.behavior = value.texts
        case .sex: annotation.sex = value.texts
        case .lifeStage: annotation.lifeStage = value.texts
        case .identifiedBy: annotation.identifiedBy = value.text
        case .comments: annotation.remarks = value.text
        case .license: address = value.text
        case .licenseName: name = value.text
        case .confidence: annotation.confidence = value.decimal
        case .labelFile: annotation.labelFile = value.text
        case nil: break
        }
      }
      annotation.licence = licence(address, name)
      annotations.append(annotation)
    }
    return annotations
  }
}

extension [RecordingDetails.Annotation] {
  /// The annotations of an array of objects in JSON.
  package init(json: String) {
    self =
      ImportedDetails.read(RecordingFields(canonical: "{\"annotations\":\(json)}")).annotations
  }
}

extension RecordingID {
  /// The id that a description names: `xeno-canto 535692`.
  init?(described text: String) {
    guard let blank = text.firstIndex(of: " "), blank > text.startIndex else { return nil }
    let value = String(text[text.index(after: blank)...])
    guard !value.isEmpty else { return nil }
    self.init(catalogue: CatalogueID(rawValue: String(text[..<blank])), value: value)
  }
}

extension RawValue {
  /// The two letters of a country, also for three, for small letters and for a name.
  package var countryCode: String? {
    text.flatMap { Countries.code(sent: $0) ?? Countries.named($0)?.code }
  }

  /// The texts of an array, or those of one text.
  fileprivate var listedTexts: [String] {
    isString ? (text ?? "").components(separatedBy: " | ").filter { !$0.isEmpty } : texts
  }
}
