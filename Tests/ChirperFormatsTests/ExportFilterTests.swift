import ChirperModel
import ChirperTestSupport
import Testing

@testable import Chirper
@testable import ChirperFormats

@Suite struct PurposeTests {
  private func licence(_ code: String) -> RecordingDetails.Licence? {
    RecordingDetails.Licence(creativeCommonsCode: code, version: "4.0")
  }

  @Test(arguments: [
    ("by", true, true), ("by-sa", true, true), ("by-nd", true, false), ("by-nc", false, true),
    ("by-nc-sa", false, true),
    ("by-nc-nd", false, false),
  ])
  func `each licence allows what its letters say`(code: String, commercial: Bool, derivatives: Bool)
  {
    #expect(isFit(.commercial, licence(code)) == commercial)
    #expect(isFit(.derivatives, licence(code)) == derivatives)
  }

  private func isFit(_ purpose: Export.Purpose, _ licence: RecordingDetails.Licence?) -> Bool {
    var (report, details) = (PurposeReport([purpose]), RecordingDetails())
    details.licence = licence
    return report.count(details)
  }

  @Test func `an unknown licence allows nothing, and CC0 everything`() {
    for purpose in [Export.Purpose.commercial, .derivatives] {
      #expect(!isFit(purpose, nil))
      #expect(!isFit(purpose, RecordingDetails.Licence(other: "All rights reserved")))
      #expect(
        isFit(
          purpose,
          RecordingDetails.Licence(creativeCommons: "//creativecommons.org/publicdomain/zero/1.0/"))
      )
    }
  }

  @Test func `0,0 is a place of no catalogue, and the equator is one`() {
    for (latitude, longitude, uncertainty, isFit) in [
      (0.0, 0.0, nil, false), (0.0, 0.0, 10.0, false), (-0.0, 0.0, nil, false),
      (0.0, 30.0, nil, true), (51.5, 0.0, nil, true),
    ] as [(Double, Double, Double?, Bool)] {
      var (report, details) = (PurposeReport([.precise(metres: 1000)]), RecordingDetails())
      details.coordinate = RecordingDetails.Coordinate(latitude: latitude, longitude: longitude)
      details.coordinateUncertaintyInMeters = uncertainty
      #expect(report.count(details) == isFit, "\(latitude) \(longitude)")
      #expect(
        isFit
          || report.lines == ["1 row left out, because the place is not certain to 1000 m: 0,0: 1"])
    }
  }

  @Test func `what is left out is counted and explained`() {
    var report = PurposeReport([.commercial, .derivatives])
    let kept = [
      licence("by-nc-nd"), licence("by-nc-nd"), licence("by-nd"), nil, licence("by"),
      RecordingDetails.Licence(other: "mine\u{1B}"),
    ]
    .filter {
      var details = RecordingDetails()
      details.licence = $0
      return report.count(details)
    }
    #expect(kept == [licence("by")])
    #expect(
      report.lines == [
        """
        5 rows left out, because the licence does not allow commercial use and changed versions: \
        CC BY-NC-ND 4.0: 2, no licence given: 1, CC BY-ND 4.0: 1, mine: 1
        """,
        "NC: not for commercial use. ND: no changed versions. Without a known licence nothing is allowed.",
      ])
    #expect(PurposeReport([.commercial]).lines.isEmpty)
  }

  @Test(arguments: [
    ("commercial", Export.Purpose.commercial), ("precise", .precise(metres: 1000)),
    ("precise:500", .precise(metres: 500)),
    ("precise:", nil), ("precise:0", nil), ("precise:+5", nil), ("precise:5m", nil),
    ("commercial:5", nil), ("", nil),
  ])
  func `purposes are read as they are typed`(typed: String, purpose: Export.Purpose?) {
    #expect(Export.Purpose(typed) == purpose)
    if let purpose { #expect(Export.Purpose(purpose.text) == purpose) }
  }

  @Test
  func `uncertain and obscured places are left out, and those of which nobody says it are counted`()
  {
    func details(_ metres: Double?, _ generalized: String? = nil, isKnown: Bool = true)
      -> RecordingDetails
    {
      var details = RecordingDetails()
      details.coordinate = isKnown ? RecordingDetails.Coordinate(latitude: 1, longitude: 2) : nil
      details.coordinateUncertaintyInMeters = metres
      details.dataGeneralizations = generalized
      return details
    }
    var doubted = details(3)
    doubted.issues = [.date, .coordinate]
    let all = [
      details(1000), details(1000.5), details(nil), details(nil, "obscured"),
      details(12, "something withheld"), details(31_189, "obscured"),
      details(5, isKnown: false), doubted,
    ]
    var report = PurposeReport([.precise(metres: 1000)])
    #expect(
      all.map { report.count($0) } == [true, false, true, false, true, false, false, false])
    #expect(
      report.lines == [
        "5 rows left out, because the place is not certain to 1000 m: uncertain: 2, "
          + "doubted by the catalogue: 1, no coordinates: 1, obscured: 1",
        "1 row not left out, of which the catalogue does not say how certain the place is",
      ])
    var both = PurposeReport([.commercial, .precise(metres: 10)])
    #expect(all.map { both.count($0) }.contains(true) == false)
    #expect(
      both.leftOut == 8 && both.words == "licence allows commercial use, place certain to 10 m")
  }
}

@Suite struct EarlierExportTests {
  private let catalogue = Catalogues.defaultCatalogue

  private func earlier(_ text: String, catalogue: Catalogue? = nil, inPiecesOf size: Int = 1 << 18)
    throws -> EarlierExport
  {
    var rest = Array(text.utf8)[...]
    return try EarlierExport(name: "old", catalogue: catalogue ?? self.catalogue) {
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }
  }

  private func gone(_ text: String, met: [String] = [], inPiecesOf size: Int = 1 << 18) throws
    -> [String]
  {
    var earlier = try self.earlier(text, inPiecesOf: size)
    let known = met.map { earlier.remove(RecordingID(catalogue: catalogue.id, value: $0)) }
    #expect(!known.contains(false))
    let others = [(catalogue.id, "not there"), (.sample, met.first ?? "")].map {
      earlier.remove(RecordingID(catalogue: $0.0, value: $0.1))
    }
    #expect(others == [false, false])
    return earlier.gone.map(\.value)
  }

  @Test(arguments: [
    "id,en\r\n10,a\r\n9,\"b\r\n\"\"c\"\"\"\r\n100,d\r\n",
    "\u{FEFF}en,id\r\nx,10\r\n\"y,z\",9\r\n,100",
    "en\tid\n\\t\t10\nb\\n\t9\nc\t100\n",
    "catalogue,id\nxeno-canto,10\nxeno-canto,9\nxeno-canto,100\n",
    #"{"query":"x","recordings":["# + "\n" + #"{"id":"10"},"# + "\n"
      + #"{"en":{"id":"7"},"id":"9"},{"id":100}"# + "\n" + #"]}"#
      + "\n",
    #"{"id":"10","a":[1]}"# + "\n" + #"{"id":"9"}"# + "\n\n"
      + #"{"catalogue":"xeno-canto","id":"100"}"#,
    #"{ "sources" : [ {"id":"7"} , {} ], "recordings" : [ {"id":"10","x":"]}\""} , {"x":[{}],"id":9} ] } {"id":"100"}"#,
    #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"x:10","properties":{"id":"10","catalogue":"xeno-canto"}},"#
      + #"{"id":"x:9","properties":{"id":"9"}},{"id":"x:100","properties":{"id":"100"}}],"provenance":{}}"#,
  ])
  func `ids are read from every format that has them`(text: String) throws {
    for size in [1, 3, 7, 1000] {
      #expect(try gone(text, inPiecesOf: size) == ["9", "10", "100"])
      #expect(try gone(text, met: ["10", "9"], inPiecesOf: size) == ["100"])
    }
  }

  @Test(arguments: ["", " \n", "id\n", #"{"recordings":[]}"#])
  func `an export without rows is empty`(text: String) throws {
    #expect(try gone(text).isEmpty)
  }

  @Test(arguments: [
    "en,rec\na,b\n", "{\"recordings\":[{\"en\":\"x\"}]}", "{\"recordings\":[{\"id\":\"1\"}",
    "{\"id\":\"1\"}\n{\"id\":",
    "id,en\n,x\n", "PK\u{3}\u{4}", "{\"id\":\"1\"}}", "{\"id\":\"1\"}x", "{\"id\":\"1\n",
    "id\n1\n\"2\n3\n", "id\n\"1\"\"",
  ])
  func `a file that is not an export is refused`(text: String) {
    #expect(throws: UserFacingError.self) { try earlier(text) }
    #expect(throws: UserFacingError.self) { try earlier(text, inPiecesOf: 1) }
  }

  @Test func `a row that never ends is refused before it fills the memory`() {
    for start in [
      "id,en\n1,\"", "id", "{\"id\":\"1", "{\"recordings\":[{\"id\":\"", "{\"recordings\":[1,",
    ] {
      var (read, isFirst) = (0, true)
      #expect(throws: UserFacingError.self) {
        try EarlierExport(name: "old", catalogue: catalogue) {
          defer { isFirst = false }
          read += 1 << 20
          return isFirst ? Array(start.utf8) : [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20)
        }
      }
      #expect(read < 80 << 20, "\(start)")
    }
  }

  @Test(
    .enabled(if: LinearTime.isMeasured),
    arguments: [
      ("id,en\n", "1,\"a\"\"b\"\n"), ("id,en\n1,\"", "long "), ("id,en\n1,\"", "\"\""),
      ("id,en\n1", ",\","), ("id,en\n1,", "x\""),
      ("id\ten\n", "1\ta\\tb\n"), ("id\ten\n1\t", "\\"), ("", "id"), ("id", ","),
      ("id,en\n1", "\r"),
      ("{\"recordings\":[", "{\"id\":1},"),
      ("{\"id\":\"", "\\\""), ("{\"id\":", "[{\"a\":1},"),
      ("{\"recordings\":[{\"id\":1},", "\"recordings\":["),
      ("", "{\"id\":\"1\"}\n"),
      ("{", "\""), ("{\"x\":", "[ "),
    ])
  func `time is in proportion to the file`(start: String, part: String) {
    for size in [1 << 18, 100] {
      let excess = LinearTime.excess(100_000) {
        start + String(repeating: part, count: $0 / part.utf8.count)
      } _: {
        _ = try? earlier($0, inPiecesOf: size)
      }
      #expect(excess == nil)
    }
  }

  @Test(arguments: Catalogues.all)
  func `raw ids are refused if the catalogue's id field is not the recording's`(
    catalogue: Catalogue
  ) throws {
    if catalogue.sendsIDs {
      #expect(try earlier("id\n1\n", catalogue: catalogue).gone.map(\.value) == ["1"])
    } else {
      for text in ["id\n1\n", "{\"id\":1}\n"] {
        #expect(throws: UserFacingError.self) { try earlier(text, catalogue: catalogue) }
      }
    }
    var tidy = try self.earlier("id,catalogue\n1,\(catalogue.id)\n", catalogue: catalogue)
    let wasThere = tidy.remove(RecordingID(catalogue: catalogue.id, value: "1"))
    #expect(wasThere)
  }
}
