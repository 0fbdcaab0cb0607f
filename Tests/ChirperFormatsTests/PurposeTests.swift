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

  private func isFit(_ purpose: Chirper.Selection.Purpose, _ licence: RecordingDetails.Licence?)
    -> Bool
  {
    var (report, details) = (PurposeReport([purpose]), RecordingDetails())
    details.licence = licence
    return report.count(details)
  }

  @Test func `an unknown licence allows nothing, and CC0 everything`() {
    for purpose in [Chirper.Selection.Purpose.commercial, .derivatives] {
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
    ("commercial", Chirper.Selection.Purpose.commercial), ("precise", .precise(metres: 1000)),
    ("precise:500", .precise(metres: 500)),
    ("precise:", nil), ("precise:0", nil), ("precise:+5", nil), ("precise:5m", nil),
    ("commercial:5", nil), ("", nil),
  ])
  func `purposes are read as they are typed`(typed: String, purpose: Chirper.Selection.Purpose?) {
    #expect(Chirper.Selection.Purpose(typed) == purpose)
    if let purpose { #expect(Chirper.Selection.Purpose(purpose.text) == purpose) }
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
