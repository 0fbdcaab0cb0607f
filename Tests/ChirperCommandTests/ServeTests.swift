import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperServer

/// `chirper serve`: the built program, over real sockets.
struct ServeTests {
  private func rows(_ answer: RawClient.Answer) throws -> [NSDictionary] {
    try #require(answer.json["recordings"] as? [[String: Any]]).map { $0 as NSDictionary }
  }

  private func exported(_ program: BuiltProgram, _ arguments: String...) throws -> [NSDictionary] {
    let text = try program.run(
      BuiltProgram.path, ["export"] + arguments + ["--format", "jsonl"], input: ""
    ).output
    return try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        as NSDictionary
    }
  }

  @Test func `all pages of a query are the rows that are stored, with their fields as sent`() throws
  {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        for (query, expected) in [
          ("en:%22parrot%22", try exported(program, "parrot")),
          (
            "type:song+cnt:%3Dghana",
            try exported(program, "parrot", "--where", "type:song cnt:=ghana")
          ),
          ("q:\">B\"", try exported(program, "parrot", "--where", "q:>B")),
        ] {
          var found: [NSDictionary] = []
          var page = 1
          while true {
            let answer = try #require(
              RawClient.answer(
                "/api/3/recordings?key=x&query=\(query)&per_page=1&page=\(page)", port: port))
            #expect(answer.status == 200, "\(answer.text)")
            found += try rows(answer)
            #expect(
              answer.json["numRecordings"] as? String == "\(expected.count)"
                && answer.json["page"] as? Int == page)
            let species = Set(expected.map { "\($0["gen"] ?? "") \($0["sp"] ?? "")" })
            #expect(answer.json["numSpecies"] as? String == "\(species.count)")
            let pages = try #require(answer.json["numPages"] as? Int)
            #expect(pages == max(1, (expected.count + 49) / 50))
            page += 1
            if page > pages { break }
          }
          #expect(!found.isEmpty && found == expected, "\(query)")
        }
      }
    }
  }

  @Test func `pages past the end, errors and sizes are those of the service`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        func get(_ target: String) throws -> RawClient.Answer {
          try #require(RawClient.answer(target, port: port))
        }
        for page in ["999999999999999999", "9223372036854775808"] {
          for version in [2, 3] {
            let last = try get("/api/\(version)/recordings?query=grp:birds&page=\(page)")
            #expect(last.status == 200 && last.json["recordings"] as? [String] == [], "\(page)")
          }
        }
        for page in ["0", "-1", "x", ""] {
          let first = try get("/api/3/recordings?query=grp:birds&page=\(page)")
          #expect(first.json["page"] as? Int == 1, "\(page)")
        }
        let most = try get("/api/3/recordings?query=grp:birds&per_page=99999999999999999999")
        #expect(try rows(most).count == 150)
        #expect(try rows(get("/api/3/recordings?query=grp:birds")).count == 100)
        #expect(try rows(get("/api/3/recordings?query=grp:birds&per_page=9999")).count == 150)
        let none = try get("/api/3/recordings?query=cnt:antarctica")
        #expect(none.json["numRecordings"] as? String == "0" && none.json["numPages"] as? Int == 1)
        for target in [
          "/api/3/recordings", "/api/3/recordings?query=", "/api/3/recordings?query=parrot",
          "/api/3/recordings?query=cntt:x",
        ] {
          let answer = try get(target)
          #expect(
            answer.status == 400 && answer.json["error"] as? String == "client_error", "\(target)")
          #expect(answer.json["message"] as? String != "")
        }
        let second = try get("/api/2/recordings?query=parrot&key=x")
        let row = try #require(rows(second).first)
        #expect(
          try rows(second).count == 150 && row["lng"] != nil && row["group"] != nil
            && row["lon"] == nil)
        #expect(try get("/nothing/<script>").text == "Nothing is here.\n")
      }
    }
  }

  @Test func `what is forgotten is no longer sent, also to a client in the middle of the pages`()
    throws
  {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let target = "/api/3/recordings?query=grp:birds&per_page=50&page="
        #expect(try rows(#require(RawClient.answer(target + "1", port: port))).count == 50)
        #expect(try program.run("forget", "parrot", "--yes").status == 0)
        let second = try #require(RawClient.answer(target + "2", port: port))
        #expect(
          second.status == 200 && second.json["numRecordings"] as? String == "0",
          "\(second.text.prefix(200))")
      }
    }
  }

  @Test func `HEAD has no body, and a body is compressed for who asks for it`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let target = "/api/3/recordings?query=grp:birds"
        let plain = try #require(RawClient.answer(target, port: port))
        let head = try #require(RawClient.answer(target, port: port, method: "HEAD"))
        #expect(head.body.isEmpty && head.headers["content-length"] == "\(plain.body.count)")
        #expect(plain.headers["content-security-policy"]?.contains("default-src 'none'") == true)
        let small = try #require(
          RawClient.answer(target, port: port, headers: ["Accept-Encoding: br, gzip;q=1.0"]))
        #expect(
          small.headers["content-encoding"] == "gzip" && small.body.starts(with: [0x1F, 0x8B]))
        #expect(
          small.body.count * 4 < plain.body.count
            && small.headers["content-length"] == "\(small.body.count)")
      }
    }
  }

  @Test func `an answer without a body is followed by the next one of the connection`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample", "--audio", "--pages", "1")
      let row = try #require(exported(program, "parrot").first)
      let download = "/\(try #require(row["id"] as? String))/download"
      try withServer(program) { (port: Int) throws in
        let tag = try #require(
          RawClient.answer(download, port: port, method: "HEAD")?.headers["etag"])
        let host = "Host: 127.0.0.1:\(port)\r\n"
        for (request, status) in [
          ("HEAD /api/chirper/export HTTP/1.1\r\n\(host)", 200),
          ("HEAD /events HTTP/1.1\r\n\(host)", 200),
          ("HEAD /api/3/recordings?query=q:A HTTP/1.1\r\n\(host)", 200),
          ("GET \(download) HTTP/1.1\r\n\(host)If-None-Match: \(tag)\r\n", 304),
        ] {
          let client = try #require(RawClient(port: port))
          defer { client.close() }
          client.send(request + "\r\n")
          client.send("GET /session HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
          let bytes = client.rest()
          let first = try #require(RawClient.Answer(bytes), "\(request)")
          #expect(
            first.status == status && RawClient.Answer(first.body)?.text == "{\"access\":\"none\"}",
            "\(first.text)")
        }
      }
    }
  }

  @Test func `kept audio is sent as what its bytes are, under whatever name it was kept`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample", "--audio", "--pages", "1")
      let rows = try exported(program, "parrot")
      let ids = try rows.prefix(2).map { try #require($0["id"] as? String) }
      let folder = program.directory.appending(path: ".local/share/chirper/audio/sample")
      func file(_ id: String, _ kind: String) -> URL {
        folder.appending(path: "\(id.replacing(":", with: "%3A")).\(kind)")
      }
      for id in ids {
        try FileManager.default.moveItem(at: file(id, "wav"), to: file(id, "mp3"))
      }
      try withServer(program) { (port: Int) throws in
        let answer = try #require(RawClient.answer("/\(ids[0])/download", port: port))
        #expect(answer.status == 200 && answer.headers["content-type"] == "audio/wav")
        #expect(answer.headers["content-disposition"]?.contains(".wav\"") == true)
        #expect(answer.body == Array(try Data(contentsOf: file(ids[0], "wav"))))
      }
      let table = try program.run("export", "parrot", "--columns", "audioFile")
      #expect(table.output.contains(file(ids[1], "wav").path), "\(table)")
      #expect(FileManager.default.fileExists(atPath: file(ids[1], "wav").path))
      #expect(!FileManager.default.fileExists(atPath: file(ids[1], "mp3").path))
    }
  }

  @Test func `kept audio is sent whole and in parts`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample", "--audio")
      let row = try #require(exported(program, "parrot").first)
      let id = try #require(row["id"] as? String)
      let folder = program.directory.appending(path: ".local/share/chirper/audio/sample")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let name = try #require(files.first { $0.hasPrefix("\(id.replacing(":", with: "%3A")).") })
      let file = Array(try Data(contentsOf: folder.appending(path: name)))
      try withServer(program) { (port: Int) throws in
        func get(_ headers: String...) throws -> RawClient.Answer {
          try #require(RawClient.answer("/\(id)/download", port: port, headers: headers))
        }
        let whole = try get()
        #expect(
          whole.status == 200 && whole.body == file && whole.headers["accept-ranges"] == "bytes")
        let tag = try #require(whole.headers["etag"])
        for (range, bytes) in [
          ("0-1", file[0..<2]), ("10-", file[10...]), ("-5", file.suffix(5)),
          ("5-9999999", file[5...]),
        ] {
          let part = try get("Range: bytes=\(range)", "If-Range: \(tag)")
          #expect(part.status == 206 && part.body == Array(bytes), "\(range)")
          #expect(
            part.headers["content-range"]
              == "bytes \(bytes.startIndex)-\(bytes.endIndex - 1)/\(file.count)")
        }
        #expect(try get("Range: bytes=0-1", "If-Range: \"other\"").status == 200)
        #expect(try get("Range: bytes=0-1,3-4").status == 200)
        let beyond = try get("Range: bytes=\(file.count)-")
        #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */\(file.count)")
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "\"other\",W/\(tag)", "*"] {
          #expect(try get("If-None-Match: \(known)").status == 304, "\(known)")
        }
        #expect(try get("If-None-Match: \"other\", W/\"*\"").status == 200)
        #expect(RawClient.answer("/999999/download", port: port)?.status == 404)
        // A name for people.
        #expect(
          whole.headers["content-disposition"]?.hasPrefix("attachment; filename=\"Grey Parrot - ")
            == true)
        // The page reads from its address which recording or species it shows.
        func text(_ page: String) -> String? {
          // Without the answers that it brings.
          RawClient.answer(page, port: port)?.text.components(separatedBy: "id=\"start\"").first
        }
        let document = text("/")
        #expect(document?.hasPrefix("<!doctype html>") == true)
        let number = id.drop { !$0.isNumber }
        for page in ["/\(number)", "/XC\(number)", "/species/Psittacus-erithacus"] {
          #expect(text(page) == document, "\(page)")
        }
        for page in ["/parrot", "/XC", "/\(number)/nothing", "/species"] {
          #expect(RawClient.answer(page, port: port)?.status == 404, "\(page)")
        }
      }
    }
  }

  @Test func `a range with numbers at or beyond the limits of their type is answered`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample", "--audio")
      let id = try #require(exported(program, "parrot").first?["id"] as? String)
      try withServer(program) { (port: Int) throws in
        let whole = try #require(RawClient.answer("/\(id)/download", port: port))
        #expect(whole.status == 200)
        let size = whole.body.count
        for greatest in NumbersAtLimits.whole {
          for (range, from) in [("0-\(greatest)", 0), ("5-\(greatest)", 5), ("-\(greatest)", 0)] {
            let part = try #require(
              RawClient.answer("/\(id)/download", port: port, headers: ["Range: bytes=\(range)"]))
            #expect(part.status == 206 && part.body == Array(whole.body[from...]), "\(range)")
            #expect(
              part.headers["content-range"] == "bytes \(from)-\(size - 1)/\(size)", "\(range)")
          }
          for range in ["\(greatest)-", "\(greatest)-\(greatest)", "\(size)-\(greatest)"] {
            let none = RawClient.answer(
              "/\(id)/download", port: port, headers: ["Range: bytes=\(range)"])
            #expect(none?.status == 416, "\(range)")
          }
        }
      }
    }
  }

  @Test func `no number of a request ends the server, however great`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let token = try program.token
        let names = [
          "offset", "limit", "page", "per_page", "q", "query", "box", "by", "sort", "id", "list",
        ]
        // Those with parameters.
        let routes = [
          Route.recordings, .recordingsOfVersion2, .rows, .stats, .map, .export, .suggestions,
        ]
        let numbers = NumbersAtLimits.all
        for path in routes.map({ $0.rawValue.dropFirst(4) }) {
          for number in numbers {
            for name in names {
              let value = name == "box" ? "-\(number),-\(number),\(number),\(number)" : number
              let target = "\(path)?by=month&query=q:A&\(name)=\(value)"
              let status = try #require(RawClient.answer(target, port: port)?.status, "\(target)")
              #expect([200, 400, 404].contains(status), "\(target)")
            }
          }
        }
        for number in numbers {
          for tag in [
            "nr:", "year:", "month:", "hour:", "len:", "smp:", "new:", "changed:", "since:",
            "alt:>", "lat:<",
          ] {
            for value in [number, "1-\(number)", "\(number)d"] {
              let answer = RawClient.answer("/api/chirper/rows?q=\(tag)\(value)", port: port)
              #expect([200, 400].contains(answer?.status ?? 0), "\(tag)\(value)")
            }
          }
          for target in ["/\(number)/download", "/XC\(number)", "/api/chirper/loads/\(number)"] {
            #expect(
              [200, 404].contains(RawClient.answer(target, port: port)?.status ?? 0), "\(target)")
          }
          // Nothing is loaded: the sample is asked, and no number is allowed.
          for name in ["pages", "perPage"] {
            let body = "{\"query\":\"owl\",\"source\":\"sample\",\"\(name)\":\(number)}"
            let client = try #require(RawClient(port: port))
            client.send(
              "POST /api/chirper/loads HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-API-Key: \(token)\r\n"
                + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(RawClient.Answer(client.rest())?.status == 400, "\(body)")
            client.close()
          }
          let lengths = RawClient.answer("/", port: port, headers: ["Content-Length: \(number)"])
          #expect(lengths.map { [200, 400, 413].contains($0.status) } ?? true, "\(number)")
        }
        #expect(RawClient.answer("/", port: port)?.status == 200)
      }
    }
  }

  @Test func `other names, other sites and methods that change are refused`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        func answer(_ head: String) throws -> RawClient.Answer? {
          let client = try #require(RawClient(port: port))
          defer { client.close() }
          client.send(head + "Connection: close\r\n\r\n")
          return RawClient.Answer(client.rest())
        }
        let get = "GET / HTTP/1.1\r\n"
        let host = "Host: 127.0.0.1:\(port)\r\n"
        #expect(try answer(get + host)?.status == 200)
        #expect(try answer(get + "Host: LOCALHOST:\(port)\r\n")?.status == 200)
        #expect(try answer("GET http://127.0.0.1:\(port)/ HTTP/1.1\r\n\(host)")?.status == 200)
        for other in [
          "evil.example:\(port)", "127.0.0.1", "127.0.0.1:\(port + 1)",
          "127.0.0.1.evil.example:\(port)",
        ] {
          #expect(try answer(get + "Host: \(other)\r\n")?.status == 403, "\(other)")
        }
        for origin in [
          "null", "http://evil.example", "https://127.0.0.1:\(port)",
          "http://127.0.0.1:\(port + 1)",
        ] {
          #expect(try answer(get + host + "Origin: \(origin)\r\n")?.status == 403, "\(origin)")
        }
        #expect(try answer(get + host + "Origin: http://localhost:\(port)\r\n")?.status == 200)
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
          #expect(try answer("\(method) / HTTP/1.1\r\n" + host)?.status == 401, "\(method)")
        }
      }
    }
  }

  @Test
  func `what is no request of HTTP, or too much of one, is refused and the connection closed`()
    throws
  {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let host = "Host: 127.0.0.1:\(port)\r\n"
        let get = "GET / HTTP/1.1\r\n"
        let inner = "GET / HTTP/1.1\r\n\(host)\r\n"
        let cases: [(String, Int)] = [
          ("\(get)\(host)\(host)\r\n", 400), ("\(get)\r\n", 400),
          ("\(get)\(host)A: b\r\n c\r\n\r\n", 400),
          ("\(get)\(host)A: b\rC: d\r\n\r\n", 400),
          ("GET http://evil.example/ HTTP/1.1\r\n\(host)\r\n", 400),
          ("\u{16}\u{3}\u{1}", 400),
          ("GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\n\(host)\r\n", 431),
          ("\(get)\(host)A: \(String(repeating: "a", count: 17_000))\r\n\r\n", 431),
          ("\(get)\(host)\((0..<70).map { "A\($0): b\r\n" }.joined())\r\n", 431),
          ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(inner)", 413),
          (
            "POST / HTTP/1.1\r\n\(host)Content-Length: 3000000\r\n\r\n\(String(repeating: inner, count: 3_000_000 / inner.utf8.count))",
            413
          ),
        ]
        for (request, status) in cases {
          let client = try #require(RawClient(port: port))
          client.send(request)
          let bytes = client.rest()
          client.close()
          #expect(RawClient.Answer(bytes)?.status == status, "\(request.prefix(80))")
          #expect(
            String(decoding: bytes, as: UTF8.self).components(separatedBy: "HTTP/1.1 ").count == 2,
            "\(request.prefix(80))")
        }
        // A header without an end.
        let endless = try #require(RawClient(port: port))
        endless.send("\(get)\(host)A: ")
        for _ in 0..<100 where endless.send(String(repeating: "a", count: 100_000)) {}
        endless.close()
        #expect(RawClient.answer("/", port: port)?.status == 200)
      }
    }
  }

  @Test func `more connections than allowed are refused while each has an answer under way`() throws
  {
    try withParrots { program in
      // With so few files, eight connections.
      let server = try program.start(
        "/bin/sh", arguments: ["-c", "ulimit -n 72; exec \"$0\" serve --port 0", BuiltProgram.path])
      try withServer(of: server) { (port: Int) throws in
        let streams = try (0..<8).map { _ in try #require(RawClient(port: port)) }
        for client in streams {
          client.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
          #expect(RawClient.Answer(client.piece(within: 20))?.status == 200)
        }
        let next = try #require(RawClient(port: port))
        let refused = try #require(RawClient.Answer(next.rest()))
        #expect(refused.status == 503 && refused.headers["retry-after"] == "2")
        #expect(refused.text.contains("http-equiv=\"refresh\""))
        next.close()
        for client in streams { client.close() }
        while RawClient.answer("/", port: port)?.status != 200 { usleep(20_000) }
      }
    }
  }

  @Test func `a connection that waits for a request makes room for a new one`() throws {
    try withParrots { program in
      let server = try program.start(
        "/bin/sh", arguments: ["-c", "ulimit -n 72; exec \"$0\" serve --port 0", BuiltProgram.path])
      try withServer(of: server) { (port: Int) throws in
        let clients = try (0..<40).map { number in
          let client = try #require(RawClient(port: port))
          // Every second one sends a part of a request.
          client.send(
            number % 2 == 0 ? "GET / HT" : "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
          if number % 2 == 1 {
            #expect(RawClient.Answer(client.piece(within: 20))?.status == 200, "\(number)")
          }
          return client
        }
        for client in clients { client.close() }
      }
    }
  }

  #if os(Linux)
  @Test func `a client that takes nothing of an answer any more loses its connection`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample", "--audio", "--pages", "1")
      let folder = program.path(".local/share/chirper/audio/sample")
      let name = try #require(
        FileManager.default.contentsOfDirectory(atPath: folder).sorted().first)
      let id = try #require(name.split(separator: ".").first)
      // More than the system takes for a client that does not read.
      let size = 64 << 20
      try FileHandle(forWritingTo: URL(filePath: "\(folder)/\(name)")).truncate(
        atOffset: UInt64(size))
      let server = try program.start(arguments: ["serve", "--port", "0"])
      try withServer(of: server) { (port: Int) throws in
        let files = "/proc/\(server.process.processIdentifier)/fd"
        func isSending() throws -> Bool {
          try FileManager.default.contentsOfDirectory(atPath: files).contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)"))?
              .hasSuffix(name) == true
          }
        }
        let client = try #require(RawClient(port: port))
        defer { client.close() }
        client.send("GET /\(id)/download HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        let start = client.piece(within: 20)
        #expect(RawClient.Answer(start)?.headers["content-length"] == "\(size)")
        #expect(try isSending())
        // The test's own limit ends it if that goes on.
        while try isSending() { usleep(200_000) }
        #expect(client.rest().count < size - start.count)
      }
    }
  }
  #endif

  @Test func `silent and slow connections end by the clock`() async throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let host = "Host: 127.0.0.1:\(port)\r\n"
        let starts = [
          "", "GET / HT", "GET / HTTP/1.1\r\nA: ",
          "POST / HTTP/1.1\r\n\(host)Content-Length: 60000\r\n\r\n",
        ]
        var clients = try starts.map { start in
          let client = try #require(RawClient(port: port))
          client.send(start)
          return (client: client, isSlow: start.count > 8)
        }
        // The test's own limit ends it if one of them never ends.
        while !clients.isEmpty {
          clients.removeAll { client, isSlow in
            let isClosed = client.isClosed || isSlow && !client.send("x")
            if isClosed { client.close() }
            return isClosed
          }
          usleep(200_000)
        }
      }
    }
  }

  @Test func `an interrupt while clients ask ends it without an error, again and again`() throws {
    try withParrots { program in
      for _ in 0..<5 {
        try withServer(program) { (port: Int) throws in
          let clients = (0..<8).map { _ in
            Thread {
              while let answer = RawClient.answer("/api/3/recordings?query=grp:birds", port: port),
                answer.status == 200
              {}
            }
          }
          for client in clients { client.start() }
          #expect(RawClient.answer("/api/3/recordings?query=grp:birds", port: port)?.status == 200)
        }
      }
    }
  }

  @Test func `a port in use, and one that is none, are errors`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let second = try program.run("serve", "--port", "\(port)")
        #expect(second.status == 69 && second.error.contains("Port \(port) is in use"), "\(second)")
      }
      for port in ["65536", "-1", "a", "1e3"] {
        #expect(try program.run("serve", "--port=\(port)").status == 64, "\(port)")
      }
    }
  }
}
