import ChirperTestSupport
import Foundation
import Testing

struct KeyTests {
  private let secret = "abc123secret"

  @Test func `a key file is readable only by its owner, and the key is never printed`() throws {
    try withProgram { program in
      let path = program.path(".config/chirper/xeno-canto.key")
      #expect(
        try program.run("auth", "status").output.hasPrefix(
          "No key is set. Get a free key at https://xeno-canto.org/account"))
      let set = try program.run("auth", "set", input: secret + "\n")
      #expect(set == .init(status: 0, output: "The key is stored in \(path).\n", error: ""))
      #expect(
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      #expect(try program.run("auth", "status").output == "The key comes from \(path).\n")
      #expect(try program.run("doctor").output.contains("key          set in \(path)\n"))
      #expect(
        try program.set("XENO_CANTO_API_KEY", "x").run("auth", "status").output
          == "The key comes from XENO_CANTO_API_KEY.\n")
      #expect(try program.run("auth", "clear").output == "The key is removed from \(path).\n")
      #expect(try program.run("auth", "clear").output == "No key is stored.\n")
    }
  }

  @Test func `the report of a bug has no key, no query, no path and no address`() throws {
    try withParrots { program in
      try program.run("auth", "set", input: secret)
      let report = try program.set("https_proxy", "http://proxy.example:3128").run(
        "doctor", "--report")
      #expect(report.status == 0)
      for line in [
        "key          file", "proxy        set", "list         sample: 150 rows, 3 pages, partial",
      ] {
        #expect(report.output.contains("\n\(line)"))
      }
      for text in [secret, "parrot", program.path(""), "proxy.example", "127.0.0.1", NSUserName()] {
        #expect(!report.output.contains(text), "\(text)")
      }
      // What is asked without a pace is not noted.
      let words = try program.run("doctor").output
      #expect(words.contains("pacing       sample: no request was paced\n"), "\(words)")
      try Data("no database".utf8).write(
        to: URL(filePath: program.path(".local/share/chirper/chirper.sqlite")))
      let damaged = try program.run("doctor", "--report")
      #expect(damaged.status == 65 && damaged.output.contains("\nerror        "))
      #expect(!damaged.output.contains(program.path("")))
      #expect(try program.run("doctor", "--report", "--json").status == 64)
    }
  }

  @Test func `a missing key is said once`() throws {
    try withProgram { program in
      let result = try program.run("fetch", "parrot", "--source", "xeno-canto")
      #expect(result.status == 77, "\(result)")
      #expect(result.error.split(separator: "needs a key").count == 2, "\(result.error)")
    }
  }

  @Test func `a key file others can read is refused, but lists need no key`() throws {
    try withParrots { program in
      try program.run("auth", "set", input: secret)
      let path = program.path(".config/chirper/xeno-canto.key")
      #expect(chmod(path, 0o644) == 0)
      let refusal =
        "error: \(path): other users can read this key file, so it is not used.\nType: chmod 600 \(path)\n"
      #expect(try program.run("fetch", "parrot") == .init(status: 78, output: "", error: refusal))
      #expect(try program.run("auth", "status") == .init(status: 78, output: "", error: refusal))
      #expect(try program.run("list", "parrot").status == 0)
      #expect(try program.run("export", "parrot").status == 0)
      #expect(try program.run("fetch", "parrot", "--source", "sample").status == 0)
    }
  }

  @Test(arguments: [
    "", "\n", "two words", "line\nline", "ключ", "abc-def", "key=abc", "ab%41c",
    "https://x/?key=abc", "a\u{200B}b",
    String(repeating: "a", count: 513), String(repeating: "a", count: 1_000_000),
  ])
  func `a malformed key is not stored`(input: String) throws {
    try withProgram { program in
      let result = try program.run("auth", "set", input: input)
      #expect(result.status == 64 || result.status == 78)
      #expect(
        !FileManager.default.fileExists(atPath: program.path(".config/chirper/xeno-canto.key")))
    }
  }

  @Test func `without a key xeno-canto is an error that explains how to get one`() throws {
    try withProgram { program in
      let result = try program.run("fetch", "parrot", "--source", "xeno-canto")
      #expect(result.status == 77)
      #expect(
        result.error.contains(
          "Get a free key at https://xeno-canto.org/account. Then type: chirper auth set"))
    }
  }

  @Test func `a refused key ends with 77 and is neither printed nor stored`() throws {
    let server = try ScriptedServer { _ in
      .json(401, #"{"error":"client_error","message":"Missing or invalid 'key'\u001b[2J"}"#)
    }
    try withProgram([
      "CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": secret,
    ]) { program in
      for flags in [[], ["--json"]] {
        let result = try program.run(BuiltProgram.path, ["fetch", "parrot"] + flags, input: "")
        #expect(result.status == 77)
        #expect(!result.output.contains(secret) && !result.error.contains(secret))
        #expect(!result.output.contains("\u{1B}") && !result.error.contains("\u{1B}"))
      }
      let database = try Data(
        contentsOf: URL(filePath: program.path(".local/share/chirper/chirper.sqlite")))
      #expect(database.range(of: Data(secret.utf8)) == nil)
    }
  }
}
