import ChirperTestSupport
import Foundation
import Testing

/// Rows that their catalogue doubts, and copies of recordings, on a terminal.
@Suite(.serialized) struct DoubtsAndCopiesTests {
  /// One recording of xeno-canto, and GBIF's list of two: its copy, whose place GBIF doubts, and
  /// one of GBIF's own.
  private func home() throws -> TestHome {
    let records = [
      #""datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","catalogNumber":"XC7","#
        + #""issues":["ZERO_COORDINATE"],"key":1,"vernacularName":"Parrot""#,
      #""catalogNumber":"own 2","key":2,"vernacularName":"Parrot""#,
    ].map { #"{\#($0),"media":[{"type":"Sound","identifier":"https://x.example/1.mp3"}]}"# }
    let rows = records.joined(separator: ",")
    let list = #"{"offset":0,"limit":100,"endOfRecords":true,"count":2,"results":[\#(rows)]}"#
    let catalogue = try FakeXenoCanto(["7"]) { request, _ in
      request.path == "/v1/occurrence/search" ? .json(200, list) : nil
    }
    let home = try TestHome(catalogue.server.url, also: ["CHIRPER_GBIF_URL"])
    #expect(try home.terminal("fetch", "parrot").exitStatus() == 0)
    #expect(try home.terminal("fetch", Self.taxon, "--source", "gbif").exitStatus() == 0)
    return home
  }

  private static let taxon = "https://www.gbif.org/species/42"
  private static let note =
    "!: the catalogue doubts something of that row; --columns id,issues shows what"

  @Test func `a line says what the mark of a table means, if it is on a terminal`() throws {
    let home = try home()
    for arguments in [["list", Self.taxon], ["search", "parrot", "--copies", "yes"]] {
      let lines = try home.terminal(arguments).raw(untilExit: 10).split(whereSeparator: \.isNewline)
      #expect(lines.count { $0.contains("! ") } == 1, "\(lines)")
      #expect(lines.filter { $0 == Self.note }.count == 1, "\(lines)")
    }
    // Without copies the doubted row is not there.
    for arguments in [["list", "parrot"], ["search", "parrot"], ["search", "--", "-issue:any"]] {
      let text = try home.terminal(arguments).raw(untilExit: 10)
      #expect(text.contains("arrot") && !text.contains("!"), "\(text)")
    }
    let piped = try home.shell("'\(PseudoTerminal.program)' list '\(Self.taxon)' | cat")
    let text = piped.raw(untilExit: 10)
    #expect(text.contains("Parrot") && !text.contains("!"), "\(text)")
  }

  @Test func `a search of everything stored in browse leaves copies out and counts them`() throws {
    let home = try home()
    let terminal = try home.terminal("browse")
    #expect(terminal.shows("42"))
    terminal.type("sparrot\r")
    #expect(terminal.shows("2 of 3 recordings"))
    #expect(terminal.shows("without 1 copy of them"))
    // A search that does not find the original shows its copy, and who has it too.
    terminal.type("s")
    terminal.type("parrot source:gbif\r")
    let isShown = terminal.wait {
      $0.text.contains("2 of 3 recordings") && !$0.text.contains("without")
    }
    #expect(isShown, "\(terminal.screen.text)")
    terminal.type("g\r")
    #expect(terminal.shows("also in xeno-canto 7"))
    #expect(terminal.shows("the catalogue doubts: coordinate"))
    terminal.type("qq")
    #expect(terminal.exitStatus() == 0)
  }
}
