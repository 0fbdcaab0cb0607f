import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

/// A database that the program cannot use, and what every command does with it.
@Suite(.serialized)
struct DamagedDatabaseTests {
  /// A damaged store.
  struct DamagedStore: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Rows of `parrot` after the repair.
    let rowsLeft: Int?
    let damage: @Sendable (inout [UInt8]) -> Void
  }

  @Test(arguments: [
    DamagedStore(testDescription: "a zeroed header", rowsLeft: 150) {
      for index in 0..<100 { $0[index] = 0 }
    },
    DamagedStore(testDescription: "a zeroed first page", rowsLeft: 150) {
      for index in 0..<4096 { $0[index] = 0 }
    },
    DamagedStore(testDescription: "a schema of an unknown format", rowsLeft: 150) { $0[47] = 9 },
    DamagedStore(testDescription: "cut in half", rowsLeft: nil) { $0.removeLast($0.count / 2) },
    DamagedStore(testDescription: "a text file", rowsLeft: nil) {
      $0 = Array(String(repeating: "no database ", count: 900).utf8)
    },
    DamagedStore(testDescription: "random bytes after a sound header", rowsLeft: nil) { bytes in
      var random = SeededRandom(seed: 7)
      for index in 100..<bytes.count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
    },
  ])
  func `every command exits with 65, and doctor --repair fixes it`(store: DamagedStore) throws {
    try withParrots { program in
      let inspector = StoreInspector(program)
      var bytes = Array(try Data(contentsOf: URL(filePath: inspector.file)))
      store.damage(&bytes)
      try Data(bytes).write(to: URL(filePath: inspector.file))
      try expectRefused(program, 65, "chirper doctor --repair")
      #expect(
        try program.run("doctor", "--json").output.contains(#"chirper.sqlite","exists":true"#))
      let repair = try program.run("doctor", "--repair")
      #expect(repair.status == 0, "\(repair)")
      #expect(repair.output.hasPrefix("repair       kept "), "\(repair)")
      #expect(
        repair.output.contains("the damaged file is now \(inspector.file).damaged-"), "\(repair)")
      let lost = repair.output.split(separator: "\n").first { $0.contains(" lost ") } ?? ""
      #expect(lost.contains(" at least ") != lost.contains(" 0 rows, "), "\(repair)")
      if let rows = store.rowsLeft { #expect(try inspector.check("repaired").first?.count == rows) }
      #expect(
        try program.run("fetch", "parrot", "--source", "sample", "--per-page", "50", "--pages", "3")
          .status == 0)
      #expect(try inspector.check("fetched again").first?.count == 150)
      let kept = try FileManager.default.contentsOfDirectory(atPath: inspector.directory.path)
        .filter { $0.contains(".damaged-") }
      #expect(
        try kept.map { try Data(contentsOf: inspector.directory.appending(path: $0)) } == [
          Data(bytes)
        ])
    }
  }

  @Test func `a stored query without a page size ends commands with 65 and traps none`() throws {
    try withParrots { program in
      let file = StoreInspector(program).file
      RawDatabase.execute(
        "PRAGMA ignore_check_constraints = 1; UPDATE query SET page_size = 0", in: file)
      for command in ["sync", "list"] {
        let result = try program.run(command)
        #expect(result.status == 65, "\(command): \(result)")
        #expect(result.error.contains("doctor --repair"), "\(command): \(result)")
      }
      #expect(try program.run("doctor", "--repair").status == 0)
      #expect(try program.run("list").status == 0)
    }
  }

  @Test func `a database whose header forbids writing is damaged, and a repair fixes it`() throws {
    try withParrots { program in
      let inspector = StoreInspector(program)
      var bytes = try Data(contentsOf: URL(filePath: inspector.file))
      bytes[18] = 9
      try bytes.write(to: URL(filePath: inspector.file))
      let doctor = try program.run("doctor")
      #expect(
        doctor.status == 65 && doctor.output.contains("its header says that it cannot be written"),
        "\(doctor)")
      #expect(try program.run("doctor", "--repair").status == 0)
      #expect(try inspector.check("repaired").first?.count == 150)
    }
  }

  @Test
  func
    `a list with a recording that is not stored ends commands with 65, and a repair keeps the others`()
    throws
  {
    try withParrots { program in
      let inspector = StoreInspector(program)
      let sql =
        "DELETE FROM recording WHERE recording_id = (SELECT max(recording_id) FROM entry WHERE page = 1)"
      try #require(RawDatabase.execute(sql, in: inspector.file))
      for command in [
        ["list", "parrot"], ["export", "parrot"], ["list", "parrot", "--where", "parrot"],
        ["doctor"],
      ] {
        let result = try program.run(BuiltProgram.path, command, input: "")
        #expect(result.status == 65, "\(command): \(result)")
        #expect(result.error.contains("chirper doctor --repair"), "\(command): \(result)")
      }
      #expect(try program.run("doctor", "--repair").status == 0)
      #expect(try inspector.check("repaired").first?.count == 149)
    }
  }

  @Test(arguments: [
    (
      "DELETE FROM entry WHERE page = 2 AND position > 40", 141,
      "the list parrot has 141 rows that can be read, and 150 by its pages"
    ),
    ("DELETE FROM entry", 0, "the list parrot has 0 rows that can be read, and 150 by its pages"),
    (
      "UPDATE page SET row_count = 52 WHERE number = 3", 150,
      "the list parrot has 150 rows that can be read, and 152 by its pages"
    ),
    (
      // A command that reads a window of the list misses the page, others find too many rows.
      "DELETE FROM page WHERE number = 2", 100, "the list parrot"
    ),
    (
      "UPDATE entry SET page = 3, position = 70 WHERE page = 2 AND position = 7", 150,
      "a page of the list parrot is missing, or has rows of another"
    ),
  ])
  func `a list without all its rows is shown, and is neither exported nor backed up`(
    damage: String, rows: Int, sentence: String
  ) throws {
    try withParrots { program in
      let all = try program.run("export", "parrot", "--format", "jsonl")
      #expect(all.status == 0 && all.output.split(separator: "\n").count == 150)
      try #require(
        RawDatabase.execute(
          "PRAGMA foreign_keys = OFF; \(damage)", in: StoreInspector(program).file))
      let shown = try program.run("list", "parrot", "--format", "jsonl")
      #expect(shown.status == 65 && shown.error.contains(sentence), "\(shown)")
      #expect(shown.error.contains("chirper doctor --repair"), "\(shown)")
      #expect(shown.output.split(separator: "\n").count == rows)
      for command in [
        ["export", "parrot"], ["export", "parrot", "-o", "x.csv"],
        ["export", "parrot", "--where", "source:any"],
        ["export", "parrot", "--new", "7d"], ["export", "parrot", "--gone"],
        ["list", "parrot", "-o", "x.csv"],
        ["export", "parrot", "--audio", "x.zip"], ["backup", "x.sqlite"],
        ["export", "--where", "in:parrot"],
        ["export", "--where", "in:sample:parrot", "-o", "x.csv"],
        ["export", "--where", "source:any"], ["search", "source:any", "-o", "x.csv"],
      ] {
        let result = try program.run(
          BuiltProgram.path, command.map { $0.hasPrefix("x.") ? program.path($0) : $0 }, input: "")
        #expect(result.status == 65 && result.error.contains(sentence), "\(command): \(result)")
        #expect(result.output == "", "\(command)")
        for file in ["x.csv", "x.zip", "x.sqlite", "x.sqlite.audio.tsv"] {
          #expect(
            !FileManager.default.fileExists(atPath: program.path(file)), "\(command): \(file)")
        }
      }
      // These show what there is, and say that it is not all.
      for command in [
        ["news"], ["stats", "parrot", "--by", "country"], ["news", "--details", "parrot"],
        ["search", "in:parrot"], ["stats", "--by", "country", "--where", "in:sample:parrot"],
      ] {
        let result = try program.run(BuiltProgram.path, command, input: "")
        #expect(result.status == 65 && result.error.contains(sentence), "\(command): \(result)")
        #expect(!result.output.isEmpty, "\(command)")
      }
      if rows > 0 {
        let audio = try program.run("play", "parrot", "--source", "sample", "--save")
        #expect(audio.status == 65 && audio.error.contains(sentence), "\(audio)")
        #expect(audio.output.split(separator: "\n").count == rows)
      }
      #expect(try program.run("doctor").status == 65)
      #expect(try program.run("doctor", "--repair").status == 0)
      #expect(try program.run("export", "parrot", "--format", "jsonl").status == 0)
    }
  }

  @Test func `a server says with rows, counts and places that a list lost rows, and exports none`()
    throws
  {
    try withParrots { program in
      try #require(
        RawDatabase.execute(
          "DELETE FROM entry WHERE page = 2 AND position > 40", in: StoreInspector(program).file))
      let server = try program.start(arguments: ["serve", "--port", "0"])
      defer { server.process.interrupt() }
      var found: Int?
      try waitUntil {
        let port = try server.output.split(separator: ":").last
        found = port.flatMap { Int($0.prefix { $0.isNumber }) }
        return found != nil
      }
      let port = try #require(found)
      let sentence = "the list parrot has 141 rows that can be read, and 150 by its pages"
      func get(_ target: String) throws -> RawClient.Answer {
        try #require(RawClient.answer("/api/chirper/\(target)", port: port))
      }
      for target in [
        "rows?list=parrot", "rows?list=parrot&offset=20&limit=5", "rows?q=in:parrot&limit=1",
        "stats?by=country&list=parrot", "map?list=parrot",
      ] {
        let answer = try get(target)
        #expect(answer.status == 200, "\(target): \(answer.text)")
        let damage = answer.json["damage"] as? String
        #expect(damage?.contains(sentence) == true, "\(target): \(answer.text)")
      }
      for target in ["export?list=parrot", "export?q=in:parrot", "export?q=source:any"] {
        let answer = try get(target)
        #expect(answer.status == 500 && answer.text.contains(sentence), "\(target): \(answer.text)")
      }
    }
  }

  @Test func `a list that lost all its pages claims nothing and is not removed`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample", "--all")
      let file = StoreInspector(program).file
      try #require(
        RawDatabase.execute(
          "PRAGMA foreign_keys = OFF; DELETE FROM page; DELETE FROM entry", in: file))
      let lists = try program.run("list", "--json")
      #expect(lists.output.contains(#""completeness":"partial""#), "\(lists)")
      #expect(try program.run("export", "parrot").status == 65)
      try program.run("fetch", "wren", "--source", "sample")
      #expect(try program.run("list", "--json").output.contains(#""query":"parrot""#))
    }
  }

  @Test func `no whole number that a database holds crashes a command`() throws {
    try withParrots { program in
      #expect(try program.run("search", "parrot").status == 0)
      let file = StoreInspector(program).file
      let sound = try Data(contentsOf: URL(filePath: file))
      let columns = RawDatabase(file).rows(
        """
        SELECT tables.name, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND columns.type = 'INTEGER'
        """
      ).compactMap { row in row[0].text.flatMap { table in row[1].text.map { (table, $0) } } }
      #expect(columns.count > 40)
      for (table, column) in columns {
        for number in [Int64.max, .min] {
          try sound.write(to: URL(filePath: file))
          RawDatabase.execute(
            """
            PRAGMA ignore_check_constraints = 1;
            UPDATE OR IGNORE \(table) SET \(column) = \(number) WHERE \(column) = (SELECT max(\(column)) FROM \(table))
            """, in: file)
          for command in [
            ["list", "parrot", "--sort", "date"], ["list", "--json"], ["search", "parrot"],
            ["sync"],
          ] {
            let result = try program.run(BuiltProgram.path, command, input: "")
            #expect(result.status < 128, "\(table).\(column) = \(number), \(command): \(result)")
          }
        }
      }
    }
  }

  @Test
  func `a directory with the database's name ends commands with 65, and a repair moves it aside`()
    throws
  {
    try withProgram { program in
      let inspector = StoreInspector(program)
      try FileManager.default.createDirectory(
        atPath: inspector.file, withIntermediateDirectories: true)
      try expectRefused(program, 65, "chirper doctor --repair", hasOptions: true)
      #expect(try program.run("doctor", "--repair").status == 0)
      #expect(try program.run("fetch", "parrot", "--source", "sample").status == 0)
    }
  }

  @Test func `flipped bytes never trap a command`() throws {
    try withParrots { program in
      let inspector = StoreInspector(program)
      let sound = Array(try Data(contentsOf: URL(filePath: inspector.file)))
      for seed in 1...UInt64(12) {
        var bytes = sound
        var damage = Damage(seed: seed)
        damage.apply(to: &bytes)
        for command in [
          ["list", "parrot"], ["export", "parrot"], ["doctor"], ["doctor", "--repair"], ["list"],
        ] {
          if command != ["list"] { try Data(bytes).write(to: URL(filePath: inspector.file)) }
          let result = try program.run(BuiltProgram.path, command, input: "")
          #expect(
            [0, 65, 66, 75].contains(result.status),
            "seed \(seed), \(damage), \(command): \(result.status) \(result.error)")
        }
      }
    }
  }

  @Test(arguments: [
    (
      "PRAGMA user_version = 99",
      "was written by a newer version, and was not changed (it has version 99; "
    ),
    (
      "PRAGMA application_id = 7",
      "this is the database of a different program; it was not changed."
    ),
  ])
  func
    `a database of a newer version, or of another program, is refused with a message and not changed`(
      change: String, words: String
    ) throws
  {
    try withParrots { program in
      let inspector = StoreInspector(program)
      RawDatabase.execute(change, in: inspector.file)
      try expectRefused(program, 65, words)
      let repair = try program.run("doctor", "--repair")
      #expect(repair.status == 65 && (repair.error + repair.output).contains(words), "\(repair)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: inspector.directory.path).sorted() == [
          "chirper.sqlite", "locks",
        ])
    }
  }

  @Test func `a repair asks for the file of an imported list that is incomplete now`() throws {
    try withProgram { program in
      let rows = (1...2).map {
        #"{"id":"\#($0)","catalogue":"gbif","scientificName":"Turdus merula"}"# + "\n"
      }
      try Data(rows.joined().utf8).write(to: URL(filePath: program.path("owls.jsonl")))
      #expect(try program.run("import", "owls.jsonl", "--as", "my owls").status == 0)
      let inspector = StoreInspector(program)
      RawDatabase.execute("DELETE FROM entry WHERE position = 1", in: inspector.file)
      let repair = try program.run("doctor", "--repair")
      let advice = "incomplete now: my owls; type: chirper import FILE --as 'my owls'\n"
      #expect(repair.status == 0 && repair.output.contains(advice), "\(repair)")
      #expect(try program.run("import", "owls.jsonl", "--as", "my owls").status == 0)
      #expect(try inspector.check("imported again") == [["1", "2"]])
    }
  }

  @Test func `a repair leaves a sound database as it is`() throws {
    try withParrots { program in
      let before = try Data(contentsOf: URL(filePath: StoreInspector(program).file))
      let result = try program.run("doctor", "--repair")
      #expect(
        result.status == 0 && result.output.hasPrefix("repair       nothing to repair\n"),
        "\(result)")
      #expect(try program.run("doctor", "--repair", "--json").output.contains(#""repair":null"#))
      #expect(try Data(contentsOf: URL(filePath: StoreInspector(program).file)) == before)
    }
  }
}
