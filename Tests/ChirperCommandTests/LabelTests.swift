import ChirperTestSupport
import Foundation
import Testing

/// `import --labels` and `forget --labels`.
struct LabelTests {
  /// Four recordings of 30 s; 2 is annotated by the catalogue.
  private func withParrots(_ body: (BuiltProgram) throws -> Void) throws {
    let records = (1...4).map { number in
      var record = FakeXenoCanto.Record(number, "exemplaris")
      if number == 2 {
        record.annotationSet = #"""
          {"annotations":[{"annotation_id":"7","annotator":"C. Atalogue","start_time":"0.5",
          "end_time":"0.75","scientific_name":"Corvus corax"}]}
          """#
      }
      return record
    }
    let catalogue = try FakeXenoCanto(records: records)
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      try body(program)
    }
  }

  private func write(_ lines: [String], _ name: String, _ program: BuiltProgram) throws {
    let text = lines.joined(separator: "\n") + "\n"
    try Data(text.utf8).write(to: URL(filePath: program.path(name)))
  }

  private func run(_ program: BuiltProgram, _ words: [String]) throws -> BuiltProgram.Result {
    try program.run(BuiltProgram.path, words, input: "")
  }

  private func annotations(_ program: BuiltProgram, _ search: String) throws -> [[String: Any]] {
    let result = try program.run(
      "export", "--annotations", "--where", search, "--format", "jsonl")
    return try result.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private static let raven =
    "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)"

  @Test func `Raven to the store to Raven is the same to a millisecond and a hertz`() throws {
    try withParrots { program in
      let lines = [
        "\(Self.raven)\tSpecies\tSound Type",
        "1\tWaveform 1\t1\t0.5004\t1.2506\t0\t24000\tTurdus merula\tsong",
        "1\tSpectrogram 1\t1\t0.5004\t1.2506\t1800.25\t7200\tTurdus merula\tsong",
        "2\tSpectrogram 1\t1\t2\t29.999\t1500\t3000.5\tHyla arborea\tcall, song",
      ]
      try write(lines, "XC2.selections.txt", program)
      let refused = try program.run("import", "--labels", "XC2.selections.txt")
      #expect(refused.status == 64 && refused.error.contains("--by"), "\(refused)")
      let arguments = ["import", "--labels", "XC2.selections.txt", "--by", "A. Name"]
      let imported = try run(program, arguments)
      #expect(imported.status == 0, "\(imported)")
      #expect(
        imported.error == "XC2.selections.txt: 2 labels by A. Name on 1 recording\n", "\(imported)")
      let export = ["export", "--where", "nr:2", "--format", "raven"]
      let first = try run(program, export).output
      let rows = first.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      // The catalogue's own, then the labels.
      #expect(
        rows.dropFirst().map { $0[3...6].joined(separator: " ") } == [
          "0.5 0.75 0.0 24000.0", "0.5004 1.2506 1800.25 7200.0", "2.0 29.999 1500.0 3000.5",
        ])
      #expect(
        rows.dropFirst().map { $0[11] } == ["Corvus corax", "Turdus merula", "Hyla arborea"])
      #expect(rows.dropFirst().map { $0[14] } == ["", "song", "call, song"])
      // The same file changes nothing, and its own export gives the same labels.
      #expect(try run(program, arguments).error.contains(", as before\n"))
      #expect(try run(program, export).output == first)
      #expect(try program.run("forget", "--labels", "XC2.selections.txt", "--yes").status == 0)
      try Data(first.utf8).write(to: URL(filePath: program.path("own.txt")))
      #expect(try program.run("import", "--labels", "own.txt", "--by", "B").status == 0)
      let again = try run(program, export).output.replacing("\tB\t", with: "\tA. Name\t")
        .split(separator: "\n")
      let own = first.split(separator: "\n")
      #expect(again.count == own.count + 1)
      #expect(
        again.suffix(2).map { $0.split(separator: "\t").dropFirst() }
          == own.suffix(2).map { $0.split(separator: "\t").dropFirst() })
    }
  }

  @Test func `labels are searched, counted and exported beside the catalogue's, never mixed`()
    throws
  {
    try withParrots { program in
      try write(
        [
          "Start (s),End (s),Scientific name,Common name,Confidence,File",
          "0,3,Turdus merula,Eurasian Blackbird,0.87,/a/XC1.mp3",
          "3,6,Engine,Engine,0.5,/a/XC2.mp3", "28,31,Corvus corax,Common Raven,0.9,/a/XC2.mp3",
        ], "all.BirdNET.results.csv", program)
      #expect(try program.run("import", "--labels", "all.BirdNET.results.csv").status == 0)
      try write(["1.5\t2,5\tNorthern Raven", "\\\t1000\t2000", "3\t4\tnoise"], "t.txt", program)
      let audacity = try program.run(
        "import", "--labels", "t.txt", "--by", "A. Name", "--recording", "XC3")
      #expect(audacity.status == 0, "\(audacity)")
      for (search, count) in [
        ("ann:yes", 3), ("ann_by:birdnet", 2), ("ann_by:atalogue", 1), ("ann_by:none", 1),
        (#"ann_sp:"corvus corax""#, 2), ("ann_sp:merula ann_by:birdnet", 1), ("ann_by:any", 3),
      ] {
        #expect(try program.run("search", search, "--count").output == "\(count)\n", "\(search)")
      }
      let counts = try program.run("stats", "--by", "annotator", "--format", "csv").output
      #expect(counts == "annotator,recordings\r\nBirdNET,2\r\nA. Name,1\r\nC. Atalogue,1\r\n")
      let second = try annotations(program, "nr:2")
      #expect(
        second.map { $0["labelFile"] as? String } == [
          nil, "all.BirdNET.results.csv", "all.BirdNET.results.csv",
        ])
      #expect(
        second.map { $0["identifiedBy"] as? String } == ["C. Atalogue", "BirdNET", "BirdNET"])
      #expect(
        second.map { $0["scientificName"] as? String } == [
          "Corvus corax", nil, "Corvus corax",
        ])
      #expect(second[1]["comments"] as? String == "Engine")
      #expect(second[2]["confidence"] as? Double == 0.9)
      let third = try annotations(program, "nr:3")
      #expect(third.map { $0["scientificName"] as? String } == ["Corvus corax", nil])
      #expect(third[0]["endTime"] as? Double == 2.5 && third[0]["freqHigh"] as? Int == 2000)
      #expect(third[1]["comments"] as? String == "noise")
      let raven = try program.run("export", "--where", "nr:3", "--format", "raven").output
      #expect(raven.contains("\tunknown\t1.0\t\tXC3\t") && raven.contains("\tA. Name\tnoise\n"))
      let plain = try program.run("export", "--where", "nr:3", "--format", "audacity").output
      #expect(plain.contains("\tnoise, ") && plain.contains(", annotated by A. Name\n"), "\(plain)")
      // What the catalogue sent stays as it is.
      #expect(try !program.run("export", "parrot", "--format", "jsonl").output.contains("BirdNET"))
      #expect(try program.run("fetch", "parrot", "--all").error.contains("verified"))
      #expect(try program.run("search", "ann_by:birdnet", "--count").output == "2\n")
    }
  }

  @Test func `the files of each program are read, also a table of several sounds`() throws {
    try withParrots { program in
      let names = "Begin Time (s)\tEnd Time (s)\tCommon Name"
      for (name, lines) in [
        (
          "BirdNET_SelectionTable.txt",
          [
            "\(Self.raven)\tCommon Name\tSpecies Code\tConfidence\tBegin Path\tFile Offset (s)",
            "1\tSpectrogram 1\t1\t0\t3.0\t0\t15000\tTawny Owl\ttawowl1\t0.9\t/a/XC1.mp3\t0",
            "2\tSpectrogram 1\t1\t33.0\t36.0\t0\t15000\tTawny Owl\ttawowl1\t0.8\tC:\\a\\XC2.mp3\t3",
          ]
        ),
        (
          "XC1.BirdNET.selection.table.txt",
          [
            "Selection\t\(names)\tScientific Name\tSpecies Code\tConfidence\tView\tBegin Path",
            "1\t3.0\t6.0\tTawny Owl\tStrix aluco\ttawowl1\t0.7\tSpectrogram 1\t/a/XC1.mp3",
          ]
        ),
        ("XC1.BirdNET.results.txt", ["6\t9\tStrix aluco_Tawny Owl\t0.6"]),
        ("Wren - song - XC1 - A. N..BirdNET.results.txt", ["9\t12\tTawny Owl, tawowl1\t0.5"]),
      ] {
        try write(lines, name, program)
        let result = try program.run("import", "--labels", name)
        #expect(result.status == 0 && result.error.contains(" by BirdNET on "), "\(result)")
      }
      let labels = try annotations(program, "ann_by:birdnet").filter {
        $0["identifiedBy"] as? String == "BirdNET"
      }
      let texts = labels.map { label in
        let times = [label["startTime"], label["endTime"], label["confidence"]].map {
          ($0 as? Double).map { "\($0)" } ?? ""
        }
        return
          "\(label["id"] ?? "") \(times.joined(separator: " ")) \(label["scientificName"] ?? "")"
      }
      #expect(
        Set(texts) == [
          "1 0.0 3.0 0.9 Strix aluco", "2 3.0 6.0 0.8 Strix aluco", "1 3.0 6.0 0.7 Strix aluco",
          "1 6.0 9.0 0.6 Strix aluco", "1 9.0 12.0 0.5 Strix aluco",
        ])
    }
  }

  @Test func `a line that cannot be a label is refused by its number, the others are stored`()
    throws
  {
    try withParrots { program in
      try write(
        [
          "\(Self.raven)\tBegin File\tConfidence", "1\tS\t1\t1\t2\t0\t1\tXC1.mp3\t1",
          "2\tS\t1\t5\t4\t0\t1\tXC1.mp3\t1", "3\tS\t1\t1\t32\t0\t1\tXC1.mp3\t1",
          "4\tS\t1\t40\t41\t0\t1\tXC1.mp3\t1", "5\tS\t1\t1\t2\t9\t1\tXC1.mp3\t1",
          "6\tS\t1\t1\t2\t0\t1\tXC99.mp3\t1", "7\tS\t1\tx\t2\t0\t1\tXC1.mp3\t1",
          "8\tS\t1\t1\t2\t0\t1\tXC1.mp3\t1.5", "9\tS\t1\t1\t31\t0\t1\tXC1.mp3\t1",
          "10\tS\t1\t30.4\t30.9\t0\t1\tXC1.mp3\t1", "11\tS\t1\t1\t2\t-1\t\tXC1.mp3\t1",
        ], "table.txt", program)
      let result = try program.run(
        "import", "--labels", "table.txt", "--by", "A\u{1B}[2J", "--json")
      #expect(result.status == 3, "\(result)")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      let file = try #require((object["labels"] as? [[String: Any]])?.first)
      let refused = try #require(file["refused"] as? [[String: Any]])
      #expect(refused.map { $0["line"] as? Int } == [3, 4, 5, 6, 7, 8, 9, 12])
      #expect(file["labels"] as? Int == 3 && file["recordings"] as? Int == 1)
      let text = try program.run("import", "--labels", "table.txt", "--by", "A\u{1B}[2J")
      #expect(text.error.contains("line 4: it ends at 32 s, and the sound has 30 s"), "\(text)")
      #expect(!text.error.contains("\u{1B}"), "\(text)")
      try write([Self.raven, "1\tS\t1\t5\t4\t0\t1"], "XC1.txt", program)
      let named = try program.run("import", "--labels", "XC1.txt", "--by", "A")
      #expect(named.status == 3 && !named.error.contains("--recording"), "\(named)")
      try write(["a,b", "1,2"], "other.csv", program)
      #expect(try program.run("import", "--labels", "other.csv", "--by", "A").status == 3)
      try write([""], "empty.txt", program)
      // BirdNET writes an empty file if it heard nothing.
      #expect(try program.run("import", "--labels", "empty.txt", "--by", "A").status == 0)
      try write(["no", "labels"], "text.txt", program)
      #expect(try program.run("import", "--labels", "text.txt", "--by", "A").status == 64)
      let both = try program.run("import", "--labels", "text.txt", "empty.txt", "--by", "A")
      #expect(both.status == 3 && both.error.contains("empty.txt: 0 labels"), "\(both)")
      #expect(both.error.contains("error: 1 file gave no label."), "\(both)")
      for wrong in [["--as", "x"], ["--recording", "XC99"], ["--by", " "], ["a/table.txt"]] {
        let answer = try run(program, ["import", "--labels", "table.txt", "--by", "A"] + wrong)
        #expect(answer.status != 0 && answer.output.isEmpty, "\(answer)")
      }
    }
  }

  @Test func `labels outlive their list and a copy, and a lock shows that they changed`() throws {
    try withParrots { program in
      try write(["1\t2\tNorthern Raven"], "XC2.txt", program)
      let labels = ["import", "--labels", "XC2.txt", "--by", "A. Name"]
      #expect(try run(program, labels).status == 0)
      #expect(try program.run("dataset", "new", "set", "parrot").status == 0)
      let locked = try program.run(
        "dataset", "lock", "set.dataset.json", "--no-audio")
      #expect(locked.status == 0, "\(locked)")
      #expect(try program.run("dataset", "verify", "set.lock.jsonl").status == 0)
      let forgotten = try program.run("forget", "parrot", "--yes")
      #expect(forgotten.error.contains("the labels of 1 recording stay"), "\(forgotten)")
      #expect(try program.run("doctor").output.contains("labels       of 1 recording, from 1 file"))
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      #expect(try program.run("search", "ann_by:name", "--count").output == "1\n")
      try FileManager.default.createDirectory(
        atPath: program.path("copy"), withIntermediateDirectories: true)
      #expect(try program.run("backup", program.path("copy/chirper.sqlite")).status == 0)
      let copy = program.set("CHIRPER_DATA_DIR", program.path("copy"))
      #expect(try copy.run("search", "ann_by:name", "--count").output == "1\n")
      try write(["1\t2.5\tNorthern Raven"], "XC2.txt", program)
      let changed = try run(program, labels)
      #expect(changed.error.contains(", in the place of 1 of before\n"), "\(changed)")
      let verified = try program.run("dataset", "verify", "set.lock.jsonl")
      #expect(verified.output.contains("XC2: fields changed: annotations"), "\(verified)")
      #expect(verified.output.contains("(the record is the one that was locked)"), "\(verified)")
      let removed = try program.run("forget", "--labels", "XC2.txt", "--yes")
      #expect(removed.error == "removed: 1 label by A. Name of 1 recording\n", "\(removed)")
      #expect(try program.run("search", "ann_by:name", "--count").output == "0\n")
      #expect(try program.run("forget", "--labels", "XC2.txt", "--yes").status == 64)
      #expect(try copy.run("search", "ann_by:name", "--count").output == "1\n")
    }
  }

  @Test
  func `a label is of the recording that its line names, or else its file, or else is refused`()
    throws
  {
    try withParrots { program in
      func label(_ cell: String, _ name: String, _ words: String...) throws -> BuiltProgram.Result {
        try write(["\(Self.raven)\tBegin File", "1\tS\t1\t1\t2\t0\t1\t\(cell)"], name, program)
        return try run(program, ["import", "--labels", name, "--by", "A"] + words)
      }
      #expect(try label("XC1.mp3", "XC2.a.txt", "--recording", "XC3").status == 0)
      #expect(try label("mic.wav", "XC2.b.txt", "--recording", "XC3").status == 0)
      #expect(try label("mic.wav", "c.txt", "--recording", "XC3").status == 0)
      for (cell, name) in [("XC99.mp3", "XC2.d.txt"), ("mic.wav", "XC99.e.txt")] {
        let refused = try label(cell, name, "--recording", "XC3")
        #expect(refused.status == 3 && refused.error.contains("line 2: no stored"), "\(refused)")
      }
      let unnamed = try label("mic.wav", "f.txt")
      #expect(unnamed.error.contains("--recording names the recording"), "\(unnamed)")
      let labels = try annotations(program, "ann_by:any").map { label in
        "\(label["id"] ?? "") \(label["labelFile"] ?? "")"
      }
      #expect(Set(labels) == ["1 XC2.a.txt", "2 XC2.b.txt", "3 c.txt", "2 <null>"])
    }
  }

  @Test func `a number without letters names a recording if only one sound can be meant`() throws {
    try withProgram { program in
      let rows = ["329926439-19", "330375933-21", "330375933-22", "330375934-23", "20240517-24"]
      let lines = rows.map { id in
        #"{"id":"\#(id)","catalogue":"inaturalist","catalogNumber":"\#(id.dropLast(3))","#
          + #""scientificName":"Turdus merula"}"#
      }
      try write(lines, "rows.jsonl", program)
      #expect(try program.run("import", "rows.jsonl").status == 0)
      func label(_ name: String, _ words: String...) throws -> BuiltProgram.Result {
        try write(["1\t2\tnoise"], "\(name).txt", program)
        return try run(program, ["import", "--labels", "\(name).txt", "--by", "A"] + words)
      }
      for name in [
        "329926439", "Common Blackbird - 329926439 - david m",
        "inaturalist-330375933-21", "330375933 - david m - inaturalist 330375933-22",
      ] {
        #expect(try label(name).status == 0, "\(name)")
      }
      for number in ["330375934", "20240517"] {
        #expect(try label("a \(number)", "--recording", number).status == 0, "\(number)")
      }
      #expect(try label("330375933", "--recording", "330375933-22").status == 0)
      // A date, a sound that is not stored, and a number with other letters.
      for name in ["mic_20240517_061500", "330375934 - a - inaturalist 330375934-99", "X329926439"]
      {
        let refused = try label(name)
        #expect(refused.status == 3 && refused.error.contains("no stored recording"), "\(refused)")
      }
      let two = try label("330375933")
      #expect(two.error.contains("line 1: 2 stored recordings are named in"), "\(two)")
      let typed = try label("b", "--recording", "330375933")
      #expect(typed.status == 64 && typed.error.contains("330375933-21, 330375933-22"), "\(typed)")
      let labelled = try annotations(program, "ann:yes").compactMap { $0["id"] as? String }
      #expect(
        labelled.sorted() == [
          rows[4], rows[0], rows[0], rows[1], rows[2], rows[2], rows[3],
        ])
    }
  }

  @Test func `labels of a file leave with their lines or by name, and only those that are named`()
    throws
  {
    try withParrots { program in
      func imported(_ lines: [String], _ name: String, _ words: String...) throws -> String {
        try write(lines, name, program)
        let result = try run(program, ["import", "--labels", name] + words)
        #expect(result.status == 0, "\(result)")
        return result.error
      }
      let head = "Start (s),End (s),Scientific name,Common name,Confidence,File"
      let first = "0,3,Turdus merula,Blackbird,0.87,XC1.mp3"
      _ = try imported([head, first, "0,3,Corvus corax,Raven,0.9,XC2.mp3"], "BirdNET.csv")
      let fewer = try imported([head, first], "BirdNET.csv")
      #expect(
        fewer.contains(", and those of before stay on 1 recording that it has none of now"),
        "\(fewer)")
      _ = try imported([head, first], "XC1.BirdNET.csv")
      #expect(try imported([head], "XC1.BirdNET.csv").contains("in the place of 1 of before"))
      for (author, recording) in [("Ada", "XC3"), ("Ben", "XC3"), ("Ada", "XC4")] {
        let line = try imported(
          ["1\t2\tnoise"], "Label Track.txt", "--by", author, "--recording", recording)
        #expect(!line.contains("of before"), "\(line)")
      }
      let forget = ["forget", "--labels", "a/Label Track.txt", "--yes"]
      for (words, text) in [
        (["--by", "Ben"], "1 label by Ben of 1 recording"),
        (["--recording", "XC4"], "1 label by Ada of 1 recording"),
        (["--source", "xeno-canto"], "1 label by Ada of 1 recording"),
      ] {
        #expect(try run(program, forget + ["--by", "Zoe"]).status == 64)
        #expect(try run(program, forget + ["--source", "gbif"]).status == 64)
        #expect(try run(program, forget + words).error == "removed: \(text)\n")
      }
      #expect(try program.run("search", "ann_by:birdnet", "--count").output == "2\n")
    }
  }
}
