import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Recordings to write, with everything or with nothing in them, and what the formats make of them.
enum Written {
  static let fetched = Date(timeIntervalSince1970: 1_790_000_000)

  static let provenance: Provenance = {
    let query = CatalogueQuery(
      catalogue: .xenoCanto, identity: "en:\"parrot\"", pageSize: 100, typed: "parrot",
      requestText: "en:\"parrot\"")
    let stored = StoredQuery(
      query: query, count: 2, pagesStored: 1, totals: RecordingPage.Totals(recordings: 2, pages: 1),
      next: nil,
      completeness: .complete,
      oldestFetchedAt: fetched, newestFetchedAt: fetched, skipped: 0)
    return Provenance(
      [(stored, Catalogues.defaultCatalogue)], object: ["query": "parrot"], choice: [],
      now: fetched.addingTimeInterval(60))
  }()

  static let full: RecordingRow = {
    var details = RecordingDetails()
    details.scientificName = "Psittacus erithacus"
    details.genus = "Psittacus"
    details.specificEpithet = "erithacus"
    details.vernacularName = "Grey Parrot"
    details.group = "birds"
    details.recordedBy = "Ana Silva"
    details.country = "Gabon"
    details.countryCode = "GA"
    details.locality = "Lopé, river bank"
    details.coordinate = RecordingDetails.Coordinate(latitude: -0.5, longitude: 11.612_34)
    details.coordinateUncertaintyInMeters = 27_500.5
    details.dataGeneralizations = "the place is obscured"
    details.elevation = 210
    details.eventDate = PartialDate("2024-05-00")
    details.eventTime = PartialDate.TimeOfDay("07:30")
    details.behavior = ["call", "flight call"]
    details.sex = ["female", "male"]
    details.quality = .b
    details.seconds = 95.5
    details.sampleRate = 48_000
    details.licence = RecordingDetails.Licence(creativeCommonsCode: "by-nc-sa", version: "4.0")
    details.occurrenceRemarks = "First line\r\nsecond line"
    details.associatedTaxa = ["Corythaeola cristata"]
    details.available = PartialDate("2024-06-01")
    details.pageAddress = "https://xeno-canto.org/900001"
    details.audioAddress = "https://xeno-canto.org/900001/download"
    details.catalogNumber = "XC900001"
    var annotation = RecordingDetails.Annotation()
    (annotation.startTime, annotation.endTime, annotation.highFrequency) = (1, 2.5, 8000)
    (annotation.behavior, annotation.remarks) = (["song"], "say \"so\"")
    details.annotations = [annotation]
    return RecordingRow(recording: recording("900001"), details: details)
  }()

  static let empty = RecordingRow(recording: recording("900002"), details: RecordingDetails())

  /// The compiler refuses some of them in a literal.
  private static let noncharacters = String(
    String.UnicodeScalarView([0xFFFE, 0xFFFF, 0xFDD0].compactMap { Unicode.Scalar(UInt32($0)) }))

  /// Texts that try to be markup, commands, formulas or controls of every format.
  static let hostile = [
    #"</name><script>alert(1)</script>&lt;]]><!-- -->"#, "\"'><img src=x onerror=alert(1)>",
    "=cmd|' /C calc'!A0",
    "}, @comment{x}, \\input{/etc/passwd} {", "50% & $x_1$ ^~#",
    "[x](javascript:alert(1)) `code` *b* _i_ ![i](j) | a",
    "line one\nline two\r\n#EXTINF:1,x\n/etc/passwd", "tab\there",
    "\u{1B}[31mred\u{0}\u{8}\u{7F}\u{9B}",
    "\u{202E}evil\u{2066}bidi\u{200F}",
    noncharacters, "e\u{301}\u{1F426}\u{10FFFD}", "../../etc/passwd", "- 1. + # heading",
    "--><gpx>",
    "\u{2028}x\u{2029}",
    "\"quoted\",comma;semicolon", "\\t\\n\\\\", " leading and trailing ", "NA",
  ]

  /// A recording that has one text in every detail.
  static func hostile(_ text: String, number: Int) -> RecordingRow {
    var details = full.details
    details.scientificName = text
    details.genus = text
    details.vernacularName = text
    details.group = text
    details.taxonRank = text
    details.family = text
    details.recordedBy = text
    details.country = text
    details.dataGeneralizations = text
    details.basisOfRecord = text
    details.occurrenceID = text
    details.datasetKey = text
    details.datasetName = text
    details.datasetID = text
    details.locality = text
    details.behavior = [text, text]
    details.sex = [text]
    details.lifeStage = [text]
    details.licence = RecordingDetails.Licence(other: text)
    details.rightsHolder = text
    details.occurrenceRemarks = text
    details.associatedTaxa = [text]
    details.catalogNumber = text
    var annotation = RecordingDetails.Annotation()
    (annotation.startTime, annotation.endTime) = (0, 1)
    (annotation.id, annotation.identifiedBy, annotation.remarks) = (text, text, text)
    (annotation.scientificName, annotation.behavior) = (text, [text, text])
    (annotation.sex, annotation.lifeStage) = ([text], [text])
    annotation.licence = RecordingDetails.Licence(other: text)
    annotation.labelFile = text
    details.annotations = [annotation]
    return RecordingRow(recording: recording("\(number)\(text)"), details: details)
  }

  static let hostileRows = hostile.enumerated().map { hostile($1, number: $0) }

  static func recording(_ id: String) -> Recording {
    Recording(
      id: RecordingID(catalogue: .xenoCanto, value: id), fields: RecordingFields(canonical: "{}"))
  }

  static func columns(_ list: String) throws -> [TidyColumn] {
    try (ColumnNames(fields: [], in: nil).columns(list) ?? []).map { TidyColumn($0) }
  }

  static func text(
    _ format: RecordFormat, _ rows: [RecordingRow], columns: [TidyColumn] = TidyColumn.all,
    isSpreadsheetSafe: Bool = false
  ) throws -> String {
    let memory = Memory()
    var options = WriteOptions(now: fetched)
    options.isSpreadsheetSafe = isSpreadsheetSafe
    let table = table(rows, columns)
    if case .details(let makeWriter) = format.content {
      _ = try table.writeRows(by: makeWriter(provenance, columns), options, to: memory)
    } else {
      try table.write(format, options, to: memory)
    }
    memory.flush()
    return String(decoding: memory.written, as: UTF8.self)
  }

  static func table(_ rows: [RecordingRow], _ columns: [TidyColumn] = TidyColumn.all)
    -> RowTable<
      ValueColumns<RecordingRow>
    >
  {
    RowTable(
      count: rows.count, read: { positions, body in rows[positions].forEach(body) },
      columns: { _ in ValueColumns(columns.map(\.column), joinsLists: true) },
      frame: { JSONFrame(head: provenance.object, endsWithRange: true) })
  }
}

@Suite struct TidyFormatTests {
  @Test func `a tidy row has typed values in every column`() throws {
    let table = try #require(readCSV(try Written.text(.csv, [Written.full, Written.empty])))
    #expect(table.count == 3 && table[0] == TidyColumn.all.map(\.name))
    let row = Dictionary(zip(table[0], table[1]), uniquingKeysWith: { first, _ in first })
    let expected = [
      "id": "900001", "catalogue": "xeno-canto", "catalogNumber": "XC900001",
      "scientificName": "Psittacus erithacus",
      "genus": "Psittacus", "specificEpithet": "erithacus", "infraspecificEpithet": "",
      "vernacularName": "Grey Parrot",
      "group": "birds", "recordedBy": "Ana Silva", "country": "Gabon", "countryCode": "GA",
      "coordinateUncertaintyInMeters": "27500.5", "dataGeneralizations": "the place is obscured",
      "informationWithheld": "", "issues": "", "taxonRank": "", "kingdom": "",
      "phylum": "", "class": "", "order": "", "family": "", "basisOfRecord": "", "occurrenceID": "",
      "datasetKey": "",
      "datasetName": "", "datasetID": "",
      "alsoIn": "", "annotatedTaxa": "", "annotatedBehavior": "song", "annotatedSex": "",
      "annotatedLifeStage": "", "annotatedBy": "", "acceptedNameUsage": "Psittacus erithacus",
      "acceptedVernacularName": "Grey Parrot", "nameAccordingTo": "AviList v2025",
      "annotations": """
      [{"annotationID":null,"startTime":1,"endTime":2.5,"freqLow":null,"freqHigh":8000,"scientificName":null,\
      "behavior":["song"],"sex":[],"lifeStage":[],"identifiedBy":null,"comments":"say \\"so\\"","license":null,\
      "licenseName":null,"confidence":null,"labelFile":null}]
      """,
      "locality": "Lopé, river bank", "decimalLatitude": "-0.5",
      "decimalLongitude": "11.61234", "minimumElevationInMeters": "210",
      "maximumElevationInMeters": "210",
      "eventDate": "2024-05",
      "year": "2024", "month": "5", "day": "", "eventTime": "07:30",
      "behavior": "call | flight call", "sex": "female | male",
      "lifeStage": "", "samplingProtocol": "", "quality": "B", "mediaDuration": "95.5",
      "sampleRate": "48000",
      "license": "https://creativecommons.org/licenses/by-nc-sa/4.0/",
      "licenseName": "CC BY-NC-SA 4.0",
      "allowsCommercialUse": "false", "allowsDerivatives": "true", "rightsHolder": "",
      "credit": "Ana Silva, XC900001, CC BY-NC-SA 4.0",
      "occurrenceRemarks": "First line\r\nsecond line",
      "associatedTaxa": "Corythaeola cristata", "available": "2024-06-01",
      "references": "https://xeno-canto.org/900001",
      "accessURI": "https://xeno-canto.org/900001/download", "sonogramURL": "", "audioFile": "",
    ]
    #expect(row == expected)
    let empty = Dictionary(zip(table[0], table[2]), uniquingKeysWith: { first, _ in first }).filter
    { !$0.value.isEmpty }
    #expect(
      empty == [
        "id": "900002", "catalogue": "xeno-canto", "allowsCommercialUse": "false",
        "allowsDerivatives": "false",
        "credit": "no licence given",
      ])
  }

  /// A detail that is not in the tables is lost to everybody who reads them: obscured places were,
  /// and were taken for exact ones.
  @Test func `every detail is in a tidy column`() throws {
    let row = RecordingRow(recording: Written.recording("1"), details: Self.whole)
    let cells = Set(TidyColumn.all.compactMap { row.value(of: $0.column).text() })
    // The length of a preview is in playlists and labels, which are of the audio file. An interval
    // takes the place of the date. Annotations are one JSON text. Further names decide which
    // species it is, which has a column.
    let others = [
      "preview", "eventInterval", "annotations", "acceptedNames", "storedSpecies", "acceptedName",
      "shownName",
    ]
    for (name, value) in Mirror(reflecting: Self.whole).children where !others.contains(name ?? "")
    {
      let texts = Self.texts(value)
      #expect(!texts.isEmpty, "\(name ?? "") has no value here: give it one in `whole`")
      #expect(cells.isSuperset(of: texts), "\(name ?? "") is in no column")
    }
  }

  /// Details with another value in every property.
  private static let whole: RecordingDetails = {
    var details = RecordingDetails()
    details.scientificName = "Psittacus erithacus minor"
    details.taxonRank = "subspecies"
    details.issues = [.captive]
    details.informationWithheld = "The nest"
    details.kingdom = "Animalia"
    details.phylum = "Chordata"
    details.taxonClass = "Aves"
    details.order = "Psittaciformes"
    details.family = "Psittacidae"
    details.genus = "Psittacus"
    details.specificEpithet = "erithacus"
    details.infraspecificEpithet = "minor"
    details.vernacularName = "Grey Parrot"
    details.group = "birds"
    details.recordedBy = "Ana Silva"
    details.country = "Gabon"
    details.countryCode = "GA"
    details.locality = "Lopé"
    details.coordinate = RecordingDetails.Coordinate(latitude: -0.5, longitude: 11.25)
    details.coordinateUncertaintyInMeters = 27_500
    details.dataGeneralizations = "the place is obscured"
    details.elevation = 210
    details.eventDate = PartialDate("2024-05-17")
    details.eventTime = PartialDate.TimeOfDay("07:30")
    details.behavior = ["flight call"]
    details.sex = ["female"]
    details.lifeStage = ["adult"]
    details.quality = .b
    details.seconds = 95.5
    details.sampleRate = 48_000
    details.samplingProtocol = "field recording"
    details.licence = RecordingDetails.Licence(creativeCommonsCode: "by-sa", version: "4.0")
    details.rightsHolder = "Ana Holder"
    details.occurrenceRemarks = "A remark."
    details.associatedTaxa = ["Corythaeola cristata"]
    details.available = PartialDate("2024-06-01")
    details.pageAddress = "https://xeno-canto.org/900001"
    details.audioAddress = "https://xeno-canto.org/900001/download"
    details.sonogramAddress = "https://xeno-canto.org/900001.png"
    details.catalogNumber = "XC900001"
    details.alsoIn = RecordingID(catalogue: .gbif, value: "4711")
    details.basisOfRecord = "HUMAN_OBSERVATION"
    details.occurrenceID = "https://example.org/occurrence/7"
    details.datasetKey = "b1047888-ae52-4179-9dd5-5448ea342a24"
    details.datasetName = "Example dataset"
    details.datasetID = "https://doi.org/10.15468/example"
    return details
  }()

  /// What must be in a table of a property's value; nothing for `nil` and an empty list.
  private static func texts(_ value: Any) -> [String] {
    switch value {
    case let licence as RecordingDetails.Licence:
      [licence.name, licence.address].compactMap(\.self)
    case let coordinate as RecordingDetails.Coordinate:
      [DecimalText.text(coordinate.latitude), DecimalText.text(coordinate.longitude)]
    case let number as Double: [DecimalText.text(number)]
    case let quality as RecordingDetails.Quality: [quality.rawValue]
    case let texts as [String]: texts
    case let issues as [RecordingDetails.Issue]: issues.map(\.rawValue)
    case let optional where Mirror(reflecting: optional).displayStyle == .optional:
      Mirror(reflecting: optional).children.first.map { texts($0.value) } ?? []
    default: [String(describing: value)]
    }
  }

  @Test func `every column has a name of its own, and a detail's terms a letter of its own`() {
    let names =
      TidyColumn.all.map { $0.name.lowercased() } + ["audio", "lists", "leftlists", "firstseenat"]
    #expect(Set(names).count == names.count)
    let headings =
      DetailColumn.allCases.map { $0.heading.lowercased() } + ["source", "left", "first seen"]
    #expect(Set(headings).count == headings.count)
    // `l`, `s` and `w` are the licence, the catalogue and words (`SearchTermKey`).
    let letters = DetailColumn.allCases.compactMap(\.indexKey) + "lsw".utf8
    #expect(
      Set(letters).count == letters.count
        && letters.allSatisfy { (0x61...0x7A).contains($0 | 0x20) })
    // 9 is when a recording was stored (`SearchIndexColumn`).
    let numbers = DetailColumn.allCases.compactMap(\.indexColumn) + [9]
    #expect(Set(numbers).count == numbers.count)
  }

  @Test func `a JSON file has the provenance, the recordings and up to which number they go`()
    throws
  {
    let text = try Written.text(
      .json, [Written.full, Written.empty], columns: try Written.columns("id,year"))
    let expected = """
      {"query":"parrot","recordings":[
      {"id":"900001","year":2024},
      {"id":"900002","year":null}
      ],"upTo":{"catalogNumber":"XC900001","uploaded":"2024-06-01"}}

      """
    #expect(text == expected)
  }

  @Test func `cells that a spreadsheet would run are marked, and numbers stay numbers`() throws {
    let rows = [Written.full, Written.hostile("=1+1", number: 1), Written.hostile("@x", number: 2)]
    let columns = try Written.columns("recordedBy,decimalLatitude")
    #expect(
      try Written.text(.csv, rows, columns: columns, isSpreadsheetSafe: true)
        == "\u{FEFF}recordedBy,decimalLatitude\r\nAna Silva,-0.5\r\n'=1+1,-0.5\r\n'@x,-0.5\r\n")
  }

  @Test func `columns are named in any case and refused where they are unknown or repeated`() throws
  {
    #expect(try Written.columns("eventdate, ID").map(\.name) == ["eventDate", "id"])
    #expect(throws: SelectionError.self) { try Written.columns("eventDay") }
    let twice = #expect(throws: UserFacingError.self) { try Written.columns("id,id") }
    #expect(twice?.problem == "--columns has \"id\" twice")
    #expect(throws: UserFacingError.self) { try Written.columns(" , ") }
  }

  /// `CHIRPER_RECORD=1` writes the file again.
  @Test func `docs/table-schema.json describes the columns`() throws {
    let file = BuiltProgram.repository.appending(path: "docs/table-schema.json")
    // One line a field, so that a change shows as a change of that line.
    let lines = TidyColumn.all.map { "    " + TableSchema.field($0).text }
    let schema = """
      {
        "fields": [
      \(lines.joined(separator: ",\n"))
        ],
        "missingValues":[""],"primaryKey":["catalogue","id"]
      }

      """
    if ProcessInfo.processInfo.environment["CHIRPER_RECORD"] != nil {
      try Data(schema.utf8).write(to: file)
    }
    #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self) == schema)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
    let fields = try #require(object["fields"] as? [[String: Any]])
    #expect(fields.map { $0["name"] as? String } == TidyColumn.all.map(\.name))
    #expect(object["primaryKey"] as? [String] == ["catalogue", "id"])
  }

  @Test func `docs/formats.md explains every column and format`() throws {
    let file = BuiltProgram.repository.appending(path: "docs/formats.md")
    let document = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    for column in TidyColumn.all {
      #expect(document.contains("`\(column.name)`"), "\(column.name)")
    }
    for format in RecordFormat.exported {
      #expect(document.contains("`\(format.name)`"), "\(format.name)")
    }
  }
}

@Suite struct DecimalTextTests {
  @Test(arguments: [
    (0, "0"), (-0.0, "0"), (12, "12"), (-8.65, "-8.65"), (0.1, "0.1"), (1e-5, "0.00001"),
    (-1.25e-7, "-0.000000125"),
    (1e20, "100000000000000000000"),
    (1.5e17, "150000000000000000"), (123_456.789, "123456.789"),
    (179.999_999_999_999_97, "179.99999999999997"),
  ])
  func `numbers have no exponent`(number: Double, text: String) {
    #expect(DecimalText.text(number) == text)
    #expect(Double(DecimalText.text(number)) == number)
  }

  @Test func `every number is read back`() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      let number = Double(bitPattern: random.next())
      guard number.isFinite, abs(number) < 1e60, abs(number) > 1e-60 else { continue }
      let text = DecimalText.text(number)
      #expect(Double(text) == number && !text.contains("e"), "\(number)")
    }
  }
}

@Suite struct ExportSummaryTests {
  @Test func `the highest number, the last upload and the licences are found`() {
    var summary = ExportSummary()
    for (number, day) in [
      ("XC999", "2024-01-01"), ("XC1000", "2023-05-05"), ("none", "2024-01"), ("sample:7", ""),
    ] {
      var details = RecordingDetails()
      details.catalogNumber = number
      details.available = PartialDate(day)
      details.licence =
        number == "none" ? nil : RecordingDetails.Licence(creativeCommonsCode: "by", version: "4.0")
      summary.add(
        RecordingRow(recording: Written.recording(number), details: details), wasWritten: true)
    }
    summary.add(Written.full, wasWritten: false)
    #expect(summary.written == 4 && summary.leftOut == 1)
    #expect(summary.upToText == "up to XC1000, uploaded 2024-01-01")
    #expect(summary.upTo.text == #"{"catalogNumber":"XC1000","uploaded":"2024-01-01"}"#)
    #expect(summary.licenceCounts.map(\.name) == ["CC BY 4.0", "no licence given"])
  }
}
