import ChirperTestSupport
import Foundation
import Testing

/// `sync --due`, and the setting that says after how long a list is due.
struct SyncDueTests {
  private func withLists(
    due setting: String, _ body: (BuiltProgram, FakeXenoCanto) throws -> Void
  ) throws {
    let catalogue = try FakeXenoCanto(["1", "2", "3"])
    try withProgram(catalogue.variables) { program in
      let folder = URL(filePath: program.path(".config/chirper"))
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(setting.utf8).write(to: folder.appending(path: "config"))
      for query in ["parrot", "owl"] {
        #expect(try program.run("fetch", query, "--all").status == 0)
      }
      try body(program, catalogue)
    }
  }

  @Test func `what was updated within the time is left alone, without a request`() throws {
    try withLists(due: "") { program, catalogue in
      let before = catalogue.requests.count
      let sync = try program.run("sync", "--due")
      #expect(sync.status == 0 && sync.error == "0 of 2 lists due\n", "\(sync)")
      #expect(catalogue.requests.count == before)
      let json = try program.run("sync", "--due", "--json")
      #expect(json.output == "{\"queries\":[],\"notTried\":[]}\n" && json.error == "", "\(json)")
    }
  }

  @Test func `a list can have a time of its own, and without a terminal there is one line`() throws
  {
    try withLists(due: "due = 30d\ndue = 0s xeno-canto:owl\n") { program, catalogue in
      catalogue.ids = ["4", "1", "2"]
      let sync = try program.run("sync", "--due")
      #expect(
        sync.error == "1 of 2 lists due: 1 new, 0 changed, 1 gone in 1 of 1 list\n", "\(sync)")
      #expect(try program.run("sync", "--due", "--quiet").error == "")
      let news = try program.run("news").output
      #expect(news.hasPrefix("owl (xeno-canto): 1 new, 1 gone\n"), "\(news)")
    }
  }

  @Test func `a list that is not stored is named, and a text that is not a time is an error`()
    throws
  {
    try withLists(due: "due = 1d kea") { program, _ in
      let sync = try program.run("sync", "--due")
      #expect(
        sync.status == 0
          && sync.error.hasPrefix("The setting due names a list that is not stored: kea\n"),
        "\(sync)")
    }
    try withLists(due: "") { program, _ in
      try Data("due = parrot".utf8).write(
        to: URL(filePath: program.path(".config/chirper/config")))
      let sync = try program.run("sync", "--due")
      #expect(sync.status == 78 && sync.error.contains("does not begin with a time"), "\(sync)")
      #expect(sync.error.contains("due = 1d gbif:parrot"), "\(sync)")
    }
  }
}
