import ChirperTestSupport
import Foundation
import Testing

/// Annotations in `export`, `search` and `stats`.
struct AnnotationCommandTests {
  private static let set = #"""
    {"set_name":"A set","set_creator":null,"set_creation_date":"2026-05-01 10:00:00","annotations":[
    {"annotation_id":"7","annotator":"A. Name","start_time":"0.5","end_time":"0.75","frequency_low":"1000",
    "frequency_high":"5000","scientific_name":"Psittacus exemplaris","sound_type":"song, call","sex":"male"},
    {"annotation_id":"8","start_time":"2","end_time":"1","scientific_name":"Corvus corax"}],
    "set_license":"//creativecommons.org/licenses/by/4.0/"}
    """#

  /// Four recordings with audio and one without; 2 and 4 are annotated.
  private func withParrots(_ body: (BuiltProgram) throws -> Void) throws {
    let records = (1...5).map { number in
      var record = FakeXenoCanto.Record(number, "exemplaris")
      record.file = number == 5 ? nil : "/\(number)/download"
      record.annotationSet = [2, 4].contains(number) ? Self.set : "[]"
      return record
    }
    let catalogue = try FakeXenoCanto(records: records) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      return .bytes(200, silence(seconds: 1), headers: ["Content-Type": "audio/wav"])
    }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      try body(program)
    }
  }

  private func cells(_ text: String) -> [[String]] {
    text.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  @Test func `the table of annotations has each of them with its recording, in order`() throws {
    try withParrots { program in
      let result = try program.run("export", "parrot", "--annotations", "--format", "jsonl")
      #expect(
        result.status == 0 && result.error.hasPrefix("4 annotations of 5 rows\n"), "\(result)")
      let rows = try result.output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      #expect(rows.map { $0["id"] as? String } == ["4", "4", "2", "2"])
      #expect(rows.map { $0["annotationID"] as? String } == ["7", "8", "7", "8"])
      let first = try #require(rows.first)
      #expect(first["startTime"] as? Double == 0.5 && first["freqHigh"] as? Int == 5000)
      #expect(first["behavior"] as? [String] == ["song", "call"])
      #expect(first["license"] as? String == "https://creativecommons.org/licenses/by/4.0/")
      // What ends before it begins has no times.
      #expect(
        rows[1]["startTime"] is NSNull && rows[1]["scientificName"] as? String == "Corvus corax")
      let table = try #require(
        readCSV(try program.run("export", "--annotations", "--where", "nr:2").output))
      #expect(
        table.count == 3
          && table[0].prefix(5) == [
            "id", "catalogue", "catalogNumber", "annotationID", "startTime",
          ])
      #expect(table[1].contains("song | call"))
      let json = try program.run("export", "parrot", "--annotations", "--json", "--limit", "2")
      #expect(json.output.contains(#""annotations":["#) && json.error.isEmpty, "\(json)")
      let file = try program.run("export", "parrot", "--annotations", "-o", "a.tsv")
      #expect(file.error.hasPrefix("wrote 4 annotations to a.tsv\n"), "\(file)")
      for wrong in [
        ["--format", "raven"], ["--tidy"], ["--columns", "id"], ["--audio", "x"], ["--all-rows"],
      ] {
        let refused = try program.run(
          BuiltProgram.path, ["export", "parrot", "--annotations"] + wrong, input: "")
        #expect(refused.status == 64 && refused.output.isEmpty, "\(wrong): \(refused)")
      }
    }
  }

  @Test
  func
    `tables of selections have the rows whose audio is kept, all rows if asked, and all if none is kept`()
    throws
  {
    try withParrots { program in
      let none = try program.run("export", "parrot", "--format", "raven")
      #expect(
        none.error.hasPrefix(
          "no row has its audio on this machine, so all rows are written without files\n"
            + "2 annotations left out, without a beginning and an end in the sound\n"), "\(none)")
      // The recordings are 30 s long and in the order 5 to 1.
      let times = cells(none.output).dropFirst().map { $0[3...4].joined(separator: " ") }
      #expect(times == ["0.0 30.0", "30.5 30.75", "60.0 90.0", "90.5 90.75", "120.0 150.0"])
      #expect(cells(none.output).dropFirst().allSatisfy { $0[7...8] == ["", ""] })
      #expect(try program.run("play", "1", "2", "--save").status == 0)
      for (options, count) in [([], 2), (["--all-rows"], 5)] {
        for format in ["raven", "audacity"] {
          let arguments = ["export", "parrot", "--format", format] + options
          let some = try program.run(BuiltProgram.path, arguments, input: "")
          let rows = cells(some.output).dropFirst(format == "raven" ? 1 : 0)
          #expect(rows.count == count, "\(some)")
          let note = "3 rows left out, whose audio is not on this machine (--all-rows)\n"
          #expect(
            some.error.contains(note) == options.isEmpty && !some.error.contains("no row has"),
            "\(some)")
        }
      }
      // A length of 30 s is not that of the file, of one second; a sent length is not doubted then.
      let kept = cells(try program.run("export", "parrot", "--format", "raven").output).dropFirst()
      #expect(kept.map { $0[7] } == ["2.wav", "1.wav"] && kept.map { $0[9] } == ["0.5", "0.0"])
    }
  }

  @Test func `next to copied audio a table of selections names the copies`() throws {
    try withParrots { program in
      let result = try program.run(
        "export", "parrot", "--audio", "folder", "--format", "raven", "--where", "nr:1-2,5")
      #expect(result.status == 0, "\(result)")
      #expect(
        result.error.contains("1 row left out, whose audio is not on this machine (--all-rows)\n"),
        "\(result)")
      let path = program.path("folder/recordings.selections.txt")
      let rows = cells(try String(contentsOfFile: path, encoding: .utf8)).dropFirst()
      #expect(rows.count == 2)
      for row in rows {
        #expect(
          FileManager.default.fileExists(atPath: program.path("folder/\(row[8])"))
            && row[7] == row[8])
      }
      let labels = try program.run("export", "parrot", "--audio", "folder", "--format", "audacity")
      #expect(labels.status == 0, "\(labels)")
      #expect(FileManager.default.fileExists(atPath: program.path("folder/recordings.labels.txt")))
      let other = try program.run("export", "parrot", "--audio", "folder", "--format", "csv")
      #expect(other.status == 64, "\(other)")
    }
  }

  @Test func `the server exports annotations and all rows as the command does`() throws {
    try withParrots { program in
      #expect(try program.run("play", "1", "2", "--save").status == 0)
      try withServer(program) { (port: Int) throws in
        func export(_ query: String) throws -> RawClient.Answer {
          try #require(RawClient.answer("/api/chirper/export?\(query)", port: port))
        }
        for (query, arguments) in [
          ("list=parrot&annotations=true", ["parrot", "--annotations"]),
          ("annotations=true&format=tsv", ["--annotations", "--format", "tsv"]),
          (
            "annotations=true&format=jsonl&q=nr:2",
            ["--annotations", "--format", "jsonl", "--where", "nr:2"]
          ),
          ("annotations=false&format=raven", ["--format", "raven"]),
          ("all-rows=true&format=raven", ["--format", "raven", "--all-rows"]),
          ("all-rows=true&format=audacity", ["--format", "audacity", "--all-rows"]),
        ] {
          let answer = try export(query)
          let wanted = try program.run(BuiltProgram.path, ["export"] + arguments, input: "")
          #expect(answer.status == 200 && wanted.status == 0 && !wanted.output.isEmpty, "\(query)")
          #expect(try RawHTTP.unchunked(answer.body) == Array(wanted.output.utf8), "\(query)")
        }
        let some = try RawHTTP.unchunked(export("format=raven").body)
        #expect(try some.count < RawHTTP.unchunked(export("format=raven&all-rows=true").body).count)
        for query in [
          "annotations=true&format=raven", "annotations=true&format=geojson",
          "annotations=true&tidy=true", "annotations=true&columns=id",
          "annotations=true&all-rows=true", "annotations=maybe", "all-rows=1",
        ] {
          let refused = try export("list=parrot&\(query)")
          let error = refused.json["error"] as? [String: Any]
          #expect(refused.status == 400, "\(query) \(refused)")
          #expect(error?["kind"] as? String == "usage", "\(query) \(refused)")
        }
      }
    }
  }

  @Test
  func
    `annotations are found, counted and in the tidy columns, and their request's time is no change`()
    throws
  {
    try withParrots { program in
      #expect(try program.run("search", "ann:yes", "--count").output == "2\n")
      #expect(
        try program.run("search", #"ann_sp:corvus ann_type:song -ann_sex:female"#, "--count").output
          == "2\n")
      #expect(try program.run("search", "ann:no", "--count").output == "3\n")
      let counts = try program.run("stats", "--by", "annotation", "--format", "csv").output
      #expect(counts == "annotation,recordings\r\nCorvus corax,2\r\nPsittacus exemplaris,2\r\n")
      let types = try program.run("stats", "--by", "annotation-type", "--format", "csv").output
      #expect(types == "annotation-type,recordings\r\ncall,2\r\nsong,2\r\n")
      let tidy = try program.run(
        "export", "parrot", "--tidy", "--columns", "annotatedTaxa,annotations", "--where", "nr:2")
      let table = try #require(readCSV(tidy.output))
      #expect(table[1][0] == "Psittacus exemplaris | Corvus corax")
      let objects =
        try JSONSerialization.jsonObject(with: Data(table[1][1].utf8)) as? [[String: Any]]
      #expect(objects?.count == 2)
      #expect(try program.run("fetch", "parrot", "--all").error.contains("verified"))
    }
  }
}
