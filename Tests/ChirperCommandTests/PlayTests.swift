import ChirperTestSupport
import Foundation
import Testing

struct PlayTests {
  @Test func `a sample recording is saved as a WAV file and its path printed`() throws {
    try withParrots { program in
      let id = try #require(try sampleID(program))
      let result = try program.run("play", id, "--save")
      #expect(result.status == 0)
      let path = result.output.trimmingCharacters(in: .newlines)
      #expect(path.hasSuffix("/chirper/audio/sample/\(id.replacing(":", with: "%3A")).wav"))
      #expect(try Data(contentsOf: URL(filePath: path)).prefix(4) == Data("RIFF".utf8))
    }
  }

  @Test func `a list of which three recordings after each other cannot be played stops`() throws {
    try withParrots { program in
      let program = try program.withPlayer("echo \"cannot play\" >&2\nexit 1")
      let result = try program.run("play", "parrot", "--limit", "10")
      #expect(result.status == 1, "\(result)")
      #expect(
        result.error.contains(
          "3 recordings after each other could not be played, so the other 7 were not tried"),
        "\(result)")
      #expect(result.error.components(separatedBy: "playing with").count == 4, "\(result)")
      let few = try program.run("play", "parrot", "--limit", "3")
      #expect(few.error.contains("3 of 3 recordings could not be played"), "\(few)")
    }
  }

  @Test func `Ctrl-C stops a player without an error message`() throws {
    try withParrots { program in
      let started = program.path("started")
      let run = try program.withPlayer("touch '\(started)'\nexec sleep 600").start(
        arguments: ["play", "parrot", "--limit", "10"])
      try waitUntil { FileManager.default.fileExists(atPath: started) }
      kill(run.process.processIdentifier, SIGINT)
      let result = try run.result()
      #expect(result.status == 130, "\(result)")
      #expect(result.error.components(separatedBy: "playing with").count == 2, "\(result)")
      #expect(!result.error.contains("error:"), "\(result)")
    }
  }

  @Test func `without a list each recording is played once, with --copies yes its copies too`()
    throws
  {
    let copy = #"""
      {"offset":0,"limit":100,"endOfRecords":true,"count":1,"results":[
      {"key":1,"catalogNumber":"XC7","datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24",
      "media":[{"type":"Sound","identifier":"https://xeno-canto.org/sounds/7.mp3"}]}]}
      """#
    var record = FakeXenoCanto.Record(7, "exemplaris")
    record.file = "/7/download"
    let catalogue = try FakeXenoCanto(records: [record]) { request, _ in
      if request.path == "/v1/occurrence/search" { return .json(200, copy) }
      guard request.path.hasSuffix("/download") else { return nil }
      return .bytes(200, Array("RIFF\0\0\0\0WAVE".utf8), headers: ["Content-Type": "audio/wav"])
    }
    let gbif = ["CHIRPER_GBIF_URL": catalogue.server.url.absoluteString]
    try withProgram(catalogue.variables.merging(gbif) { $1 }) { program in
      #expect(try program.run("fetch", "parrot").status == 0)
      let taxon = "https://www.gbif.org/species/42"
      #expect(try program.run("fetch", taxon, "--source", "gbif").status == 0)
      #expect(try program.run("search", "nr:7", "--copies", "yes", "--count").output == "2\n")
      let played = program.path("played")
      let singing = try program.withPlayer("echo \"$1\" >> '\(played)'")
      let once = try singing.run("play", "--where", "nr:7")
      #expect(once.status == 0 && once.error.contains("1 copy"), "\(once)")
      let files = try String(contentsOfFile: played, encoding: .utf8).split(separator: "\n")
      #expect(files.count == 1 && files[0].contains("/xeno-canto/7"), "\(files)")
      // The copy's own address is on a host that is not this one.
      let all = try singing.run("play", "--where", "nr:7", "--copies", "yes")
      #expect(all.status != 0 && all.error.contains("1 of 2 recordings"), "\(all)")
    }
  }

  @Test func `without a player the error names those to install`() throws {
    try withParrots { program in
      let id = try #require(try sampleID(program))
      let result = try program.set("PATH", "/nowhere").run("play", id)
      #expect(result.status == 78)
      #expect(
        result.error == """
          error: no player is installed: install mpv (or ffplay, or play from sox).
          Or type: chirper play \(id) --save

          """)
    }
  }

  @Test func `a recording that is not stored is an error that names the fetch`() throws {
    try withProgram { program in
      let result = try program.run("play", "XC1")
      #expect(result.status == 66)
      #expect(result.error == "error: No recording \"XC1\" is stored.\nType: chirper fetch nr:1\n")
      let other = try program.run("play", "sample:1", "--source", "sample")
      #expect(other.status == 66 && !other.error.contains("nr:"), "\(other)")
    }
  }

  #if os(Linux)
  @Test func `the path of saved audio that cannot be written ends with 74`() throws {
    try withParrots { program in
      let id = try #require(try sampleID(program))
      #expect(try program.shell("\"$chirper\" play '\(id)' --save > /dev/full").status == 74)
    }
  }
  #endif

  @Test func `JSON reports audio that could not be fetched`() throws {
    let catalogue = try FakeXenoCanto(records: [.init("1", file: "/1/download")]) { request, _ in
      request.path == "/api/3/recordings" ? nil : .empty(404)
    }
    try withProgram(catalogue.variables) { program in
      let result = try program.run("fetch", "kea", "--all", "--audio", "--json")
      #expect(result.status == 3)
      #expect(result.output.contains(#""exit":3,"error":{"code":3,"#), "\(result)")
    }
  }

  @Test func `fetch --audio keeps the audio and requests it once`() throws {
    let catalogue = try FakeXenoCanto(records: [.init("1", file: "/1/download"), .init("2")]) {
      request, _ in
      request.path == "/api/3/recordings"
        ? nil : .bytes(200, Array("ID3 sound of \(request.path)".utf8))
    }
    try withProgram(catalogue.variables) { program in
      let first = try program.run("fetch", "kea", "--all", "--audio")
      #expect(first.status == 0)
      #expect(
        first.error.contains("audio: 1 new, 0 already kept, 1 without audio; 1 file, 24 bytes\n"))
      let path = program.path(".local/share/chirper/audio/xeno-canto/1.mp3")
      #expect(
        try String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)
          == "ID3 sound of /1/download")
      let second = try program.run("fetch", "kea", "--all", "--audio")
      #expect(
        second.error.contains("audio: 0 new, 1 already kept, 1 without audio; 1 file, 24 bytes\n"))
      #expect(catalogue.requests.count { $0.path == "/1/download" } == 1)
      #expect(try program.run("play", "XC1", "--save").output == path + "\n")
    }
  }

  private func sampleID(_ program: BuiltProgram) throws -> String? {
    try program.run("list", "parrot", "--format", "jsonl", "--columns", "id", "--limit", "1").output
      .split(separator: "\"").first { $0.hasPrefix("sample:") }.map(String.init)
  }
}

extension BuiltProgram {
  /// The program with a shell script as the player of its settings.
  fileprivate func withPlayer(_ script: String) throws -> BuiltProgram {
    let (player, config) = (path("player"), path("config"))
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: player))
    try #require(chmod(player, 0o755) == 0)
    try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
    try Data("player = \(player)\n".utf8).write(to: URL(filePath: config + "/config"))
    return set("CHIRPER_CONFIG_DIR", config)
  }
}
