import ChirperTestSupport
import Foundation
import Testing

/// `import`, by the built program.
struct ImportCommandTests {
  @Test func `an imported list is listed, exported with its DOI, and passed over by sync`() throws {
    try withProgram { program in
      let folder = program.path("download")
      try GBIFDownload([.init(1), .init(2), .init(3, sounds: [])]).write(to: folder)
      let result = try program.run("import", folder)
      #expect(result.status == 0 && result.output == "", "\(result)")
      #expect(
        result.error == """
          10.15468/dl.8k2qf5: 2 recordings of GBIF, 2 new, 0 changed, 0 gone
          1 row without a sound

          """)
      let listed = try program.run("list", "10.15468/dl.8k2qf5", "--limit", "1")
      #expect(listed.error.contains("imported from a file of 2026-11-20"), "\(listed)")
      let credits = try program.run("export", GBIFDownload.doi, "--format", "credits")
      #expect(credits.output.contains("https://doi.org/10.15468/dl.8k2qf5"), "\(credits)")
      let json = try program.run("export", GBIFDownload.doi, "-o", "x.csv", "--json").output
      #expect(json.contains(#""rights":"Dataset: x\n""#), "\(json)")
      let synced = try program.run("sync")
      #expect(synced.status == 0, "\(synced)")
      #expect(
        synced.error == """
          10.15468/dl.8k2qf5: imported from the file download of 2026-11-20. Ask for the same download again \
          (https://doi.org/10.15468/dl.8k2qf5), then type: chirper import FILE --as 10.15468/dl.8k2qf5

          """)
      let fetched = try program.run("fetch", GBIFDownload.doi, "--source", "gbif")
      #expect(fetched.status == 64 && fetched.error.contains("imported from a file"), "\(fetched)")
    }
  }

  @Test func `--as names the list, and rows that could not be read are named`() throws {
    try withProgram { program in
      var download = GBIFDownload([.init(1)])
      download.lines = ["2\tPL\tx\ty\tz\tw\ttoo many"]
      let folder = program.path("download")
      try download.write(to: folder)
      let result = try program.run("import", folder, "--as", "Polish thrushes")
      #expect(result.status == 3, "\(result)")
      #expect(
        result.error.contains(
          "line 3 could not be read: it has more cells than the heading"), "\(result)")
      #expect(result.error.hasSuffix("has their lines. What could be read is stored.\n"))
      #expect(try program.run("list", "polish thrushes", "--format", "jsonl").status == 0)
      let listed = try program.run("list", "polish thrushes")
      #expect(listed.error.contains("shifted (the file could not be read in full"), "\(listed)")
      let object = try program.run("list", "--json").output
      #expect(
        object.contains(
          #""lines":[{"line":3,"reason":"it has more cells than the heading"}]"#), "\(object)")
      let both = try program.run("import", folder, folder, "--as", "x")
      #expect(both.status == 64, "\(both)")
    }
  }

  @Test func `a name that a fetched list has, or that names a catalogue, is refused`() throws {
    try withParrots { program in
      let rows = program.path("rows.jsonl")
      #expect(try program.run("export", "parrot", "--tidy", "-o", rows).status == 0)
      let refused = try program.run("import", rows, "--as", "Parrot")
      #expect(refused.status == 64, "\(refused)")
      #expect(refused.error.contains("names a list that was fetched from sample"), "\(refused)")
      let prefixed = try program.run("import", rows, "--as", "GBIF:foo")
      #expect(prefixed.status == 64 && prefixed.error.contains("--as NAME"), "\(prefixed)")
      for _ in 1...2 { #expect(try program.run("import", rows, "--as", "mine").status == 0) }
      #expect(try program.run("forget", "parrot", "--yes").status == 0)
      #expect(try program.run("list", "mine", "--limit", "1").status == 0)
    }
  }

  @Test func `after a file that cannot be imported the others are imported`() throws {
    try withProgram { program in
      let row = #"{"id":"1","catalogue":"gbif","scientificName":"Turdus merula"}"# + "\n"
      try Data(row.utf8).write(to: URL(filePath: program.path("a.jsonl")))
      try Data("a,b\n1,2\n".utf8).write(to: URL(filePath: program.path("bad.csv")))
      let some = try program.run("import", "bad.csv", "a.jsonl", "missing.zip")
      #expect(some.status == 3 && some.error.contains("a.jsonl: 1 recording"), "\(some)")
      for line in ["bad.csv: it is not a file", "missing.zip: the file cannot be read"] {
        #expect(some.error.contains(line), "\(some)")
      }
      #expect(
        some.error.hasSuffix(
          "error: 2 files could not be imported.\nWhat could be read is stored.\n"), "\(some)")
      let json = try program.run("import", "bad.csv", "a.jsonl", "--json")
      #expect(json.status == 3 && json.output.contains(#""path":"a.jsonl""#), "\(json)")
      #expect(json.error.hasPrefix("{") && json.error.contains("bad.csv: it is not"), "\(json)")
      let none = try program.run("import", "missing.zip", "bad.csv", "--json")
      #expect(none.status == 74 && none.output == "", "\(none)")
    }
  }

  @Test func `files of one name are not one list`() throws {
    try withProgram { program in
      try FileManager.default.createDirectory(
        atPath: program.path("a"), withIntermediateDirectories: true)
      for (path, id) in [("x.jsonl", 1), ("a/X.jsonl", 2)] {
        try #"{"id":"\#(id)","catalogue":"sample","scientificName":"Turdus merula"}"#.write(
          toFile: program.path(path), atomically: true, encoding: .utf8)
      }
      let result = try program.run("import", program.path("x.jsonl"), program.path("a/X.jsonl"))
      #expect(result.status == 3 && result.error.contains("1 new"), "\(result)")
      #expect(result.error.contains("an earlier file has the name"), "\(result)")
      #expect(try program.run("search", "source:sample", "--count").output == "1\n")
    }
  }

  @Test func `tables show the details of an imported record that has no raw fields`() throws {
    try withProgram { program in
      try
        (#"{"id":"1","catalogue":"sample","scientificName":"Turdus merula","#
        + #""vernacularName":"Blackbird","country":"Poland","eventDate":"2020-05"}"#).write(
          toFile: program.path("x.jsonl"), atomically: true, encoding: .utf8)
      #expect(try program.run("import", program.path("x.jsonl")).status == 0)
      let listed = try program.run("list", "x.jsonl").output
      #expect(listed.contains("\n1\tBlackbird\tPoland\t"), "\(listed)")
      for (command, argument) in [("list", "x.jsonl"), ("search", "source:sample")] {
        let table = try program.run(command, argument).output
        for text in ["Blackbird", "Poland", "2020-05"] {
          #expect(table.contains(text), "\(table)")
        }
      }
      let columns = try program.run("list", "x.jsonl", "--columns", "English name,id").output
      #expect(columns.hasSuffix("\nBlackbird\t1\n"), "\(columns)")
    }
  }

  @Test func `an import removes no file of the user, whatever it is named`() throws {
    try withProgram { program in
      let data = program.path("data")
      let here = program.set("CHIRPER_DATA_DIR", data)
      #expect(try here.run("fetch", "owl", "--source", "sample").status == 0)
      let folder = "\(data)/chirper-import-2026"
      try GBIFDownload([.init(1)]).write(to: folder)
      let own = [
        "chirper-import-notes.txt", "chirper-import-", "chirper-import-\(UUID().uuidString)",
      ]
      for name in own {
        try Data("mine".utf8).write(to: URL(filePath: "\(data)/\(name)"))
      }
      let leftOver = "chirper-import-\(UUID().uuidString)"
      try Data().write(to: URL(filePath: "\(data)/\(leftOver)"))
      #expect(try here.run("import", folder).status == 0)
      let names = try FileManager.default.contentsOfDirectory(atPath: data)
        .filter { $0.hasPrefix("chirper-import-") }
      #expect(Set(names) == Set(own + ["chirper-import-2026"]))
    }
  }

  @Test func `a file that cannot be imported is refused`() throws {
    try withProgram { program in
      try Data("a,b\n1,2\n".utf8).write(to: URL(filePath: program.path("table.csv")))
      let table = try program.run("import", "table.csv")
      #expect(table.status == 64 && table.error.contains("Macaulay Library"), "\(table)")
      #expect(try program.run("import", "missing.zip").status == 74)
      #expect(try program.run("import", "/dev/null").status == 74)
      let result = try program.run("import", program.path("."))
      #expect(result.status == 64 && result.error.contains("no meta.xml"), "\(result)")
      let row = #"{"id":"1","catalogue":"gbif","scientificName":"Turdus merula"}"# + "\n"
      try Data(row.utf8).write(to: URL(filePath: program.path("tidy.jsonl")))
      let tidy = try program.run("import", "tidy.jsonl", "--source", "gbif")
      #expect(tidy.status == 64 && tidy.error.hasSuffix("Leave out --source.\n"), "\(tidy)")
      let lines = "id\tcatalogue\tscientificName\n1\tgbif\tTurdus merula\n"
      try Data(lines.utf8).write(to: URL(filePath: program.path("tidy.tsv")))
      let tsv = try program.run("import", "tidy.tsv")
      #expect(tsv.status == 64 && tsv.error.contains("as jsonl or csv"), "\(tsv)")
    }
  }
}
