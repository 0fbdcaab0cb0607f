import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

/// What `chirper serve` does when its database is replaced, removed or migrated by a newer program.
struct ServedReplacementTests {
  private func get(_ target: String, _ port: Int) throws -> RawClient.Answer {
    try #require(RawClient.answer(target, port: port))
  }

  private func file(_ program: BuiltProgram) -> String {
    program.path(".local/share/chirper/chirper.sqlite")
  }

  private func sqlite(_ sql: String, _ program: BuiltProgram) throws -> String {
    let result = try program.run("/usr/bin/env", ["sqlite3", file(program), sql], input: "")
    #expect(result.status == 0, "\(result)")
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func isOf(_ kind: String, _ answer: RawClient.Answer) -> Bool {
    let error = answer.json["error"] as? [String: Any]
    return answer.status == 503 && error?["kind"] as? String == kind && error?["hint"] is String
  }

  private static let reads = [
    "/api/chirper/lists", "/api/chirper/rows?list=parrot", "/api/chirper/rows?q=q:A",
    "/api/chirper/stats?by=species",
    "/api/chirper/map", "/api/chirper/suggestions?q=parot", "/api/chirper/export?list=parrot",
    "/events", "/api/chirper/recordings/sample/sample:1", "/api/3/recordings?query=q:A",
    "/api/2/recordings?query=parrot",
  ]

  /// The texts of the lists.
  private func lists(_ port: Int) throws -> [String] {
    let queries = try get("/api/chirper/lists", port).json["queries"] as? [[String: Any]]
    return try #require(queries).compactMap { $0["query"] as? String }
  }

  @Test func `a server changes nothing in a database that a newer program migrated`() throws {
    try withParrots { program in
      try withServer(program) { port in
        // What it found before is not answered either.
        for target in Self.reads where target != "/events" { _ = try get(target, port) }
        _ = try sqlite("PRAGMA user_version = 99", program)
        let rows = try sqlite("SELECT count(*) FROM entry", program)
        let body = #"{"query":"owl","source":"sample"}"#
        #expect(
          isOf(
            "newer-database", try send("DELETE", "/api/chirper/lists?query=parrot", program, port)))
        #expect(
          isOf("newer-database", try send("POST", "/api/chirper/loads", program, port, body: body)))
        for target in Self.reads {
          #expect(isOf("newer-database", try get(target, port)), "\(target)")
        }
        #expect(try sqlite("SELECT text FROM query", program) == "parrot")
        #expect(try sqlite("SELECT count(*) FROM entry", program) == rows)
        _ = try sqlite("PRAGMA user_version = \(Migrations.all.count)", program)
        #expect(try lists(port) == ["parrot"])
      }
    }
  }

  @Test func `a server answers from what a repair or a restored backup puts in place`()
    throws
  {
    try withParrots { program in
      let copy = program.path("copy.sqlite")
      #expect(try program.run("backup", copy).status == 0)
      try withServer(program) { port in
        for target in Self.reads where target != "/events" { _ = try get(target, port) }
        let version = try get("/api/chirper/rows", port).json["version"] as? String
        // An index that SQLite finds wrong.
        _ = try sqlite("UPDATE page SET row_count = row_count + 1 WHERE number = 1", program)
        let repair = try program.run("doctor", "--repair")
        #expect(repair.output.contains(".damaged-"), "\(repair)")
        #expect(try get("/api/chirper/rows", port).json["version"] as? String != version)
        let body = #"{"query":"owl","source":"sample"}"#
        #expect(try send("POST", "/api/chirper/loads", program, port, body: body).status == 202)
        while try get("/api/chirper/loads", port).text.contains("\"running\"") { usleep(20_000) }
        #expect(try get("/api/chirper/loads/1", port).json["state"] as? String == "done")
        // In the new file, which other programs read.
        #expect(try program.run("list", "owl").status == 0)
        #expect(try lists(port) == ["owl", "parrot"])

        #expect(rename(copy, file(program)) == 0)
        #expect(try lists(port) == ["parrot"])
        #expect(try get("/api/chirper/rows?list=owl", port).status == 404)
        // Loads are known as before.
        #expect(try get("/api/chirper/loads/1", port).json["state"] as? String == "done")
        #expect(try send("DELETE", "/api/chirper/lists?query=parrot", program, port).status == 200)
        #expect(try program.run("list", "parrot").status == 66)
      }
    }
  }

  @Test func `a server answers 503 while its database is away, then from what is there`() throws {
    try withParrots { program in
      try withServer(program) { port in
        for target in Self.reads where target != "/events" { _ = try get(target, port) }
        #expect(rename(file(program), file(program) + ".away") == 0)
        let body = #"{"query":"owl","source":"sample"}"#
        for _ in 1...2 {
          #expect(
            isOf("removed", try send("DELETE", "/api/chirper/lists?query=parrot", program, port)))
          #expect(
            isOf("removed", try send("POST", "/api/chirper/loads", program, port, body: body)))
          for target in Self.reads { #expect(isOf("removed", try get(target, port)), "\(target)") }
        }
        #expect(!FileManager.default.fileExists(atPath: file(program)))
        // A new one.
        #expect(try program.run("fetch", "owl", "--source", "sample").status == 0)
        #expect(try lists(port) == ["owl"])
        #expect(rename(file(program) + ".away", file(program)) == 0)
        #expect(try lists(port) == ["parrot"])
      }
    }
  }

  @Test func `a stream of events ends with its database, and the next is of the new one`() throws {
    try withParrots { program in
      let copy = program.path("copy.sqlite")
      #expect(try program.run("backup", copy).status == 0)
      #expect(try program.run("fetch", "owl", "--source", "sample").status == 0)
      try withServer(program) { port in
        func state(_ client: RawClient) -> String {
          var text = ""
          while !text.contains("\n\ndata: ") && !text.contains("\"queries\""),
            case let piece = client.piece(within: 60),
            !piece.isEmpty
          {
            text += String(decoding: piece, as: UTF8.self)
          }
          return text
        }
        func stream() throws -> RawClient {
          let client = try #require(RawClient(port: port))
          client.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
          return client
        }
        let first = try stream()
        defer { first.close() }
        #expect(state(first).contains("owl"))
        #expect(rename(copy, file(program)) == 0)
        _ = first.rest()
        let second = try stream()
        defer { second.close() }
        let text = state(second)
        #expect(text.contains("parrot") && !text.contains("owl"))
      }
    }
  }
}
