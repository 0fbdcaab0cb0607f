import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperServer

/// What the page's document brings, and what a class shares.
struct ServedStartTests {
  /// The answers within a document, by their addresses.
  private func brought(by document: RawClient.Answer) throws -> [String: Any] {
    let parts = document.text.components(separatedBy: "id=\"start\">")
    let text = try #require(parts.dropFirst().first?.components(separatedBy: "</script>").first)
    return try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  private func document(_ target: String, port: Int, _ headers: [String] = []) throws
    -> RawClient.Answer
  {
    let client = try #require(RawClient(port: port))
    defer { client.close() }
    let lines = ["GET \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"]
    client.send((lines + headers + ["", ""]).joined(separator: "\r\n"))
    return try #require(RawClient.Answer(client.rest()))
  }

  /// The document when it brings rows, which on a busy machine can come too late for the first.
  private func documentWithRows(_ target: String, port: Int, _ headers: [String] = []) throws
    -> RawClient.Answer
  {
    var found = try document(target, port: port, headers)
    try waitUntil {
      found = try document(target, port: port, headers)
      return found.text.contains("/api/chirper/rows?")
    }
    return found
  }

  @Test func `the document brings the answers that its page asks for first`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        for (target, rows) in [
          ("/", "offset=0&limit=100"),
          ("/?at=250", "offset=200&limit=100"),
          ("/?list=sample%3Aa+b", "list=sample%3Aa+b&offset=0&limit=100"),
          ("/?copies=all&sort=-date", "distinct=false&sort=-date&offset=0&limit=100"),
          ("/?q=%C3%A9%3C/script%3E&view=map", "q=%C3%A9%3C%2Fscript%3E&sort=rank&offset=0"),
        ] {
          let answers = try brought(by: documentWithRows(target, port: port))
          let others = ["/api/chirper/catalogues", "/api/chirper/state", "/session"]
          #expect(answers.keys.filter { !$0.contains("/rows?") }.sorted() == others, "\(target)")
          let address = try #require(answers.keys.first { $0.contains("/rows?") })
          #expect(address.hasPrefix("/api/chirper/rows?\(rows)"), "\(address)")
          let asked = try #require(RawClient.answer(address, port: port))
          #expect((answers[address] as? NSDictionary) == (asked.json as NSDictionary), "\(target)")
        }
        #expect(try brought(by: document("/1001", port: port)).keys.contains("/session"))
        #expect(
          try !brought(by: document("/1001", port: port)).keys.contains { $0.contains("rows") })
      }
    }
  }

  @Test func `a document brings only what its sender may read`() throws {
    try withParrots { program in
      try withServer(program, "--listen", "0.0.0.0") { (port: Int) throws in
        #expect(
          try brought(by: document("/", port: port)) as? [String: [String: String]]
            == ["/session": ["access": "none"]])
        let readers = try documentWithRows(
          "/", port: port, ["X-API-Key: \(program.readerToken)"])
        let answers = try brought(by: readers)
        #expect(answers.count == 4)
        #expect(answers["/session"] as? [String: String] == ["access": "reader"])
        #expect(!readers.text.contains(program.directory.path))
        // The page of another site cannot make it search by leading here.
        let led = [
          "X-API-Key: \(try program.token)", "Sec-Fetch-Site: cross-site",
          "Sec-Fetch-Mode: navigate",
        ]
        #expect(
          try brought(by: document("/?q=bird", port: port, led)).keys.sorted() == ["/session"])
      }
    }
  }

  @Test func `a client that polls gets the state again only after a change`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let path = "/api/chirper/state"
        let first = try document(path, port: port)
        let tag = try #require(first.headers["etag"])
        #expect(first.status == 200 && first.text.contains("parrot"))
        let again = try document(path, port: port, ["If-None-Match: \(tag)"])
        #expect(again.status == 304 && again.text.isEmpty && again.headers["etag"] == tag)
        try program.run("fetch", "owl", "--source", "sample", "--pages", "1")
        let changed = try document(path, port: port, ["If-None-Match: \(tag)"])
        #expect(changed.status == 200 && changed.text.contains("owl"))
        #expect(changed.headers["etag"] != tag)
      }
      // A server that starts anew has other loads.
      try withServer(program) { (port: Int) throws in
        let tags = try (0..<2).map { _ in
          try document("/api/chirper/state", port: port).headers["etag"]
        }
        #expect(tags[0] == tags[1])
      }
    }
  }

  @Test func `a browser with many connections closes its own, and not those of others`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        func cookie() throws -> String {
          let client = try #require(RawClient(port: port))
          defer { client.close() }
          let body = "{\"token\":\"\(try program.readerToken)\"}"
          client.send(
            "POST /session HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
              + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
          let given = try #require(RawClient.Answer(client.rest()))
          return "Cookie: \(try #require(given.headers["set-cookie"]?.prefix { $0 != ";" }))"
        }
        let (one, other) = (try cookie(), try cookie())
        #expect(one != other)
        // The status of the answer, whose body is read unless it is a stream.
        func ask(_ client: RawClient, _ path: String, _ cookie: String) -> Int? {
          client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(cookie)\r\n\r\n")
          var bytes: [UInt8] = []
          while case let more = client.piece(within: 20), !more.isEmpty {
            bytes += more
            guard let answer = RawClient.Answer(bytes) else { continue }
            let length = answer.headers["content-length"].flatMap { Int($0) } ?? 0
            if answer.body.count >= length { return answer.status }
          }
          return nil
        }
        func open(_ path: String, _ cookie: String) throws -> (RawClient, Int?) {
          let client = try #require(RawClient(port: port))
          return (client, ask(client, path, cookie))
        }
        let quiet = try open("/session", other)
        #expect(quiet.1 == 200)
        let many = try (0..<ServerLimits.connectionsOfSession + 4).map { _ in
          // In use, so that it has not waited too long.
          #expect(ask(quiet.0, "/session", other) == 200)
          return try open("/session", one)
        }
        #expect(many.allSatisfy { $0.1 == 200 })
        // The first ones of the session are closed.
        #expect(ask(many[0].0, "/session", one) == nil)
        // Of one session eight streams are open at most.
        let streams = try (0..<9).map { _ in try open("/events", one) }
        #expect(streams.map(\.1) == Array(repeating: 200, count: 8) + [503])
        #expect(try open("/events", other).1 == 200)
        for (client, _) in many + streams + [quiet] { client.close() }
      }
    }
  }

  @Test func `a search for kept audio finds a sound that was kept just now`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample", "--pages", "1")
      let id = try program.run("list", "parrot", "--columns", "id", "--format", "tsv").output
        .split(separator: "\n")[1]
      try withServer(program) { (port: Int) throws in
        func kept() throws -> Int? {
          try document("/api/chirper/rows?q=audio:yes&limit=0", port: port).json["rows"] as? Int
        }
        #expect(try kept() == 0)
        #expect(try send("POST", "/api/chirper/audio/sample/\(id)", program, port).status == 202)
        try waitUntil { try kept() == 1 }
      }
    }
  }
}
