import ChirperFormats
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

struct ExportFormatTests {
  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func `tidy rows are those of the list, with typed columns`() throws {
    try withParrots { program in
      let result = try program.run("export", "parrot", "--tidy")
      #expect(result.status == 0, "\(result)")
      let table = try #require(readCSV(result.output))
      let raw = try #require(readCSV(try program.run("export", "parrot", "--columns", "id").output))
      #expect(table.map { $0[0] } == raw.map { $0[0] } && table.count == 151)
      let rows = try objects(
        try program.run("export", "parrot", "--tidy", "--format", "jsonl").output)
      #expect(
        rows.allSatisfy {
          $0["mediaDuration"] is Double && $0["allowsDerivatives"] as? Bool == false
        })
      let some = try program.run(
        "export", "parrot", "--tidy", "--columns", "eventDate,id", "--limit", "1", "--format", "tsv"
      )
      #expect(
        some.output.hasPrefix("eventDate\tid\n") && some.output.split(separator: "\n").count == 2)
      let object = try #require(
        try JSONSerialization.jsonObject(
          with: Data(try program.run("export", "parrot", "--tidy", "--json").output.utf8))
          as? [String: Any])
      #expect(
        object["query"] as? String == "parrot"
          && object["version"] as? String == ProgramVersion.current)
      #expect(object["upTo"] is [String: Any] && (object["recordings"] as? [Any])?.count == 150)
    }
  }

  @Test func `every format can be written to a file and to a pipe`() throws {
    try withParrots { program in
      for format in RecordFormat.exported {
        // Each sound of the sample is made.
        let few = format.holdsSounds ? ["--limit", "1"] : []
        let words = (["export parrot --format", format.name] + few).joined(separator: " ")
        let piped = try program.shell("\"$chirper\" \(words) | head -c 1000000 | wc -c")
        if ["gpkg", "sqlite"].contains(format.name) {
          #expect(
            piped.error.hasSuffix("Type -o FILE, as in: -o parrot.\(format.name)\n"), "\(piped)")
        } else {
          #expect(
            (Int(piped.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 0,
            "\(format.name): \(piped)")
        }
        let file = program.path("list.\(format.name)")
        let result = try program.run(
          BuiltProgram.path, ["export", "parrot", "--format", format.name, "-o", file] + few,
          input: "")
        #expect(result.status == 0, "\(format.name): \(result)")
        #expect(try Data(contentsOf: URL(filePath: file)).count > 0)
      }
    }
  }

  @Test(arguments: [
    ("x.geojson", "{\"type\":\"FeatureCollection\""), ("x.gpx", "<?xml"),
    ("x.bib", "% Query: parrot"), ("x.md", "# Sound recordings"), ("X.HTML", "<!DOCTYPE html>"),
    ("x.gpkg", "SQLite format 3\0"), ("x.sqlite", "SQLite format 3\0"), ("x.apkg", "PK"),
  ])
  func `the name of the file selects the format`(name: String, start: String) throws {
    try withParrots { program in
      let result = try program.run("export", "parrot", "-o", program.path(name), "--limit", "2")
      #expect(result.status == 0 && result.error.contains(" rows to "), "\(result)")
      #expect(
        String(decoding: try Data(contentsOf: URL(filePath: program.path(name))), as: UTF8.self)
          .hasPrefix(start))
    }
  }

  @Test(arguments: [
    ("txt", "Sound recordings"), ("md", "# Sound recordings"), ("html", "<!DOCTYPE html>"),
    ("bib", "% Query: parrot"),
  ])
  func `credits are one format in several forms`(end: String, start: String) throws {
    try withParrots { program in
      let file = program.path("credits.\(end)")
      try program.run("export", "parrot", "--format", "credits", "-o", file)
      #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix(start))
      // By that name they are written to a pipe.
      if end != "txt" {
        #expect(try program.run("export", "parrot", "--format", end).output.hasPrefix(start))
      }
    }
  }

  @Test func `every format that a command offers is taken`() throws {
    try withParrots { program in
      for form in try CommandForm.formats() {
        let result = try program.run(BuiltProgram.path, form.words, input: "")
        #expect(result.status == 0, "\(form): \(result.error)")
      }
    }
  }

  @Test func `options that a format does not have are refused`() throws {
    try withParrots { program in
      for (arguments, message) in [
        (
          ["-o", "r.csv", "--format", "geojson"],
          """
          "r.csv" is the name of a file in the format csv.
          Type -o r.geojson, or leave --format out.
          """
        ),
        (["-o", "r.csv", "--format", "raven"], "Type -o r.txt, or leave --format out."),
        (["-o", "x.xlsx"], "Unknown file extension \".xlsx\""),
        (["--tidy", "--format", "gpx"], "--tidy is for csv, tsv, json and jsonl, not for gpx"),
        (
          ["--columns", "id", "--format", "dwca"],
          "--columns is for table, csv, tsv, json, jsonl, sqlite, geojson and gpkg, not for dwca"
        ),
        (
          ["--spreadsheet-safe", "-o", "x.geojson"],
          "--spreadsheet-safe is for csv and tsv, not for geojson"
        ),
        (["--tidy", "--columns", "eventday"], "Did you mean eventDate"),
        (["--for", "money"], "money"),
        (["--for", "commercial,commercial"], "commercial"),
        (["--provenance", "-"], "--provenance needs the name of a file of its own"),
      ] {
        let result = try program.run(
          BuiltProgram.path, ["export", "parrot"] + arguments, input: "")
        #expect(result.status == 64 && result.error.contains(message), "\(arguments): \(result)")
      }
      let list = try program.run("list", "--format", "gpx")
      #expect(list.status == 64 && list.output == "", "\(list)")
    }
  }

  @Test func `rows that a purpose leaves out are counted, and the reason is said`() throws {
    try withParrots { program in
      let words = ["export", "parrot", "--for", "commercial"]
      let lines = try program.run(BuiltProgram.path, words + ["--format", "jsonl"], input: "")
      #expect(lines.status == 0 && lines.output.isEmpty)
      #expect(
        lines.error.hasPrefix("150 rows left out, because the licence does not allow"), "\(lines)")
      let json = try program.run(BuiltProgram.path, words + ["--json"], input: "")
      #expect(json.output.contains("\"leftOut\":150") && json.error.isEmpty, "\(json)")
    }
  }

  @Test
  func `a long list is written in its order and whole, though parts of it are written at once`()
    throws
  {
    let catalogue = try FakeXenoCanto(
      records: (0..<1_100).map { FakeXenoCanto.Record($0 + 1, "exemplaris") })
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all", "--per-page", "500").status == 0)
      let ids = try #require(readCSV(try program.run("export", "parrot", "--columns", "id").output))
        .dropFirst().map { $0[0] }
      #expect(Set(ids).count == 1_100)
      func numbers(_ format: String, _ pattern: Regex<(Substring, Substring)>) throws -> [String] {
        try program.run("export", "parrot", "--format", format).output.matches(of: pattern).map {
          String($0.output.1)
        }
      }
      #expect(try numbers("bib", /@misc{XC(\d+),/) == ids)
      #expect(try numbers("credits", /, XC(\d+), no licence given\n/) == ids)
      #expect(try numbers("raven", /\tXC(\d+)\t/) == ids)
      // Rows are counted over the whole list.
      #expect(try numbers("raven", /\n(\d+)\tSpectrogram/) == (1...1_100).map { "\($0)" })
      #expect(try numbers("audacity", /\n(\d+)\.0\t/) == (1..<1_100).map { "\($0 * 30)" })
      for format in ["json", "geojson"] {
        let options = format == "json" ? ["--tidy"] : []
        let output = try program.run(
          BuiltProgram.path, ["export", "parrot", "--format", format] + options, input: ""
        ).output
        let object = try #require(
          try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        let rows = try #require((object["recordings"] ?? object["features"]) as? [[String: Any]])
        #expect(
          rows.map { ($0["properties"] as? [String: Any] ?? $0)["id"] as? String } == ids,
          "\(format)")
        let end = object["provenance"] as? [String: Any] ?? object
        #expect(
          (end["upTo"] as? [String: Any])?["catalogNumber"] as? String == "XC1100", "\(format)")
      }
    }
  }

  @Test func `--spreadsheet-safe says that a file is UTF-8`() throws {
    try withParrots { program in
      for name in ["safe.csv", "safe.tsv"] {
        #expect(try program.run("export", "parrot", "--spreadsheet-safe", "-o", name).status == 0)
        let bytes = try Data(contentsOf: URL(filePath: program.path(name)))
        #expect(bytes.starts(with: [0xEF, 0xBB, 0xBF]) && bytes.dropFirst(3).first != 0xEF)
      }
      let counts = try program.run("stats", "--by", "country", "-o", "n.csv", "--spreadsheet-safe")
      let bytes = try Data(contentsOf: URL(filePath: program.path("n.csv")))
      #expect(counts.status == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]))
    }
  }

  @Test func `the provenance can be written beside any format`() throws {
    try withParrots { program in
      for options in [["--format", "csv"], ["--tidy"], ["--format", "raven"]] {
        let side = program.path("side.json")
        let arguments = [
          "export", "parrot", "-o", program.path("x.txt"), "--provenance", side, "--format", "csv",
        ]
        let result = try program.run(
          BuiltProgram.path,
          options.contains("--format")
            ? Array(arguments.dropLast(2)) + options : arguments + options,
          input: "")
        #expect(result.status == 0, "\(result)")
        let object = try #require(
          try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: side)))
            as? [String: Any])
        #expect(
          object["written"] as? Int == 150 && object["completeness"] as? String == "partial"
            && object["source"] as? String == "sample")
        #expect((object["upTo"] as? [String: Any])?["catalogNumber"] is String)
        let licences = try #require(object["licences"] as? [String: Int])
        #expect(licences == ["sample": 150])
      }
      // Neither file appears where one cannot be created.
      let failed = try program.run(
        "export", "parrot", "-o", program.path("y.csv"), "--provenance",
        program.path("none/side.json"))
      #expect(failed.status == 73)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: program.directory.path).filter {
          $0.contains("y.csv")
        }.isEmpty)
    }
  }

  @Test func `kept audio is in tidy rows`() throws {
    try withParrots { program in
      let fetch = try program.run(
        "fetch", "macaw", "--source", "sample", "--per-page", "10", "--audio")
      #expect(fetch.status == 0, "\(fetch)")
      let rows = try objects(
        try program.run("export", "macaw", "--tidy", "--format", "jsonl").output)
      let paths = rows.compactMap { $0["audioFile"] as? String }
      #expect(paths.count == rows.count && !paths.isEmpty)
      for path in paths { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
    }
  }

  #if os(Linux)
  @Test(arguments: ["dwca", "gpx", "html"])
  func `a full disk ends every kind of format with 74`(format: String) throws {
    try withParrots { program in
      let result = try program.shell("\"$chirper\" export parrot --format \(format) > /dev/full")
      #expect(result.status == 74, "\(result)")
      // One block is too little for any of them.
      let limited = try program.shell(
        "ulimit -f 8; trap '' XFSZ; \"$chirper\" export parrot --format \(format) -o list.out; echo $?; ls -A"
      )
      #expect(
        !limited.output.contains("list.out") && limited.output.hasPrefix("74"), "\(limited)")
    }
  }

  @Test
  func `a database that cannot be written leaves no file, and one is not written to a device`()
    throws
  {
    try withParrots { program in
      let limited = try program.shell(
        "ulimit -f 8; trap '' XFSZ; \"$chirper\" export parrot -o list.gpkg; echo $?; ls -A")
      #expect(
        !limited.output.contains("list.gpkg") && limited.output.hasPrefix("74"), "\(limited)")
      #expect(
        limited.error.hasPrefix(
          "error: list.gpkg: writing failed: File too large.\nRaise the limit"), "\(limited)")
      let device = try program.run("export", "parrot", "--format", "sqlite", "-o", "/dev/full")
      #expect(device.status == 64 && device.error.contains("a file only"), "\(device)")
    }
  }
  #endif
}
