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
    #expect((report.claim.rows, report.claim.silent, report.claim.unreadable) == (4, 1, 2))
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
    #expect(throws: QueryError.importedOnly(catalogue: "Macaulay Library")) {
      try repository.query("blackbird", in: .macaulay)
    }
    let rows = try repository.rows(of: report.lists[0].query, in: 0..<1)
    let locked = try LockedRecording(rows[0], repository.details(of: rows[0]), volatile: [])
    #expect(locked.isOfDetails && !locked.mayBePassedOn)
  }
}
