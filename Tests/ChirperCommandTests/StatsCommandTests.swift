import ChirperTestSupport
import Foundation
import Testing

/// `stats`: counts of stored recordings.
struct StatsCommandTests {
  /// Two lists that share recordings, of four species; one recording has no date and two types.
  private func withLists(_ body: (BuiltProgram) throws -> Void) throws {
    var records: [FakeXenoCanto.Record] = (1...6).map { .init($0, $0 < 4 ? "alba" : "nova \($0)") }
    records[0].quality = "B"
    let catalogue = try FakeXenoCanto(records: records)
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      #expect(try program.run("fetch", "robin", "--source", "sample", "--all").status == 0)
      try body(program)
    }
  }

  @Test func `counts of a list leave out another list of the same words`() throws {
    try withProgram { program in
      let parrots = ["parrot", "--source", "sample"]
      for more in [[], ["--per-page", "20"]] {
        let result = try program.run(BuiltProgram.path, ["fetch"] + parrots + more, input: "")
        #expect(result.status == 0, "\(result)")
      }
      let counts = try program.run(
        BuiltProgram.path, ["stats"] + parrots + ["--by", "catalogue"], input: "")
      #expect(counts.output == "catalogue\trecordings\nsample\t20\n", "\(counts)")
    }
  }

  @Test func `a row for each value, the most first, each recording once, and the sum in words`()
    throws
  {
    try withLists { program in
      let species = try program.run("stats", "parrot", "kea", "--by", "species")
      #expect(
        species.output == """
          species\trecordings\tnames\tacceptedVernacularName
          Psittacus alba\t3\t\tSample parrot 3
          Psittacus nova\t3\t\tSample parrot 4

          """, "\(species)")
      #expect(
        species.error.hasPrefix(
          "6 recordings: none without species\n6 recordings from xeno-canto, "), "\(species.error)")
      let names = try program.run("stats", "parrot", "kea", "--by", "ScientificName")
      #expect(
        names.output == "scientificName\trecordings\nPsittacus alba\t3\nPsittacus nova\t3\n",
        "\(names)")
      let catalogues = try #require(
        readCSV(try program.run("stats", "--by", "catalogue", "--format", "csv").output))
      #expect(
        catalogues.map { $0[0] } == ["catalogue", "xeno-canto"] && catalogues[1][1] == "6",
        "\(catalogues)")
      // Made-up rows only if they are asked for.
      let sample = try program.run(
        "stats", "--by", "catalogue", "--source", "sample", "--format", "csv"
      ).output
      #expect(sample.hasPrefix("catalogue,recordings\r\nsample,"), "\(sample)")
      let one = try program.run(
        "stats", "--by", "catalogue", "--source", "xeno-canto", "--where", "q:B")
      #expect(one.output == "catalogue\trecordings\nxeno-canto\t1\n", "\(one)")
      #expect(
        try program.run("stats", "parrot", "--by", "species", "--offset", "1").output
          == "species\trecordings\tnames\tacceptedVernacularName\n"
          + "Psittacus nova\t3\t\tSample parrot 4\n")
    }
  }

  @Test func `months have the share of everything stored, and those without a recording a row too`()
    throws
  {
    try withLists { program in
      let months = try #require(
        readCSV(try program.run("stats", "parrot", "--by", "month", "--format", "csv").output))
      #expect(
        months[0] == ["month", "recordings", "stored", "share"]
          && months.map { $0[0] }.dropFirst() == ArraySlice((1...12).map(String.init)))
      let all = try #require(
        readCSV(try program.run("stats", "--by", "month", "--format", "csv").output))
      for (some, all) in zip(months, all).dropFirst() {
        let (count, stored) = (Int(some[1]) ?? 0, Int(all[1]) ?? 0)
        #expect(
          some[2] == all[1] && (stored > 0 || some[3].isEmpty) && all.count == 2,
          "\(some), \(all)")
        if stored > 0 {
          #expect(abs((Double(some[3]) ?? -1) - Double(count) / Double(stored)) < 0.0001, "\(some)")
        }
      }
      #expect(months.dropFirst().compactMap { Int($0[1]) }.reduce(0, +) == 6)
      let json = try program.run("stats", "parrot", "--by", "month,quality", "--json").output
      #expect(
        json.contains(
          #"{"search":"source:any in:xeno-canto:parrot","origin":"store","by":["month","quality"],"recordings":6,"#
        ),
        "\(json)")
      #expect(
        json.contains(
          #""missing":{"month":0,"quality":0},"several":{"month":0,"quality":0},"offset":0,"returned":2,"#
        ), "\(json)"
      )
      #expect(
        json.contains(#""quality":"A","recordings":5,"stored":"#)
          && json.contains(#""quality":"B","recordings":1"#), "\(json)")
    }
  }

  @Test func `two parts of a time are a share of what has both`() throws {
    func record(_ id: Int, month: Int, hour: Int) -> String {
      #"{"id":"\#(id)","gen":"Ara","sp":"ara","date":"2024-0\#(month)-10","time":"0\#(hour):30"}"#
    }
    let parrots = [(1, 5, 6), (2, 5, 6), (3, 5, 7), (4, 6, 6)].map(record)
    let robins = [(5, 5, 6), (6, 6, 7)].map(record)
    let server = try ScriptedServer { request in
      let found = request.target.contains("parrot") ? parrots : robins
      return .json(200, FakeXenoCanto.body(found, page: 1, pages: 1, total: found.count))
    }
    let variables = [
      "CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "k",
    ]
    try withProgram(variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      #expect(try program.run("fetch", "robin", "--all").status == 0)
      func rows(_ arguments: String...) throws -> [[String]] {
        let by = ["--by", "month,hour", "--format", "csv"]
        return try #require(
          readCSV(try program.run(BuiltProgram.path, ["stats"] + arguments + by, input: "").output))
      }
      let all = try rows()
      // Of everything, each pair is all that is stored of it.
      #expect(all[0] == ["month", "hour", "recordings"] && all.count > 2, "\(all)")
      let stored = Dictionary(
        uniqueKeysWithValues: all.dropFirst().map { (Array($0[0...1]), $0[2]) })
      let some = try rows("parrot").dropFirst()
      #expect(!some.isEmpty && some.allSatisfy { stored[Array($0[0...1])] == $0[3] }, "\(some)")
    }
  }

  @Test func `keys that are unknown, too many or missing are errors`() throws {
    try withLists { program in
      for keys in ["specie", "", "year,month,hour", "year,year"] {
        let result = try program.run("stats", "--by", keys)
        #expect(result.status == 64 && result.output.isEmpty, "\(keys): \(result)")
      }
      let three = try program.run("stats", "--by", "Year,month,hour").error
      #expect(three.contains("at most two keys, as in: --by year,month"), "\(three)")
      let species = try program.run("stats")
      #expect(species.status == 0 && !species.output.isEmpty, "\(species)")
      #expect(try program.run("stats", "--by", "species").output == species.output)
      #expect(try program.run("stats", "macaw", "--by", "year").status == 66)
      #expect(try program.run("stats", "--by", "year", "--sort", "id").status == 64)
      let years = try program.run(
        "stats", "--source", "sample", "--by", "Year,TYPE", "-o", "years.csv")
      #expect(years.error.contains("rows to years.csv\n"), "\(years)")
      let named = try program.run("stats", "-o", "years.txt")
      let hint = "Name the file .csv, .tsv, .json or .jsonl, or type --format.\n"
      #expect(named.status == 64 && named.error.hasSuffix(hint), "\(named)")
    }
  }

  @Test func `a genus, a kingdom and a hybrid are above species, and said with their number`()
    throws
  {
    let names = [
      "Turdus merula", "Turdus merula mauritanicus", "Turdus", "Animalia", "Rana temporaria",
      "Anas platyrhynchos × Anas acuta", "Turdus sp.",
    ]
    try withProgram { program in
      let lines = names.enumerated().map {
        #"{"id":"\#($0)","catalogue":"gbif","scientificName":\#($1.json)}"#
      }
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: program.path("a.jsonl")))
      #expect(try program.run("import", "a.jsonl", "--as", "a").status == 0)
      for by in ["species", "species,year", "year,species"] {
        // By reading the recordings, and by the index.
        for _ in 1...2 {
          let counted = try program.run("stats", "--by", by, "--json").output
          #expect(counted.contains(#""aboveSpecies":4"#), "\(counted)")
          #expect(!counted.contains("Animalia") && !counted.contains("Anas"), "\(counted)")
          _ = try program.run("search", "merula")
        }
      }
      let shown = try program.run("stats", "--by", "species")
      #expect(
        shown.output.contains("Turdus merula\t2\t")
          && shown.output.contains("Rana temporaria\t1\t"),
        "\(shown)")
      #expect(shown.error.contains("4 above species (a genus, a group or a hybrid)"), "\(shown)")
    }
  }
}
