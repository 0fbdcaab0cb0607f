import ChirperTestSupport
import Foundation
import Testing

/// Who may ask `chirper serve` what: the token, sessions, names and origins.
struct ServeSessionTests {
  private let search = "/api/3/recordings?query=q:A"

  /// The answer to a request with these lines in place of those of a usual one.
  private func answer(
    _ method: String, _ target: String, port: Int, host: String? = nil, _ headers: [String] = [], body: String = ""
  ) throws -> RawClient.Answer {
    let client = try #require(RawClient(port: port))
    defer { client.close() }
    let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + headers
    client.send((lines + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n"))
    return try #require(RawClient.Answer(client.rest()))
  }

  @Test func `the token is kept in a file for its owner, and other servers have the same`() throws {
    try withParrots { program in
      try withServer(program) { (_: Int) throws in }
      let (token, file) = (try program.token, program.path(".local/share/chirper/serve-token"))
      #expect(token.count == 32)
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
      try withServer(program) { (port: Int) throws in
        #expect(try program.token == token)
        #expect(try answer("PUT", "/", port: port, ["Authorization: Bearer \(token)"]).status == 405)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
      let refused = try program.run("serve", "--port", "0")
      #expect(refused.status == 78 && refused.error.contains("rm \(file)"), "\(refused)")
      #expect(try program.run("export", "parrot", "-o", file).status == 73)
    }
  }

  @Test func `a page exchanges the token once for a cookie, which other pages do not get`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let token = try program.token
        for body in ["", "{}", "{\"token\":\"\"}", "{\"token\":\"\(String(repeating: "0", count: 32))\"}", "[]", "{\"token\":"] {
          let refused = try answer("POST", "/session", port: port, body: body)
          #expect(refused.status == 401 && refused.headers["set-cookie"] == nil, "\(body)")
        }
        let session = try answer("POST", "/session", port: port, body: "{\"token\":\"\(token)\"}")
        let cookie = try #require(session.headers["set-cookie"])
        #expect(session.status == 204 && cookie.contains("HttpOnly; SameSite=Strict") && cookie.hasPrefix("chirper-\(port)="))
        let value = String(cookie.prefix { $0 != ";" })
        #expect(try answer("PUT", "/", port: port).status == 401)
        #expect(try answer("PUT", "/", port: port, ["Cookie: a=b; \(value)"]).status == 405)
        #expect(try answer("PUT", "/", port: port, ["Cookie: chirper-\(port)=1"]).status == 401)
        // A session does not help a page of another site.
        for site in ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: null", "Origin: http://evil.example"] {
          #expect(try answer("PUT", "/", port: port, ["Cookie: \(value)", site]).status == 403, "\(site)")
          #expect(
            try answer("POST", "/session", port: port, [site], body: "{\"token\":\"\(token)\"}").status == 403, "\(site)")
        }
        let page = ["Cookie: \(value)", "Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:\(port)"]
        #expect(try answer("PUT", "/", port: port, page).status == 405)
      }
    }
  }

  @Test func `a link of another site to the page may be followed, and nothing else of it is answered`() throws {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let cross = "Sec-Fetch-Site: cross-site"
        for page in ["/", "/1001", "/species/Turdus-merula", "/?list=parrot"] {
          #expect(try answer("GET", page, port: port, [cross, "Sec-Fetch-Mode: navigate"]).status == 200, "\(page)")
          for mode in ["no-cors", "cors", "websocket"] {
            #expect(try answer("GET", page, port: port, [cross, "Sec-Fetch-Mode: \(mode)"]).status == 403, "\(mode)")
          }
        }
        // In a frame, or as a download, they would cost time again and again.
        for target in [search, "/api/chirper/export", "/events", "/1001/download", "/species"] {
          #expect(try answer("GET", target, port: port, [cross, "Sec-Fetch-Mode: navigate"]).status == 403, "\(target)")
        }
        #expect(try answer("POST", "/", port: port, [cross, "Sec-Fetch-Mode: navigate"]).status == 403)
        #expect(try answer("GET", search, port: port, ["Sec-Fetch-Site: none"]).status == 200)
      }
    }
  }

  @Test func `a server for other machines asks everything for the token`() throws {
    try withParrots(["XENO_CANTO_API_KEY": "catalogueskey1"]) { program in
      try withServer(program, "--listen", "0.0.0.0") { (port: Int) throws in
        let token = try program.token
        #expect(try answer("GET", "/", port: port).status == 200)
        for target in [search, "/openapi.json", "/1/download", "/nothing", search + "&key=catalogueskey1"] {
          #expect(try answer("GET", target, port: port).status == 401, "\(target)")
        }
        // Clients read the service's form of an error.
        #expect(try answer("GET", search, port: port).json["error"] as? String == "client_error")
        let ways = [["Authorization: Bearer \(token)"], ["X-API-Key: \(token)"], ["Cookie: chirper-\(port)=\(token)"]]
        for way in ways { #expect(try answer("GET", search, port: port, way).status == 200, "\(way)") }
        #expect(try answer("GET", "\(search)&key=\(token)", port: port).status == 200)
        let all = try answer("GET", "\(search)&key=\(token)", port: port)
        #expect(!all.text.contains(token) && !all.headers.values.contains { $0.contains(token) })
        #expect(try answer("GET", "\(search)&key=\(token)", port: port, host: "evil.example:\(port)").status == 403)
      }
      let warned = try program.start(arguments: ["serve", "--port", "0", "--listen", "0.0.0.0"])
      while try warned.output.isEmpty, warned.process.isRunning { usleep(20_000) }
      warned.process.interrupt()
      let result = try warned.result()
      // Standard error may be the log of a service, so the token is not in it.
      let token = try program.token
      #expect(result.error.contains("not encrypted") && !result.error.contains(token), "\(result)")
    }
  }

  @Test func `a name of a proxy is allowed, and asks everything for the token`() throws {
    try withParrots { program in
      try withServer(program, "--allow-host", "Birds.example") { (port: Int) throws in
        let token = "X-API-Key: \(try program.token)"
        #expect(try answer("GET", search, port: port).status == 200)
        for host in ["birds.example", "birds.example:443"] {
          #expect(try answer("GET", search, port: port, host: host).status == 401, "\(host)")
          #expect(try answer("GET", search, port: port, host: host, [token]).status == 200, "\(host)")
        }
        #expect(
          try answer("GET", search, port: port, host: "birds.example", [token, "Origin: https://birds.example"]).status == 200)
        #expect(try answer("GET", search, port: port, host: "x.birds.example", [token]).status == 403)
      }
    }
  }

  @Test func `a page of the one allowed origin may read, and change with the token`() throws {
    try withParrots { program in
      try withServer(program, "--allow-origin", "https://page.example") { (port: Int) throws in
        let origin = "Origin: https://page.example"
        let read = try answer("GET", search, port: port, [origin, "Sec-Fetch-Site: cross-site"])
        #expect(read.status == 200 && read.headers["access-control-allow-origin"] == "https://page.example")
        let preflight = try answer("OPTIONS", "/session", port: port, [origin, "Access-Control-Request-Method: POST"])
        #expect(preflight.status == 204 && preflight.headers["access-control-allow-methods"] == "GET, HEAD, POST, DELETE")
        #expect(try answer("PUT", "/", port: port, [origin]).status == 401)
        #expect(try answer("PUT", "/", port: port, [origin, "X-API-Key: \(program.token)"]).status == 405)
        for other in ["https://page.example.evil.example", "http://page.example", "https://page.example:444", "null"] {
          let refused = try answer("GET", search, port: port, ["Origin: \(other)"])
          #expect(refused.status == 403 && refused.headers["access-control-allow-origin"] == nil, "\(other)")
        }
      }
      try withServer(program) { (port: Int) throws in
        #expect(try answer("GET", search, port: port).headers["access-control-allow-origin"] == nil)
        #expect(try answer("OPTIONS", search, port: port, ["Origin: https://page.example"]).status == 403)
      }
    }
  }

  @Test func `what is no address, name or origin is refused`() throws {
    try withProgram { program in
      for words in [
        ["--listen", "birds.example"], ["--listen", "1.2.3"], ["--listen", ""], ["--allow-host", "a:80"],
        ["--allow-host", "a/b"],
        ["--allow-host", ""], ["--allow-origin", "*"], ["--allow-origin", "null"], ["--allow-origin", "page.example"],
        ["--allow-origin", "https://page.example/"], ["--allow-origin", "https://a@page.example"],
        ["--allow-origin", "file://page.example"],
      ] {
        #expect(try program.run(BuiltProgram.path, ["serve"] + words, input: "").status == 64, "\(words)")
      }
      let elsewhere = try program.run("serve", "--port", "0", "--listen", "203.0.113.7")
      #expect(elsewhere.status == 69 && elsewhere.error.contains("does not have the address"), "\(elsewhere)")
    }
  }
}
