import ChirperTestSupport
import Testing

/// The columns of `list` in a pipe, which has all of them.
struct TableColumnsTests {
  private static let results = #"""
    {"resultCount":2,"results":[
    {"wrapperType":"track","kind":"song","trackId":11,"collectionId":7,"trackName":"Sample song","artistName":"Sample singer"},
    {"wrapperType":"audiobook","collectionId":7,"collectionName":"Sample book","artistName":"Sample reader"}]}
    """#

  @Test func `iTunes rows have the id that play takes, as their last column in a pipe`() throws {
    let server = try ScriptedServer { _ in .json(200, Self.results) }
    try withProgram(["CHIRPER_ITUNES_URL": server.url.absoluteString]) { program in
      let fetched = try program.run("fetch", "sample", "--source", "itunes")
      #expect(fetched.status == 0)
      #expect(
        try program.run("list", "sample").output == """
          Track\tArtist\tCollection\tKind\tReleased\tGenre\tPrice\tCurrency\tType\tID
          Sample song\tSample singer\t\tsong\t\t\t\t\ttrack\ttrack-11
          \tSample reader\tSample book\t\t\t\t\t\taudiobook\taudiobook-7

          """)
      #expect(
        try program.run("list", "sample", "--columns", "ID,Track", "--limit", "1").output
          == "ID\tTrack\ntrack-11\tSample song\n")
      #expect(
        try program.run("list", "sample", "--sort", "-ID", "--limit", "1", "--columns", "Artist")
          .output.hasSuffix("singer\n"))
      #expect(
        try program.run("export", "sample", "--columns", "ID", "--limit", "1").output
          == "id\r\ntrack-11\r\n")
    }
  }

  @Test func `a heading of a detail is a name of its column without a catalogue too`() throws {
    try withParrots { program in
      let found = try program.run(
        "search", "source:sample", "--columns", "English name", "--sort", "English name")
      #expect(found.status == 0 && found.output.hasPrefix("Name\n"), "\(found)")
    }
  }

  @Test func `in a pipe the table keeps its columns in their order, and the licence is the last`()
    throws
  {
    try withParrots { program in
      let lines = try program.run("list", "parrot", "--limit", "1").output.split(separator: "\n")
      #expect(
        lines[0]
          == "ID\tEnglish name\tCountry\tType\tQ\tLength\tDate\tRecordist\tGenus\tSpecies\tPlace\tLicence"
      )
      #expect(lines[1].hasSuffix("\tsample"))
    }
  }
}
