import ChirperTestSupport
import Foundation
import Testing

/// What a chirper claims of a list that it has read from a different one.
struct ServedClaimTests {
  private let records = (1...60).map { FakeXenoCanto.Record($0, "exemplaris") }
  private let query = "gen:psittacus"

  /// The first list as `list --json` has it; `nil` without lists.
  private func list(of program: BuiltProgram) throws -> [String: Any]? {
    let object = try JSONSerialization.jsonObject(
      with: Data(program.run("list", "--json").output.utf8))
    return ((object as? [String: Any])?["queries"] as? [[String: Any]])?.first
  }

  /// The list that a second program has after it has fetched the query from that server.
  private func list(_ options: [String], from port: Int) throws -> (
    list: [String: Any]?, fetched: BuiltProgram.Result
  ) {
    let variables = [
      "CHIRPER_XENO_CANTO_URL": "http://127.0.0.1:\(port)", "XENO_CANTO_API_KEY": "k",
    ]
    var answer: (list: [String: Any]?, fetched: BuiltProgram.Result)?
    try withProgram(variables) { program in
      let fetched = try program.run(
        BuiltProgram.path, ["fetch", query, "--all"] + options, input: "")
      answer = (try list(of: program), fetched)
    }
    return try #require(answer)
  }

  @Test(arguments: [["--pages", "1"], ["--all"], ["--all", "--verify"]])
  func `never rises above the claim of the server`(options: [String]) throws {
    let catalogue = try FakeXenoCanto(records: records)
    try withProgram(catalogue.variables) { server in
      let fetch = ["fetch", query, "--per-page", "50"] + options
      _ = try server.run(BuiltProgram.path, fetch, input: "")
      let served = try #require(try list(of: server))
      let claim = try #require(served["completeness"] as? String)
      #expect(
        claim == (options[0] == "--pages" ? "partial" : options.count > 1 ? "verified" : "complete")
      )
      try withServer(server) { (port: Int) throws in
        for options in [[], ["--verify"], ["--per-page", "50"]] {
          let (list, fetched) = try self.list(options, from: port)
          let found = try #require(list?["completeness"] as? String)
          let allowed =
            switch claim {
            case "verified" where options == ["--verify"]: "verified"
            case "partial": "partial"
            default: "complete"
            }
          #expect(found == allowed, "\(claim) \(options)")
          #expect(fetched.status == (claim == "partial" ? 3 : 0), "\(fetched)")
          #expect(list?["rows"] as? Int == served["rows"] as? Int)
          let dates = [list, served].map {
            ($0?["fetchedAt"] as? [String: String])?["oldest"] ?? ""
          }
          #expect(dates[0].prefix(19) == dates[1].prefix(19) && !dates[0].isEmpty)
        }
      }
    }
  }

  @Test func `a list that the server does not have is refused`() throws {
    let catalogue = try FakeXenoCanto(records: records)
    try withProgram(catalogue.variables) { server in
      _ = try server.run("fetch", "q:A", "--all", "--source", "xeno-canto")
      // A list that was imported is not served.
      let row = #"{"id":"1","catalogue":"xeno-canto","scientificName":"Turdus merula"}"# + "\n"
      try Data(row.utf8).write(to: URL(filePath: server.path("own.jsonl")))
      #expect(try server.run("import", "own.jsonl").status == 0)
      try withServer(server) { (port: Int) throws in
        let (list, fetched) = try self.list([], from: port)
        #expect(list == nil && fetched.status == 66, "\(fetched)")
        #expect(fetched.error.contains("has no list of this query"), "\(fetched)")
        try withProgram([:]) { home in
          let named = try home.run("fetch", query, "--from-server", "http://127.0.0.1:\(port)")
          #expect(named.error.contains("q:A") && !named.error.contains("own.jsonl"), "\(named)")
        }
      }
    }
    // A server of the sample alone.
    try withParrots { server in
      try withServer(server) { (port: Int) throws in
        #expect(try self.list([], from: port).fetched.status == 66)
      }
    }
  }

  @Test func `a list that was read after the server's is not replaced by it`() throws {
    let catalogue = try FakeXenoCanto(records: records)
    try withProgram(catalogue.variables) { server in
      _ = try server.run("fetch", query, "--all", "--source", "xeno-canto")
      try withServer(server) { (port: Int) throws in
        try withProgram(catalogue.variables) { home in
          _ = try home.run("fetch", query, "--all", "--source", "xeno-canto")
          let before = try #require(try list(of: home)?["fetchedAt"] as? [String: String])
          let older = try home.run(
            "fetch", query, "--all", "--from-server", "http://127.0.0.1:\(port)")
          #expect(older.status == 1, "\(older)")
          #expect(older.error.contains("This store has read the list at"), "\(older)")
          #expect(older.error.contains("Z), so nothing was changed."), "\(older)")
          #expect(older.error.contains("which asks xeno-canto"), "\(older)")
          #expect(try list(of: home)?["fetchedAt"] as? [String: String] == before)
        }
      }
    }
  }

  @Test func `a token file without a token is refused, and named`() throws {
    try withProgram { program in
      let file = program.path("token")
      func take(_ path: String) throws -> BuiltProgram.Result {
        try program.set("CHIRPER_SERVER_TOKEN_FILE", path).run(
          "fetch", query, "--from-server", "http://127.0.0.1:9")
      }
      for (text, problem) in [
        ("", "this token file is empty"), ("\n\n", "this token file is empty"),
        ("0123\n4567\n", "this token file has no token"),
      ] {
        try Data(text.utf8).write(to: URL(filePath: file))
        chmod(file, 0o600)
        let result = try take(file)
        #expect(result.status == 78 && result.error.contains("\(file): \(problem)"), "\(result)")
      }
      chmod(file, 0o644)
      let open = try take(file)
      #expect(open.status == 78 && open.error.contains("Type: chmod 640 \(file)"), "\(open)")
      for path in [program.path("missing"), "/dev/null", "/"] {
        let result = try take(path)
        #expect(result.status == 78 && result.error.contains("token file"), "\(result)")
        #expect(result.error.contains("server-token-file"), "\(result)")
        #expect(!result.error.contains("chmod") && !result.error.contains("auth set"), "\(result)")
      }
    }
  }

  @Test func `no claim is the server's while fewer pages were asked for than it has`() throws {
    let catalogue = try FakeXenoCanto(records: records)
    try withProgram(catalogue.variables) { server in
      _ = try server.run("fetch", query, "--all", "--source", "xeno-canto")
      try withServer(server) { (port: Int) throws in
        let address = "http://127.0.0.1:\(port)"
        try withProgram { home in
          let fetch = ["fetch", query, "--per-page", "50", "--from-server", address]
          let part = try home.run(BuiltProgram.path, fetch, input: "")
          #expect(part.status == 0 && !part.error.contains("as the server at"), "\(part)")
          let whole = try home.run(BuiltProgram.path, fetch + ["--all"], input: "")
          #expect(
            whole.error.contains("as the server at \(address) has it: complete"), "\(whole)")
        }
      }
    }
  }

  @Test func `a list is taken home with a token and its sounds, and says whose it is`() throws {
    let sounding = records.map { record in
      var record = record
      record.file = record.number > 58 ? "/\(record.number)/download" : nil
      return record
    }
    let catalogue = try FakeXenoCanto(records: sounding) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      return .bytes(200, silence(seconds: 1), headers: ["Content-Type": "audio/wav"])
    }
    try withProgram(catalogue.variables) { server in
      let fetch = ["fetch", query, "--pages", "1", "--per-page", "50", "--audio"]
      #expect(try server.run(BuiltProgram.path, fetch, input: "").status == 0)
      try withServer(server, "--listen", "0.0.0.0") { port in
        let address = "http://127.0.0.1:\(port)"
        try withProgram { program in
          let file = program.path("token")
          let token = try server.readerToken
          try Data((token + "\n").utf8).write(to: URL(filePath: file))
          chmod(file, 0o600)
          func take(_ query: String, _ options: String...) throws -> BuiltProgram.Result {
            let words = ["fetch", query, "--all", "--from-server", address] + options
            let result = try program.set("CHIRPER_SERVER_TOKEN_FILE", file).run(
              BuiltProgram.path, words, input: "")
            #expect(!result.error.contains(token), "\(result)")
            return result
          }
          let without = try program.run("fetch", query, "--from-server", address)
          #expect(without.status == 77 && without.error.contains("token"), "\(without)")
          let taken = try take(query, "--audio")
          #expect(taken.status == 3, "\(taken)")
          #expect(taken.error.contains("0 without audio, 48 not kept at the server"), "\(taken)")
          #expect(
            taken.error.contains("as the server at \(address) has it: partial"), "\(taken)")
          let list = try #require(try list(of: program))
          #expect(list["completeness"] as? String == "partial" && list["rows"] as? Int == 50)
          let sounds = try FileManager.default.contentsOfDirectory(
            atPath: program.path(".local/share/chirper/audio/xeno-canto"))
          #expect(sounds.filter { $0.hasSuffix(".wav") }.sorted() == ["59.wav", "60.wav"])
          let missing = try take("sp:\"strix aluco\"")
          #expect(missing.status == 66, "\(missing)")
          #expect(missing.error.contains("The lists here are: \(query)"), "\(missing)")
          #expect(try take(query, "--source", "gbif").status == 64)
          let open = try program.run("fetch", query, "--from-server", "http://192.0.2.1")
          #expect(open.status == 64 && open.error.contains("does not accept"), "\(open)")
        }
      }
    }
  }
}
