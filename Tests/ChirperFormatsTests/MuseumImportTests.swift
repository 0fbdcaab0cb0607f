import Chirper
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperFormats

/// Archives of other publishers: which of their columns a detail is, and how it is read.
@Suite struct MuseumImportTests {
  private let files: ImportedFiles

  init() throws { files = try ImportedFiles() }

  /// The details of one record with one sound.
  private func details(_ core: [String: String], media: [String: String] = [:]) async throws
    -> RecordingDetails?
  {
    var archive = MuseumArchive()
    archive.coreTerms =
      core.keys.sorted() + (core["scientificName"] == nil ? ["scientificName"] : [])
    archive.mediaTerms = Set(media.keys).union(["type", "identifier"]).sorted()
    archive.add("M1", core)
    archive.media[0].merge(media) { $1 }
    // An earlier import would keep its details.
    let files = try ImportedFiles()
    return try await files.details(files.folder(archive.files)).first
  }

  // MARK: Names

  @Test(arguments: [
    "Anas platyrhynchos × Anas acuta", "Turdus merula / Turdus pilaris", "Turdus cf. merula",
    "Turdus merula agg.", "Turdus merula?", "Larus argentatus x fuscus",
  ])
  func `a name of no taxon stays whole, whatever other columns have`(_ name: String) async throws {
    for more in [
      [:], ["genus": "Turdus"], ["genus": "Turdus", "specificEpithet": "merula"],
      ["taxonRank": "species"], ["species": "Turdus merula"],
    ] {
      let found = try await details(more.merging(["scientificName": name]) { $1 })
      #expect(found?.scientificName == name && found?.specificEpithet == nil, "\(more)")
      #expect(found?.taxonRank == nil && found?.acceptedNames == [], "\(more)")
    }
  }

  @Test func `a subspecies keeps its third word, and a genus is no species`() async throws {
    let found = try await details(["scientificName": "Buteo buteo vulpinus (Gloger, 1833)"])
    #expect(found?.scientificName == "Buteo buteo vulpinus")
    #expect(found?.infraspecificEpithet == "vulpinus" && found?.specificEpithet == "buteo")
    let parts = try await details([
      "scientificName": "", "genus": "Buteo", "specificEpithet": "buteo",
      "infraspecificEpithet": "vulpinus",
    ])
    #expect(parts?.scientificName == "Buteo buteo vulpinus")
    let genus = try await details(["scientificName": "Turdus Linnaeus, 1758"])
    #expect(genus?.specificEpithet == nil && genus?.taxonRank == nil)
    let qualified = try await details(["identificationQualifier": "cf."])
    #expect(qualified?.issues == [.identification])
  }

  @Test func `a hybrid whose name stands in verbatim.txt alone has that name`() async throws {
    var download = GBIFDownload([.init(1), .init(2), .init(3)])
    for index in download.records.indices { download.records[index].values["species"] = "" }
    var changed = download.files
    changed["meta.xml"]?.replace(
      "</archive>",
      with: #"""
        <extension fieldsTerminatedBy="\t" fieldsEnclosedBy="" ignoreHeaderLines="1" rowType="http://rs.tdwg.org/dwc/terms/Occurrence">
        <files><location>verbatim.txt</location></files><coreid index="0"/>
        <field index="1" term="http://rs.tdwg.org/dwc/terms/scientificName"/></extension></archive>
        """#)
    let names = ["Anas crecca × carolinensis", "Anas acuta x A. crecca", "Turdus sp."]
    changed["verbatim.txt"] =
      "gbifID\tscientificName\n" + names.enumerated().map { "\($0 + 1)\t\($1)\n" }.joined()
    let found = try await files.details(files.folder(changed)).map(\.scientificName)
    #expect(found == [names[0], names[1], nil])
  }

  // MARK: Columns

  @Test(arguments: [
    (["accessURI": "https://a.example/1.wav", "identifier": "https://m.example/object/1"]),
    (["accessURI": "https://a.example/1.wav", "identifier": "urn:uuid:0b5b"]),
    (["accessURI": "urn:uuid:0b5b", "identifier": "https://a.example/1.wav"]),
    (["accessURI": "", "identifier": "https://a.example/1.wav"]),
    (["identifier": "https://a.example/1.wav", "dc:identifier": "1.wav"]),
    (["identifier": "1.wav", "dc:identifier": "https://a.example/1.wav"]),
  ])
  func `the address of a sound is accessURI, else an identifier that is an address`(
    _ media: [String: String]
  ) async throws {
    #expect(try await details([:], media: media)?.audioAddress == "https://a.example/1.wav")
  }

  @Test(arguments: [
    "license", "dc:rights", "http://ns.adobe.com/xap/1.0/rights/WebStatement",
    "http://ns.adobe.com/xap/1.0/rights/UsageTerms",
  ])
  func `an address of a licence counts before words`(_ term: String) async throws {
    for other in ["license", "dc:rights", "http://ns.adobe.com/xap/1.0/rights/UsageTerms"]
    where other != term {
      let found = try await details(
        [:], media: [term: "http://creativecommons.org/licenses/by/4.0/", other: "Some rights"])
      #expect(found?.licence?.name == "CC BY 4.0", "\(other)")
    }
  }

  @Test func `a name counts before an address for who made a sound`() async throws {
    for (old, new) in [("Ann", "https://orcid.org/1"), ("", "Ann"), ("https://orcid.org/1", "Ann")]
    {
      let found = try await details([:], media: ["dc:creator": old, "creator": new])
      #expect(found?.recordedBy == "Ann")
    }
  }

  @Test(arguments: [" | ", "|", "; ", ", ", " "])
  func `two addresses in a cell are two sounds`(_ separator: String) async throws {
    var archive = MuseumArchive(1)
    let addresses = ["https://m.example/1.mp3", "https://m.example/2;b,c.mp3"]
    archive.media[0]["identifier"] =
      addresses[0] + separator + addresses[0].replacing("1", with: "2")
    #expect(try await files.recordings(files.folder(archive.files)).count == 2)
    archive.media[0]["identifier"] = addresses[1]
    #expect(try await files.details(files.folder(archive.files)).last?.audioAddress == addresses[1])
  }

  @Test(arguments: [("pl", "PL"), ("POL", "PL"), ("UK", "GB"), ("Poland", "PL"), ("xx", nil)])
  func `a code of a country is read in any form`(_ code: String, _ expected: String?) async throws {
    #expect(try await details(["countryCode": code])?.countryCode == expected)
  }

  @Test func `names of files and of meta.xml are found in any case`() async throws {
    var archive = MuseumArchive(1).files
    archive["Occurrence.TXT"] = archive.removeValue(forKey: "occurrence.txt")
    archive["MEDIA.txt"] = archive.removeValue(forKey: "media.txt")
    archive["Meta.xml"] = archive.removeValue(forKey: "meta.xml")
    #expect(try await files.folder(archive).lists[0].stored?.count == 1)
    let memory = Memory()
    let writer = try ZipWriter(memory, date: Written.fetched)
    for (name, text) in archive { try writer.add(name, text) }
    try writer.finish()
    #expect(try await files.file(memory.written).lists[0].stored?.count == 1)
  }

  // MARK: Values

  @Test(arguments: [
    ("52.1", "21.2"), ("52,1", "21,2"), ("52.1N", "21.2E"), ("52.1° N", "21.2 °E"),
    ("+52.1", "21.2°"),
  ])
  func `a coordinate is read as people write it`(_ latitude: String, _ longitude: String)
    async throws
  {
    let found = try await details(["decimalLatitude": latitude, "decimalLongitude": longitude])
    #expect(found?.coordinate == .init(latitude: 52.1, longitude: 21.2) && found?.issues == [])
    let south = try await details(["decimalLatitude": "33,9S", "decimalLongitude": "70.7 W"])
    #expect(south?.coordinate == .init(latitude: -33.9, longitude: -70.7))
  }

  @Test(arguments: [
    ["decimalLatitude": "52°06'N", "decimalLongitude": "21.2"], ["decimalLatitude": "52.1"],
    ["decimalLatitude": "-52.1S", "decimalLongitude": "21.2"],
    ["decimalLatitude": "152.1", "decimalLongitude": "21.2"],
    ["decimalLatitude": "1.052,1", "decimalLongitude": "21.2"],
  ])
  func `a coordinate that cannot be read is a doubt`(_ values: [String: String]) async throws {
    let found = try await details(values)
    #expect(found?.coordinate == nil && found?.issues == [.coordinate])
    #expect(try await details(["decimalLatitude": "", "decimalLongitude": ""])?.issues == [])
  }

  @Test(arguments: ["13/11/2007", "spring 1987", "2007-13-01", "2007-11-15/2007-11-13"])
  func `a date that cannot be read is a doubt, unless its parts are known`(_ date: String)
    async throws
  {
    let found = try await details(["eventDate": date])
    #expect(found?.eventDate == nil && found?.issues == [.date])
    let parts = try await details(["eventDate": date, "year": "2007"])
    #expect(parts?.eventDate?.description == "2007" && parts?.issues == [])
    let own = try await files.file(
      Array("id,catalogue,eventDate,decimalLatitude\n1-a,gbif,\(date),x\n".utf8))
    #expect(try files.details(own).first?.issues == [.coordinate, .date])
  }

  @Test(arguments: [
    ("2021-05-03T05:30+02:00", ""), ("2021-05-03T0530", ""), ("2021-05-03T05:30-0600", ""),
    ("2021-05-03", "05:30-0600"), ("2021-05-03", "0530"), ("2021-05-03", "05:30+02:00"),
    ("2021-05-03", "05:30+02"), ("2021-05-03T05:30-06:00", ""),
  ])
  func `a time is that of the clock, with its zone or without`(_ date: String, _ time: String)
    async throws
  {
    let found = try await details(["eventDate": date, "eventTime": time])
    #expect(found?.eventTime?.description == "05:30")
    #expect(found?.eventDate?.description == "2021-05-03" && found?.issues == [])
  }

  @Test(arguments: [
    ("morning", true), ("11:20 AST", true), ("25:10", true), ("11", true), ("05:30-06:00", true),
    ("05:30/25:10", true), ("05:30Z", false), ("05:30/06:10", false), ("xx:xx", false),
    ("?", false), ("Unknown", false), ("", false),
  ])
  func `a time that cannot be read is a doubt, and one that is not known is not`(
    _ time: String, _ isDoubt: Bool
  ) async throws {
    let found = try await details(["eventDate": "2021-05-03", "eventTime": time])
    #expect(found?.eventTime == nil && found?.issues == (isDoubt ? [.date] : []))
    let own = try await files.file(
      Array("id,catalogue,eventDate,eventTime\n1-a,gbif,2021-05-03,\(time)\n".utf8))
    #expect(try files.details(own).first?.issues == (isDoubt ? [.date] : []))
  }

  @Test(arguments: [
    "NAD27", "ED50", "Tokyo", "EPSG:4267", "epsg:4230", "EPSG:4301", "Pulkovo 1942", "WGS72",
    "AGD66",
    "North American Datum 1927",
  ])
  func `coordinates in a different datum are not shown as WGS 84`(_ datum: String) async throws {
    let place = ["decimalLatitude": "52.1", "decimalLongitude": "21.2"]
    let found = try await details(place.merging(["geodeticDatum": datum]) { $1 })
    #expect(found?.coordinate == nil && found?.issues == [.coordinate])
  }

  @Test(arguments: [
    "WGS84", "WGS 84", "EPSG:4326", "World Geodetic System 1984", "ETRS89", "NAD83", "GDA94",
    "unknown", "not recorded (forced WGS84)", "WGS84 (EPSG:4326)", "",
  ])
  func `coordinates in WGS 84 and in what agrees with it are shown`(_ datum: String) async throws {
    let place = ["decimalLatitude": "52.1", "decimalLongitude": "21.2"]
    let found = try await details(place.merging(["geodeticDatum": datum]) { $1 })
    #expect(found?.coordinate != nil && found?.issues == [])
  }

  @Test(
    arguments: [
      ("500", 500), ("500 m", 500), ("1.5 km", 1500), ("1km", 1000), ("100 ft", 30.48),
      ("ca. 5 miles", nil),
    ] as [(String, Double?)])
  func `an uncertainty is in metres, whatever its unit is`(_ text: String, _ metres: Double?)
    async throws
  {
    let found = try await details([
      "decimalLatitude": "52.1", "decimalLongitude": "21.2", "coordinateUncertaintyInMeters": text,
    ])
    #expect(found?.coordinateUncertaintyInMeters == metres)
    #expect(found?.issues == (metres == nil ? [.coordinate] : []))
  }

  @Test func `the NULL of databases is no value`() async throws {
    let found = try await details(
      ["locality": #"\N"#, "recordedBy": #"\N x"#], media: ["license": #"\N"#])
    #expect(found?.locality == nil && found?.recordedBy == #"\N x"# && found?.licence == nil)
    let own = try await files.file(Array("id,catalogue,locality\n1-a,gbif,\\N\n".utf8))
    #expect(try files.details(own).map(\.locality) == [nil])
  }
}
