import ChirperTestSupport
import Foundation
import Testing

/// `chirper search`, and `--where` of `list` and `export`.
struct SearchTests {
  /// Five recordings of xeno-canto in the lists `parrot` and `cnt:gabon`, and 50 of the sample in
  /// `parrot`.
  private func withLists(_ body: (BuiltProgram) throws -> Void) throws {
    let catalogue = try FakeXenoCanto(
      records: [
        .init("1", quality: "B"), .init("2", quality: "A"), .init("3", quality: "no score"),
        .init("4", quality: "A"),
        .init("5", quality: "C"),
      ], rowsPerPage: 10)
    try withProgram(catalogue.variables) { program in
      for arguments in [["parrot"], ["cnt:gabon"], ["parrot", "--source", "sample"]] {
        let result = try program.run(BuiltProgram.path, ["fetch"] + arguments, input: "")
        #expect(result.status == 0, "\(result)")
      }
      try body(program)
    }
  }

  private func run(_ program: BuiltProgram, _ arguments: String...) throws -> BuiltProgram.Result {
    let result = try program.run(BuiltProgram.path, arguments, input: "")
    #expect(result.status == 0, "\(result)")
    return result
  }

  @Test func `a search finds each recording once, with its lists and whether its audio is kept`()
    throws
  {
    try withLists { program in
      let found = try run(program, "search", "source:xeno-canto q:A")
      #expect(
        found.output == """
          ID\tEnglish name\tLists\tAudio\tCountry\tType\tQ\tLength\tDate\tRecordist\tGenus\tSpecies\tPlace\tLicence
          4\tSample parrot 4\tparrot, cnt:gabon\t\tGabon\tcall\tA\t0:30\t2024-05-01\tSample recordist\tPsittacus\texemplaris\t\t
          2\tSample parrot 2\tparrot, cnt:gabon\t\tGabon\tcall\tA\t0:30\t2024-05-01\tSample recordist\tPsittacus\texemplaris\t\t

          """)
      let searched = "; 2 complete lists searched, the oldest page read just now\n"
      #expect(found.error.writtenAtOnce == "2 of 55 recordings found\(searched)")
      let both = try run(
        program, "search", "parrot -q:E source:any", "--columns", "source,id,Lists", "--limit", "1")
      #expect(both.output == "Source\tID\tLists\nxeno-canto\t4\tparrot, cnt:gabon\n")
      #expect(
        both.error.writtenAtOnce.hasSuffix(
          "found; 1 partial list and 2 complete lists searched, the oldest page read just now\n"
            + "The sample catalogue is built in and made up; nothing in it is data.\n"),
        "\(both.error)")
      #expect(
        try run(program, "search", "parrot source:any", "--limit", "0").output.hasPrefix(
          "ID\tName\tType\tQ\tLength\tCountry\tSource\tDate\t"))
      let coded = try run(program, "search", "cnt:GA source:xeno-canto", "--count")
      #expect(coded.output == "5\n" && coded.error == "cnt:GA is taken as Gabon\n", "\(coded)")
      let listed = try run(
        program, "list", "cnt:gabon", "--where", "cnt:gabo area:africa cnt:gabon"
      ).error
      #expect(!listed.contains("is taken as"), "\(listed)")
      let nothing = try run(program, "search", "zzz")
      #expect(
        nothing.error.writtenAtOnce == "0 of 55 recordings found\(searched)"
          && nothing.output.hasPrefix("ID\tName\tType"))
    }
  }

  @Test func `a bird is found by its name in the list, and the name that was added is said`() throws
  {
    let records = [FakeXenoCanto.Record("1", species: "erithaca"), FakeXenoCanto.Record("2")]
    let catalogue = try FakeXenoCanto(records: records, rowsPerPage: 10)
    try withProgram(catalogue.variables) { program in
      _ = try run(program, "fetch", "parrot")
      let added = "also as Psittacus erithaca\n"
      for name in [#"sp:"psittacus erithacus""#, #"en:"gray parrot""#, "psittacus erithacus"] {
        let found = try run(program, "search", name, "--columns", "id")
        #expect(found.output == "ID\n1\n", "\(name)")
        #expect(found.error.hasPrefix(added + "1 of 2 recordings found; 1 complete"), "\(name)")
        let listed = try run(program, "list", "parrot", "--where", name, "--columns", "id")
        #expect(listed.output == "ID\n1\n" && listed.error.hasPrefix(added), "\(listed)")
        let json = try run(program, "search", name, "--json").output
        #expect(json.contains(#","otherNames":["Psittacus erithaca"],"#), "\(json)")
      }
      let exact = try run(program, "search", #"sp:"=psittacus erithacus""#, "--count")
      #expect(exact.output == "0\n" && !exact.error.contains("also as"), "\(exact)")
      let version = try run(program, "--version", "--verbose").output
      #expect(version.contains("AviList v2025") && version.contains("CC BY 4.0"), "\(version)")
      #expect(version.contains("Cite the program: The chirper developers: chirper, version 1.0.0."))
      #expect(try run(program, "version", "--verbose").output == version)
    }
  }

  @Test func `a pipe has the order as stored unless rank is asked for`() throws {
    var records = (1...3).map { number in
      FakeXenoCanto.Record("\(number)", species: number == 1 ? "kea" : "exemplaris")
    }
    records[2].remark = "like a kea"
    let catalogue = try FakeXenoCanto(records: records, rowsPerPage: 10)
    try withProgram(catalogue.variables) { (program: BuiltProgram) throws in
      #expect(try program.run(BuiltProgram.path, ["fetch", "parrot"], input: "").status == 0)
      func ids(_ arguments: [String]) throws -> [Substring] {
        let result = try program.run(BuiltProgram.path, arguments + ["--columns", "id"], input: "")
        let lines = result.output.split(whereSeparator: \.isNewline)
        return lines.filter { $0.first?.isNumber == true }
      }
      for command in [["search", "kea"], ["list", "parrot", "--where", "kea"]] {
        for format in [[], ["--format", "csv", "-o", "-"]] {
          #expect(try ids(command + format) == ["3", "1"])
          #expect(try ids(command + format + ["--sort", "stored"]) == ["3", "1"])
          #expect(try ids(command + format + ["--sort", "rank"]) == ["1", "3"])
        }
      }
    }
  }

  @Test func `every format has the same recordings, and JSON their counts and raw fields`() throws {
    try withLists { program in
      let whole = try run(
        program, "search", "gabon q:A", "--json", "--source", "xeno-canto", "--limit", "1"
      ).output
      #expect(
        whole.hasPrefix(
          #"{"search":"gabon q:A source:xeno-canto","origin":"store","searched":55,"matched":2,"inNoList":0,"copies":0,"#
            + #""sources":[{"source":"xeno-canto","matched":2}],"lists":[{"query":"cnt:gabon","source":"xeno-canto","#
        ))
      #expect(
        whole.contains(
          #"}],"offset":0,"returned":1,"recordings":["# + "\n"
            + #"{"id":"4","catalogue":"xeno-canto","catalogNumber":"XC4","scientificName":"Psittacus exemplaris","taxonRank":null,"#
        ),
        "\(whole)")
      #expect(whole.contains(#""country":"Gabon","countryCode":"GA","#), "\(whole)")
      #expect(
        whole.contains(
          #""behavior":["call"],"sex":[],"lifeStage":[],"samplingProtocol":null,"quality":"A","mediaDuration":30,"sampleRate":null"#
        ), "\(whole)")
      #expect(
        whole.contains(
          #""lists":["parrot","cnt:gabon"],"leftLists":[],"audio":false,"firstSeenAt":"2"#),
        "\(whole)")
      #expect(
        whole.contains(#","fields":{"id":"4","gen":"Psittacus","#) && whole.hasSuffix("}}\n]}\n"),
        "\(whole)")
      #expect((try? JSONSerialization.jsonObject(with: Data(whole.utf8))) != nil)
      func rows(_ format: String) throws -> [String] {
        try run(
          program, "search", "parrot q:A source:any", "--format", format, "--columns",
          "id,mediaDuration,audio", "--sort", "id"
        ).output
          .split(whereSeparator: \.isNewline).map(String.init)
      }
      let csv = try rows("csv")
      #expect(
        csv[0] == "id,mediaDuration,audio" && csv[1] == "2,30,false" && csv.count > 10, "\(csv)")
      #expect(try rows("tsv") == csv.map { $0.replacing(",", with: "\t") })
      #expect(try rows("jsonl")[0] == #"{"id":"2","mediaDuration":30,"audio":false}"#)
      #expect(try rows("jsonl").count == csv.count - 1 && rows("json").count == csv.count + 1)
      #expect(
        try run(program, "search", "parrot q:A source:any", "--count").output
          == "\(csv.count - 1)\n")
      let count = try run(program, "search", "q:A source:xeno-canto", "--count", "--json").output
      #expect(
        count
          == #"{"search":"q:A source:xeno-canto","origin":"store","searched":55,"matched":2,"inNoList":0,"copies":0,"#
          + #""sources":[{"source":"xeno-canto","matched":2}]}"# + "\n")
      let all = try #require(
        readCSV(try run(program, "search", "parrot source:any", "--format", "csv").output))
      #expect(
        Set(all.map(\.count)) == [all[0].count]
          && all[0].suffix(5) == ["lists", "leftLists", "audio", "firstSeenAt", "copies"])
      #expect(all.count == 56 && Set(all.dropFirst().map { $0[0] + $0[1] }).count == 55)
    }
  }

  @Test func `list and export find rows by the same language`() throws {
    try withLists { program in
      let list = try run(
        program, "list", "parrot", "--source", "xeno-canto", "--where", #"q:">C""#, "--where",
        "-nr:4", "--columns", "id",
        "--sort", "id")
      #expect(list.output == "ID\n1\n2\n")
      #expect(list.error.hasPrefix("2 of 5 rows satisfy 'q:\">C\" -nr:4'\n"), "\(list.error)")
      let json = try run(
        program, "list", "cnt:gabon", "--where", "in:parrot q:A", "--where", "text:\"rrot 2\"",
        "--json"
      ).output
      #expect(
        json.contains(
          #","where":"in:parrot q:A text:\"rrot 2\"","matched":1,"offset":0,"returned":1,"recordings":["#
        ),
        "\(json)")
      let csv = try run(
        program, "export", "cnt:gabon", "--where", "-q:A len:30", "--columns", "id,q", "--limit",
        "2"
      ).output
      #expect(csv == "id,q\r\n1,B\r\n5,C\r\n")
      #expect(
        try run(program, "list", "parrot", "--source", "xeno-canto", "--where", "gone:yes").output
          .hasPrefix("ID\t"))
      #expect(try program.run("list", "parrot", "--where", "in:parrat").status == 66)
      #expect(try program.run("export", "parrot", "--where", "q:").status == 64)
      #expect(try program.run("list", "--where", "q:A").status == 64)
    }
  }

  @Test func `an empty store is searched, and nothing is created`() throws {
    try withProgram { program in
      let result = try program.run("search", "robin")
      #expect(
        result.status == 0 && result.error == "Nothing is stored yet. Type: chirper fetch parrot\n")
      #expect(!FileManager.default.fileExists(atPath: program.path(".local")))
    }
  }

  @Test(arguments: [
    ("", 64, "The search is empty"), ("   ", 64, "The search is empty"),
    ("en:\"song thrush", 64, "is not closed"),
    ("len:abc", 64, "does not accept \"abc\""),
    ("month:13", 64, "It accepts a month from 1 to 12, or its name."),
    ("in:\"no such list\"", 66, "no list \"no such list\" is stored"),
    ("robin -", 64, "nothing follows the \"-\""),
    ("ctn:poland", 64, "Did you mean cnt:?"), ("a\u{7}b", 64, "control character (U+0007)"),
    ("\u{301}", 64, "no letter or digit"), ("en:\u{301}\u{308}", 64, "no letter or digit"),
    ("\"*\" ^ NEAR(a b)", 64, "no letter or digit"),
    (
      String(repeating: "a ", count: 10_000), 64,
      "The search has 20000 characters; the limit is 4096."
    ),
    (String(repeating: "a ", count: 2000), 64, "the search has more than 100 terms"),
    (
      String(repeating: "x", count: 100_000), 64,
      "The search has 100000 characters; the limit is 4096."
    ),
    ("q:A\" OR 1=1 --", 64, "quotation mark"),
  ])
  func `a search that is wrong is refused in a sentence, and nothing is written`(
    search: String, status: Int32, text: String
  ) throws {
    try withProgram { program in
      for arguments in [["search", "--", search], ["search", "robin", "--where", search]] {
        let result = try program.run(BuiltProgram.path, arguments, input: "")
        #expect(result.status == status && result.output == "", "\(result)")
        #expect(result.error.hasPrefix("error: ") && result.error.contains(text), "\(result)")
        let words = result.error.lowercased()
        #expect(
          !words.contains("sqlite") && !words.contains("fts") && !words.contains("fatal"),
          "\(result)")
        #expect(result.error.count < 600, "\(result)")
      }
      #expect(!FileManager.default.fileExists(atPath: program.path(".local")))
    }
  }

  /// A new option has to be put on one of the two sides.
  @Test func `--count is refused with every option that does not choose what is counted`() throws {
    let choosing: Set = [
      "--count", "--where", "--new", "--changed", "--gone", "--for", "--copies",
      "--source", "--names", "--json", "--no-color", "--version", "--help",
    ]
    let search = try #require(try DumpedCommand.all().first { $0.words == ["search"] }).command
    let others = (search.arguments ?? []).filter { $0.flag.map(choosing.contains) == false }
    #expect(others.count >= 9)
    try withProgram { program in
      for option in others {
        let flag = option.flag ?? ""
        let value = try option.kind == "option" ? [CommandForm.value(flag, of: "search")] : []
        let words = ["search", "thrush", "--count", flag] + value
        let result = try program.run(BuiltProgram.path, words, input: "")
        #expect(
          result.status == 64 && result.error.contains("--count prints one number"), "\(words)")
      }
    }
  }

  @Test func `only the terms that were typed count towards the hundred`() throws {
    try withLists { program in
      let hundred = String(repeating: "parrot ", count: 100)
      #expect(try run(program, "search", hundred, "--count").output == "5\n")
      let ofCatalogue = ["--source", "xeno-canto", "--new", "7d", "--where", hundred]
      for arguments in [["search", hundred, "--source", "sample"], ["export"] + ofCatalogue] {
        let result = try program.run(BuiltProgram.path, arguments, input: "")
        #expect(result.status == 0, "\(result)")
      }
    }
  }

  @Test func `options that do not fit are refused`() throws {
    try withProgram { program throws in
      func refusal(_ arguments: String...) throws -> String {
        let result = try program.run(BuiltProgram.path, ["search"] + arguments, input: "")
        #expect(result.status == 64 && result.output == "", "\(result)")
        return result.error
      }
      #expect(
        try refusal("thrush", "q:A")
          == "error: Quote queries of more than one word.\nType: chirper search 'thrush q:A'\n")
      #expect(
        try refusal("thrush", "--columns", "id,nmae").contains(
          "Unknown column \"nmae\".\nDid you mean "))
      #expect(
        try refusal("thrush", "--sort", "duration").contains(
          "Unknown column \"duration\".\nDid you mean mediaDuration?"))
      #expect(try refusal("thrush", "--sort", "lenght").contains("Did you mean Length"))
      #expect(
        try refusal("thrush", "--count", "--limit", "3").contains("--count prints one number"))
      #expect(
        try refusal("thrush", "-o", "found.parquet").contains(
          "Name the file .csv, .tsv, .json, .jsonl, .sqlite, .geojson"))
      #expect(
        try refusal("thrush", "--json", "--format", "csv").contains("cannot be used together"))
      #expect(try refusal("thrush", "--source", "ebird").contains("Unknown catalogue \"ebird\""))
      #expect(
        try refusal("a", "--where", String(repeating: "b ", count: 100)).contains(
          "more than 100 terms"))
    }
  }
}
