import Chirper
import ChirperModel
import ChirperTestSupport
import ChirperTesting
import Foundation
import Testing

@testable import ChirperFormats

/// Files that the Macaulay Library exports.
@Suite struct MacaulayImportTests {
  private static let heading =
    "\u{FEFF}ML Catalog Number,Format,Common Name,Scientific Name,Background Species,Recordist,Date,Year,Month,Day,Time,"
    + "Country,Country-State-County,State,County,Locality,Latitude,Longitude,Age/Sex,Behaviors,Captive,Unconfirmed,Media notes"

  private func imported(_ lines: [String]) async throws -> (RecordingRepository, ImportReport) {
    let program = try BuiltProgram()
    defer { program.remove() }
    let path = program.path("ML__2026-11-20.csv")
    try (([Self.heading] + lines).joined(separator: "\r\n") + "\r\n").write(
      toFile: path, atomically: true, encoding: .utf8)
    let repository = try RecordingRepository.inMemory(dependencies: ManualClock().dependencies())
    let source = try ImportFile.source(path, catalogues: repository.known)
    return (repository, try await repository.importRows(of: source, named: source.listName))
  }

  @Test func `a file is a list of recordings without sound and with all rights reserved`()
    async throws
  {
    let (repository, report) = try await imported([
      #"123456,Audio,Common Blackbird,Turdus merula merula,"Parus major, Sitta europaea",Ann Lee,2019-05-12,2019,5,12,0630,"#
        + #"Poland,PL-MZ-001,Mazowieckie,x,"Wood, ""A""",52.1,21.2,Adult Male - 1,Song; Call,No,,"two"#
        + "\r\n" + #"lines""#,
      "7,Photo,x,y,,z,,,,,,,,,,,,,,,,,", "x,Audio,x,y,,z,,,,,,,,,,,,,,,,,", "short,Audio",
    ])
    let list = try #require(report.lists.first)
    #expect(report.lists.count == 1 && list.query.catalogue.rawValue == "macaulay")
    #expect((report.claim.rows, report.claim.silent, report.claim.unreadable) == (4, 2, 2))
    #expect(report.claim.unread.map(\.line) == [5, 6])
    let rows = try repository.rows(of: list.query, in: 0..<1)
    let details = repository.details(of: try #require(rows.first))
    #expect(details.catalogNumber == "ML123456" && details.scientificName == "Turdus merula merula")
    #expect(details.pageAddress == "https://macaulaylibrary.org/asset/123456")
    #expect(details.audioAddress == nil && details.licence?.name == "All rights reserved")
    #expect(details.licence?.isOpen == false)
    #expect(details.eventDate?.description == "2019-05-12")
    #expect(details.eventTime?.description == "06:30")
    #expect(details.countryCode == "PL" && details.locality == #"Wood, "A""#)
    #expect(details.coordinate?.latitude == 52.1)
    #expect(details.behavior == ["song", "call"] && details.sex == ["male"])
    #expect(details.lifeStage == ["adult"] && details.occurrenceRemarks == "two\r\nlines")
    #expect(details.associatedTaxa == ["Parus major", "Sitta europaea"])
    let found = try repository.recording(typed: "ML123456")
    #expect(found?.id.value == "123456")
  }

  @Test func `a newer file shows what is different`() async throws {
    let files = try ImportedFiles()
    func names(_ line: String) async throws -> [String?] {
      let heading = "ML Catalog Number,Format,Common Name,Scientific Name,Date\n1,Audio,"
      let report = try await files.file(Array((heading + line + "\n").utf8))
      let details = try files.details(report)[0]
      return [details.scientificName, details.vernacularName, details.eventDate?.description]
    }
    _ = try await names("Common Blackbird,Turdus merula merula,2019-05-12")
    #expect(
      try await names("Redwing,Turdus iliacus,2020-05") == ["Turdus iliacus", "Redwing", "2020-05"])
  }

  private static let saved =
    "ML Catalog Number,Format,Scientific Name,Recordist,Time,Latitude,Longitude,Media notes\r\n"
    + "123456,Audio,Turdus merula,Émile Ñandú,630,52.1,21.2,\"a, b; c\"\r\n7,Photo,x,y,,,,\r\n"

  /// A copy of the file as spreadsheets save it.
  @Test(arguments: [",", ";", "\t"])
  func `a file that a spreadsheet saved again is the same`(_ separator: String) async throws {
    let cells = Self.saved.replacing("a, b; c", with: "§").replacing(",", with: separator)
    let text = cells.replacing("§", with: "a, b; c").replacing(
      "52.1", with: separator == ";" ? "52,1" : "52.1")
    let utf16: [UInt8] = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let latin = text.unicodeScalars.map { UInt8($0.value) }
    let saved: [[UInt8]] = [
      Array(text.utf8), [0xEF, 0xBB, 0xBF] + text.utf8, [0xFF, 0xFE] + utf16, latin,
    ]
    for bytes in saved {
      let files = try ImportedFiles()
      let report = try await files.file(bytes)
      let details = try #require(try files.details(report).first)
      #expect(report.claim.unreadable == 0 && report.claim.silent == 1)
      #expect(details.recordedBy == "Émile Ñandú" && details.occurrenceRemarks == "a, b; c")
      #expect(details.coordinate == .init(latitude: 52.1, longitude: 21.2))
      #expect(details.eventTime?.description == "06:30" && details.issues == [])
    }
  }

  @Test func `a byte order mark says the encoding, whatever a row has`() async throws {
    let text = Self.saved.replacing("7,Photo,x,y,", with: "8,Audio,x,§,")
    let bytes: [UInt8] = [0xEF, 0xBB, 0xBF] + text.utf8.map { $0 == 0xA7 ? 0xFF : $0 }
    let files = try ImportedFiles()
    let report = try await files.file(bytes)
    #expect(report.claim.unread.map(\.line) == [3])
    #expect(try files.details(report).map(\.recordedBy) == ["Émile Ñandú"])
  }

  @Test func `the advice for a file without sounds names its own service`() async throws {
    let files = try ImportedFiles()
    func advice(_ import: () async throws -> ImportReport) async -> String {
      do {
        _ = try await `import`()
        return ""
      } catch ImportFailure.noSounds(_, let advice) {
        return advice
      } catch {
        return "\(error)"
      }
    }
    let photos = "ML Catalog Number,Format\n7,Photo\n"
    #expect(await advice { try await files.file(Array(photos.utf8)) }.contains("Macaulay Library"))
    var museum = MuseumArchive(1)
    museum.media[0]["type"] = "StillImage"
    #expect(await advice { try await files.folder(museum.files) }.contains("publisher"))
    let download = GBIFDownload([.init(1, sounds: [])]).files
    #expect(await advice { try await files.folder(download) }.contains("GBIF"))
    let own = "id,catalogue,scientificName\n1,nowhere,x\n"
    #expect(await advice { try await files.file(Array(own.utf8)) }.contains("chirper export"))
  }

  @Test(arguments: [
    ("Larus argentatus/fuscus", nil), ("Anas sp.", nil), ("Anas crecca x carolinensis", nil),
    ("Turdus merula", "species"),
  ])
  func `a name of no species is a name alone`(_ name: String, _ rank: String?) async throws {
    let (repository, report) = try await imported([
      "1,Audio,x,\(name),,z,,,,,,,,,,,,,,,,,"
    ])
    let rows = try repository.rows(of: report.lists[0].query, in: 0..<1)
    let details = repository.details(of: rows[0])
    #expect(details.scientificName == name && details.taxonRank == rank)
  }

  @Test func `nothing asks the library, and no data set for others has its recordings`()
    async throws
  {
    let (repository, report) = try await imported(["1,Audio,x,Turdus merula,,z,,,,,,,,,,,,,,,,,"])
    #expect(throws: QueryError(.importedOnly(catalogue: "Macaulay Library"))) {
      try repository.query("blackbird", in: .macaulay)
    }
    let rows = try repository.rows(of: report.lists[0].query, in: 0..<1)
    let locked = try LockedRecording(rows[0], repository.details(of: rows[0]), volatile: [])
    #expect(locked.isOfDetails && !locked.id.mayBePassedOn(under: locked.licence))
  }
}
