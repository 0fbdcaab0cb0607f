import ChirperTestSupport
import Foundation
import Testing

/// A key that can be recognised goes through every command; it may stand in its own file and in requests to its own host.
@Suite(.serialized)
struct CanaryTests {
  private static let key = "c4n4rykey0123456789"

  private static let commands: [[String]] = [
    ["fetch", "parrot", "--all"], ["fetch", "parrot", "--all", "--json"], ["fetch", "parrot", "--all", "--verify"],
    ["sync"], ["sync", "parrot", "--json"], ["list"], ["list", "parrot", "--json"], ["export", "parrot", "-o", "out.csv"],
    ["doctor"], ["doctor", "--json"], ["auth", "status"], ["auth", "status", "--json"], ["fetch", "parrot:x"],
    ["fetch", "--help"], ["forget", "parrot"], ["doctor", "--repair", "--json"],
  ]

  private static let answers: [(name: String, answer: ScriptedAnswer?)] = [
    ("sound", nil), ("401", .json(401, #"{"message":"bad key"}"#)),
    ("500 for an hour", .empty(500, headers: ["Retry-After": "3600"])),
    ("429", .empty(429, headers: ["Retry-After": "3600"])), ("400", .json(400, #"{"message":"no"}"#)), ("a web page", .html(200)),
    ("no JSON", .json(200, "{")), ("not HTTP", .raw("nonsense\r\n\r\n")),
  ]

  @Test(arguments: [true, false])
  func `stands in no output, no file and no argument, whatever the server does`(isInFile: Bool) throws {
    for (name, answer) in Self.answers {
      let catalogue = try FakeXenoCanto(["1", "2", "3", "4"]) { _, _ in answer }
      try withProgram(["CHIRPER_XENO_CANTO_URL": catalogue.server.url.absoluteString]) { program in
        var program = program
        if isInFile {
          #expect(try program.run("auth", "set", input: Self.key + "\n").status == 0)
        } else {
          program = program.set("XENO_CANTO_API_KEY", Self.key)
        }
        for command in Self.commands {
          let result = try program.run(BuiltProgram.path, command, input: "")
          #expect(!(result.output + result.error).contains(Self.key), "\(name): \(command)")
        }
        #expect(catalogue.server.requests.allSatisfy { $0.query("key") == Self.key }, "\(name)")
        #expect(!catalogue.server.requests.isEmpty)
        try expectNoTrace(in: program, name)
      }
    }
  }

  @Test(arguments: ["/elsewhere", "", "?key=KEY"])
  func `never follows a redirect to another server`(target: String) throws {
    let other = try ScriptedServer { _ in .json(200, FakeXenoCanto.body([], page: 1, pages: 1, total: 0)) }
    let location = other.url.absoluteString + target.replacing("KEY", with: Self.key)
    let own = try ScriptedServer { _ in .redirect(to: location) }
    try withProgram(["CHIRPER_XENO_CANTO_URL": own.url.absoluteString, "XENO_CANTO_API_KEY": Self.key]) { program in
      for command in [["fetch", "parrot"], ["fetch", "parrot", "--json"]] {
        let result = try program.run(BuiltProgram.path, command, input: "")
        #expect(result.status == 69, "\(result)")
        #expect(!(result.output + result.error).contains(Self.key), "\(result)")
      }
      #expect(other.requests.isEmpty)
      try expectNoTrace(in: program, "redirect")
    }
  }

  @Test func `is not sent to another catalogue`() throws {
    let itunes = try ScriptedServer { _ in .json(200, #"{"resultCount":0,"results":[]}"#) }
    try withProgram(["CHIRPER_ITUNES_URL": itunes.url.absoluteString, "XENO_CANTO_API_KEY": Self.key]) { program in
      let result = try program.run("fetch", "jack johnson", "--source", "itunes")
      #expect(result.status == 0, "\(result)")
      #expect(itunes.requests.count == 1)
      for request in itunes.requests { #expect(!"\(request)".contains(Self.key)) }
    }
  }

  @Test func `does not stand among the arguments, in the journal or in an error while a fetch hangs`() throws {
    let catalogue = try FakeXenoCanto((1...9).map { "\($0)" }) { _, page in page > 1 ? .silent : nil }
    try withProgram(catalogue.variables.merging(["XENO_CANTO_API_KEY": Self.key]) { $1 }) { program in
      let run = try program.start(arguments: ["fetch", "parrot", "--all"])
      let deadline = ContinuousClock.now + .seconds(20)
      while catalogue.server.requests.count < 2, ContinuousClock.now < deadline { usleep(5000) }
      let id = run.process.processIdentifier
      for file in ["cmdline", "comm"] {
        let text = (try? Data(contentsOf: URL(filePath: "/proc/\(id)/\(file)"))) ?? Data()
        #expect(text.range(of: Data(Self.key.utf8)) == nil)
      }
      try expectNoTrace(in: program, "hanging")
      kill(id, SIGTERM)
      let result = try run.result()
      #expect(!(result.output + result.error).contains(Self.key))
    }
  }

  /// No file below the program's directory holds the key, but its own.
  private func expectNoTrace(in program: BuiltProgram, _ what: String) throws {
    let files = try #require(FileManager.default.enumerator(atPath: program.directory.path))
    for case let name as String in files where !name.hasSuffix("xeno-canto.key") && !name.hasSuffix("/in") {
      guard let data = try? Data(contentsOf: URL(filePath: program.path(name))) else { continue }
      #expect(data.range(of: Data(Self.key.utf8)) == nil, "\(what): \(name)")
    }
  }
}
