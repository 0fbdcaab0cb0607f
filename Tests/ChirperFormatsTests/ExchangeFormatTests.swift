import Chirper
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperFormats

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The formats that other programs read. `scripts/check formats` reads them with such programs.
@Suite struct ExchangeFormatTests {
  private let lines = Written.provenance.lines

  @Test
  func `provenance names the query, the catalogue, the time, the completeness and the program`() {
    #expect(
      lines == [
        "Query: parrot, sent as en:\"parrot\"", "Catalogue: xeno-canto (https://xeno-canto.org)",
        "Fetched: 2026-09-21T14:13:20Z",
        "Completeness: 2 of 2 rows, 1 of 1 page, complete",
        "As of when a recording was stored or last changed: annotation-set.set_creation_date",
        "Written by: chirper \(ProgramVersion.current)",
      ])
  }

  @Test func `GeoJSON has a point where the place is known, else no geometry`() throws {
    let text = try Written.text(
      .geojson, [Written.full, Written.empty], columns: try Written.columns("id"))
    #expect(
      text == """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","id":"xeno-canto:900001","geometry":{"type":"Point","coordinates":[11.61234,-0.5]},"properties":{"id":"900001"}},
        {"type":"Feature","id":"xeno-canto:900002","geometry":null,"properties":{"id":"900002"}}
        ],"provenance":{"query":"parrot","upTo":{"catalogNumber":"XC900001","uploaded":"2024-06-01"}}}

        """)
    let obscured = try Written.text(.geojson, [Written.full])
    #expect(
      obscured.contains(
        #""coordinateUncertaintyInMeters":27500.5,"dataGeneralizations":"the place is obscured""#))
    let hostile = try Written.text(.geojson, Written.hostileRows)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(hostile.utf8)) as? [String: Any])
    #expect((object["features"] as? [Any])?.count == Written.hostile.count)
  }

  @Test func `GPX has a waypoint for each recording with a place, in the order of the schema`()
    throws
  {
    let text = try Written.text(.gpx, [Written.full, Written.empty])
    let waypoints = text.split(separator: "\n").filter { $0.hasPrefix("<wpt") }
    #expect(
      waypoints == [
        """
        <wpt lat="-0.5" lon="11.61234"><ele>210</ele><name>XC900001 Grey Parrot (Psittacus erithacus)</name>\
        <cmt>First line second line</cmt><desc>call, flight call; 2024-05 07:30; Lopé, river bank; Gabon; \
        place uncertain by 27500.5 m; the place is obscured; Ana Silva, XC900001, CC BY-NC-SA 4.0</desc><src>xeno-canto</src><link href="https://xeno-canto.org/900001"/>\
        <link href="https://xeno-canto.org/900001/download"><text>audio</text></link><type>birds</type></wpt>
        """
      ])
    #expect(text.contains("<time>2026-09-21T14:13:20Z</time></metadata>"))
    #expect(text.hasSuffix("<!-- up to XC900001, uploaded 2024-06-01 -->\n</gpx>\n"))
  }

  @Test func `hostile text stays text in XML`() throws {
    let names = try ElementTexts.of("name", in: try Written.text(.gpx, Written.hostileRows))
    // The first is that of the file.
    #expect(names.count == 1 + Written.hostile.count)
    for (name, text) in zip(names.dropFirst(), Written.hostile) {
      let line = PlainLine.text(text)
      if let line { #expect(name.contains(line.trimmingCharacters(in: .whitespaces)), "\(name)") }
      #expect(!name.unicodeScalars.contains(where: PlainLine.isControl))
    }
    for text in Written.hostile {
      let value = XMLText.escaped(text)
      let read = try ElementTexts.of(
        "x", in: "<?xml version=\"1.0\"?><x a=\"\(value)\">\(value)</x>")
      let allowed = String.UnicodeScalarView(
        text.unicodeScalars.map {
          ($0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0))
            || $0.value & 0xFFFE == 0xFFFE && $0.value < 0x10000
            ? "\u{FFFD}" : $0
        })
      #expect(read.map { Array($0.unicodeScalars) } == [Array(allowed)])
    }
  }

  @Test func `a comment of XML cannot be closed from inside`() {
    #expect(XMLText.comment("a-->b--c-") == "<!-- a- ->b- -c- -->")
  }

  /// The recording without its annotation.
  private func plain(_ row: RecordingRow) -> RecordingRow {
    var details = row.details
    details.annotations = []
    return RecordingRow(
      recording: row.recording, details: details, audioPath: row.audioPath)
  }

  private func annotated(_ annotations: RecordingDetails.Annotation...) -> RecordingRow {
    var details = Written.full.details
    details.annotations = annotations
    return RecordingRow(
      recording: Written.full.recording, details: details, audioPath: "/data/900001.mp3")
  }

  private func annotation(
    _ from: Double?, _ to: Double?, _ low: Double? = nil, _ high: Double? = nil,
    _ species: String? = "Psittacus erithacus", _ types: [String] = ["song"]
  ) -> RecordingDetails.Annotation {
    var annotation = RecordingDetails.Annotation()
    (annotation.startTime, annotation.endTime) = (from, to)
    (annotation.lowFrequency, annotation.highFrequency) = (low, high)
    (annotation.scientificName, annotation.behavior) = (species, types)
    return annotation
  }

  @Test func `Raven gets a selection for each annotation, in a sequence of files`() throws {
    var label = annotation(10, 11, 3000, nil, nil, ["call", "alarm call"])
    (label.identifiedBy, label.remarks) = ("C. Dan", "far\taway")
    let rows = [
      annotated(
        annotation(0.5, 1.25, 1000, 5000.5), annotation(90, 99, nil, nil, "Corvus corax", [])),
      annotated(), annotated(label),
    ]
    let text = try Written.text(.raven, rows)
    let cells = text.split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    let credit = ["XC900001", "Ana Silva, XC900001, CC BY-NC-SA 4.0"]
    let end = credit + ["", ""]
    let file = ["900001.mp3", "/data/900001.mp3"]
    let own = ["Psittacus erithacus", "Psittacus erithacus", "Grey Parrot", "1.0"]
    #expect(
      cells == [
        ["1", "Spectrogram 1", "1", "0.5", "1.25", "1000.0", "5000.5"] + file + ["0.5"] + own + [
          "song"
        ] + end,
        // It ends with its file, and its name is that of the list of birds.
        ["2", "Spectrogram 1", "1", "90.0", "95.5", "0.0", "24000.0"] + file
          + ["90.0", "Corvus corax", "Corvus corax", "Northern Raven", "1.0", ""] + end,
        ["3", "Spectrogram 1", "1", "95.5", "191.0", "0.0", "24000.0"] + file + ["0.0"] + own
          + ["call, flight call"] + end,
        ["4", "Spectrogram 1", "1", "201.0", "202.0", "3000.0", "24000.0"] + file
          + ["10.0", "", "", "unknown", "1.0", "call, alarm call"] + credit
          + ["C. Dan", "far away"],
      ])
  }

  @Test
  func
    `what selects nothing of the sound is left out, and all of the sound is selected if nothing is left`()
    throws
  {
    let nothing = [
      annotation(nil, nil), annotation(1, nil), annotation(2, 2), annotation(500, 501),
    ]
    for count in 1...nothing.count {
      var details = Written.full.details
      details.annotations = Array(nothing.prefix(count))
      let row = RecordingRow(recording: Written.full.recording, details: details)
      #expect(try Written.text(.audacity, [row]) == "0.0\t95.5\t\(audacityLabel)\n")
      details.annotations.append(annotation(3, 4))
      let some = RecordingRow(recording: Written.full.recording, details: details)
      #expect(try Written.text(.audacity, [some]).hasPrefix("3.0\t4.0\t"))
      var summary = ExportSummary()
      some.describe(in: &summary)
      #expect(summary.annotationsWithoutTimes == count)
      #expect(
        summary.soundLines(.raven) == [
          "\(count == 1 ? "1 annotation" : "\(count) annotations") left out, without a beginning and an end in the sound"
        ])
      #expect(summary.soundLines(.csv).isEmpty)
    }
  }

  @Test(arguments: [(8000, 4000), (44_100, 22_050), (nil, nil)] as [(Int?, Double?)])
  func
    `a selection of Raven ends at half the sample rate of the file, and one above it is left out`(
      rate: Int?, highest: Double?
    ) throws
  {
    var row = annotated(
      annotation(1, 2, 1000, 12_000), annotation(3, 4, 30_000, 40_000), annotation(5, 6, 500, 600))
    var details = row.details
    details.sampleRate = rate
    row = RecordingRow(recording: row.recording, details: details, audioPath: row.audioPath)
    let rows = try Written.text(.raven, [row, plain(row)]).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)[3...6].joined(separator: " ")
    }
    let above = highest == nil ? ["3.0 4.0 30000.0 40000.0"] : []
    #expect(
      rows == ["1.0 2.0 1000.0 \(min(12_000, highest ?? 12_000))"] + above + [
        "5.0 6.0 500.0 600.0", "95.5 191.0 0.0 \(highest ?? 24_000)",
      ])
    var summary = ExportSummary()
    row.describe(in: &summary)
    #expect(summary.annotationsAbove == (highest == nil ? 0 : 1))
    #expect(
      summary.soundLines(.raven)
        == (highest == nil
          ? [] : ["1 annotation left out, above half the sample rate of the file"]))
    #expect(summary.soundLines(.audacity).isEmpty)
  }

  @Test func `the sample rate is that of the kept file, whatever the catalogue says`() throws {
    var details = RecordingDetails()
    details.sampleRate = 48_000
    // The last begins after the file's end.
    details.annotations = [annotation(0.5, 1, 1000, 9000), annotation(2.1, 2.5, 1000, 2000)]
    details.mediaDuration = .seconds(3)
    try withSilence(seconds: 2) { path throws in
      let row = RecordingRow(
        recording: Written.empty.recording, details: details, audioPath: path)
      let text = try Written.text(.raven, [row])
      #expect(text.contains("\t0.5\t1.0\t1000.0\t4000.0\t"))
      #expect(text.split(separator: "\n").count == 2)
      var summary = ExportSummary()
      row.describe(in: &summary)
      #expect(summary.annotationsWithoutTimes == 1)
    }
  }

  @Test func `Audacity gets a label for each annotation, and files follow each other`() throws {
    let rows = [
      annotated(annotation(0.5, 1.25), annotation(2, 3, nil, nil, "Corvus corax", ["call"])),
      annotated(annotation(1, 2, nil, nil, nil, [])),
    ]
    let credit = "Ana Silva, XC900001, CC BY-NC-SA 4.0"
    #expect(
      try Written.text(.audacity, rows) == """
        0.5\t1.25\tGrey Parrot (Psittacus erithacus), song, \(credit)
        2.0\t3.0\tCorvus corax, call, \(credit)
        96.5\t97.5\t\(credit)

        """)
  }

  private let audacityLabel =
    "Grey Parrot (Psittacus erithacus), call, flight call, Ana Silva, XC900001, CC BY-NC-SA 4.0"

  @Test func `labels have the length of the kept file if the catalogue sends none`() throws {
    try withSilence(seconds: 2) { path throws in
      let row = RecordingRow(
        recording: Written.empty.recording, details: RecordingDetails(), audioPath: path)
      #expect(try Written.text(.audacity, [row]).hasPrefix("0.0\t2.0\t"))
      #expect(try Written.text(.raven, [row]).contains("\t0.0\t2.0\t0.0\t4000.0\t"))
    }
  }

  private func preview(of seconds: Double?) -> RecordingRow {
    var details = Written.full.details
    details.preview = .init(seconds: seconds)
    return RecordingRow(recording: Written.full.recording, details: details)
  }

  @Test func `labels have the length of the audio file, which may be a preview`() throws {
    let (known, unknown) = (preview(of: 30), preview(of: nil))
    #expect(
      try Written.text(.audacity, [known, unknown, known].map(plain)).hasSuffix(
        "\n30.0\t60.0\t" + audacityLabel + "\n"))
    let selections = try Written.text(.raven, [known, unknown].map(plain)).split(separator: "\n")
    #expect(selections.count == 2 && selections[1].contains("\t0.0\t30.0\t0.0\t"))
    #expect(
      try Written.text(.csv, [known], columns: try Written.columns("mediaDuration"))
        == "mediaDuration\r\n95.5\r\n")
  }

  @Test func `a BibTeX entry has the recordist, the date, the page and the licence`() throws {
    let text = try Written.text(.credits(.bibtex), [Written.full])
    #expect(
      text.contains(
        """

        @misc{XC900001,
          author = {Ana Silva},
          title = {{Grey Parrot (Psittacus erithacus), call, flight call}},
          year = {2024},
          date = {2024-05},
          address = {Lopé, river bank, Gabon},
          howpublished = {Sound recording, xeno-canto, XC900001},
          url = {https://xeno-canto.org/900001},
          urldate = {2026-09-21},
          note = {CC BY-NC-SA 4.0}
        }

        """))
  }

  @Test func `datasets are cited with the number of their recordings`() throws {
    let rows = [("1", "doi:10.15468/a_b"), ("2", "doi:10.15468/a_b"), ("3", "17")].map {
      id, dataset in
      var details = RecordingDetails()
      details.datasetKey =
        id == "3" ? "b1047888-ae52-4179-9dd5-5448ea342a24" : "50c9509d-22c7-4a22-a47d-8c48425ef4a7"
      details.datasetName = ["1": nil, "2": "Example {sounds}"][id] ?? nil
      details.datasetID = dataset
      return RecordingRow(recording: Written.recording(id), details: details)
    }
    #expect(
      try Written.text(.credits(.bibtex), rows).hasSuffix(
        #"""

        @misc{dataset:50c9509d-22c7-4a22-a47d-8c48425ef4a7,
          title = {{Example \textbraceleft{}sounds\textbraceright{}}},
          doi = {10.15468/a_b},
          url = {https://doi.org/10.15468/a_b},
          urldate = {2026-09-21},
          howpublished = {Dataset, GBIF},
          note = {2 recordings}
        }

        @misc{dataset:b1047888-ae52-4179-9dd5-5448ea342a24,
          title = {{b1047888-ae52-4179-9dd5-5448ea342a24}},
          url = {https://www.gbif.org/dataset/b1047888-ae52-4179-9dd5-5448ea342a24},
          urldate = {2026-09-21},
          howpublished = {Dataset, GBIF},
          note = {1 recording}
        }

        """#))
    let address = "https://www.gbif.org/dataset/b1047888-ae52-4179-9dd5-5448ea342a24"
    #expect(
      try Written.text(.credits, rows).contains(
        """
        Dataset: Example {sounds} (https://doi.org/10.15468/a_b), 2 recordings
        Dataset: b1047888-ae52-4179-9dd5-5448ea342a24 (\(address)), 1 recording

        """))
  }

  @Test func `credits name every recordist, number and licence`() throws {
    let text = try Written.text(.credits, [Written.full, Written.empty])
    let expected =
      """
      Sound recordings: parrot, from xeno-canto

      Grey Parrot (Psittacus erithacus): Ana Silva, XC900001, CC BY-NC-SA 4.0
          https://xeno-canto.org/900001
          https://creativecommons.org/licenses/by-nc-sa/4.0/
      900002: no licence given

      Licences: CC BY-NC-SA 4.0: 1, no licence given: 1

      """ + lines.joined(separator: "\n") + "\nRange: up to XC900001, uploaded 2024-06-01\n"
    #expect(text == expected)
    let markdown = try Written.text(.credits(.markdown), [Written.full])
    #expect(
      markdown.contains(
        "- [Grey Parrot \\(Psittacus erithacus\\)](https://xeno-canto.org/900001): Ana Silva, XC900001, CC BY-NC-SA 4.0 ([licence]("
      ))
  }

  @Test func `hostile text is no markup in a page and in Markdown`() throws {
    let html = try Written.text(.credits(.html), Written.hostileRows)
    #expect(!html.contains("<script") && !html.contains("<img") && !html.contains("</name>"))
    #expect(html.matches(of: /<li><a href="/).count == Written.hostile.count)
    let markdown = try Written.text(.credits(.markdown), Written.hostileRows)
    #expect(
      !markdown.contains("<") && !markdown.contains("](javascript") && !markdown.contains("![i]"))
    #expect(markdown.matches(of: /(?m)^- \[/).count == Written.hostile.count)
    for scalar in (html + markdown).unicodeScalars where scalar != "\n" {
      #expect(!PlainLine.isControl(scalar))
    }
    var unlinked = RecordingDetails()
    unlinked.vernacularName = "12. parrots"
    #expect(
      try Written.text(
        .credits(.markdown), [RecordingRow(recording: Written.recording("1"), details: unlinked)]
      ).contains(
        "\n- 12\\. parrots: "))
  }
}

/// The texts of all elements of a name, as an XML parser reads them.
private final class ElementTexts: NSObject, XMLParserDelegate {
  private let wanted: String
  private var texts: [String] = []
  private var current: String?

  private init(_ name: String) {
    wanted = name
  }

  static func of(_ name: String, in xml: String) throws -> [String] {
    let parser = XMLParser(data: Data(xml.utf8))
    let delegate = ElementTexts(name)
    parser.delegate = delegate
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    return delegate.texts
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    if name == wanted { current = "" }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    current?.append(text)
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard name == wanted, let current else { return }
    texts.append(current)
    self.current = nil
  }
}
