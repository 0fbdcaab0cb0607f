// This file is the one list of columns. Tables, sort keys, exports, searches and the search index
// follow from it: a new one is a case, a line of `declaration` and a line of `value(of:)`.

/// A column of recordings: a detail, or a part of one, under its standard name, in one type and one
/// unit.
///
/// The names are terms of Darwin Core (https://dwc.tdwg.org/terms/), Dublin Core and Audiovisual
/// Core (https://ac.tdwg.org) if there is one; so `license` is the column of
/// `RecordingDetails.licence`. The order of the cases is that of the tables.
package enum DetailColumn: String, CaseIterable, Hashable, Codable, Sendable {
  /// The number that people cite, and the name of the species.
  case catalogNumber, scientificName
  /// The rank of the name, and the groups that the species is in.
  case taxonRank, kingdom, phylum
  /// The class, a word that Swift keeps for itself.
  case taxonClass = "class"
  /// The order and the family.
  case order, family
  /// The parts of the scientific name.
  case genus, specificEpithet, infraspecificEpithet
  /// The name in English, and the catalogue's own group.
  case vernacularName, group
  /// The recordist and the place.
  case recordedBy, country, countryCode, locality, decimalLatitude, decimalLongitude
  /// The accuracy of the place, and the facts that were withheld.
  case coordinateUncertaintyInMeters, dataGeneralizations, informationWithheld
  /// The elevation of the place.
  case minimumElevationInMeters, maximumElevationInMeters
  /// The time of the recording.
  case eventDate, year, month, day, eventTime
  /// The sound, and the way in which it was recorded.
  case behavior, sex, lifeStage, samplingProtocol, quality, mediaDuration, sampleRate
  /// The licence, and whom to name.
  case license, licenseName, allowsCommercialUse, allowsDerivatives, rightsHolder, credit
  /// The recordist's remarks, other species that are heard, and the day on which the
  /// recording was added to the catalogue.
  case occurrenceRemarks, associatedTaxa, available
  /// The addresses of the recording's page, its sound and its sonogram.
  case references, accessURI, sonogramURL
  /// The kind of evidence, and the catalogue's source.
  case basisOfRecord, occurrenceID, datasetKey, datasetName, datasetID, alsoIn
  /// The doubts of the catalogue about its own record.
  case issues
  /// The stretches that somebody marked, and the sounds in them.
  case annotations, annotatedTaxa, annotatedBehavior, annotatedSex, annotatedLifeStage
  /// The annotators.
  case annotatedBy
  /// The species of the list of birds that it is, and the list.
  case acceptedNameUsage, acceptedVernacularName, nameAccordingTo

  private var declaration: Declaration {
    switch self {
    case .catalogNumber:
      .init(.serial, "The number under which people cite the recording.", indexColumn: 2)
    case .scientificName:
      .init(
        .text,
        "Genus, specific and infraspecific epithet; the genus, or a group above it, if no more was determined.",
        heading: "Scientific name", words: .names, indexKey: "n", counts: "scientificName")
    case .taxonRank:
      .init(.text, "The rank of the name that the catalogue has, in lower case: species, genus.")
    case .kingdom: .init(.text, "The kingdom of the species.")
    case .phylum: .init(.text, "The phylum of the species.")
    case .taxonClass: .init(.text, "The class of the species.")
    case .order: .init(.text, "The order of the species.")
    case .family: .init(.text, "The family of the species.")
    case .genus: .init(.text, "The first part of the scientific name.", indexKey: "g")
    case .specificEpithet: .init(.text, "The second part of the scientific name.", indexKey: "e")
    case .infraspecificEpithet: .init(.text, "The subspecies.", indexKey: "u")
    case .vernacularName:
      .init(
        .text, "The English name, or what the catalogue has in its place.", heading: "Name",
        words: .names, indexKey: "v")
    case .group: .init(as: nil, .text, "The catalogue's own group, such as birds.", indexKey: "r")
    case .recordedBy:
      .init(
        .text, "The recordist.", heading: "Recordist", words: .facts, indexKey: "p",
        counts: "recordist")
    case .country:
      .init(
        .text, "An English country name, as the catalogue spells it.", heading: "Country",
        words: .facts, indexKey: "c")
    case .countryCode:
      .init(
        .pattern("[A-Z]{2}"), "The country's two letters of ISO 3166-1, as sent or from its name.",
        indexKey: "k", counts: "country")
    case .locality:
      .init(
        .text, "The place within the country.", heading: "Place", words: .facts, indexKey: "o",
        areTermsShared: false)
    case .decimalLatitude:
      .init(
        .number(-90...90, .degrees), "Degrees, WGS 84; north is positive.", heading: "Latitude",
        indexColumn: 3)
    case .decimalLongitude:
      .init(
        .number(-180...180, .degrees), "Degrees, WGS 84; east is positive.", heading: "Longitude",
        indexColumn: 4)
    case .coordinateUncertaintyInMeters:
      .init(.number(0...1e9, .metres), "Metres around the coordinate within which the place is.")
    case .dataGeneralizations:
      .init(
        .text,
        "What the catalogue made less exact, or withheld, before it published the recording, in words."
      )
    case .informationWithheld:
      .init(.text, "What the publisher knows about the recording and did not publish, in words.")
    case .minimumElevationInMeters:
      .init(
        .number(nil, .metres), "Metres above sea level, negative below it.", heading: "Elevation",
        indexColumn: 5)
    case .maximumElevationInMeters:
      .init(
        .number(nil, .metres),
        "The same number: a minimum alone would read as an elevation of at least that.",
        parent: .minimumElevationInMeters)
    case .eventDate:
      .init(
        .date,
        "The day of the recording as ISO 8601, as precisely as it is known: 2024-05-17, 2024-05, 2024, "
          + "or an interval such as 2024-05-17/2024-05-19.",
        heading: "Date", indexColumn: 6, counts: "week")
    case .year:
      .init(.integer(1...9999), "The year of `eventDate`.", parent: .eventDate, counts: "year")
    case .month:
      .init(.integer(1...12), "The month of `eventDate`.", parent: .eventDate, counts: "month")
    case .day: .init(.integer(1...31), "The day of `eventDate`.", parent: .eventDate)
    case .eventTime:
      .init(
        .pattern("([01][0-9]|2[0-3]):[0-5][0-9]"),
        "The local time of day at the place, hours and minutes: 07:30.", indexColumn: 10,
        counts: "hour")
    case .behavior:
      .init(
        .list, "The types of sound: song | alarm call.", heading: "Type", words: .facts,
        indexKey: "t", counts: "type")
    case .sex: .init(.list, "The sexes that are heard.", indexKey: "x")
    case .lifeStage: .init(.list, "The life stages that are heard.", indexKey: "a")
    case .samplingProtocol: .init(.text, "How it was recorded: field recording.", indexKey: "m")
    case .quality:
      .init(
        as: nil, .rating, "The catalogue's rating, from A (best) to E.", heading: "Quality",
        indexColumn: 8, counts: "quality")
    case .mediaDuration:
      .init(
        as: .audiovisualCore, .number(0...1e9, .seconds),
        "The length of the sound in seconds; of a track in iTunes, not of its preview.",
        heading: "Length", indexColumn: 1,
        counts: "length")
    case .sampleRate:
      .init(as: nil, .integer(1...1_000_000_000), "The sample rate of the sound in hertz.")
    case .license:
      .init(as: .dublinCore, .address, "The address of the licence's text.", parent: .licenseName)
    case .licenseName:
      .init(
        as: nil, .text,
        "The short name of the licence, such as CC BY-NC-SA 4.0; else the rights in the catalogue's words.",
        heading: "Licence", counts: "licence")
    case .allowsCommercialUse:
      .init(
        as: nil, .boolean, "Whether the licence allows commercial use; false if it is unknown.",
        parent: .licenseName)
    case .allowsDerivatives:
      .init(
        as: nil, .boolean, "Whether the licence allows changed versions; false if it is unknown.",
        parent: .licenseName)
    case .rightsHolder:
      .init(as: .dublinCore, .text, "Who holds the rights, where the catalogue names somebody.")
    case .credit:
      .init(as: nil, .text, "Recordist, number and licence in one line, as licences ask for it.")
    case .occurrenceRemarks:
      .init(
        .text, "What the recordist wrote about it; may have several lines.",
        heading: "Remarks", words: .remarks)
    case .associatedTaxa:
      .init(
        .list, "Species in the background, by English or scientific name.",
        heading: "Background", words: .remarks, indexKey: "b", areTermsShared: false)
    case .available:
      .init(
        as: .dublinCore, .date,
        "The day on which the recording was added to the catalogue, as `eventDate`.",
        heading: "Uploaded",
        indexColumn: 7)
    case .references: .init(as: .dublinCore, .address, "The recording's page for people.")
    case .accessURI: .init(as: .audiovisualCore, .address, "The address of the audio file.")
    case .sonogramURL: .init(as: nil, .address, "The address of a picture of the sound.")
    case .basisOfRecord:
      .init(.text, "What kind of evidence the record is, in the catalogue's own word.")
    case .occurrenceID:
      .init(.text, "The publisher's identifier of the occurrence, which its sounds share.")
    case .datasetKey:
      .init(as: .gbif, .text, "The dataset that the record comes from, by GBIF's key.")
    case .datasetName: .init(.text, "The name of that dataset.")
    case .datasetID: .init(.text, "The publisher's identifier of that dataset, often a DOI.")
    case .issues:
      .init(
        as: nil, .list,
        "What the catalogue says against its own record: coordinate, date, name, identification, "
          + "casual, captive, sound.", indexKey: "i", counts: "issue")
    case .alsoIn:
      .init(
        as: nil, .text,
        "The same recording in the catalogue that it was copied from: xeno-canto 363793.")
    case .annotations:
      .init(
        as: nil, .objects,
        "The stretches of the recording that somebody marked, each as an object.",
        heading: "Annotations")
    case .annotatedTaxa:
      .init(
        as: nil, .list, "The species that annotations name.", heading: "Annotated species",
        parent: .annotations, indexKey: "f", counts: "annotation")
    case .annotatedBehavior:
      .init(
        as: nil, .list, "The types of sound that annotations name.", heading: "Annotated type",
        parent: .annotations, indexKey: "h", counts: "annotation-type")
    case .annotatedSex:
      .init(
        as: nil, .list, "The sexes that annotations name.", heading: "Annotated sex",
        parent: .annotations, indexKey: "j")
    case .annotatedLifeStage:
      .init(
        as: nil, .list, "The life stages that annotations name.", heading: "Annotated stage",
        parent: .annotations, indexKey: "z")
    case .annotatedBy:
      .init(
        as: nil, .list, "Who made annotations and labels.", heading: "Annotated by",
        parent: .annotations, indexKey: "A", counts: "annotator")
    case .acceptedNameUsage:
      .init(
        .text, "The species of the list of birds that it is, if its names decide that.",
        heading: "Accepted name", parent: .scientificName)
    case .acceptedVernacularName:
      .init(
        as: nil, .text,
        "The English name of that species in the list, or its name in the language that was chosen.",
        heading: "Accepted English name", parent: .scientificName)
    case .nameAccordingTo:
      .init(.text, "The list, with its year.", heading: "List of names", parent: .scientificName)
    }
  }

  /// The columns by which details of this one are computed or decided.
  var sources: [DetailColumn] {
    switch self {
    case .countryCode: [.country]
    case .taxonRank, .genus, .specificEpithet, .infraspecificEpithet: [.scientificName]
    case .credit: [.recordedBy, .catalogNumber, .licenseName]
    case .issues: [.eventDate, .eventTime, .decimalLatitude]
    case .acceptedNameUsage, .acceptedVernacularName, .nameAccordingTo: RecordedNames.columns
    default: []
    }
  }

  /// The value that the details have in the column.
  package func value(of details: RecordingDetails) -> Value {
    switch self {
    case .catalogNumber: Value(details.catalogNumber)
    case .scientificName: Value(details.scientificName)
    case .taxonRank: Value(details.taxonRank)
    case .kingdom: Value(details.kingdom)
    case .phylum: Value(details.phylum)
    case .taxonClass: Value(details.taxonClass)
    case .order: Value(details.order)
    case .family: Value(details.family)
    case .genus: Value(details.genus)
    case .specificEpithet: Value(details.specificEpithet)
    case .infraspecificEpithet: Value(details.infraspecificEpithet)
    case .vernacularName: Value(details.vernacularName)
    case .group: Value(details.group)
    case .recordedBy: Value(details.recordedBy)
    case .country: Value(details.country)
    case .countryCode: Value(details.countryCode)
    case .locality: Value(details.locality)
    case .decimalLatitude: Value(details.coordinate?.latitude)
    case .decimalLongitude: Value(details.coordinate?.longitude)
    case .coordinateUncertaintyInMeters: Value(details.coordinateUncertaintyInMeters)
    case .dataGeneralizations: Value(details.dataGeneralizations)
    case .informationWithheld: Value(details.informationWithheld)
    case .minimumElevationInMeters, .maximumElevationInMeters: Value(details.elevation)
    case .eventDate:
      details.eventInterval.map { .text($0.description) } ?? Value(details.eventDate)
    case .year: Value(details.eventDate?.year)
    case .month: Value(details.eventDate?.month)
    case .day: Value(details.eventDate?.day)
    case .eventTime: Value(details.eventTime?.description)
    case .behavior: Value(details.behavior)
    case .sex: Value(details.sex)
    case .lifeStage: Value(details.lifeStage)
    case .samplingProtocol: Value(details.samplingProtocol)
    case .quality: details.quality.map { .rating($0) } ?? .none
    case .mediaDuration: Value(details.seconds)
    case .sampleRate: Value(details.sampleRate)
    case .license: Value(details.licence?.address)
    case .licenseName: Value(details.licence?.name)
    case .allowsCommercialUse: .flag(details.licence?.allowsCommercialUse ?? false)
    case .allowsDerivatives: .flag(details.licence?.allowsDerivatives ?? false)
    case .rightsHolder: Value(details.rightsHolder)
    case .credit: .text(details.credit)
    case .occurrenceRemarks: Value(details.occurrenceRemarks)
    case .associatedTaxa: Value(details.associatedTaxa)
    case .available: Value(details.available)
    case .references: Value(details.pageAddress)
    case .accessURI: Value(details.audioAddress)
    case .sonogramURL: Value(details.sonogramAddress)
    case .basisOfRecord: Value(details.basisOfRecord)
    case .occurrenceID: Value(details.occurrenceID)
    case .datasetKey: Value(details.datasetKey)
    case .datasetName: Value(details.datasetName)
    case .datasetID: Value(details.datasetID)
    case .issues: Value(details.issues.map(\.rawValue))
    case .alsoIn: Value(details.alsoIn?.description)
    case .annotations: details.annotations.columnValue
    case .annotatedTaxa: details.annotations.texts { [$0.scientificName].compactMap(\.self) }
    case .annotatedBehavior: details.annotations.texts(\.behavior)
    case .annotatedSex: details.annotations.texts(\.sex)
    case .annotatedLifeStage: details.annotations.texts(\.lifeStage)
    case .annotatedBy: details.annotations.texts { [$0.identifiedBy].compactMap(\.self) }
    case .acceptedNameUsage: Value(details.acceptedNameUsage)
    case .acceptedVernacularName: Value(details.acceptedVernacularName)
    case .nameAccordingTo: Value(details.listedName.map { _ in NameTable.title })
    }
  }
}

extension DetailColumn {
  /// The columns that are one text as a whole, and their properties.
  static let texts: [DetailColumn: WritableKeyPath<RecordingDetails, String?> & Sendable] = [
    .catalogNumber: \.catalogNumber,
    .scientificName: \.scientificName,
    .taxonRank: \.taxonRank,
    .kingdom: \.kingdom,
    .phylum: \.phylum,
    .taxonClass: \.taxonClass,
    .order: \.order,
    .family: \.family,
    .genus: \.genus,
    .specificEpithet: \.specificEpithet,
    .infraspecificEpithet: \.infraspecificEpithet,
    .vernacularName: \.vernacularName,
    .group: \.group,
    .recordedBy: \.recordedBy,
    .country: \.country,
    .locality: \.locality,
    .dataGeneralizations: \.dataGeneralizations,
    .informationWithheld: \.informationWithheld,
    .samplingProtocol: \.samplingProtocol,
    .rightsHolder: \.rightsHolder,
    .occurrenceRemarks: \.occurrenceRemarks,
    .basisOfRecord: \.basisOfRecord,
    .occurrenceID: \.occurrenceID,
    .datasetKey: \.datasetKey,
    .datasetName: \.datasetName,
    .datasetID: \.datasetID,
  ]

  /// The columns that have the value of a property, or of a part of one that is named, such as
  /// `\.eventDate?.year`; other parts of a column are left out.
  package static func columns(of property: PartialKeyPath<RecordingDetails>) -> [DetailColumn] {
    switch property {
    case \.country: [.country, .countryCode]
    case \.countryCode: [.countryCode]
    case \.coordinate: [.decimalLatitude, .decimalLongitude]
    case \.coordinate?.latitude: [.decimalLatitude]
    case \.coordinate?.longitude: [.decimalLongitude]
    case \.coordinateUncertaintyInMeters: [.coordinateUncertaintyInMeters]
    case \.elevation: [.minimumElevationInMeters]
    case \.eventDate, \.eventInterval: [.eventDate]
    case \.eventDate?.year: [.year]
    case \.eventDate?.month: [.month]
    case \.eventDate?.day: [.day]
    case \.eventTime: [.eventTime]
    case \.behavior: [.behavior]
    case \.sex: [.sex]
    case \.lifeStage: [.lifeStage]
    case \.quality: [.quality]
    case \.mediaDuration: [.mediaDuration]
    case \.sampleRate: [.sampleRate]
    case \.licence: [.licenseName]
    case \.credit: [.credit]
    case \.associatedTaxa: [.associatedTaxa]
    case \.available: [.available]
    case \.pageURL, \.pageAddress: [.references]
    case \.accessURI, \.audioAddress: [.accessURI]
    case \.sonogramURL, \.sonogramAddress: [.sonogramURL]
    case \.alsoIn: [.alsoIn]
    case \.issues: [.issues]
    case \.annotations: [.annotations]
    case \.acceptedNameUsage: [.acceptedNameUsage]
    case \.acceptedVernacularName: [.acceptedVernacularName]
    default: texts.filter { $0.value == property }.map(\.key)
    }
  }

  /// The detail's name in every table, sort key and object: `decimalLatitude`.
  package var name: String { rawValue }

  /// The heading that people read: `Latitude`; the name if it has no heading.
  package var heading: String { declaration.heading ?? name }

  /// The address of the term that it is named after; `nil` for a column of chirper's own.
  package var term: String? { declaration.vocabulary.map { $0.rawValue + name } }

  package var type: ColumnType { declaration.type }

  /// The meaning of the detail, its unit, and the terms it takes, in a sentence or two.
  package var meaning: String { declaration.meaning }

  /// The column of the detail that this one is a part of: `eventDate` of `year`; the column itself
  /// if it is not a part.
  package var parent: DetailColumn { declaration.parent ?? self }

  /// Whether bare words are searched in it.
  package var isSearched: Bool { wordRank != nil }

  /// The rank of a bare word that is found in it; `nil` if none is searched in it.
  package var wordRank: WordRank? { declaration.wordRank }

  /// The letter of the terms of its values in the search index; `nil` if these have none.
  package var indexKey: UInt8? { declaration.indexKey }

  /// Whether many recordings have the same value, which is then made into terms once.
  package var areTermsShared: Bool { declaration.areTermsShared }

  /// The number of the column of the search index that has its numbers; `nil` if the index
  /// has none.
  package var indexColumn: Int? { declaration.indexColumn }

  /// The name under which `CountKey` counts recordings by it; `nil` if none does.
  var countName: String? { declaration.countName }

  /// Whether almost all of its texts are spelled as `defaultSpelling` says.
  package var hasDefaultSpelling: Bool { self == .scientificName }

  /// The default spelling of a text without case and accents, such as a scientific name with
  /// a capital letter; `nil` if the column has none.
  package func defaultSpelling(of folded: [UInt8]) -> [UInt8]? {
    guard hasDefaultSpelling, let first = folded.first,
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
    else { return nil }
    return [first & ~0x20] + folded.dropFirst()
  }

  /// Whether its values are compared as numbers (`number(of:)`), and not as texts.
  package var isOrderedByNumber: Bool {
    if indexColumn != nil { return true }
    return switch type {
    case .serial, .date, .rating, .number, .integer, .boolean: true
    case .key, .text, .list, .objects, .pattern, .address: false
    }
  }

  /// Whether the search index has the values that it is ordered by: numbers, or texts of which a
  /// recording has one.
  package var isOrderedByIndex: Bool {
    if indexColumn != nil { return true }
    return switch type {
    case .text, .pattern: indexKey != nil
    default: false
    }
  }

  /// The number that the column is ordered by and that tags compare: of a catalogue number its
  /// digits, of a time its minutes.
  package func number(of details: RecordingDetails) -> Double? {
    switch self {
    case .catalogNumber: details.catalogNumber.flatMap(Self.digits)
    case .eventTime: details.eventTime.map { Double($0.hour * 60 + $0.minute) }
    case .eventDate: details.eventDate.map { Double($0.packed) }
    default: value(of: details).number
    }
  }

  /// 363793 of `XC363793`; none of a UUID, with several runs of digits, nor of more digits than a
  /// `Double` can hold.
  package static func digits(_ text: String) -> Double? {
    var number = 0.0
    var count = 0
    for byte in text.utf8 {
      if byte.isDigit {
        number = number * 10 + Double(byte - 0x30)
        count += 1
      } else if count > 0 {
        return nil
      }
    }
    return (1...15).contains(count) ? number : nil
  }

  /// The standards that columns are named after, by the beginning of their terms' addresses.
  private enum Vocabulary: String {
    case darwinCore = "http://rs.tdwg.org/dwc/terms/"
    case dublinCore = "http://purl.org/dc/terms/"
    case audiovisualCore = "http://rs.tdwg.org/ac/terms/"
    case gbif = "http://rs.gbif.org/terms/1.0/"
  }

  private struct Declaration {
    let vocabulary: Vocabulary?
    let type: ColumnType
    let meaning: String
    let heading: String?
    let parent: DetailColumn?
    let wordRank: WordRank?
    let indexKey: UInt8?
    let areTermsShared: Bool
    let indexColumn: Int?
    let countName: String?

    /// - Parameters:
    ///   - words: `wordRank`.
    ///   - indexKey: a letter. Stored terms have it, so it never changes, and no
    ///     two columns share one.
    ///   - indexColumn: never changes and is not shared, either.
    init(
      as vocabulary: Vocabulary? = .darwinCore, _ type: ColumnType, _ meaning: String,
      heading: String? = nil,
      parent: DetailColumn? = nil,
      words: WordRank? = nil, indexKey: Unicode.Scalar? = nil, areTermsShared: Bool = true,
      indexColumn: Int? = nil, counts: String? = nil
    ) {
      self.vocabulary = vocabulary
      self.type = type
      self.meaning = meaning
      self.heading = heading
      self.parent = parent
      wordRank = words
      self.indexKey = indexKey.map { UInt8(ascii: $0) }
      self.areTermsShared = areTermsShared && indexKey != nil
      self.indexColumn = indexColumn
      countName = counts
    }
  }
}

extension RecordingDetails {
  /// The text of a column for people: numbers in their unit, several values with commas; `nil` if
  /// it is not known.
  package func text(of column: DetailColumn) -> String? {
    column.value(of: self).text(separator: ", ")
  }
}

/// The degree to which a bare word tells the species of a recording, by the column that has it.
/// The best comes first.
///
/// A recording has the rank of its worst word, and each word that of the best column with it.
package enum WordRank: Int, CaseIterable, Comparable, Sendable {
  /// The word is the recording's catalogue number.
  case number
  /// The names of the species.
  case names
  /// The type of sound, the locality and the recordist.
  case facts
  /// The remarks and the species in the background.
  case remarks

  package static func < (left: WordRank, right: WordRank) -> Bool {
    left.rawValue < right.rawValue
  }
}
