import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperServer

/// Who may ask `chirper serve` what: the token, sessions, names and origins.
struct ServeSessionTests {
  private let search = "/api/3/recordings?query=q:A"

  /// The answer to a request with these lines in place of those of a usual one.
  private func answer(
    _ method: String, _ target: String, port: Int, host: String? = nil, _ headers: [String] = [],
    body: String = ""
  ) throws -> RawClient.Answer {
    let client = try #require(RawClient(port: port))
    defer { client.close() }
    let lines =
      ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"]
      + headers
    client.send(
      (lines + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n"))
    return try #require(RawClient.Answer(client.rest()))
  }

  /// A port that is free now.
  private func freePort() -> Int? {
    (0..<20).lazy.map { _ in Int.random(in: 20_000...60_000) }.first { RawClient(port: $0) == nil }
  }

  @Test func `each token is kept in a file for its owner, and other servers have the same`() throws
  {
    try withParrots { program in
      try withServer(program) { (_: Int) throws in }
      let tokens = (try program.token, try program.readerToken)
      #expect(tokens.0.count == 32 && tokens.1.count == 32 && tokens.0 != tokens.1)
      try withServer(program) { (port: Int) throws in
        #expect(try program.token == tokens.0 && program.readerToken == tokens.1)
        for (token, status) in [(tokens.0, 405), (tokens.1, 403)] {
          let bearer = "Authorization: Bearer \(token)"
          #expect(try answer("PUT", "/", port: port, [bearer]).status == status)
        }
      }
      for name in ["serve-token", "serve-reader-token"] {
        let file = program.path(".local/share/chirper/\(name)")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o600, "\(name)")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let refused = try program.run("serve", "--port", "0")
        #expect(refused.status == 78 && refused.error.contains("rm \(file)"), "\(refused)")
        #expect(try program.run("export", "parrot", "-o", file).status == 73)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      }
    }
  }

  /// The cookie and the secret that a browser gets for the token.
  private func session(_ program: BuiltProgram, port: Int) throws -> (
    cookie: String, secret: String
  ) {
    let given = try answer("POST", "/session", port: port, body: "{\"token\":\"\(program.token)\"}")
    #expect(given.status == 200)
    let cookie = try #require(given.headers["set-cookie"]?.prefix { $0 != ";" })
    return (
      "Cookie: \(cookie)", "X-Chirper-Session: \(try #require(given.json["secret"] as? String))"
    )
  }

  @Test func `a page exchanges the token once for a cookie that reads and a secret that changes`()
    throws
  {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let token = try program.token
        for body in [
          "", "{}", "{\"token\":\"\"}", "{\"token\":\"\(String(repeating: "0", count: 32))\"}",
          "[]", "{\"token\":",
        ] {
          let refused = try answer("POST", "/session", port: port, body: body)
          #expect(refused.status == 401 && refused.headers["set-cookie"] == nil, "\(body)")
          #expect(refused.text.contains("Ask whoever runs chirper for the link."), "\(body)")
        }
        let given = try answer("POST", "/session", port: port, body: "{\"token\":\"\(token)\"}")
        let text = try #require(given.headers["set-cookie"])
        #expect(
          text.contains("; Max-Age=2592000; HttpOnly; SameSite=Strict")
            && text.hasPrefix("chirper-\(port)="))
        #expect(!text.contains(token) && !given.text.contains(token))
        let (cookie, secret) = try session(program, port: port)
        // The cookie is sent to every server of this machine, so it changes nothing.
        for method in ["PUT", "POST", "DELETE"] {
          #expect(try answer(method, "/", port: port).status == 401)
          #expect(try answer(method, "/", port: port, [cookie]).status == 401)
          #expect(try answer(method, "/", port: port, [secret]).status == 401)
          #expect(try answer(method, "/", port: port, [cookie + "; a=b", secret]).status == 405)
        }
        let asCookie = "Cookie: chirper-\(port)=\(secret.split(separator: " ")[1])"
        let asSecret = "X-Chirper-Session: \(cookie.split(separator: "=")[1])"
        for (one, other) in [
          (asCookie, secret), (cookie, asSecret), ("Cookie: chirper-\(port)=\(token)", secret),
        ] {
          #expect(
            try answer("PUT", "/", port: port, [one, other]).status == 401, "\(one) \(other)")
        }
        #expect(
          try answer("GET", "/session", port: port, [cookie, secret]).text
            == "{\"access\":\"owner\"}")
        #expect(try answer("GET", "/session", port: port, [cookie]).text == "{\"access\":\"none\"}")
        // A session does not help a page of another site.
        for site in [
          "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: null",
          "Origin: http://evil.example",
        ] {
          #expect(
            try answer("PUT", "/", port: port, [cookie, secret, site]).status == 403, "\(site)")
          #expect(
            try answer("POST", "/session", port: port, [site], body: "{\"token\":\"\(token)\"}")
              .status == 403, "\(site)")
        }
        let page = [
          cookie, secret, "Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:\(port)",
        ]
        #expect(try answer("PUT", "/", port: port, page).status == 405)
        // Another server of this machine, which has the token too, does not take it.
        try withServer(program) { (other: Int) throws in
          let own = cookie.replacing("chirper-\(port)", with: "chirper-\(other)")
          #expect(try answer("PUT", "/", port: other, [own, secret]).status == 401)
        }
      }
      // They end with the token.
      let port = try #require(freePort())
      var before = ("", "")
      try withServer(of: program.start(arguments: ["serve", "--port", "\(port)"])) {
        (port: Int) throws in
        before = try session(program, port: port)
      }
      try withServer(of: program.start(arguments: ["serve", "--port", "\(port)"])) {
        (port: Int) throws in
        #expect(try answer("PUT", "/", port: port, [before.0, before.1]).status == 405)
      }
      unlink(program.path(".local/share/chirper/serve-token"))
      try withServer(of: program.start(arguments: ["serve", "--port", "\(port)"])) {
        (port: Int) throws in
        #expect(try answer("PUT", "/", port: port, [before.0, before.1]).status == 401)
        let removed = try answer("GET", "/session", port: port, [before.0])
        #expect(removed.headers["set-cookie"]?.hasPrefix("chirper-\(port)=; Max-Age=0;") == true)
      }
    }
  }

  @Test func `a session ends after 30 days, and a day in the future or a bad day is refused`()
    throws
  {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let token = try SessionToken(.owner, in: directory)
    let first = BrowserSession(token: token, port: 8642, today: 20_000)
    for kind in [BrowserSession.Kind.cookie, .secret] {
      let value = first.value(kind)
      for (day, isValid) in [(20_000, true), (20_030, true), (20_031, false), (19_999, false)] {
        let later = BrowserSession(token: token, port: 8642, today: day)
        #expect(later.isValid(value, kind) == isValid, "\(day)")
      }
      #expect(!BrowserSession(token: token, port: 8643, today: 20_000).isValid(value, kind))
      #expect(!first.isValid(value, kind == .cookie ? .secret : .cookie))
      let code = value.split(separator: ".")[1]
      for day in [
        "", "-1", "20001", "9223372036854775807", "-9223372036854775808", "020000", "+20000",
        "20000 ",
      ] {
        #expect(!first.isValid("\(day).\(code)", kind), "\(day)")
      }
      #expect(
        !first.isValid("", kind) && !first.isValid(".", kind)
          && !first.isValid(value.dropLast(), kind))
    }
  }

  @Test func `a code has six letters, and is compared without case and blanks`() throws {
    let codes = (0..<200).map { _ in ReaderCode() }
    #expect(Set(codes.map(\.text)).count > 190)
    #expect(
      codes.allSatisfy {
        $0.text.count == 6 && $0.text.allSatisfy("ABCDEFGHJKLMNPQRSTUVWXYZ".contains)
      })
    let code = codes[0]
    let letters = code.text.map(String.init)
    for typed in [
      code.text, code.text.lowercased(), letters.joined(separator: " "), "\t\(code.text) \n",
    ] {
      #expect(code.outcome(of: typed, from: nil, at: .now) == .right, "\(typed)")
    }
    for (typed, number) in zip(
      ["", String(code.text.dropLast()), code.text + "A", codes[1].text, "ſ\u{0}é"], 1...)
    {
      let time = Date(timeIntervalSince1970: Double(number) * 60)
      #expect(code.outcome(of: typed, from: nil, at: time) == .wrong, "\(typed)")
    }
  }

  @Test func `the code's limit on tries is 5 wrong ones of an address in a minute, and 100 in all`()
    throws
  {
    let code = ReaderCode()
    func outcome(_ typed: String, _ address: String, _ seconds: Double) -> ReaderCode.Outcome {
      code.outcome(of: typed, from: address, at: Date(timeIntervalSince1970: 1e9 + seconds))
    }
    for second in 0..<5 { #expect(outcome("WRONG", "::1", Double(second)) == .wrong) }
    #expect(outcome("WRONG", "::1", 5) == .tooSoon(seconds: 55))
    // The right one is not looked at, and a try that waits is not counted.
    #expect(outcome(code.text, "::1", 59.5) == .tooSoon(seconds: 1))
    #expect(outcome(code.text, "192.0.2.1", 5) == .right)
    #expect(outcome(code.text, "::1", 60) == .right)
    #expect(outcome("WRONG", "::1", 60) == .wrong)
    #expect(outcome(code.text, "::1", 60.5) == .tooSoon(seconds: 1))
    #expect(outcome(code.text, "::1", 61) == .right)
    // With a clock that was set back by a day nobody waits for one.
    #expect(outcome(code.text, "::1", -86_400) == .right)
    for number in 7..<100 {
      #expect(outcome("WRONG", "192.0.2.\(number)", 61) == .wrong && code.isOn, "\(number)")
    }
    #expect(outcome("WRONG", "192.0.2.100", 61) == .lastWrong && !code.isOn)
    for typed in [code.text, "WRONG"] { #expect(outcome(typed, "192.0.2.1", 1e6) == .off) }
  }

  @Test
  func `--open leads the browser through a file for its owner, and gives it no key and no token`()
    throws
  {
    try withParrots(["XENO_CANTO_API_KEY": "catalogueskey1", "DISPLAY": ":9"]) { program in
      let folder = program.path("bin")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let log = program.path("opened")
      let script = """
        #!/bin/sh
        { echo "$# $1"; stat -c %a "$1"; cat "$1"; env; } > '\(log).new' 2>&1
        mv '\(log).new' '\(log)'
        """
      #expect(
        FileManager.default.createFile(atPath: folder + "/xdg-open", contents: Data(script.utf8)))
      #expect(chmod(folder + "/xdg-open", 0o755) == 0)
      let server = try program.set("PATH", "\(folder):/usr/bin:/bin").start(arguments: [
        "serve", "--port", "0", "--open",
      ])
      var file = ""
      try withServer(of: server) { (port: Int) throws in
        while !FileManager.default.fileExists(atPath: log), server.process.isRunning {
          usleep(20_000)
        }
        let opened = try String(contentsOfFile: log, encoding: .utf8)
        let lines = opened.split(separator: "\n")
        let token = try program.token
        file = String(lines[0].dropFirst(2))
        #expect(lines[0].hasPrefix("1 /") && lines[1] == "600", "\(opened)")
        #expect(
          !lines[0].contains(token) && opened.contains("http://127.0.0.1:\(port)/#\(token)"),
          "\(opened)")
        #expect(
          !opened.contains("catalogueskey1") && !opened.contains("XENO_CANTO_API_KEY"), "\(opened)")
        #expect(FileManager.default.fileExists(atPath: file))
      }
      #expect(!file.isEmpty && !FileManager.default.fileExists(atPath: file))
    }
  }

  @Test
  func `a link of another site to the page may be followed, and nothing else of it is answered`()
    throws
  {
    try withParrots { program in
      try withServer(program) { (port: Int) throws in
        let cross = "Sec-Fetch-Site: cross-site"
        for page in ["/", "/1001", "/species/Turdus-merula", "/?list=parrot"] {
          #expect(
            try answer("GET", page, port: port, [cross, "Sec-Fetch-Mode: navigate"]).status == 200,
            "\(page)")
          for mode in ["no-cors", "cors", "websocket"] {
            #expect(
              try answer("GET", page, port: port, [cross, "Sec-Fetch-Mode: \(mode)"]).status == 403,
              "\(mode)")
          }
        }
        // In a frame, or as a download, they would cost time again and again.
        for target in [search, "/api/chirper/export", "/events", "/1001/download", "/species"] {
          #expect(
            try answer("GET", target, port: port, [cross, "Sec-Fetch-Mode: navigate"]).status
              == 403, "\(target)")
        }
        #expect(
          try answer("POST", "/", port: port, [cross, "Sec-Fetch-Mode: navigate"]).status == 403)
        #expect(try answer("GET", search, port: port, ["Sec-Fetch-Site: none"]).status == 200)
      }
    }
  }

  @Test func `a server for other machines asks everything for the token`() throws {
    try withParrots(["XENO_CANTO_API_KEY": "catalogueskey1"]) { program in
      try withServer(program, "--listen", "0.0.0.0") { (port: Int) throws in
        let token = try program.token
        #expect(try answer("GET", "/", port: port).status == 200)
        for target in [
          search, "/openapi.json", "/1/download", "/nothing", search + "&key=catalogueskey1",
        ] {
          #expect(try answer("GET", target, port: port).status == 401, "\(target)")
        }
        // Clients read the service's form of an error.
        #expect(try answer("GET", search, port: port).json["error"] as? String == "client_error")
        let ways = [
          ["Authorization: Bearer \(token)"], ["X-API-Key: \(token)"],
          [try session(program, port: port).cookie],
        ]
        for way in ways {
          #expect(try answer("GET", search, port: port, way).status == 200, "\(way)")
        }
        #expect(try answer("GET", "\(search)&key=\(token)", port: port).status == 200)
        let all = try answer("GET", "\(search)&key=\(token)", port: port)
        #expect(!all.text.contains(token) && !all.headers.values.contains { $0.contains(token) })
        #expect(
          try answer("GET", "\(search)&key=\(token)", port: port, host: "evil.example:\(port)")
            .status == 403)
      }
      let warned = try program.start(arguments: ["serve", "--port", "0", "--listen", "0.0.0.0"])
      while try warned.output.isEmpty, warned.process.isRunning { usleep(20_000) }
      warned.process.interrupt()
      let result = try warned.result()
      // Standard error may be the log of a service, so the token is not in it.
      let token = try program.token
      let reader = try program.readerToken
      #expect(
        result.error.contains("Not encrypted") && !result.error.contains(token)
          && !result.error.contains(reader), "\(result)")
    }
  }

  @Test func `a name of a proxy is allowed, and asks everything for the token`() throws {
    try withParrots { program in
      try withServer(program, "--allow-host", "Birds.example") { (port: Int) throws in
        let token = "X-API-Key: \(try program.token)"
        #expect(try answer("GET", search, port: port).status == 200)
        for host in ["birds.example", "birds.example:443"] {
          #expect(try answer("GET", search, port: port, host: host).status == 401, "\(host)")
          #expect(
            try answer("GET", search, port: port, host: host, [token]).status == 200, "\(host)")
        }
        #expect(
          try answer(
            "GET", search, port: port, host: "birds.example",
            [token, "Origin: https://birds.example"]
          ).status == 200)
        #expect(
          try answer("GET", search, port: port, host: "x.birds.example", [token]).status == 403)
      }
    }
  }

  @Test func `a page of the one allowed origin may read, and change with the token`() throws {
    try withParrots { program in
      try withServer(program, "--allow-origin", "https://page.example") { (port: Int) throws in
        let origin = "Origin: https://page.example"
        let read = try answer("GET", search, port: port, [origin, "Sec-Fetch-Site: cross-site"])
        #expect(
          read.status == 200
            && read.headers["access-control-allow-origin"] == "https://page.example")
        let preflight = try answer(
          "OPTIONS", "/session", port: port, [origin, "Access-Control-Request-Method: POST"])
        #expect(
          preflight.status == 204
            && preflight.headers["access-control-allow-methods"] == "GET, HEAD, POST, PUT, DELETE")
        #expect(try answer("PUT", "/", port: port, [origin]).status == 401)
        #expect(
          try answer("PUT", "/", port: port, [origin, "X-API-Key: \(program.token)"]).status == 405)
        for other in [
          "https://page.example.evil.example", "http://page.example", "https://page.example:444",
          "null",
        ] {
          let refused = try answer("GET", search, port: port, ["Origin: \(other)"])
          #expect(
            refused.status == 403 && refused.headers["access-control-allow-origin"] == nil,
            "\(other)")
        }
      }
      try withServer(program) { (port: Int) throws in
        #expect(try answer("GET", search, port: port).headers["access-control-allow-origin"] == nil)
        #expect(
          try answer("OPTIONS", search, port: port, ["Origin: https://page.example"]).status == 403)
      }
    }
  }

  @Test func `what is not an address, name or origin, or cannot be combined, is refused`() throws {
    try withProgram { program in
      for words in [
        ["--listen", "birds.example"], ["--listen", "1.2.3"], ["--listen", ""],
        ["--allow-host", "a:80"],
        ["--allow-host", "a/b"],
        ["--public"], ["--public", "--allow-host", "birds.example"],
        ["--own-audio", "--listen", "0.0.0.0"], ["--allow-host", ""], ["--allow-origin", "*"],
        ["--allow-origin", "null"],
        ["--allow-origin", "page.example"],
        ["--allow-origin", "https://page.example/"], ["--allow-origin", "https://a@page.example"],
        ["--allow-origin", "file://page.example"],
      ] {
        #expect(
          try program.run(BuiltProgram.path, ["serve"] + words, input: "").status == 64, "\(words)")
      }
      let elsewhere = try program.run("serve", "--port", "0", "--listen", "203.0.113.7")
      #expect(
        elsewhere.status == 69 && elsewhere.error.contains("does not have the address"),
        "\(elsewhere)")
    }
  }
}
