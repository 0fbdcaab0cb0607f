import ChirperTestSupport
import Foundation
import Logging
import Testing

@testable import ChirperCommand

/// The log of the built program.
@Suite struct CommandLogTests {
  private static let key = "c4n4rykey0123456789"

  /// A program that asks a server, with a key that can be recognised.
  private func program(_ catalogue: FakeXenoCanto, _ body: (BuiltProgram) throws -> Void) throws {
    let variables = [
      "CHIRPER_XENO_CANTO_URL": catalogue.server.url.absoluteString, "XENO_CANTO_API_KEY": Self.key,
    ]
    try withProgram(variables, body)
  }

  @Test func `names every request without the key, what was stored, and why a sync walked`() throws
  {
    let catalogue = try FakeXenoCanto(["1", "2", "3", "4"])
    try program(catalogue) { program in
      let log = try program.set("CHIRPER_LOG", "trace").run("fetch", "parrot", "--all").error
      let start = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \d+ (debug|trace)/
      let lines = log.split(separator: "\n").filter { $0.contains(start) }
      let gets = lines.filter { $0.contains(" debug GET ") }
      #expect(gets.count == catalogue.requests.count && gets.count == 2)
      #expect(
        gets.allSatisfy {
          $0.contains("/api/3/recordings?query=") && $0.contains("key=***") && $0.contains("page=")
        })
      #expect(lines.filter { $0.contains("debug page stored") && $0.contains("new=") }.count == 2)
      #expect(lines.filter { $0.contains("trace answer") }.count == 2)
      #expect(
        lines.contains { $0.contains("debug walk closed") && $0.contains("completeness=complete") })
      #expect(log.contains("4 new, 0 changed, 0 gone") && !log.lowercased().contains(Self.key))
      let sync = try program.set("CHIRPER_LOG", "debug").run("sync").error
      #expect(sync.contains("the sync walks because=\"a walk takes no more requests for 2 pages\""))
      #expect(!sync.contains(" trace ") && !sync.lowercased().contains(Self.key))
      #expect(!(try program.run("sync").error.contains(" debug ")))
    }
  }

  @Test func `is in the file of CHIRPER_LOG_FILE, and with --json only there`() throws {
    let catalogue = try FakeXenoCanto(["1"]) { _, _ in
      .json(400, #"{"message":"\#(Self.key) is unknown\u001b[2J"}"#)
    }
    try program(catalogue) { program in
      let logging = program.set("CHIRPER_LOG", "trace")
      let silent = try logging.run("fetch", "parrot", "--json")
      #expect(
        silent.status == 1 && !silent.error.contains("debug") && !silent.output.contains("GET"))
      let file = program.path("chirper.log")
      let filed = try logging.set("CHIRPER_LOG_FILE", file).run("fetch", "parrot", "--json")
      #expect(!filed.error.contains("GET") && !filed.output.contains("GET"))
      let log = try String(contentsOfFile: file, encoding: .utf8)
      #expect(log.contains(" debug GET url=") && log.contains("page cannot be fetched"))
      #expect(log.contains("*** is unknown") && !log.contains("\u{1B}"))
      #expect(!log.lowercased().contains(Self.key))
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      // A second run adds to it, and the file alone asks for nothing.
      try program.set("CHIRPER_LOG_FILE", file).run("fetch", "parrot")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == log)
      try logging.set("CHIRPER_LOG_FILE", file).run("fetch", "parrot")
      let longer = try String(contentsOfFile: file, encoding: .utf8)
      #expect(longer.hasPrefix(log) && longer.count > log.count)
    }
  }

  @Test
  func
    `a value or a file that cannot be used is an error of every command, before it does anything`()
    throws
  {
    try withProgram { program in
      for arguments in [["list"], ["fetch", "parrot"], ["doctor"], ["auth", "status"]] {
        let result = try program.set("CHIRPER_LOG", "loud").run(
          BuiltProgram.path, arguments, input: "")
        #expect(result.status == 78 && result.output.isEmpty, "\(arguments)")
        #expect(
          result.error
            == "error: Unknown value \"loud\" (CHIRPER_LOG).\nValues are: debug, trace.\n")
      }
      let filed = program.set("CHIRPER_LOG", "debug")
      let nowhere = try filed.set("CHIRPER_LOG_FILE", program.path("no/such/log")).run("list")
      #expect(
        nowhere.status == 78
          && nowhere.error.contains("The file cannot be opened: No such file or directory"))
      let directory = try filed.set("CHIRPER_LOG_FILE", program.directory.path).run("list")
      #expect(directory.status == 78)
    }
    try withParrots { program in
      let database = program.path(".local/share/chirper/chirper.sqlite")
      let before = try Data(contentsOf: URL(filePath: database))
      let own = try program.set("CHIRPER_LOG", "debug").set("CHIRPER_LOG_FILE", database).run(
        "fetch", "parrot")
      #expect(own.status == 73 && own.error.contains("this is one of chirper's own files"))
      #expect(try Data(contentsOf: URL(filePath: database)) == before)
    }
  }

  @Test
  func
    `a line has the time, the process, the level, the message and the metadata, safe for a terminal`()
  {
    let line = LineLogHandler.line(
      at: Date(timeIntervalSince1970: 1_780_000_000.25), .debug, "page \u{1B}[2J\nstored",
      ["b": "two words", "a": "1", "c": "say \"hi\"\u{9B}", "d": ""])
    let message = #"page \x1b[2J\nstored a=1 b="two words" c="say \"hi\"\x9b" d="""#
    #expect(line == "2026-05-28T20:26:40.250Z \(getpid()) debug \(message)")
  }
}
