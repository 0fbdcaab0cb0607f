import ChirperTestSupport
import Foundation
import Testing

struct PlayTests {
  @Test func `a sample recording is saved as a WAV file and its path printed`() throws {
    try withParrots { program in
      let id = try #require(try sampleID(program))
      let ending = try program.run("play", id, "--save")
      #expect(ending.status == 0)
      let path = ending.output.trimmingCharacters(in: .newlines)
      #expect(path.hasSuffix("/chirper/audio/sample/\(id.replacing(":", with: "%3A")).wav"))
      #expect(try Data(contentsOf: URL(filePath: path)).prefix(4) == Data("RIFF".utf8))
    }
  }

  @Test func `without a player it is said which to install`() throws {
    try withParrots { program in
      let id = try #require(try sampleID(program))
      let ending = try program.set("PATH", "/nowhere").run("play", id)
      #expect(ending.status == 78)
      #expect(
        ending.error == """
          error: no player is installed: install mpv (or ffplay, or play from sox).
          Or type: chirper play \(id) --save

          """)
    }
  }

  @Test func `a recording that is not stored is told so`() throws {
    try withProgram { program in
      let ending = try program.run("play", "XC1")
      #expect(ending.status == 66)
      #expect(ending.error == "error: No recording \"XC1\" is stored.\nType: chirper fetch nr:1\n")
      let other = try program.run("play", "sample:1", "--source", "sample")
      #expect(other.status == 66 && !other.error.contains("nr:"), "\(other)")
    }
  }

  @Test func `the path of saved audio that cannot be written ends with 74`() throws {
    try withParrots { program in
      let id = try #require(try sampleID(program))
      #expect(try program.shell("\"$chirper\" play '\(id)' --save > /dev/full").status == 74)
    }
  }

  @Test func `JSON tells of audio that could not be had`() throws {
    let server = try ScriptedServer { request in
      guard request.path == "/api/3/recordings" else { return .empty(404) }
      let host = request.headers["host"] ?? ""
      return .json(
        200,
        """
        {"numRecordings":"1","numSpecies":"1","page":1,"numPages":1,"recordings":[
        {"id":"1","en":"Kea","file":"http://\(host)/1/download"}]}
        """)
    }
    try withProgram(["CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "x"]) { program in
      let ending = try program.run("fetch", "kea", "--all", "--audio", "--json")
      #expect(ending.status == 3)
      #expect(ending.output.contains(#""exit":3,"error":{"code":3,"#), "\(ending)")
    }
  }

  @Test func `fetch with audio keeps what the catalogue gives and asks once`() throws {
    let server = try ScriptedServer { request in
      guard request.path == "/api/3/recordings" else { return .bytes(200, Array("sound of \(request.path)".utf8)) }
      let host = request.headers["host"] ?? ""
      return .json(
        200,
        """
        {"numRecordings":"2","numSpecies":"1","page":1,"numPages":1,"recordings":[
        {"id":"1","en":"Kea","file":"http://\(host)/1/download"},{"id":"2","en":"Kea","file":null}]}
        """)
    }
    try withProgram(["CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "x"]) { program in
      let first = try program.run("fetch", "kea", "--all", "--audio")
      #expect(first.status == 0)
      #expect(first.error.contains("audio: 1 new, 0 already kept, 1 without audio\n"))
      let path = program.path(".local/share/chirper/audio/xeno-canto/1.mp3")
      #expect(try String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self) == "sound of /1/download")
      let second = try program.run("fetch", "kea", "--all", "--audio")
      #expect(second.error.contains("audio: 0 new, 1 already kept, 1 without audio\n"))
      #expect(server.requests.count { $0.path == "/1/download" } == 1)
      #expect(try program.run("play", "XC1", "--save").output == path + "\n")
    }
  }

  private func sampleID(_ program: BuiltProgram) throws -> String? {
    try program.run("list", "parrot", "--format", "jsonl", "--columns", "id", "--limit", "1").output
      .split(separator: "\"").first { $0.hasPrefix("sample:") }.map(String.init)
  }
}
