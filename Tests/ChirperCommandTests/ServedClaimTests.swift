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
      try withServer(server) { (port: Int) throws in
        let (list, fetched) = try self.list([], from: port)
        #expect(list == nil && fetched.status == 66, "\(fetched)")
        #expect(fetched.error.contains("has no list of this query"), "\(fetched)")
      }
    }
    // A server of the sample alone.
    try withParrots { server in
      try withServer(server) { (port: Int) throws in
        #expect(try self.list([], from: port).fetched.status == 66)
      }
    }
  }
}
