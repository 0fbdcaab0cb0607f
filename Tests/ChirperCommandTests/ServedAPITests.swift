import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperServer

/// What `chirper serve` answers its own page: lists, rows, details, counts, files, loads and
/// events.
struct ServedAPITests {
  private func get(_ target: String, _ port: Int) throws -> RawClient.Answer {
    try #require(RawClient.answer(target, port: port))
  }

  private func recordings(_ answer: RawClient.Answer) throws -> [NSDictionary] {
    try #require(answer.json["recordings"] as? [[String: Any]]).map { $0 as NSDictionary }
  }

  private func kind(_ answer: RawClient.Answer) throws -> String {
    let error = try #require(answer.json["error"] as? [String: Any])
    #expect(error["message"] is String && error["hint"] is String, "\(answer.text)")
    return try #require(error["kind"] as? String)
  }

  @Test func `docs openapi json is what the server says of itself, and has every route`() throws {
    let document = try ServedDocument()
    try withProgram { program in
      try withServer(program) { (port: Int) throws in
        let served = try get("/openapi.json", port)
        #expect(served.body == Array(document.bytes))
      }
    }
    #expect(document.routes.sorted() == Route.allCases.map(\.rawValue).sorted())
  }

  @Test func `real answers have the shapes of docs openapi json`() throws {
    let document = try ServedDocument()
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        func check(_ answer: RawClient.Answer, _ route: String) throws {
          let problems = try document.problems(of: answer, route)
          #expect(problems == [], "\(route) \(answer.status) \(answer.text.prefix(300))")
        }
        let row = try #require(recordings(get("/api/chirper/rows?limit=1&columns=id", port)).first)
        let id = try #require(row["id"] as? String)
        for (target, route) in [
          ("/api/chirper/lists", "/api/chirper/lists"),
          ("/api/chirper/rows?limit=2", "/api/chirper/rows"),
          ("/api/chirper/rows?limit=-1", "/api/chirper/rows"),
          ("/api/chirper/rows?list=owl", "/api/chirper/rows"),
          ("/api/chirper/rows?q=q:Z&soft=true", "/api/chirper/rows"),
          ("/api/chirper/rows?q=q:Z", "/api/chirper/rows"),
          ("/api/chirper/catalogues", "/api/chirper/catalogues"),
          ("/api/chirper/map", "/api/chirper/map"),
          ("/api/chirper/map?box=1,2,3", "/api/chirper/map"),
          ("/api/chirper/map?q=box:0,0,0,0", "/api/chirper/map"),
          ("/api/chirper/suggestions?q=nightingal", "/api/chirper/suggestions"),
          ("/api/chirper/completions?q=common", "/api/chirper/completions"),
          ("/api/chirper/recordings/sample/\(id)", "/api/chirper/recordings/{source}/{id}"),
          ("/api/chirper/recordings/sample/x", "/api/chirper/recordings/{source}/{id}"),
          (
            "/api/chirper/recordings/sample/\(id)?names=xx", "/api/chirper/recordings/{source}/{id}"
          ),
          ("/api/chirper/stats?by=species,month", "/api/chirper/stats"),
          ("/api/chirper/stats", "/api/chirper/stats"),
          ("/api/chirper/export?format=nope", "/api/chirper/export"),
          ("/api/chirper/loads", "/api/chirper/loads"),
          ("/api/chirper/loads/1", "/api/chirper/loads/{number}"),
          ("/api/chirper/audio/sample/\(id)", "/api/chirper/audio/{source}/{id}"),
          ("/api/3/recordings?query=q:A&per_page=50", "/api/3/recordings"),
          ("/api/3/recordings", "/api/3/recordings"),
          ("/api/2/recordings?query=parrot", "/api/2/recordings"),
        ] {
          try check(get(target, port), "GET \(route)")
        }
        let started = try send(
          "POST", "/api/chirper/loads", program, port,
          body: "{\"query\":\"owl\",\"source\":\"sample\",\"pages\":2}")
        #expect(started.status == 202)
        try check(started, "POST /api/chirper/loads")
        try check(
          send("POST", "/api/chirper/loads", program, port, body: "[]"), "POST /api/chirper/loads")
        let audio = try send("POST", "/api/chirper/audio/sample/\(id)", program, port)
        #expect(audio.status == 202)
        try check(audio, "POST /api/chirper/audio/{source}/{id}")
        while try get("/api/chirper/loads", port).text.contains("\"running\"") { usleep(20_000) }
        try check(get("/api/chirper/loads", port), "GET /api/chirper/loads")
        try check(get("/api/chirper/loads/1", port), "GET /api/chirper/loads/{number}")
        try check(
          send("POST", "/api/chirper/audio/sample/\(id)", program, port),
          "POST /api/chirper/audio/{source}/{id}")
        try check(
          send("DELETE", "/api/chirper/loads/1", program, port),
          "DELETE /api/chirper/loads/{number}")
        try check(
          send("DELETE", "/api/chirper/loads/9", program, port),
          "DELETE /api/chirper/loads/{number}")
        try check(
          send("DELETE", "/api/chirper/lists?query=owl", program, port), "DELETE /api/chirper/lists"
        )
        try check(send("DELETE", "/api/chirper/lists", program, port), "DELETE /api/chirper/lists")
        var download = GBIFDownload([.init(1)])
        download.lines = ["2\tPL\tx\ty\tz\tw\ttoo many"]
        try download.write(to: program.path("download"))
        #expect(try program.run("import", program.path("download")).status == 3)
        for target in ["/api/chirper/lists", "/api/chirper/state"] {
          let answer = try get(target, port)
          #expect(answer.text.contains("\"imported\":{"), "\(answer.text)")
          try check(answer, "GET \(target)")
        }
      }
    }
  }

  @Test func `a wrong address, a wrong method and a long body are errors in JSON`() throws {
    let document = try ServedDocument()
    try withProgram { program in
      try withServer(program) { (port: Int) throws in
        for (method, target, status, word) in [
          ("POST", "/api/chirper/rows", 405, "method"),
          ("GET", "/api/chirper/rows/1", 404, "not-there"),
          ("PUT", "/api/chirper/none", 404, "not-there"),
        ] {
          let answer = try send(method, target, program, port)
          #expect(answer.status == status, "\(method) \(target)")
          #expect(try kind(answer) == word, "\(method) \(target)")
        }
        let body = String(repeating: " ", count: 65_537)
        let long = try send("POST", "/api/chirper/loads", program, port, body: body)
        #expect(try long.status == 413 && kind(long) == "body")
        #expect(try document.problems(of: long, "POST /api/chirper/loads") == [])
      }
    }
  }

  @Test func `rows are those of the command, by position, in any order`() throws {
    try withParrots { program in
      func printed(_ words: String...) throws -> [String] {
        try program.run(
          BuiltProgram.path, words + ["--columns", "id", "--format", "tsv", "-o", "-"], input: ""
        ).output
          .split(separator: "\n").dropFirst().map(String.init)
      }
      try withServer(program) { (port: Int) throws in
        for (query, expected) in [
          ("list=parrot", try printed("list", "parrot")),
          ("list=parrot&sort=-date", try printed("list", "parrot", "--sort", "-date")),
          ("list=parrot&q=type:song", try printed("list", "parrot", "--where", "type:song")),
          (
            "q=type:song+q:A&sort=eventDate",
            try printed("search", "type:song q:A", "--sort", "eventDate")
          ),
          ("source=sample", try printed("search", "source:sample")),
        ] {
          var found: [String] = []
          while true {
            let answer = try get(
              "/api/chirper/rows?\(query)&columns=id&limit=7&offset=\(found.count)", port)
            let rows = try recordings(answer).compactMap { $0["id"] as? String }
            #expect(
              answer.json["rows"] as? Int == expected.count
                && answer.json["returned"] as? Int == rows.count)
            guard !rows.isEmpty else { break }
            found += rows
          }
          #expect(!found.isEmpty && found == expected, "\(query)")
        }
        let before = try get("/api/chirper/rows?columns=id", port).json["version"] as? String
        #expect(try program.run("fetch", "owl", "--source", "sample").status == 0)
        let after = try get("/api/chirper/rows?columns=id&list=owl", port)
        #expect(after.json["version"] as? String != before)
        #expect(try program.run("forget", "owl", "--yes").status == 0)
        #expect(
          try kind(get("/api/chirper/rows?columns=id&list=owl&limit=1", port)) == "never-fetched")
      }
    }
  }

  @Test func `rows are ranked if that is asked for, and say where the words are`() throws {
    var records = (1...4).map { number in
      FakeXenoCanto.Record("\(number)", species: number == 1 ? "kea" : "exemplaris")
    }
    records[2].remark = "like a kea"
    records[3].remark = "kea"
    let catalogue = try FakeXenoCanto(records: records, rowsPerPage: 50)
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot").status == 0)
      try withServer(program) { (port: Int) throws in
        func ids(_ query: String) throws -> [String] {
          try recordings(get("/api/chirper/rows?\(query)", port)).compactMap { $0["id"] as? String }
        }
        // As stored: the latest upload comes first.
        #expect(try ids("q=kea&columns=id") == ["4", "3", "1"])
        #expect(try ids("q=kea&columns=id&sort=stored") == ["4", "3", "1"])
        for list in ["", "&list=parrot"] {
          #expect(try ids("q=kea&columns=id&sort=rank\(list)") == ["1", "4", "3"])
          #expect(try ids("q=kea&columns=id&sort=rank&offset=1&limit=1\(list)") == ["4"])
          #expect(try ids("q=kea&columns=id&sort=rank&sort=id\(list)") == ["1", "3", "4"])
        }
        for sort in ["-rank", "id&sort=rank", "stored&sort=id"] {
          #expect(try kind(get("/api/chirper/rows?q=kea&sort=\(sort)", port)) == "usage", "\(sort)")
        }
        func noted(_ query: String) throws -> [NSDictionary] {
          try recordings(get("/api/chirper/rows?\(query)&columns=id&found-in=true", port))
        }
        let found = try noted("q=kea+parrot")
        let texts = try #require(found[1]["foundIn"] as? [[String: String]])
        #expect(found[1]["id"] as? String == "3" && found[1].count == 2)
        #expect(texts[0] == ["occurrenceRemarks": "like a kea"])
        #expect(texts[1] == ["vernacularName": "Sample parrot 3"])
        #expect(try noted("list=parrot")[0].count == 1)
        let tags = try noted("q=en:parrot")
        #expect((tags[0]["foundIn"] as? [Any])?.isEmpty == true)
        // The programs of other people get the order that they know.
        let copied = try get("/api/2/recordings?query=parrot", port)
        #expect(try recordings(copied).compactMap { $0["id"] as? String } == ["4", "3", "2", "1"])
      }
    }
  }

  @Test
  func `rows are chosen one by one and by what their licence allows, and an error says where`()
    throws
  {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let all = try recordings(get("/api/chirper/rows?list=parrot&columns=id", port)).compactMap {
          $0["id"] as? String
        }
        let chosen = [all[4], all[1]].map { "id=sample:\($0)" }.joined(separator: "&")
        let two = try recordings(get("/api/chirper/rows?list=parrot&columns=id&\(chosen)", port))
          .compactMap {
            $0["id"] as? String
          }
        #expect(two == [all[1], all[4]])
        let file = try get("/api/chirper/export?list=parrot&columns=id&\(chosen)", port)
        #expect(
          String(decoding: try RawHTTP.unchunked(file.body), as: UTF8.self)
            == "id\r\n\(all[1])\r\n\(all[4])\r\n")
        let allowed = try program.run(
          BuiltProgram.path,
          [
            "export", "parrot", "--for", "commercial", "--columns", "id", "--format", "csv", "-o",
            "-",
          ],
          input: "")
        let served = try get("/api/chirper/export?list=parrot&columns=id&for=commercial", port)
        #expect(try RawHTTP.unchunked(served.body) == Array(allowed.output.utf8))
        for query in ["id=7", "for=nothing"] {
          #expect(try kind(get("/api/chirper/rows?\(query)", port)) == "usage", "\(query)")
        }

        let fault = try get("/api/chirper/rows?q=song+q:Z", port)
        #expect(
          fault.status == 400 && (fault.json["error"] as? [String: Any])?["at"] as? Int == 6,
          "\(fault.text)")
        let soft = try get("/api/chirper/rows?q=song+q:Z&soft=true", port)
        #expect(soft.status == 200 && soft.body == fault.body)
        for target in ["/XC1001", "/1001", "/species/Turdus-merula"] {
          #expect(try get(target, port).text.hasPrefix("<!doctype html>"), "\(target)")
        }
        #expect(try get("/else", port).status == 404)
      }
    }
  }

  @Test func `a map has each of few places, and the numbers of many by cells of the box`() throws {
    try withProgram { program in
      #expect(
        try program.run("fetch", "e", "--source", "sample", "--all", "--per-page", "500").status
          == 0)
      try withServer(program) { (port: Int) throws in
        let cells = try get("/api/chirper/map?list=e", port)
        let rows = try #require(cells.json["rows"] as? Int)
        let all = try #require(cells.json["cells"] as? [[Double]])
        #expect(
          rows > 2000 && all.reduce(0) { $0 + Int($1[2]) } == cells.json["placed"] as? Int,
          "\(rows)")
        #expect(all.allSatisfy { abs($0[0]) <= 90 && abs($0[1]) <= 180 })
        let few = try get("/api/chirper/map?list=e&q=box:37,-6,54,0", port)
        let points = try #require(few.json["points"] as? [[Any]])
        let near = try recordings(
          get(
            "/api/chirper/rows?list=e&q=box:37,-6,54,0&limit=1000&columns=id,decimalLatitude,decimalLongitude",
            port))
        #expect(!near.isEmpty && points.count == near.count)
        for (point, row) in zip(points, near) {
          #expect(
            point[0] as? Double == row["decimalLatitude"] as? Double
              && point[5] as? String == row["id"] as? String)
        }
        // A box has those that a search for it finds.
        let box = try get("/api/chirper/map?list=e&box=37,-6,54,0", port)
        let found = try get("/api/chirper/rows?list=e&q=box:37,-6,54,0&limit=0", port)
        #expect(box.json["inside"] as? Int == found.json["rows"] as? Int)
        #expect(try kind(get("/api/chirper/map?box=60,0,40,30", port)) == "usage")
      }
    }
  }

  @Test func `every format is a file as the command writes it`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        for name in ["csv", "jsonl", "tsv", "geojson"] {
          let file = program.path("out.\(name)")
          try program.run("export", "parrot", "--format", name, "-o", file)
          let answer = try RawHTTP.unchunked(
            get("/api/chirper/export?list=parrot&format=\(name)", port).body)
          let words = Array(try Data(contentsOf: URL(filePath: file)))
          // The time of the export is in one of them.
          #expect(
            name == "geojson" ? abs(answer.count - words.count) < 100 : answer == words, "\(name)")
        }
        for (name, start) in [
          ("sqlite", "SQLite format 3"), ("gpkg", "SQLite format 3"), ("dwca", "PK"),
          ("html", "<!DOCTYPE html>"), ("anki", "PK"),
        ] {
          let answer = try get("/api/chirper/export?list=parrot&format=\(name)", port)
          let bytes = try RawHTTP.unchunked(answer.body)
          #expect(bytes.starts(with: start.utf8), "\(name)")
        }
        let deck = try get("/api/chirper/rows?list=parrot&limit=0&deck=true", port).json["deck"]
        #expect(deck as? [String: Int] == ["cards": 0, "bytes": 0])
        let tidy = try get(
          "/api/chirper/export?list=parrot&columns=id,country&limit=2&offset=1", port)
        #expect(
          tidy.headers["content-disposition"]?.hasPrefix("attachment; filename=\"parrot.csv\"")
            == true)
        #expect(
          String(decoding: try RawHTTP.unchunked(tidy.body), as: UTF8.self).split(separator: "\r\n")
            .count == 3)
        for (query, word) in [
          ("format=nope", "usage"), ("columns=nope", "unknown-column"),
          ("list=owl", "never-fetched"),
        ] {
          let refused = try get("/api/chirper/export?\(query)", port)
          let kind = try kind(refused)
          #expect([400, 404].contains(refused.status) && kind == word, "\(query) \(refused.text)")
        }
        // A client that goes away ends the writing.
        let client = try #require(RawClient(port: port))
        client.send(
          "GET /api/chirper/export?format=geojson HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        client.close()
      }
    }
  }

  @Test func `what many clients select, order and count at once is what each gets alone`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let searches = ["q:A", "q:B", "type:song", "cnt:ghana", "len:10-60"]
        let targets = searches.flatMap { search in
          [
            "rows?sort=recordist&", "rows?sort=-date&sort=locality&", "rows?distinct=true&",
            "stats?by=species&", "map?",
            "export?",
          ].map {
            "/api/chirper/\($0)q=\(search)"
          }
        }
        let alone = try targets.map { try get($0, port).body }
        // Another one, which knows nothing of them.
        try withServer(program) { (port: Int) throws in
          let answers = Locked<[Int: [UInt8]]>([:])
          for (index, target) in targets.enumerated() {
            Thread {
              let body = RawClient.answer(target, port: port)?.body ?? []
              answers.withLock { $0[index] = body }
            }.start()
          }
          while answers.withLock(\.count) < targets.count { usleep(20_000) }
          for (index, target) in targets.enumerated() {
            #expect(answers.withLock { $0[index] } == alone[index], "\(target)")
          }
        }
      }
    }
  }

  @Test
  func `lists are fetched, synced and forgotten with the token, and each is loaded once at a time`()
    throws
  {
    let server = try FakeService()
    try withProgram(server.environment) { program in
      try withServer(program) { (port: Int) throws in
        for (method, target) in [
          ("POST", "/api/chirper/loads"), ("DELETE", "/api/chirper/lists?query=owl"),
          ("DELETE", "/api/chirper/loads/1"),
          ("POST", "/api/chirper/audio/sample/1"),
        ] {
          #expect(
            RawClient.answer(target, port: port, method: method)?.status == 401,
            "\(method) \(target)")
        }
        let body = "{\"query\":\"cnt:poland\",\"source\":\"xeno-canto\",\"all\":true}"
        let first = try send("POST", "/api/chirper/loads", program, port, body: body)
        #expect(first.status == 202 && first.json["state"] as? String == "running", "\(first.text)")
        let second = try send("POST", "/api/chirper/loads", program, port, body: body)
        #expect(second.status == 200 && second.json["load"] as? Int == first.json["load"] as? Int)
        while server.requests == 0 { usleep(10_000) }
        #expect(try send("DELETE", "/api/chirper/loads/1", program, port).status == 202)
        var state = ""
        while state != "cancelled" {
          state = try #require(get("/api/chirper/loads/1", port).json["state"] as? String)
          usleep(10_000)
        }
        for (sent, word) in [
          ("{\"query\":\"owl\",\"source\":\"nowhere\"}", "usage"),
          ("{\"query\":\"owl\",\"pages\":0}", "usage"),
          ("{\"query\":\"owl\",\"pages\":1,\"all\":true}", "usage"),
          ("{\"query\":\"owl\",\"other\":1}", "usage"),
          ("{\"query\":\"owl\",\"sync\":true}", "never-fetched"),
          ("{\"query\":\" \"}", "blank-query"),
          ("{\"query\":1}", "usage"),
          ("", "usage"), ("{\"query\":\"owl\"", "usage"),
        ] {
          let refused = try send("POST", "/api/chirper/loads", program, port, body: sent)
          #expect(try kind(refused) == word, "\(sent)")
        }
        for (sent, sentence) in [
          ("", "\"query\" is missing."), ("[]", "The body is not a JSON object."),
          ("{\"query\":\"owl\"", "The body is not a JSON object."),
          ("{\"query\":null}", "\"query\" must be a text."),
          ("{\"query\":\"\\ud800\"}", "A value of the body cannot be read."),
          ("{\"query\":\"owl\",\"pages\":1.5}", "\"pages\" must be a number from 1 to 1000000."),
          ("{\"query\":\"owl\",\"pages\":\"1\"}", "\"pages\" must be a number."),
          ("{\"query\":\"owl\",\"perPage\":1e30}", "\"perPage\" must be a number from 1 to 10000."),
          ("{\"query\":\"owl\",\"all\":1}", "\"all\" must be true or false."),
          ("{\"query\":\"owl\",\"other\":{}}", "Unknown member \"other\"."),
        ] {
          let refused = try send("POST", "/api/chirper/loads", program, port, body: sent)
          let error = try #require(refused.json["error"] as? [String: Any])
          #expect(error["message"] as? String == sentence, "\(sent)")
        }
      }
    }
  }

  @Test func `the stream has the whole state after each change, for 128 clients`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let get = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        let streams = try (0..<128).map { _ in
          let client = try #require(RawClient(port: port))
          client.send(get)
          return client
        }
        func next(_ client: RawClient, _ text: String) -> String {
          var all = ""
          while !all.contains(text), case let more = client.piece(within: 20), !more.isEmpty {
            all += String(decoding: more, as: UTF8.self)
          }
          return all
        }
        for client in streams {
          let start = next(client, "\"queries\":")
          #expect(
            start.contains("text/event-stream")
              && start.contains("event: state\ndata: {\"version\":") && start.contains("parrot")
          )
        }
        #expect(try kind(self.get("/events", port)) == "too-many-streams")
        let body = "{\"query\":\"owl\",\"source\":\"sample\"}"
        #expect(try send("POST", "/api/chirper/loads", program, port, body: body).status == 202)
        for client in streams {
          #expect(next(client, "\"state\":\"done\"").contains("\"query\":\"owl\""))
        }
        // One that is closed makes place for another, before the next comment is sent to it.
        let start = ContinuousClock.now
        streams[0].close()
        var status = 503
        while status == 503 {
          let client = try #require(RawClient(port: port))
          client.send(get)
          status = RawClient.Answer(client.piece(within: 20))?.status ?? 0
          client.close()
        }
        #expect(status == 200 && ContinuousClock.now - start < .seconds(10))
        for client in streams.dropFirst() { client.close() }
      }
    }
  }

  @Test func `a stream without news has a comment every 15 seconds`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let client = try #require(RawClient(port: port))
        defer { client.close() }
        client.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        var all = ""
        var start = ContinuousClock.now
        for number in 1...2 {
          while all.components(separatedBy: "\r\n:\n\n").count <= number,
            case let more = client.piece(within: 25), !more.isEmpty
          {
            // The first comment comes so long after the state.
            if !all.contains("data:") { start = .now }
            all += String(decoding: more, as: UTF8.self)
          }
          let time = ContinuousClock.now - start
          #expect(all.components(separatedBy: "\r\n:\n\n").count == number + 1)
          #expect(time > .seconds(15 * number - 1) && time < .seconds(15 * number + 8), "\(time)")
        }
        #expect(all.components(separatedBy: "event:").count == 2)
      }
    }
  }

  @Test(arguments: ["gpkg", "sqlite"])
  func `a download of a database that is killed leaves nothing in the temporary folder`(
    format: String
  ) throws {
    // More than sockets hold, so that the server is still sending when it is killed.
    let catalogue = try FakeXenoCanto((1...200).map(String.init), rowsPerPage: 100, size: 100_000)
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let folder = program.path("temporary")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let server = try program.set("TMPDIR", folder).start(arguments: ["serve", "--port", "0"])
      var port: Int?
      while port == nil, server.process.isRunning {
        let digits = try server.output.split(separator: ":").last?.prefix { $0.isNumber }
        port = digits.flatMap { Int($0) }
        if port == nil { usleep(20_000) }
      }
      let open = try #require(port)
      let client = try #require(RawClient(port: open))
      defer { client.close() }
      let target = "/api/chirper/export?list=kea&format=\(format)"
      client.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(open)\r\n\r\n")
      let head = String(decoding: client.piece(within: 60).prefix(12), as: UTF8.self)
      #expect(head == "HTTP/1.1 200")
      // Rows come after the head, so this one has begun to copy the file.
      #expect(!client.piece(within: 60).isEmpty)
      kill(server.process.processIdentifier, SIGKILL)
      _ = try server.result()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }
}

/// A service on this machine that takes its time.
private struct FakeService {
  private let server: ScriptedServer

  init() throws {
    server = try ScriptedServer { _ in .silent }
  }

  var requests: Int { server.requests.count }

  var environment: [String: String] {
    ["CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "thekey123"]
  }
}

/// Bodies of HTTP.
enum RawHTTP {
  /// The bytes of a body that came in pieces, each after a line with its size; a body that is cut
  /// is an error.
  static func unchunked(_ body: [UInt8]) throws -> [UInt8] {
    var (rest, whole) = (body[...], [UInt8]())
    while true {
      let line = rest.prefix { $0 != UInt8(ascii: "\r") }
      let size = try #require(Int(String(decoding: line, as: UTF8.self), radix: 16))
      rest = rest.dropFirst(line.count + 2)
      guard size > 0 else { return whole }
      whole += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
    }
  }
}
