import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

/// The program is killed at a system call that writes, at each of them in turn
/// (Tests/PROMISES.md).
@Suite(.serialized, .enabled(if: SystemFaults.hasStrace, SystemFaults.needsStrace))
struct KillTests {
  private static let writes = ["pwrite64", "fdatasync,fsync", "unlink,ftruncate,write"]
  private static let migrationProbe = BuiltProgram.path(ofProduct: "MigrationProbe")
  private static let before = (1...8).map { "\($0)" }

  @Test
  func
    `a fetch killed at any write leaves a sound store, and the next one ends as if nothing had happened`()
    throws
  {
    let catalogue = try FakeXenoCanto(Self.before)
    try withProgram(catalogue.variables) { empty in
      let tried = try Injection.atEvery(Self.writes, fault: "signal=KILL") { injection in
        try withCopy(of: empty, catalogue.variables) { program in
          let (_, touched) = try injection.run(program, ["fetch", "parrot", "--all"])
          let shown = try StoreInspector(program).check("\(injection)").first ?? []
          #expect(Self.before.starts(with: shown), "\(injection)")
          try Self.expectCleanEnd(
            program, ["fetch", "parrot", "--all"], Self.before, "\(injection)")
          return touched
        }
      }
      print("kill points of a fetch: \(tried)")
      #expect(tried >= 40)
    }
  }

  @Test
  func `a sync killed at any write loses no row, and the next one ends as if nothing had happened`()
    throws
  {
    let catalogue = try FakeXenoCanto(Self.before)
    try withProgram(catalogue.variables) { full in
      #expect(try full.run("fetch", "parrot", "--all").status == 0)
      let after = ["0", "1", "2", "4", "5", "6", "7", "8"]
      catalogue.ids = after
      let tried = try Injection.atEvery(Self.writes, fault: "signal=KILL") { injection in
        try withCopy(of: full, catalogue.variables) { program in
          let (_, touched) = try injection.run(program, ["sync", "parrot"])
          let shown = try StoreInspector(program).check("\(injection)").first ?? []
          // A row leaves only once a finished walk did not find it.
          #expect(Set(shown).isSuperset(of: Set(Self.before).intersection(after)), "\(injection)")
          try Self.expectCleanEnd(program, ["sync", "parrot"], after, "\(injection)")
          return touched
        }
      }
      print("kill points of a sync: \(tried)")
      #expect(tried >= 20)
    }
  }

  @Test
  func `an import killed at any write leaves a sound store, and the same command ends it`() throws {
    try withProgram { empty in
      let download = GBIFDownload((1...1050).map { .init($0) })
      try download.write(to: empty.path("download"))
      let tried = try Injection.atEvery(Self.writes, fault: "signal=KILL") { injection in
        try withCopy(of: empty, [:]) { program in
          let folder = empty.path("download")
          let (_, touched) = try injection.run(program, ["import", folder])
          let shown = try StoreInspector(program).check("\(injection)").first ?? []
          #expect([0, 500, 1000, 1050].contains(shown.count), "\(injection): \(shown.count)")
          let result = try program.run("import", folder)
          #expect(result.status == 0, "\(injection): \(result)")
          let list = try StoreInspector(program).stored()
          #expect(list?.count == 1050 && list?.completeness == .imported, "\(injection)")
          let files = try FileManager.default.contentsOfDirectory(
            atPath: program.path(".local/share/chirper"))
          #expect(!files.contains { $0.contains("import") }, "\(injection): \(files)")
          return touched
        }
      }
      print("kill points of an import: \(tried)")
      #expect(tried >= 20)
    }
  }

  @Test func `forget killed at any write leaves the list whole or removes it whole`() throws {
    let catalogue = try FakeXenoCanto((1...10).map { "\($0)" }, rowsPerPage: 20, size: 3000)
    try withProgram(catalogue.variables) { full in
      #expect(try full.run("fetch", "parrot", "--all").status == 0)
      catalogue.ids = (11...50).map { "\($0)" }
      #expect(try full.run("fetch", "finch", "--all").status == 0)
      let tried = try Injection.atEvery(Self.writes, fault: "signal=KILL") { injection in
        try withCopy(of: full, catalogue.variables) { program in
          let (_, touched) = try injection.run(program, ["forget", "finch", "--yes"])
          let lists = try StoreInspector(program).check("\(injection)").map(\.count).sorted()
          #expect(lists == [10] || lists == [10, 40], "\(injection): \(lists)")
          #expect(
            [0, 66].contains(try program.run("forget", "finch", "--yes").status), "\(injection)")
          #expect(
            try StoreInspector(program).check("\(injection)").map(\.count) == [10], "\(injection)")
          return touched
        }
      }
      print("kill points of forget: \(tried)")
      #expect(tried >= 20)
    }
  }

  @Test
  func
    `a sync without a walk that is killed at any write loses no row, and the next one completes it`()
    throws
  {
    let rows = (1...14).map { FakeXenoCanto.Record($0, "alba", uploaded: "2020-01-\(10 + $0)") }
    let catalogue = try FakeXenoCanto(records: rows, rowsPerPage: 3)
    try withProgram(catalogue.variables) { full in
      #expect(try full.run("fetch", "parrot", "--all").status == 0)
      let before = catalogue.ids
      catalogue.change { rows in
        for number in [20, 21] { rows.append(.init(number, "alba", uploaded: "2021-01-01")) }
      }
      let tried = try Injection.atEvery(Self.writes, fault: "signal=KILL") { injection in
        try withCopy(of: full, catalogue.variables) { program in
          let (_, touched) = try injection.run(program, ["sync", "parrot"])
          let shown = try StoreInspector(program).check("\(injection)").first ?? []
          // The additions are inserted together, or not at all.
          #expect(shown == before || shown == catalogue.ids, "\(injection)")
          try Self.expectCleanEnd(program, ["sync", "parrot"], catalogue.ids, "\(injection)")
          return touched
        }
      }
      print("kill points of a sync without a walk: \(tried)")
      #expect(tried >= 15)
    }
  }

  @Test(arguments: [true, false])
  func `a migration killed at any write leaves the old file or the new`(startsWithFile: Bool) throws
  {
    try withProgram { empty in
      if startsWithFile {
        // An empty file, as a program killed before its first write leaves it.
        try FileManager.default.createDirectory(
          at: StoreInspector(empty).directory, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: StoreInspector(empty).file, contents: nil))
      }
      let arguments = startsWithFile ? ["list"] : ["play", "1"]
      let tried = try Injection.atEvery(Self.writes, fault: "signal=KILL") { injection in
        try withCopy(of: empty, [:]) { program in
          let (_, touched) = try injection.run(program, arguments)
          let result = try program.run("doctor", "--json")
          #expect(result.status == 0, "\(injection): \(result)")
          #expect(
            try program.run("fetch", "parrot", "--source", "sample", "--per-page", "20").status
              == 0, "\(injection)")
          #expect(
            try StoreInspector(program).check("\(injection)").first?.count == 20, "\(injection)")
          return touched
        }
      }
      print("kill points of a migration: \(tried)")
      #expect(tried >= 10)
    }
  }

  @Test func `an older store whose migration is killed at any write keeps every row`() throws {
    try withProgram { older in
      #expect(
        try older.run("fetch", "parrot", "--source", "sample", "--per-page", "20", "--pages", "2")
          .status == 0)
      let before = try StoreInspector(older).check("fetched")
      #expect(before.first?.count == 40)
      let sql = """
        ALTER TABLE recording ADD COLUMN note TEXT;
        UPDATE recording SET note = id;
        CREATE INDEX recording_note ON recording (note);
        DROP INDEX arrival_query;

        """
      let version = Int64(Migrations.all.count)
      try Data(sql.utf8).write(to: URL(filePath: older.path("9999_add_note.sql")))
      let tried = try Injection.atEvery(Self.writes, fault: "signal=KILL") { injection in
        try withCopy(of: older, [:]) { program in
          let arguments = [StoreInspector(program).directory.path, older.path("9999_add_note.sql")]
          let (_, touched) = try injection.run(program, arguments, executable: Self.migrationProbe)
          if RawDatabase(StoreInspector(program).file).table("pragma_user_version") == [
            [.int(version)]
          ] {
            #expect(try StoreInspector(program).check("\(injection)") == before, "\(injection)")
          }
          let again = try program.run(Self.migrationProbe, arguments, input: "")
          #expect(again.status == 0, "\(injection): \(again)")
          let database = RawDatabase(StoreInspector(program).file)
          #expect(database.table("pragma_integrity_check") == [[.text("ok")]], "\(injection)")
          #expect(database.table("pragma_user_version") == [[.int(version + 1)]], "\(injection)")
          let ids = database.rows(
            "SELECT id FROM entry JOIN recording USING (recording_id) WHERE note = id ORDER BY page, position"
          )
          #expect(ids == before[0].map { [.text($0)] }, "\(injection)")
          return touched
        }
      }
      print("kill points of a migration of an older store: \(tried)")
      #expect(tried >= 5)
    }
  }

  @Test(arguments: ["signal=KILL", "error=ENOSPC", "error=EIO"])
  func `a search that fails at any write of the search index finds everything, then and later`(
    fault: String
  ) throws {
    let catalogue = try FakeXenoCanto((1...1100).map { "\($0)" }, rowsPerPage: 500)
    try withProgram(catalogue.variables) { full in
      #expect(try full.run("fetch", "parrot", "--all").status == 0)
      let search = ["search", "sample q:A -1000", "--json", "--columns", "id", "--sort", "-id"]
      let expected = try full.run(BuiltProgram.path, search, input: "")
      #expect(expected.status == 0 && expected.output.contains("\"matched\":1099"), "\(expected)")
      // As after an upgrade of a program without the index.
      let empty = "PRAGMA foreign_keys = ON; DELETE FROM search_segment; DELETE FROM search_change"
      try #require(RawDatabase.execute(empty, in: StoreInspector(full).file))
      let tried = try Injection.atEvery(["pwrite64", "fdatasync,fsync", "unlink"], fault: fault) {
        injection in
        try withCopy(of: full, catalogue.variables) { program in
          let (result, touched) = try injection.run(program, search)
          // What is not in the index is read: without room the search is only slower.
          if fault != "signal=KILL" {
            #expect(result.output == expected.output, "\(injection): \(result)")
          }
          try StoreInspector(program).check("\(injection)")
          let later = try program.run(BuiltProgram.path, search, input: "")
          #expect(later.output == expected.output, "\(injection): \(later)")
          return touched
        }
      }
      print("writes of the search index that failed with \(fault): \(tried)")
      #expect(tried >= 20)
    }
  }

  private static func expectCleanEnd(
    _ program: BuiltProgram, _ arguments: [String], _ ids: [String], _ what: String
  ) throws {
    let result = try program.run(BuiltProgram.path, arguments, input: "")
    #expect(result.status == 0, "\(what): \(result.error)")
    let inspector = StoreInspector(program)
    #expect(try inspector.check(what) == [ids], "\(what)")
    // A kill after the last write leaves a complete list, which the next run reads a second time.
    let completeness = try inspector.stored()?.completeness
    #expect(completeness == .complete || completeness == .verified, "\(what)")
  }
}
