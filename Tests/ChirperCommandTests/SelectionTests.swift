import ChirperFormats
import ChirperTestSupport
import Foundation
import Testing

/// What `list`, `search` and `export` have in common: lists, or everything stored, in one set of
/// columns and formats.
struct SelectionTests {
  /// Four recordings of xeno-canto in the lists `parrot` and `cnt:gabon`, one more in the first,
  /// and the sample's in `parrot`.
  private func withLists(_ body: (BuiltProgram) throws -> Void) throws {
    let catalogue = try FakeXenoCanto(
      records: [
        .init("1", quality: "B"), .init("2", quality: "A"), .init("3", quality: "no score"),
        .init("4", quality: "A"),
      ], rowsPerPage: 10)
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "cnt:gabon").status == 0)
      catalogue.ids = ["1", "2", "3", "4", "5"]
      #expect(try program.run("fetch", "parrot").status == 0)
      #expect(try program.run("fetch", "parrot", "--source", "sample").status == 0)
      try body(program)
    }
  }

  private func run(_ program: BuiltProgram, _ arguments: String...) throws -> BuiltProgram.Result {
    let result = try program.run(BuiltProgram.path, arguments, input: "")
    #expect(result.status == 0, "\(result)")
    return result
  }

  private func lines(_ program: BuiltProgram, _ arguments: String...) throws -> [String] {
    let result = try program.run(BuiltProgram.path, arguments, input: "")
    #expect(result.status == 0, "\(result)")
    return result.output.split(whereSeparator: \.isNewline).map(String.init)
  }

  @Test func `several lists are one after the other, and a recording in both is one row`() throws {
    try withLists { program in
      let first = try lines(program, "export", "cnt:gabon", "--columns", "id")
      let second = try lines(program, "export", "xeno-canto:parrot", "--columns", "id")
      #expect(first.count == 5 && second.count == 6)
      let both = try lines(program, "export", "cnt:gabon", "xeno-canto:parrot", "--columns", "id")
      #expect(both == first + second.filter { !first.contains($0) })
      // Fields as sent, because both are of one catalogue.
      let raw = try #require(
        readCSV(try run(program, "export", "cnt:gabon", "xeno-canto:parrot").output))
      #expect(raw.count == 6 && raw[0].prefix(3) == ["id", "gen", "sp"])
      let sorted = try lines(
        program, "list", "cnt:gabon", "xeno-canto:parrot", "--sort", "-id", "--columns", "id",
        "--limit", "2")
      #expect(sorted == ["ID", "5", "4"])
      let some = try run(
        program, "list", "cnt:gabon", "xeno-canto:parrot", "--where", "q:A", "--columns", "id,lists"
      )
      #expect(some.output.hasPrefix("ID\tLists\n"))
      #expect(
        some.output.contains("4\tcnt:gabon, parrot\n")
          && some.error.contains(" of 5 rows satisfy \"q:A\"\n"), "\(some)")
      #expect(some.error.contains("cnt:gabon: 4 recordings from xeno-canto, "), "\(some.error)")
      #expect(some.error.contains("parrot: 5 recordings from xeno-canto, "), "\(some.error)")
    }
  }

  @Test func `recordings of several catalogues have the tidy columns, and standard error says so`()
    throws
  {
    try withLists { program in
      for lists in [["xeno-canto:parrot", "sample:parrot"], ["--where", "source:any"]] {
        let result = try program.run(BuiltProgram.path, ["export"] + lists, input: "")
        let table = try #require(readCSV(result.output))
        #expect(
          table.count == 56 && table[0].prefix(3) == ["id", "catalogue", "catalogNumber"],
          "\(lists)")
        #expect(Set(table.dropFirst().map { $0[1] }) == ["xeno-canto", "sample"])
        #expect(result.error.contains("Standard columns written."), "\(result.error)")
      }
      let real = try #require(readCSV(run(program, "export").output))
      #expect(
        real[0].prefix(2) == ["id", "catalogue"]
          && Set(real.dropFirst().map { $0[1] }) == ["xeno-canto"])
      let one = try run(program, "export", "--source", "xeno-canto")
      #expect(
        readCSV(one.output)?[0].prefix(3) == ["id", "gen", "sp"] && !one.error.contains("--tidy"),
        "\(one)")
    }
  }

  @Test func `a command that chooses no rows refuses every option that does`() throws {
    let commands = try DumpedCommand.all()
    func flags(_ name: String) throws -> [DumpedCommand.Argument] {
      try #require(commands.first { $0.words == [name] }).command.arguments?.filter {
        $0.flag != nil && !["--help", "--version", "-h", "--source", "--names"].contains($0.flag)
      } ?? []
    }
    let rows = try Set(flags("play").compactMap(\.flag)).subtracting(["--save"])
    let written = try Set(flags("search").compactMap(\.flag)).subtracting(rows)
      .subtracting(["--count", "--json", "--no-color"])
    try withProgram { program in
      for argument in try flags("search") {
        let flag = argument.flag ?? ""
        let option =
          try [flag] + (argument.kind == "flag" ? [] : [CommandForm.value(flag, of: "search")])
        func isRefused(_ words: [String], _ reason: String) throws -> Bool {
          let result = try program.run(BuiltProgram.path, words + option, input: "")
          return result.status == 64 && result.error.contains(reason)
        }
        let ordersOrCuts = ["--sort", "--limit", "--offset"].contains(flag)
        if written.contains(flag) || rows.contains(flag) && (!ordersOrCuts || flag == "--sort"),
          !["--format", "-o", "--output", "--spreadsheet-safe"].contains(flag)
        {
          #expect(try isRefused(["list"], "Options that choose rows"), "\(flag)")
        }
        if written.contains(flag) || ordersOrCuts {
          #expect(try isRefused(["search", "q:A", "--count"], "--count prints one"), "\(flag)")
        }
      }
    }
  }

  // A deck has what is kept, which `export` fetches before.
  @Test(arguments: RecordFormat.all.filter { !$0.holdsSounds })
  func
    `every format is written by every command, for lists of several catalogues and for everything stored`(
      format: RecordFormat
    ) throws
  {
    try withLists { program in
      var written: Set<Int> = []
      for selection in [
        ["list", "xeno-canto:parrot", "sample:parrot"],
        ["export", "xeno-canto:parrot", "sample:parrot"],
        ["export", "--where", "source:any"], ["search", "parrot source:any"],
      ] {
        let file = program.path("x.out")
        let arguments =
          selection + [
            "--format", format.name, "--sort", "id", "-o", file, "--json", "--columns", "id,sex",
          ]
        let result = try program.run(
          BuiltProgram.path, format.takesColumns ? arguments : arguments.dropLast(2), input: "")
        #expect(result.status == 0 && result.error.isEmpty, "\(result)")
        let report = try #require(
          try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(
          report["file"] as? String == file && report["format"] as? String == format.name,
          "\(report)")
        #expect(
          (report["lists"] as? [Any])?.count
            == (selection.last?.contains("source:any") == true ? 3 : 2), "\(report)")
        written.insert(try #require(report["written"] as? Int))
        let size = try #require(
          try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
        #expect(size > 0)
      }
      #expect(written.count == 1, "\(written)")
    }
  }

  @Test func `a column is the detail, and raw.NAME the field, in every command and format`() throws
  {
    try withLists { program in
      for selection in [
        ["list", "cnt:gabon"], ["export", "cnt:gabon"], ["search", "in:cnt:gabon -q:E"],
      ] {
        func rows(_ columns: String, _ format: String) throws -> [String] {
          let arguments =
            selection + ["--columns", columns, "--format", format, "--sort", "id", "--limit", "1"]
          let result = try program.run(BuiltProgram.path, arguments, input: "")
          #expect(result.status == 0, "\(result)")
          return result.output.split(whereSeparator: \.isNewline).map(String.init)
        }
        #expect(
          try rows("scientificName,raw.gen,month,mediaDuration", "csv") == [
            "scientificName,gen,month,mediaDuration", "Psittacus exemplaris,Psittacus,5,30",
          ])
        #expect(try rows("month,raw.length", "jsonl") == [#"{"month":5,"length":"0:30"}"#])
        #expect(try rows("id,raw.id", "tsv") == ["id\traw.id", "1\t1"])
        #expect(try rows("country,cnt", "csv") == ["country,cnt", "Gabon,Gabon"])
      }
      let geojson = try run(
        program, "export", "cnt:gabon", "--format", "geojson", "--columns", "id,cnt,lists"
      ).output
      #expect(geojson.contains(#""properties":{"id":"4","cnt":"Gabon","lists":"#), "\(geojson)")
      let unknown = try program.run("export", "cnt:gabon", "--columns", "raw.nothing")
      #expect(
        unknown.status == 64 && unknown.error.contains("Unknown column \"raw.nothing\""),
        "\(unknown)")
    }
  }

  @Test
  func `a file of everything stored is written without a list, and says which lists it is from`()
    throws
  {
    try withLists { program in
      let file = program.path("may.txt")
      let result = try run(
        program, "export", "--format", "credits", "-o", file, "--where",
        "q:A type:call month:5 source:xeno-canto")
      #expect(result.error.contains("wrote 3 recordings to \(file)\n"), "\(result.error)")
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("\nSearch: q:A type:call month:5 source:xeno-canto\n"), "\(text)")
      #expect(text.contains("\nList: cnt:gabon; Catalogue: xeno-canto (http"), "\(text)")
      #expect(
        text.contains("\nList: parrot, sent as en:\"parrot\"; Catalogue: xeno-canto (http"),
        "\(text)")
      #expect(!text.contains("sample"), "\(text)")
      let credits = try run(program, "export", "--where", "in:\"cnt:gabon\"", "--format", "credits")
        .output
      #expect(credits.hasPrefix("Sound recordings: in:cnt:gabon, from xeno-canto\n"), "\(credits)")
      #expect(!credits.contains("List: parrot"), "\(credits)")
      let side = program.path("side.json")
      _ = try run(program, "export", "sample:parrot", "cnt:gabon", "--provenance", side)
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: side)))
          as? [String: Any])
      let lists = try #require(object["lists"] as? [[String: Any]])
      #expect(
        lists.map { $0["source"] as? String } == ["sample", "xeno-canto"]
          && object["written"] as? Int == 54)
      #expect(lists.allSatisfy { $0["completeness"] is String && $0["fetchedAt"] is [String: Any] })
    }
  }

  @Test func `with -o, --json is the report and the file's name the format`() throws {
    try withLists { program in
      let file = program.path("c.csv")
      let result = try run(program, "export", "cnt:gabon", "-o", file, "--json", "--limit", "2")
      #expect(result.error.isEmpty)
      let report = try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      #expect(
        report["file"] as? String == file && report["format"] as? String == "csv"
          && report["written"] as? Int == 2)
      #expect(
        report["query"] as? String == "cnt:gabon" && report["returned"] as? Int == 2
          && report["recordings"] == nil)
      #expect(readCSV(try String(contentsOfFile: file, encoding: .utf8))?.count == 3)
      let conflict = try program.run("export", "cnt:gabon", "--json", "--format", "csv")
      #expect(
        conflict.status == 64 && conflict.error.contains("cannot be used together"), "\(conflict)")
      for (words, rows) in [(["list"], 3), (["stats", "cnt:gabon", "--by", "catalogue"], 1)] {
        let written = try program.run(
          BuiltProgram.path, words + ["--json", "-o", "t.csv"], input: "")
        let report = #"{"file":"t.csv","format":"csv","written":\#(rows)}"# + "\n"
        #expect(written == .init(status: 0, output: report, error: ""))
      }
    }
  }

  @Test func `catalogue numbers find a recording, and with --source numbers do`() throws {
    try withLists { program in
      #expect(try lines(program, "search", "XC4", "--columns", "id") == ["ID", "4"])
      #expect(try lines(program, "search", "source:xeno-canto -XC4", "--columns", "id").count == 5)
      #expect(
        try lines(program, "search", "4", "--source", "xeno-canto", "--columns", "id") == [
          "ID", "4",
        ])
      // Numbers in Unicode, but no catalogue number: they are words.
      for word in ["½", "٤", "④"] {
        #expect(
          try lines(program, "search", word, "--source", "xeno-canto", "--columns", "id") == ["ID"])
      }
      for table in try [
        lines(program, "list", "cnt:gabon"), lines(program, "list", "cnt:gabon", "sample:parrot"),
      ] {
        let id = try #require(table[1].split(separator: "\t").first)
        let played = try program.run("play", String(id), "--save")
        // It is known; this one has no audio.
        #expect(played.status != 66 && !played.error.contains("is stored"), "\(played)")
      }
    }
  }

  @Test func `of several page sizes the one fetched last is taken and named`() throws {
    try withProgram { program in
      for size in ["20", "10"] {
        #expect(
          try program.run("fetch", "parrot", "--source", "sample", "--per-page", size).status == 0)
      }
      let list = try run(program, "export", "parrot", "--columns", "id")
      #expect(list.output.split(whereSeparator: \.isNewline).count == 11)
      #expect(
        list.error.contains("also stored: sample (20 a page; the one with 10 was fetched last)\n"),
        "\(list.error)")
      let twice = try run(program, "export", "parrot", "parrot", "--columns", "id")
      #expect(twice.error.split(separator: "20 a page").count == 2, "\(twice.error)")
    }
  }

  @Test func `a query of several words without quotes is named`() throws {
    try withLists { program in
      let result = try program.run("export", "grey", "parrot")
      #expect(result.status == 66)
      #expect(
        result.error == """
          error: "grey" was never fetched.
          Type: chirper fetch grey
          Each query is a list; one of several words goes in quotes: chirper export 'grey parrot'

          """)
      // Rows of the sample have the word, and a search leaves them out beside real ones.
      #expect(try program.run("search", "grey", "--count").output == "0\n")
      #expect(try program.run("search", "grey source:sample", "--count").output == "47\n")
    }
  }
}
