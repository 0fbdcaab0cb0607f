import ChirperTestSupport
import Foundation
import Testing

/// What people and programs see of a sync that needs no walk.
@Suite struct SyncWithoutWalkTests {
  @Test
  func
    `the summary names the pages read again, and the list shows within which time every page was read`()
    throws
  {
    let rows = (1...14).map { FakeXenoCanto.Record($0, "alba", uploaded: "2020-01-\(10 + $0)") }
    let catalogue = try FakeXenoCanto(records: rows, rowsPerPage: 3)
    try withProgram(catalogue.variables) { program in
      try program.run("fetch", "parrot", "--all")
      let sync = try program.run("sync", "parrot")
      #expect(
        sync.error.hasSuffix(
          """
          0 new, 0 changed, 0 gone, according to the catalogue's uploads and its total; page 2 was read again
          parrot: 14 of 14 rows, 5 of 5 pages, complete; every page read within a day

          """))
      let list = try program.run("list", "parrot")
      let origin =
        "14 recordings from xeno-canto, fetched just now, checked just now, complete; every page read within a day\n"
      #expect(list.error.writtenAtOnce == origin)
      let json = try program.run("sync", "--json")
      #expect(json.output.contains(#""recheckedPages":[3],"#))
      #expect(json.output.contains(#","oldestReadAt":"20"#))
      #expect(json.output.contains(#""completeness":"complete","#))
      try program.run("fetch", "parrot", "--all")
      #expect(
        try program.run("list", "parrot").error.writtenAtOnce
          == "14 recordings from xeno-canto, fetched just now, complete\n")
    }
  }
}
