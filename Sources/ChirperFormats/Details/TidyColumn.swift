import Chirper
import ChirperModel

/// A column of tidy tables: a detail under its standard name, in one type and one unit.
///
/// `TidyColumn.all` is the one list of columns. The tables of `--tidy`, the properties of GeoJSON, the Darwin Core Archive, the
/// data package and the table schema in docs/table-schema.json follow from it.
package struct TidyColumn: Sendable {
  /// The name of the column; a term of Darwin Core, Dublin Core or Audiovisual Core where there is one.
  package let name: String
  /// The address of that term; `nil` for a column of chirper's own.
  package let term: String?
  package let type: TidyType
  /// What it is, its unit, and the terms it takes, in a sentence or two.
  package let description: String
  let value: @Sendable (DetailedRecording) -> TidyValue
}

/// The types of a table schema that tidy columns have.
package enum TidyType: Sendable, Equatable {
  /// A text that every row has.
  case key
  case text
  /// Several texts with `TidyColumn.separator` between them.
  case list
  /// A text that matches a regular expression.
  case pattern(String)
  /// One of these texts.
  case oneOf([String])
  case number(ClosedRange<Double>?)
  case integer(ClosedRange<Int>?)
  case boolean
}

/// The value of one cell.
enum TidyValue: Equatable {
  case none
  case text(String)
  case number(Double)
  case integer(Int)
  case boolean(Bool)

  init(_ text: String?) { self = text.map { .text($0) } ?? .none }
  init(_ number: Double?) { self = number.map { .number($0) } ?? .none }
  init(_ integer: Int?) { self = integer.map { .integer($0) } ?? .none }
  init(_ list: [String]) {
    self = list.isEmpty ? .none : .text(list.count == 1 ? list[0] : list.joined(separator: TidyColumn.separator))
  }
}

extension TidyColumn {
  /// Between the values of a list, as Darwin Core recommends.
  static let separator = " | "

  /// Every column, in the order of the tables.
  package static let all: [TidyColumn] = [
    TidyColumn("id", .key, "The catalogue's own id of the recording, unique together with `catalogue`.") {
      .text($0.recording.id.value)
    },
    TidyColumn("catalogue", .key, "The catalogue that the recording is in, by its name in `--source`.") {
      .text($0.recording.id.catalogue.rawValue)
    },
    TidyColumn(dwc: "catalogNumber", .text, "The number under which people cite the recording.") {
      TidyValue($0.details.catalogueNumber)
    },
    TidyColumn(
      dwc: "scientificName", .text,
      "Genus, specific and infraspecific epithet; the genus alone where the species was not determined."
    ) { TidyValue($0.details.scientificName) },
    TidyColumn(dwc: "genus", .text, "The first part of the scientific name.") { TidyValue($0.details.genus) },
    TidyColumn(dwc: "specificEpithet", .text, "The second part of the scientific name.") {
      TidyValue($0.details.specificEpithet)
    },
    TidyColumn(dwc: "infraspecificEpithet", .text, "The subspecies.") { TidyValue($0.details.infraspecificEpithet) },
    TidyColumn(dwc: "vernacularName", .text, "The English name, or what the catalogue has in its place.") {
      TidyValue($0.details.vernacularName)
    },
    TidyColumn("group", .text, "The catalogue's own group, such as birds.") { TidyValue($0.details.group) },
    TidyColumn(dwc: "recordedBy", .text, "The recordist.") { TidyValue($0.details.recordedBy) },
    TidyColumn(dwc: "country", .text, "An English country name, as the catalogue spells it.") { TidyValue($0.details.country) },
    TidyColumn(dwc: "locality", .text, "The place within the country.") { TidyValue($0.details.locality) },
    TidyColumn(dwc: "decimalLatitude", .number(-90...90), "Degrees, WGS 84; north is positive.") {
      TidyValue($0.details.coordinate?.latitude)
    },
    TidyColumn(dwc: "decimalLongitude", .number(-180...180), "Degrees, WGS 84; east is positive.") {
      TidyValue($0.details.coordinate?.longitude)
    },
    TidyColumn(dwc: "minimumElevationInMeters", .number(nil), "Metres above sea level, negative below it.") {
      TidyValue($0.details.elevation)
    },
    TidyColumn(
      dwc: "maximumElevationInMeters", .number(nil),
      "The same number: a minimum alone would read as an elevation of at least that."
    ) { TidyValue($0.details.elevation) },
    TidyColumn(
      dwc: "eventDate", .pattern(partialDate),
      "The day of the recording as ISO 8601, as precisely as it is known: 2024-05-17, 2024-05 or 2024."
    ) { TidyValue($0.details.eventDate?.description) },
    TidyColumn(dwc: "year", .integer(1...9999), "The year of `eventDate`.") { TidyValue($0.details.eventDate?.year) },
    TidyColumn(dwc: "month", .integer(1...12), "The month of `eventDate`.") { TidyValue($0.details.eventDate?.month) },
    TidyColumn(dwc: "day", .integer(1...31), "The day of `eventDate`.") { TidyValue($0.details.eventDate?.day) },
    TidyColumn(
      dwc: "eventTime", .pattern("([01][0-9]|2[0-3]):[0-5][0-9]"), "The local time of day at the place, hours and minutes: 07:30."
    ) { TidyValue($0.details.eventTime?.description) },
    TidyColumn(dwc: "behavior", .list, "The types of sound: song | alarm call.") { TidyValue($0.details.soundType) },
    TidyColumn(dwc: "sex", .list, "The sexes that are heard.") { TidyValue($0.details.sex) },
    TidyColumn(dwc: "lifeStage", .list, "The life stages that are heard.") { TidyValue($0.details.lifeStage) },
    TidyColumn(dwc: "samplingProtocol", .text, "How it was recorded: field recording.") {
      TidyValue($0.details.samplingProtocol)
    },
    TidyColumn("quality", .oneOf(Quality.allCases.map(\.rawValue)), "The catalogue's rating, from A (best) to E.") {
      TidyValue($0.details.quality?.rawValue)
    },
    TidyColumn(ac: "mediaDuration", .number(0...1e9), "The length of the sound in seconds.") { TidyValue($0.details.duration) },
    TidyColumn("sampleRate", .integer(1...1_000_000_000), "The sample rate of the sound in hertz.") {
      TidyValue($0.details.sampleRate)
    },
    TidyColumn(dcterms: "license", .pattern(address), "The address of the licence's text.") {
      TidyValue($0.details.licence?.url)
    },
    TidyColumn(
      "licenseName", .text, "The short name of the licence, such as CC BY-NC-SA 4.0; else the rights in the catalogue's words."
    ) { TidyValue($0.details.licence?.name) },
    TidyColumn("allowsCommercialUse", .boolean, "Whether the licence allows commercial use; false where it is unknown.") {
      .boolean($0.details.licence?.allowsCommercialUse ?? false)
    },
    TidyColumn("allowsDerivatives", .boolean, "Whether the licence allows changed versions; false where it is unknown.") {
      .boolean($0.details.licence?.allowsDerivatives ?? false)
    },
    TidyColumn(dcterms: "rightsHolder", .text, "Who holds the rights, where the catalogue names somebody.") {
      TidyValue($0.details.rightsHolder)
    },
    TidyColumn("credit", .text, "Recordist, number and licence in one line, as licences ask for it.") {
      .text($0.details.credit)
    },
    TidyColumn(dwc: "occurrenceRemarks", .text, "What the recordist wrote about it; may have several lines.") {
      TidyValue($0.details.remarks)
    },
    TidyColumn(dwc: "associatedTaxa", .list, "Species in the background, by English or scientific name.") {
      TidyValue($0.details.backgroundSpecies)
    },
    TidyColumn(
      dcterms: "available", .pattern(partialDate), "The day on which the recording was added to the catalogue, as `eventDate`."
    ) { TidyValue($0.details.uploaded?.description) },
    TidyColumn(dcterms: "references", .pattern(address), "The recording's page for people.") { TidyValue($0.details.pageURL) },
    TidyColumn(ac: "accessURI", .pattern(address), "The address of the audio file.") { TidyValue($0.details.audioURL) },
    TidyColumn("sonogramURL", .pattern(address), "The address of a picture of the sound.") { TidyValue($0.details.sonogramURL) },
    TidyColumn("audioFile", .text, "The path of the audio that chirper keeps on this machine.") { TidyValue($0.audioPath) },
  ]

  private static let partialDate = "[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?"
  private static let address = "https?://[^ ]+"

  /// The columns named in `a,b,c`, in that order.
  package static func named(_ list: String) throws(RecordListError) -> [TidyColumn] {
    let typed = list.split(separator: ",").map { $0.drop(while: \.isWhitespace).description }
    var columns: [TidyColumn] = []
    for name in typed where !name.isEmpty {
      guard let column = all.first(where: { $0.name.lowercased() == name.lowercased() }) else {
        let known = all.map(\.name)
        throw .unknownColumn(name, nearest: NearestNames.to(name, among: known), known: known)
      }
      guard !columns.contains(where: { $0.name == column.name }) else { throw .columnTwice(name) }
      columns.append(column)
    }
    guard !columns.isEmpty else { throw .noColumn(known: all.map(\.name)) }
    return columns
  }

  private init(
    _ name: String, _ type: TidyType, _ description: String, value: @escaping @Sendable (DetailedRecording) -> TidyValue
  ) {
    self.init(name: name, term: nil, type: type, description: description, value: value)
  }

  private init(
    dwc name: String, _ type: TidyType, _ description: String, value: @escaping @Sendable (DetailedRecording) -> TidyValue
  ) {
    self.init(
      name: name, term: "http://rs.tdwg.org/dwc/terms/\(name)", type: type, description: description, value: value)
  }

  private init(
    dcterms name: String, _ type: TidyType, _ description: String, value: @escaping @Sendable (DetailedRecording) -> TidyValue
  ) {
    self.init(name: name, term: "http://purl.org/dc/terms/\(name)", type: type, description: description, value: value)
  }

  private init(
    ac name: String, _ type: TidyType, _ description: String, value: @escaping @Sendable (DetailedRecording) -> TidyValue
  ) {
    self.init(name: name, term: "http://rs.tdwg.org/ac/terms/\(name)", type: type, description: description, value: value)
  }
}
