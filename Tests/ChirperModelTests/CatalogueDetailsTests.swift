import Foundation
import Testing

@testable import ChirperModel

/// Details of an app's own catalogue, each declared with its property and its field.
@Suite struct CatalogueDetailsTests {
  private func details(
    _ declared: [Catalogue.Detail], _ json: String
  ) throws -> RecordingDetails {
    var catalogue = Catalogue(id: "shelf", name: "Shelf")
    catalogue.details = declared
    return catalogue.details(
      of: Recording(
        id: RecordingID(catalogue: "shelf", value: "1"), fields: try RecordingFields(json: json)))
  }

  @Test func `are read from texts, numbers, dates, lists and addresses, also within objects`()
    throws
  {
    let declared: [Catalogue.Detail] = [
      .text(\.vernacularName, of: "bird.name.en"), .text(\.catalogNumber, of: "id"),
      .texts(\.behavior, of: "type"), .number(\.elevation, of: "alt"),
      .duration(\.mediaDuration, of: "length"), .date(\.eventDate, of: "day"),
      .url(\.accessURI, of: "sounds.file"), .url(\.pageURL, of: "page"),
      .value(\.coordinate, from: ["lat", "lon"]) { recording in
        guard let latitude = recording["lat"]?.integer, let longitude = recording["lon"]?.integer
        else { return nil }
        return RecordingDetails.Coordinate(latitude: Double(latitude), longitude: Double(longitude))
      },
    ]
    let full = try details(
      declared,
      #"""
      {"id":17,"bird":{"name":{"de":"Amsel","en":" Blackbird "}},"type":["song","call"],
      "alt":"12.5","length":"1:05","day":"2024-05-01T08:00:00Z","lat":51,"lon":-2,
      "sounds":[{"file":"https://shelf.example/1.mp3"},{"file":"https://shelf.example/2.mp3"}],
      "page":"https://shelf.example/1"}
      """#)
    var expected = RecordingDetails()
    expected.vernacularName = "Blackbird"
    expected.catalogNumber = "17"
    expected.behavior = ["song", "call"]
    expected.elevation = 12.5
    expected.mediaDuration = .seconds(65)
    expected.eventDate = PartialDate("2024-05-01")
    expected.accessURI = URL(string: "https://shelf.example/1.mp3")
    expected.pageURL = URL(string: "https://shelf.example/1")
    expected.coordinate = RecordingDetails.Coordinate(latitude: 51, longitude: -2)
    #expect(full == expected)
    let unreadable =
      #"{"bird":[],"type":{},"alt":"high","length":-1,"day":"May","sounds":{},"page":"/1"}"#
    #expect(try details(declared, unreadable) == RecordingDetails())
    #expect(
      try details([.text(\.country, of: "land")], #"{"land":"Poland"}"#).countryCode == "PL")
  }

  @Test func `have a version that follows from what is declared, unless they are computed`() {
    func version(_ declared: [Catalogue.Detail], _ version: Int? = nil) -> Int? {
      var catalogue = Catalogue(id: "shelf", name: "Shelf")
      catalogue.details = declared
      catalogue.detailsVersion = version
      return catalogue.mapping.version
    }
    let country = version([.text(\.country, of: "land")])
    #expect(country != nil && country == version([.text(\.country, of: "land")]))
    #expect(country != version([.text(\.locality, of: "land")]))
    #expect(country != version([.text(\.country, of: "country")]))
    #expect(country != version([.text(\.country, of: "land")], 1))
    let computed: Catalogue.Detail = .value(\.country, from: ["land"]) { _ in "Poland" }
    #expect(version([computed]) == nil)
    #expect(version([computed], 1) != nil && version([computed], 1) != version([computed], 2))
  }

  /// The columns that change with the property, apart from those that are parts of others.
  private func check<Value>(
    _ property: WritableKeyPath<RecordingDetails, Value>, _ value: Value,
    _ known: inout Set<DetailColumn>
  ) {
    var details = RecordingDetails()
    details[keyPath: property] = value
    let columns = DetailColumn.columns(of: property)
    let changed = DetailColumn.allCases.filter { column in
      column.parent == column && column != .credit
        && column.value(of: details) != column.value(of: RecordingDetails())
    }
    // The code of a country follows from its name.
    #expect(columns.filter { changed.contains($0) || $0 != .countryCode } == changed)
    #expect(!changed.isEmpty, "\(property)")
    known.formUnion(columns)
  }

  @Test func `are in the columns that are named like them, and no column is left out`() {
    var known: Set<DetailColumn> = []
    for property in [
      \RecordingDetails.scientificName, \.taxonRank, \.kingdom, \.phylum, \.taxonClass, \.order,
      \.family, \.genus, \.specificEpithet, \.infraspecificEpithet, \.vernacularName, \.group,
      \.recordedBy, \.country, \.countryCode, \.locality, \.dataGeneralizations,
      \.informationWithheld, \.samplingProtocol, \.rightsHolder, \.occurrenceRemarks,
      \.catalogNumber, \.basisOfRecord, \.occurrenceID, \.datasetKey, \.datasetName, \.datasetID,
      \.pageAddress, \.audioAddress, \.sonogramAddress,
    ] {
      check(property, "XC1", &known)
    }
    for property in [\RecordingDetails.pageURL, \.accessURI, \.sonogramURL] {
      check(property, URL(string: "https://shelf.example/1"), &known)
    }
    for property in [\RecordingDetails.behavior, \.sex, \.lifeStage, \.associatedTaxa] {
      check(property, ["song"], &known)
    }
    check(\.coordinate, RecordingDetails.Coordinate(latitude: 1, longitude: 2), &known)
    check(\.coordinateUncertaintyInMeters, 5, &known)
    check(\.elevation, 5, &known)
    check(\.eventDate, PartialDate("2024-05-01"), &known)
    check(\.available, PartialDate("2024-05-01"), &known)
    check(\.eventTime, PartialDate.TimeOfDay("07:30"), &known)
    check(\.quality, .a, &known)
    check(\.mediaDuration, .seconds(5), &known)
    check(\.sampleRate, 48_000, &known)
    check(\.licence, RecordingDetails.Licence(other: "ask"), &known)
    check(\.alsoIn, RecordingID(catalogue: "shelf", value: "1"), &known)
    check(\.issues, [.date], &known)
    check(\.annotations, [RecordingDetails.Annotation()], &known)
    #expect(
      known == Set(DetailColumn.allCases.filter { $0.parent == $0 && $0 != .credit }))
  }

  @Test func `a row of a table of details has every column that follows from no other`() {
    let followed: Set<DetailColumn> = [
      .maximumElevationInMeters, .year, .month, .day, .allowsCommercialUse, .allowsDerivatives,
      .credit, .annotatedTaxa, .annotatedBehavior, .annotatedSex, .annotatedLifeStage,
      .annotatedBy, .acceptedNameUsage, .acceptedVernacularName, .nameAccordingTo,
    ]
    let special: [DetailColumn: String] = [
      .countryCode: "PL", .eventTime: "07:30",
      .license: "https://creativecommons.org/licenses/by/4.0/", .licenseName: "CC BY 4.0",
      .issues: "date", .alsoIn: "xeno-canto 1",
    ]
    let columns = DetailColumn.allCases.filter { !followed.contains($0) }
    let members = columns.map { column in
      let text =
        switch column.type {
        case .date: "2024-05-01"
        case .rating: "A"
        case .number, .integer: "5"
        case .address: "https://shelf.example/\(column.name)"
        case .serial, .key, .text, .list, .objects, .pattern, .boolean: "a \(column.name)"
        }
      let json = column == .annotations ? "[{}]" : JSONText.quoted(special[column] ?? text)
      return (name: column.name, json: Array(json.utf8))
    }
    let details = Catalogue(id: "shelf", name: "Shelf").details(
      of: Recording(
        id: RecordingID(catalogue: "shelf", value: "1"),
        fields: RecordingFields(importedAs: .details, members)))
    let missing = columns.filter { $0.value(of: details) == .none }
    #expect(missing == [], "\(missing)")
    for column in columns where column.type == .text && special[column] == nil {
      #expect(details.text(of: column) == "a \(column.name)", "\(column)")
    }
  }
}
