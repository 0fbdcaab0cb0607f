import ChirperFormats
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperServer

extension Route {
  /// The path with the names of its parts.
  fileprivate var path: String { String(rawValue.drop { $0 != " " }.dropFirst()) }
}

/// What each kind of sender may ask of `chirper serve`, for every route and method.
struct ServedRightsTests {
  /// A sender of requests with headers, or a parameter, of its own.
  private struct Sender {
    let name: String
    var headers: [String] = []
    var key: String?
    /// The status of what it may not ask.
    let refusal: Int
    let mayRead: Bool
  }

  /// What a route needs, decided here once more, and a request for it.
  private func example(
    _ route: Route, id: String
  ) -> (need: Route.Need, target: String, body: String) {
    switch route {
    case .home: (.nothing, "/", "")
    case .health: (.nothing, "/healthz", "")
    case .page: (.nothing, "/page/x/main.js", "")
    case .hasSession: (.nothing, "/session", "")
    case .session: (.nothing, "/session", "{}")
    case .recordingPage: (.nothing, "/1001", "")
    case .speciesPage: (.nothing, "/species/Psittacus-erithacus", "")
    case .openAPI: (.reading, "/openapi.json", "")
    case .events: (.reading, "/events", "")
    case .recordings: (.reading, "/api/3/recordings?query=grp:birds", "")
    case .recordingsOfVersion2: (.reading, "/api/2/recordings?query=parrot", "")
    case .download: (.reading, "/\(id)/download", "")
    case .catalogues: (.reading, "/api/chirper/catalogues", "")
    case .lists: (.reading, "/api/chirper/lists", "")
    case .rows: (.reading, "/api/chirper/rows?columns=id,audio,audioFile&sort=audioFile", "")
    case .details: (.reading, "/api/chirper/recordings/sample/\(id)", "")
    case .suggestions: (.reading, "/api/chirper/suggestions?q=parot", "")
    case .completions: (.reading, "/api/chirper/completions?q=par", "")
    case .stats: (.reading, "/api/chirper/stats?by=month", "")
    case .map: (.reading, "/api/chirper/map", "")
    case .export: (.reading, "/api/chirper/export?tidy=true", "")
    case .feed: (.readingWithoutToken, "/feed.atom", "")
    case .state: (.reading, "/api/chirper/state", "")
    case .audioFiles: (.reading, "/api/chirper/audio?list=parrot", "")
    case .loads: (.reading, "/api/chirper/loads", "")
    case .load: (.reading, "/api/chirper/loads/1", "")
    case .audio: (.reading, "/api/chirper/audio/sample/\(id)", "")
    case .forget: (.owner, "/api/chirper/lists?query=parrot", "")
    case .startLoad: (.owner, "/api/chirper/loads", "{\"query\":\"owl\",\"source\":\"sample\"}")
    case .cancelLoad: (.owner, "/api/chirper/loads/1", "")
    case .sonogram: (.reading, "/api/chirper/sonograms/sample/\(id)", "")
    case .keepSonogram: (.owner, "/api/chirper/sonograms/sample/\(id)", "")
    case .keepAudio: (.owner, "/api/chirper/audio/sample/\(id)", "")
    }
  }

  /// A program with 50 rows of `parrot`, and the id of the one whose audio is kept.
  private func withAudio(_ body: (BuiltProgram, _ id: String) throws -> Void) throws {
    try withProgram(["XENO_CANTO_API_KEY": "catalogueskey1"]) { program in
      let fetched = try program.run(
        "fetch", "parrot", "--source", "sample", "--pages", "1", "--per-page", "50")
      #expect(fetched.status == 0, "\(fetched)")
      let ids = try program.run(
        "list", "parrot", "--columns", "id", "--sort", "mediaDuration", "--format", "tsv"
      ).output
      let id = String(try #require(ids.split(separator: "\n").dropFirst().first))
      try withServer(program) { (port: Int) throws in
        let target = "/api/chirper/audio/sample/\(id)"
        while try !send("POST", target, program, port).text.contains("\"kept\":true") {
          usleep(20_000)
        }
      }
      #expect(try audioFiles(program).count { $0.hasSuffix(".wav") } == 1)
      try body(program, id)
    }
  }

  private func answer(
    _ method: String, _ target: String, _ port: Int, _ headers: [String] = [], body: String = ""
  ) throws -> RawClient.Answer {
    let client = try #require(RawClient(port: port))
    defer { client.close() }
    let lines =
      ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"] + headers
      + ["Content-Length: \(body.utf8.count)", "", body]
    client.send(lines.joined(separator: "\r\n"))
    // The stream of events has no end.
    let isStream = method == "GET" && target.hasPrefix("/events")
    return try #require(RawClient.Answer(isStream ? client.piece(within: 20) : client.rest()))
  }

  /// The cookie that a token is exchanged for, and the answer.
  private func session(
    _ token: String, _ port: Int
  ) throws -> (cookie: String, json: [String: Any]) {
    let given = try answer("POST", "/session", port, body: "{\"token\":\"\(token)\"}")
    #expect(given.status == 200)
    return (
      "Cookie: \(try #require(given.headers["set-cookie"]?.prefix { $0 != ";" }))", given.json
    )
  }

  private func senders(_ program: BuiltProgram, _ port: Int, isPublic: Bool) throws -> [Sender] {
    let owner = try session(program.token, port)
    let reader = try session(program.readerToken, port)
    #expect(owner.json["access"] as? String == "owner" && owner.json["secret"] is String)
    #expect(reader.json as? [String: String] == ["access": "reader"])
    let token = try program.readerToken
    // A reader can compute every code that has the reader's token as its key.
    let data = URL(filePath: program.path(".local/share/chirper"))
    let today = Int(Date().timeIntervalSince1970 / 86_400)
    let own = BrowserSession(
      token: try SessionToken(.reader, in: data), port: port, today: today)
    let asReader = { (name: String, headers: [String], key: String?) in
      Sender(name: name, headers: headers, key: key, refusal: 403, mayRead: true)
    }
    var all = [
      Sender(name: "nobody", refusal: isPublic ? 403 : 401, mayRead: isPublic),
      Sender(
        name: "a wrong token", headers: ["X-API-Key: \(String(repeating: "0", count: 32))"],
        refusal: isPublic ? 403 : 401, mayRead: isPublic),
      Sender(
        name: "the owner's cookie alone", headers: [owner.cookie], refusal: 401, mayRead: true),
      asReader("bearer", ["Authorization: Bearer \(token)"], nil),
      asReader("header", ["X-API-Key: \(token)"], nil), asReader("parameter", [], token),
      asReader("cookie", [reader.cookie], nil),
    ]
    let ownCookie = own.value(.cookie)
    for secret in [
      token, own.value(.secret), ownCookie, "\(today).", String(reader.cookie.suffix(64)),
    ] {
      all.append(
        asReader("forged secret", [reader.cookie, "\(BrowserSession.header): \(secret)"], nil))
      let cookie = "Cookie: chirper-\(port)=\(secret)"
      let isReader = isPublic || secret == ownCookie
      all.append(
        Sender(
          name: "forged cookie", headers: [cookie, "\(BrowserSession.header): \(secret)"],
          refusal: isReader ? 403 : 401, mayRead: isReader))
    }
    return all
  }

  @Test(arguments: [[], ["--public"]])
  func `only the owner changes anything, and only who has a token reads, by every route and method`(
    options: [String]
  ) throws {
    try withAudio { program, id in
      let before = try program.run("list", "--json").output
      let files = try audioFiles(program)
      let server = try program.start(
        arguments: ["serve", "--port", "0", "--listen", "0.0.0.0"] + options)
      try withServer(of: server) { (port: Int) throws in
        let isPublic = options == ["--public"]
        let senders = try senders(program, port, isPublic: isPublic)
        for path in Set(Route.allCases.map(\.path)) {
          for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            let isReading = method == "GET" || method == "HEAD"
            let asked = Route(rawValue: "\(isReading ? "GET" : method) \(path)")
            // A token in place of the session's own is wrong, whoever sends it.
            guard asked != .session else { continue }
            let other = try #require(asked ?? Route.allCases.first { $0.path == path })
            let (_, target, body) = example(other, id: id)
            let need = asked.map { example($0, id: id).need } ?? (isReading ? .reading : .owner)
            for sender in senders {
              let key = sender.key.map { "\(target.contains("?") ? "&" : "?")key=\($0)" } ?? ""
              let status = try answer(method, target + key, port, sender.headers, body: body).status
              let isAllowed =
                switch need {
                case .nothing: true
                case .reading: sender.mayRead
                case .readingWithoutToken: isPublic
                case .owner: false
                }
              let refusal = need == .readingWithoutToken ? 403 : sender.refusal
              let expected = isAllowed ? ![401, 403].contains(status) : status == refusal
              #expect(expected, "\(method) \(target), \(sender.name): \(status)")
            }
          }
        }
        let loads = try send("GET", "/api/chirper/loads", program, port)
        #expect(loads.text == "{\"loads\":[]}")
      }
      #expect(try program.run("list", "--json").output == before)
      #expect(try audioFiles(program) == files)
    }
  }

  private func audioFiles(_ program: BuiltProgram) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(
      atPath: program.path(".local/share/chirper/audio")
    ).sorted()
  }

  @Test func `a refusal says who may do that, and a missing token whom to ask`() throws {
    try withParrots { program in
      try withServer(program, "--listen", "0.0.0.0") { (port: Int) throws in
        let key = "X-API-Key: \(try program.readerToken)"
        let refused = try answer("DELETE", "/api/chirper/lists?query=parrot", port, [key])
        #expect(refused.text.contains("\"kind\":\"reader\""))
        #expect(refused.text.contains("Only whoever runs chirper may do that"))
        for target in ["/api/3/recordings?query=q:A", "/api/chirper/lists"] {
          let missing = try answer("GET", target, port)
          #expect(missing.status == 401, "\(target)")
          #expect(missing.text.contains("Ask whoever runs chirper for the link."), "\(target)")
        }
      }
    }
  }

  @Test func `a reader's answers have no path of this machine, no key and no token`() throws {
    try withAudio { program, id in
      try withServer(program, "--listen", "0.0.0.0") { (port: Int) throws in
        let body = "{\"query\":\"owl\",\"source\":\"sample\"}"
        #expect(try send("POST", "/api/chirper/loads", program, port, body: body).status == 202)
        while try send("GET", "/api/chirper/loads", program, port).text.contains("\"running\"") {
          usleep(20_000)
        }
        let tables = RecordFormat.exported.map { "/api/chirper/export?format=\($0.name)" }
        let tidy = RecordFormat.tidy.map { "/api/chirper/export?format=\($0.name)&tidy=true" }
        let targets =
          Route.allCases.filter { $0.rawValue.hasPrefix("GET ") && ![.load, .feed].contains($0) }
          .map { example($0, id: id).target } + tables + tidy + ["/api/chirper/rows", "/nothing"]
        let secrets = [try program.token, try program.readerToken, "catalogueskey1"]
        let key = "X-API-Key: \(try program.readerToken)"
        let ownersKey = "X-API-Key: \(try program.token)"
        var withPath = 0
        for target in targets {
          let answered = try answer("GET", target, port, [key])
          #expect([200, 404].contains(answered.status), "\(target)")
          let readers = try text(of: answered, program)
          for secret in secrets + [program.directory.path] {
            #expect(!readers.contains(secret), "\(target) has \(secret)")
          }
          let owners = try text(of: answer("GET", target, port, [ownersKey]), program)
          withPath += owners.contains(program.directory.path) ? 1 : 0
        }
        // The owner sees paths, so the search for them finds some.
        #expect(withPath >= 8)
        let loads = try answer("GET", "/api/chirper/loads", port, [key])
        #expect(loads.text == "{\"loads\":[]}")
        #expect(try answer("GET", "/api/chirper/loads/1", port, [key]).status == 404)
        let rows = try answer("GET", "/api/chirper/rows?columns=audio,audioFile", port, [key])
        let kept = try #require(rows.json["recordings"] as? [[String: Any]]).filter {
          $0["audio"] as? Bool == true
        }
        #expect(kept.count == 1 && kept[0]["audioFile"] is NSNull, "\(kept)")
      }
    }
  }

  /// The body of an answer; of a zip file the contents of its entries.
  private func text(of answer: RawClient.Answer, _ program: BuiltProgram) throws -> String {
    guard answer.body.starts(with: Array("PK".utf8)) else {
      return String(decoding: answer.body, as: UTF8.self)
    }
    let file = program.path("answer.zip")
    try Data(answer.body).write(to: URL(filePath: file))
    let script = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as file:
          for name in file.namelist(): sys.stdout.write(file.read(name).decode(errors="replace"))
      """
    let read = try program.set("PYTHONUTF8", "1").run(
      "/usr/bin/env", ["python3", "-c", script, file], input: "")
    #expect(read.status == 0, "\(read)")
    return read.output
  }

  @Test(arguments: [[], ["--listen", "0.0.0.0", "--public"]])
  func `with --own-audio records lead to this server where audio is kept`(options: [String]) throws
  {
    try withAudio { program, id in
      let server = try program.start(
        arguments: ["serve", "--port", "0", "--own-audio", "--allow-host", "birds.example"]
          + options)
      try withServer(of: server) { (port: Int) throws in
        func files(_ version: Int, host: String? = nil) throws -> [String: String] {
          let client = try #require(RawClient(port: port))
          defer { client.close() }
          client.send(
            "GET /api/\(version)/recordings?query=grp:birds&per_page=500 HTTP/1.1\r\n"
              + "Host: \(host ?? "127.0.0.1:\(port)")\r\nX-API-Key: \(try program.token)\r\n"
              + "Connection: close\r\n\r\n")
          let answered = try #require(RawClient.Answer(client.rest()))
          let records = try #require(answered.json["recordings"] as? [[String: Any]])
          return Dictionary(
            uniqueKeysWithValues: records.map {
              ($0["id"] as? String ?? "", $0["file"] as? String ?? "")
            })
        }
        for version in [2, 3] {
          for host in ["127.0.0.1:\(port)", "LOCALHOST:\(port)"] {
            let found = try files(version, host: host)
            #expect(found.count == 50)
            for (other, file) in found {
              let own = "http://\(host.lowercased())/\(other)/download"
              #expect((file == own) == (other == id), "\(version) \(other): \(file)")
            }
          }
          // A proxy may have encryption, so its addresses are not known.
          let named = try files(version, host: "birds.example")
          #expect(!named.isEmpty && !named.values.contains { $0.contains("birds.example") })
        }
        let file = try #require(try files(3)[id])
        let path = String(file.dropFirst("http://127.0.0.1:\(port)".count))
        #expect(RawClient.answer(path, port: port)?.status == 200)
      }
    }
  }
}
