import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperStore

/// A database that is not quite ours: links, named pipes, foreign tables, triggers.
@Suite(.serialized)
struct OddDatabaseTests {
  private func expectRepaired(_ program: BuiltProgram, rows: Int?) throws {
    let repair = try program.run(
      "/usr/bin/timeout", ["120", BuiltProgram.path, "doctor", "--repair"], input: "")
    #expect(repair.status == 0 && repair.output.hasPrefix("repair       kept "), "\(repair)")
    #expect(try StoreInspector(program).check("repaired").first?.count == rows)
    #expect(
      try program.run("fetch", "parrot", "--source", "sample", "--per-page", "50", "--pages", "3")
        .status == 0)
    #expect(try StoreInspector(program).check("fetched again").first?.count == 150)
  }

  @Test func `a link that leads nowhere is no database, and nothing is created where it leads`()
    throws
  {
    try withProgram { program in
      let inspector = StoreInspector(program)
      try FileManager.default.createDirectory(
        at: inspector.directory, withIntermediateDirectories: true)
      let target = program.path("elsewhere.sqlite")
      try FileManager.default.createSymbolicLink(
        atPath: inspector.file, withDestinationPath: target)
      try expectRefused(program, 78, "it is a link to a file that does not exist")
      #expect(try program.run("doctor", "--repair").status == 78)
      #expect(!FileManager.default.fileExists(atPath: target))
    }
    try withProgram { program in
      let directory = StoreInspector(program).directory.path
      let target = program.path("elsewhere")
      try FileManager.default.createDirectory(
        atPath: program.path(".local/share"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: directory, withDestinationPath: target)
      try expectRefused(program, 78, "the directory \(directory) cannot be created")
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }

  @Test
  func `a named pipe with the database's name is not waited for, and a repair moves it aside`()
    throws
  {
    try withProgram { program in
      let inspector = StoreInspector(program)
      try FileManager.default.createDirectory(
        at: inspector.directory, withIntermediateDirectories: true)
      #expect(mkfifo(inspector.file, 0o600) == 0)
      try expectRefused(program, 65, "it is a named pipe, not a database")
      try expectRepaired(program, rows: nil)
    }
  }

  @Test(arguments: ["-journal", "-wal", "-shm"])
  func `a named pipe with a journal's name is not waited for, and a repair moves it aside`(
    suffix: String
  ) throws {
    try withParrots { program in
      #expect(mkfifo(StoreInspector(program).file + suffix, 0o600) == 0)
      try expectRefused(
        program, 65, "chirper.sqlite\(suffix): the database is damaged (it is a named pipe, ")
      try expectRepaired(program, rows: 150)
    }
  }

  /// What another program did to an empty file.
  struct ForeignFile: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sql: String
    let sentence: String
    var isRepairable = true
  }

  @Test(arguments: [
    ForeignFile(
      testDescription: "version 0 with tables", sql: "CREATE TABLE t (x)",
      sentence: "the database of a different program",
      isRepairable: false),
    ForeignFile(
      testDescription: "our id, version 0, with tables",
      sql: "CREATE TABLE t (x); PRAGMA application_id = \(RecordingStore.applicationID)",
      sentence: "its header has chirper's application id but no version"),
    ForeignFile(
      testDescription: "our id alone",
      sql: "PRAGMA application_id = \(RecordingStore.applicationID)",
      sentence: "its header has chirper's application id but no version"),
    ForeignFile(
      testDescription: "our id and version without tables",
      sql:
        "PRAGMA application_id = \(RecordingStore.applicationID); PRAGMA user_version = \(Migrations.all.count)",
      sentence: "it has none of chirper's tables"),
  ])
  func `a file with parts of our header is refused`(file: ForeignFile) throws {
    try withProgram { program in
      let inspector = StoreInspector(program)
      try FileManager.default.createDirectory(
        at: inspector.directory, withIntermediateDirectories: true)
      try #require(RawDatabase.execute(file.sql, in: inspector.file))
      try expectRefused(program, 65, file.sentence)
      if file.isRepairable {
        try expectRepaired(program, rows: nil)
      } else {
        #expect(try program.run("doctor", "--repair").status == 65)
      }
    }
  }

  @Test(arguments: [
    "CREATE TRIGGER evil AFTER INSERT ON recording BEGIN INSERT INTO ran VALUES (1); DELETE FROM query; END",
    "CREATE TRIGGER evil BEFORE UPDATE ON page BEGIN INSERT INTO ran VALUES (1); END",
    "CREATE VIEW evil AS SELECT * FROM recording", "CREATE INDEX evil ON entry (abs(page))",
  ])
  func `triggers, views and indexes of others are never used, and a repair removes them`(
    sql: String
  ) throws {
    try withParrots { program in
      let file = StoreInspector(program).file
      try #require(RawDatabase.execute("CREATE TABLE ran (x); \(sql)", in: file))
      try expectRefused(program, 65, "\"evil\" was not created by chirper")
      #expect(RawDatabase(file).table("ran").isEmpty)
      try expectRepaired(program, rows: 150)
      #expect(
        RawDatabase(file).rows("SELECT name FROM sqlite_schema WHERE name IN ('evil', 'ran')")
          .isEmpty)
    }
  }

  @Test func `a condition that someone changed is never run, and a repair removes it`() throws {
    try withParrots { program in
      let file = StoreInspector(program).file
      try #require(
        RawDatabase.execute(
          """
          PRAGMA writable_schema = 1;
          UPDATE sqlite_schema SET sql = replace(sql, 'skipped >= 0', 'skipped >= 0 * length(hex(zeroblob(400000000)))')
          """, in: file))
      try expectRefused(program, 65, "the table \"page\" is not as chirper created it")
      try expectRepaired(program, rows: 150)
    }
  }

  @Test func `a table that someone added does no harm and stays`() throws {
    try withParrots { program in
      let file = StoreInspector(program).file
      try #require(
        RawDatabase.execute("CREATE TABLE note (x); CREATE INDEX note_x ON note (x)", in: file))
      #expect(
        try program.run("fetch", "parrot", "--source", "sample", "--per-page", "50", "--pages", "4")
          .status == 0)
      #expect(try StoreInspector(program).check("beside a note").first?.count == 200)
      #expect(
        RawDatabase(file).rows("SELECT name FROM sqlite_schema WHERE tbl_name = 'note'").count == 2)
    }
  }

  @Test func `a page with an impossible number ends commands with 65, and a repair keeps its rows`()
    throws
  {
    try withParrots { program in
      let number = Int64.max
      try #require(
        RawDatabase.execute(
          """
          PRAGMA ignore_check_constraints = 1;
          UPDATE page SET number = \(number), next = NULL WHERE number = 3; UPDATE entry SET page = \(number) WHERE page = 3
          """, in: StoreInspector(program).file))
      try CommandForm.writeFiles(for: program)
      for form in try CommandForm.all(of: "sample") where form.isPlain {
        let result = try program.run(BuiltProgram.path, form.words, input: "")
        let readsPages =
          ["list", "news", "sync", "export", "doctor"].contains(form.command)
          || form.words.contains("parrot") && form.command != "search"
        #expect(
          readsPages
            ? result.status == 65
              && (result.output + result.error).contains("impossible number \(number)")
            : result.status < 128, "\(form): \(result)")
      }
      try expectRepaired(program, rows: 150)
    }
  }

  @Test(arguments: [
    "SET unreadable = 'x' || char(10) || '-1 a' || char(10) || '99999999999999999999 b'",
    "SET row_count = 9223372036854775807, silent_count = 9223372036854775807",
    "SET row_count = -5, unreadable_count = -9223372036854775808",
    "SET made_on = char(27) || '[2J', title = char(8238), doi = '../x'",
    "SET citations = CAST(x'FF00FE' AS TEXT), rights = CAST(x'C3' AS TEXT)",
    "SET title = hex(zeroblob(1000000)), unreadable = hex(zeroblob(1000000))",
  ])
  func `a claim that someone changed is shown, and the next import mends it`(sql: String) throws {
    try withProgram { program in
      try GBIFDownload([.init(1), .init(2)]).write(to: program.path("download"))
      #expect(try program.run("import", "download").status == 0)
      try #require(
        RawDatabase.execute(
          "PRAGMA ignore_check_constraints = 1; UPDATE import \(sql)",
          in: StoreInspector(program).file))
      for command in [
        ["list"], ["list", "--json"], ["export", GBIFDownload.doi, "--json", "-o", "x.csv"],
        ["sync"], ["doctor"], ["import", "download"],
      ] {
        let result = try program.run(
          "/usr/bin/timeout", ["60", BuiltProgram.path] + command, input: "")
        // A count below zero is one that the table does not allow.
        #expect(
          result.status == 0 || command == ["doctor"] && sql.contains("-5") && result.status == 65,
          "\(command): \(result)")
        #expect(!(result.output + result.error).contains("\u{1B}"), "\(command): \(result)")
      }
      let list = try StoreInspector(program).stored()
      #expect(list?.imported?.rows == 2 && list?.imported?.doi == GBIFDownload.doi)
    }
  }

  @Test func `a table with other columns ends every command with 65`() throws {
    try withParrots { program in
      try #require(
        RawDatabase.execute(
          "ALTER TABLE entry RENAME COLUMN position TO place", in: StoreInspector(program).file))
      try expectRefused(
        program, 65, "the table \"entry\" is not as chirper created it", hasOptions: true)
    }
  }

  @Test func `a repair through a link replaces the file, and the link stays`() throws {
    try withParrots { program in
      let inspector = StoreInspector(program)
      let real = program.path("real.db")
      try FileManager.default.moveItem(atPath: inspector.file, toPath: real)
      try FileManager.default.createSymbolicLink(atPath: inspector.file, withDestinationPath: real)
      #expect(try inspector.check("through a link").first?.count == 150)
      var bytes = try Data(contentsOf: URL(filePath: real))
      bytes.replaceSubrange(0..<100, with: Data(count: 100))
      try bytes.write(to: URL(filePath: real))
      #expect(try program.run("list").status == 65)
      let repair = try program.run("doctor", "--repair")
      #expect(
        repair.status == 0 && repair.output.contains("the damaged file is now \(real).damaged-"),
        "\(repair)")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: inspector.file) == real)
      #expect(try inspector.check("repaired through a link").first?.count == 150)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: inspector.directory.path).sorted() == [
          "chirper.sqlite", "locks",
        ])
    }
  }

  @Test(arguments: [
    "CHIRPER_DATA_DIR", "CHIRPER_CONFIG_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME",
  ])
  func `a path that is not UTF-8 is refused, and no other directory is used`(variable: String)
    throws
  {
    try withProgram { program in
      for command in ["fetch parrot --source sample", "list", "doctor", "auth clear"] {
        let result = try program.shell(
          #"export \#(variable)="$(printf '%s/x\377' "$HOME")"; "$chirper" \#(command)"#)
        #expect(result.status == 78, "\(command): \(result)")
        #expect(
          result.error.contains("the path is not valid UTF-8 (\(variable))."),
          "\(command): \(result)")
      }
      let inside = try program.shell(
        #"d="$(printf 'x\377')"; mkdir "$d"; cd "$d"; CHIRPER_DATA_DIR=data "$chirper" fetch parrot --source sample"#
      )
      #expect(inside.status == 78, "\(inside)")
      let left = try program.shell("ls -A | grep -v '^run-' | wc -l; ls -A x* | wc -l")
      #expect(left.output.split(whereSeparator: \.isWhitespace) == ["1", "0"], "\(left)")
    }
  }
}
