import ChirperTestSupport
import Foundation
import Testing

/// Which recordings the queries of other people's clients find at `chirper serve`.
struct ServedQueryTests {
  private static let records = [
    #"""
    {"id":"1","gen":"Turdus","sp":"merula","en":"Common Blackbird","cnt":"Poland","q":"A",
    "type":"song, courtship display","length":"0:30","also":["Strix aluco"],"auto":"no",
    "animal-seen":"yes","playback-used":"no","temp":"21.5","regnr":"R-7","dvc":"Zoom F3",
    "mic":"Clippy EM272","smp":"48000","time":"07:30","uploaded":"2024-05-01"}
    """#,
    #"""
    {"id":"2","gen":"Turdus","sp":"philomelos","en":"Song Thrush","cnt":"Poland","q":"C",
    "type":"call","length":"2:00","also":["Turdus merula"],"rmk":"with Turdus merula",
    "auto":"yes","animal-seen":"unknown","playback-used":"yes","temp":"","regnr":"","dvc":"",
    "mic":"","smp":"44100","time":"?","uploaded":"2024-05-02"}
    """#,
    #"""
    {"id":"3","gen":"Strix","sp":"aluco","en":"Tawny Owl","cnt":"Norway","q":"",
    "type":"flight call","length":"1:00","also":[""],"rmk":"","uploaded":"2024-05-03"}
    """#,
  ]

  /// A program with these recordings in the list `grp:birds`, whose server `body` may ask. The
  /// service counts four species.
  private func withRecords(_ body: (BuiltProgram, _ port: Int) throws -> Void) throws {
    let page =
      #"{"numRecordings":"3","numSpecies":"4","page":1,"numPages":1,"recordings":["#
      + Self.records.joined(separator: ",") + "]}"
    let catalogue = try FakeXenoCanto(records: []) { _, _ in .json(200, page) }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "grp:birds", "--all", "--source", "xeno-canto").status == 0)
      try withServer(program) { (port: Int) throws in try body(program, port) }
    }
  }

  private func answer(_ query: String, _ version: Int, _ port: Int) throws -> RawClient.Answer {
    let text = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return try #require(
      RawClient.answer("/api/\(version)/recordings?query=\(text)&key=k", port: port), "\(query)")
  }

  private func ids(_ query: String, _ version: Int, _ port: Int) throws -> String {
    let answer = try answer(query, version, port)
    guard answer.status == 200 else { return "\(answer.status) \(answer.text)" }
    let rows = try #require(answer.json["recordings"] as? [[String: Any]])
    return rows.compactMap { $0["id"] as? String }.sorted().joined(separator: " ")
  }

  @Test func `tags that no detail has are answered from the fields as sent`() throws {
    try withRecords { (_: BuiltProgram, port: Int) throws in
      for (query, found) in [
        ("auto:yes", "2"), ("auto:no", "1"), ("seen:yes", "1"), ("seen:no", ""),
        ("playback:no", "1"),
        ("-playback:yes", "1 3"), ("temp:21.5", "1"), (#"temp:">20""#, "1"), ("temp:20-22", "1"),
        ("temp:<0", ""),
        ("temp:none", "2 3"), ("regnr:r-7", "1"), (#"regnr:"=R""#, ""), ("dvc:zoom", "1"),
        ("dvc:\"zoom f3\"", "1"),
        ("mic:em272", "1"), ("smp:44100", "2"), (#"smp:">44100""#, "1"), ("smp:44100,48000", "1 2"),
        ("time:07:30", "1"), ("othertype:display", "1"), ("othertype:call", ""),
        ("othertype:any", "1"),
        ("uploaded:2024-05-03", "3"), ("len_lt:60", "1"), ("len_gt:60", "2"), ("q_gt:B", "1"),
        ("q_lt:B", "2"),
        ("fam:turdidae", "1 2"), ("fam:strigidae seen:yes", ""),
        ("gen:turdus seen:yes q:A", "1"), ("gen:turdus auto:yes q:A", ""),
        ("cnt:poland -auto:yes len_gt:10", "1"),
      ] {
        #expect(try ids(query, 3, port) == found, "\(query)")
      }
    }
  }

  @Test func `tags without a field, and values that a tag does not take, are 400 with a sentence`()
    throws
  {
    try withRecords { (_: BuiltProgram, port: Int) throws in
      for (query, part) in [
        ("colyear:2019 gen:turdus", #""colyear:""#),
        ("colmonth:5", #""colmonth:""#), ("gen:turdus ID?:yes", #""id?:""#),
        ("auto:maybe", #""auto:" does not accept "maybe""#),
        ("temp:warm", #""temp:" does not accept "warm""#),
        (#"gen:turdus mic:"x"#, "quotation mark"),
        ("micc:x", "micc"), ("mic:", "mic"), ("seen:yes parrot", "tags"),
      ] {
        let answer = try answer(query, 3, port)
        #expect(
          answer.status == 400 && answer.json["error"] as? String == "client_error", "\(query)")
        let message = answer.json["message"] as? String ?? ""
        #expect(message.contains(part), "\(query): \(message)")
      }
    }
  }

  @Test func `a whole list has the species that its pages count, and a search those that it finds`()
    throws
  {
    try withRecords { (_: BuiltProgram, port: Int) throws in
      for (query, species) in [("grp:birds", "4"), ("gen:turdus", "2"), ("cnt:norway", "1")] {
        #expect(try answer(query, 3, port).json["numSpecies"] as? String == species, "\(query)")
      }
    }
  }

  @Test func `words of version 2 are a name, and a number is a number`() throws {
    try withRecords { (_: BuiltProgram, port: Int) throws in
      for (query, found) in [
        ("Turdus merula", "1"), ("turdus", "1 2"), ("merula", "1"), ("blackbird", "1"),
        ("Song Thrush", "2"),
        ("turdus q:A", "1"), ("cnt:poland turdus", "1 2"), ("turdus bird-seen:yes", "400"),
        ("turdus seen:yes", "1"), ("turdus -id?:yes", "400"),
        ("strix", "3"), ("strigidae", "3"), ("Turdidae q:A", "1"), ("poland", ""), ("XC2", "2"),
        ("xc 2", "2"), ("2", "2"),
      ] {
        let ids = try ids(query, 2, port)
        #expect(found == "400" ? ids.hasPrefix("400") : ids == found, "\(query): \(ids)")
      }
    }
  }

  @Test func `a whole list answers its own text unread, and a partial one is named`() throws {
    let whole = #"{"numRecordings":"1","numSpecies":"1","page":1,"numPages":1,"recordings":["#
    let partial = #"{"numRecordings":"60","numSpecies":"9","page":1,"numPages":2,"recordings":["#
    let catalogue = try FakeXenoCanto(records: []) { request, _ in
      let isPartial = request.target.contains("cnt")
      return .json(200, (isPartial ? partial : whole) + Self.records[isPartial ? 1 : 0] + "]}")
    }
    try withProgram(catalogue.variables) { program in
      for query in ["colyear:2019", "cnt:poland"] {
        #expect(try program.run("fetch", query, "--source", "xeno-canto").status == 0, "\(query)")
      }
      try withServer(program) { (port: Int) throws in
        let collected = try answer("colyear:2019", 3, port)
        #expect(
          collected.status == 200 && collected.json["numRecordings"] as? String == "1",
          "\(collected.text)")
        #expect(
          collected.headers["x-chirper-completeness"] == "complete", "\(collected.headers)")
        #expect(try answer("colyear:2018", 3, port).status == 400)
        let list = try answer("cnt:poland", 3, port)
        #expect(list.headers["x-chirper-completeness"] == "partial", "\(list.headers)")
        #expect(try ids("cnt:poland", 3, port) == "2")
        #expect(list.json["numRecordings"] as? String == "1")
        #expect(list.json["numSpecies"] as? String == "1")
      }
    }
  }
}
