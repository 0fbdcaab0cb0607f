import ChirperTestSupport
import Foundation
import Testing

/// What a user gets of each trouble of the network, from the built program with a list stored
/// before.
struct NetworkOutcomeTests {
  struct Trouble: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answer: ScriptedAnswer
    let status: Int32
    let words: String
    /// Requests for the one page; a redirect in a loop is followed once.
    let requests: Int

    init(
      _ name: String, _ answer: ScriptedAnswer, _ status: Int32, requests: Int = 1, _ words: String
    ) {
      (testDescription, self.answer, self.status, self.requests, self.words) = (
        name, answer, status, requests, words
      )
    }
  }

  private static let ids = ["1", "2", "3"]

  @Test(arguments: [
    Trouble(
      "a key refused",
      .json(401, #"{"error":"client_error","message":"Missing or invalid 'key'"}"#), 77,
      "Get a free key at"),
    Trouble(
      "forbidden", .json(403, #"{"message":"no"}"#), 77, "rejects the key: \"no\" (status 403)"),
    Trouble(
      "a bad request, with an escape sequence",
      .json(400, #"{"error":"client_error","message":"no \u001b[2J"}"#), 1,
      #""no \x1b[2J" (page 1, status 400)"#),
    Trouble(
      "not found", .json(404, "{}"), 1, "xeno-canto rejects the request (page 1, status 404)"),
    Trouble("gone", .json(410, "{}"), 1, "status 410)"),
    Trouble(
      "a captive portal", .html(200), 76, "The network answered with a web page: a captive portal?"),
    Trouble(
      "no JSON", .json(200, "{\"recordings\":["), 76, "The answer of xeno-canto cannot be read"),
    Trouble(
      "deep nesting", .json(200, String(repeating: "[", count: 100_000)), 76, "cannot be read"),
    Trouble(
      "another page than asked for",
      .json(200, FakeXenoCanto.body([], page: 7, pages: 9, total: 9)), 76, "page 7 came"),
    Trouble(
      "a length at the limit of integers",
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n{}"), 76,
      "The answer of xeno-canto is too large (page 1, more than "),
    Trouble(
      "a megabyte of head",
      .raw("HTTP/1.1 200 OK\r\n\(String(repeating: "X: y\r\n", count: 180_000))\r\n{}"), 76,
      "The answer of xeno-canto is too large (page 1, more than "),
    Trouble(
      "no count of pages", .json(200, #"{"numRecordings":"3","page":1,"recordings":[]}"#), 76,
      "it has no numPages"),
    Trouble(
      "another host", .redirect(to: "https://example.org/api/3/recordings"), 69,
      "it leads to another host, example.org"),
    Trouble(
      "a redirect in a loop", .redirect(to: "/api/3/recordings"), 69, requests: 2, "redirect"),
    Trouble(
      "a rate limit for an hour", .empty(429, headers: ["Retry-After": "3600"]), 75,
      "Try again in 1 hour."),
    Trouble(
      "busy for a day", .empty(503, headers: ["Retry-After": "86400"]), 75, "Try again in 24 hours."
    ),
  ])
  func `each has its exit code and message, and the stored rows stay`(trouble: Trouble) throws {
    let sound = try FakeXenoCanto(Self.ids)
    let server = try ScriptedServer { _ in trouble.answer }
    try withProgram(sound.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      let troubled = program.set("CHIRPER_XENO_CANTO_URL", server.url.absoluteString)
      let result = try troubled.run("fetch", "parrot", "--all")
      #expect(result.status == trouble.status, "\(result)")
      #expect(result.error.contains(trouble.words), "\(result.error)")
      #expect(!result.error.contains("\u{1B}"))
      #expect(server.requests.count == trouble.requests)
      try expectStored(troubled)
    }
  }

  @Test(arguments: [
    Trouble(
      "gbif: a bad parameter",
      .bytes(400, Array("Invalid integer range\n".utf8), headers: ["Content-Type": "text/plain"]),
      1,
      "rejects the request: \"Invalid integer range\" (page 1, status 400)"),
    Trouble(
      "gbif: a rate limit",
      .json(429, #"["Please use downloads."]"#, headers: ["Retry-After": "3600"]), 75,
      "Try again in 1 hour."
    ),
    Trouble(
      "gbif: a list of 200,000",
      .json(
        200, #"{"offset":0,"limit":300,"endOfRecords":false,"count":200000,"results":[{"key":1}]}"#),
      1,
      "GBIF gives only the first 100000 records of a list (this one has 200000)."),
    Trouble("gbif: no count", .json(200, #"{"results":[]}"#), 76, "it has no count"),
    Trouble(
      "inaturalist: a page too far",
      .json(403, #"{"error":"Result window is too large","status":403}"#), 1,
      "rejects the request: \"Result window is too large\" (page 1, status 403)"),
    Trouble("inaturalist: a captive portal", .html(200), 76, "a captive portal?"),
  ])
  func `the catalogues without a key have theirs`(trouble: Trouble) throws {
    let server = try ScriptedServer { _ in trouble.answer }
    let source = String(trouble.testDescription.prefix { $0 != ":" })
    try withProgram(["CHIRPER_\(source.uppercased())_URL": server.url.absoluteString]) { program in
      let result = try program.run("fetch", "year:2024", "--source", source, "--all")
      #expect(result.status == trouble.status && result.error.contains(trouble.words), "\(result)")
      #expect(server.requests.count == trouble.requests)
    }
  }

  @Test
  func `without a server the stored rows are shown with their age, and the fetch ends with 69`()
    throws
  {
    let sound = try FakeXenoCanto(Self.ids)
    try withProgram(sound.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      // Port 1 (tcpmux) is served by no one.
      let troubled = program.set("CHIRPER_XENO_CANTO_URL", "http://127.0.0.1:1")
      let result = try troubled.run("fetch", "parrot", "--all")
      #expect(result.status == 69, "\(result)")
      #expect(
        result.error.contains("stored: 3 recordings from xeno-canto, fetched "), "\(result.error)")
      try expectStored(troubled)
    }
  }

  @Test func `a host name that does not resolve ends with 69`() throws {
    // RFC 6761: no name below .invalid is ever known.
    try withProgram([
      "CHIRPER_XENO_CANTO_URL": "https://xeno-canto.invalid", "XENO_CANTO_API_KEY": "k",
    ]) { program in
      let result = try program.run("fetch", "parrot")
      #expect(result.status == 69, "\(result)")
      #expect(
        result.error.contains("No network, or the address of xeno-canto was not found"),
        "\(result.error)")
    }
  }

  @Test func `a page with trailers, a Latin-1 header and hints before it is stored`() throws {
    let body = FakeXenoCanto.body(
      Self.ids.map { FakeXenoCanto.record($0, size: 9) }, page: 1, pages: 1, total: 3)
    let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nServer: caf"
    let chunks =
      "\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\nServer-Timing: a\r\n\r\n"
    let catalogue = try FakeXenoCanto([]) { _, _ in
      .raw(Array((hint + head).utf8) + [0xE9] + Array(chunks.utf8))
    }
    try withProgram(catalogue.variables) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 0, "\(result)")
      #expect(try StoreInspector(program).check("odd head") == [Self.ids])
    }
  }

  #if !canImport(Darwin)
  @Test
  func
    `a proxy that asks for a password ends with 69, and doctor shows the proxy without its password`()
    throws
  {
    let proxy = try ScriptedServer { _ in
      .empty(407, headers: ["Proxy-Authenticate": "Basic realm=\"x\""])
    }
    let name = "127.0.0.1:\(proxy.url.port ?? 0)"
    let variables = [
      "CHIRPER_XENO_CANTO_URL": "https://xeno-canto.invalid",
      "XENO_CANTO_API_KEY": "c4n4rykey0123456789",
    ]
    try withProgram(
      variables.merging(["https_proxy": "http://anna:s3cret@\(name)", "no_proxy": "example.org"]) {
        $1
      }
    ) {
      program in
      let result = try program.run("fetch", "parrot")
      #expect(result.status == 69, "\(result)")
      #expect(
        result.error.contains(
          "The network's proxy asks for a name and a password (page 1, \(name), status 407)"),
        "\(result.error)")
      #expect(
        proxy.requests.map { "\($0.method) \($0.target)" } == ["CONNECT xeno-canto.invalid:443"])
      #expect(!"\(proxy.requests)".contains("c4n4rykey0123456789"))
      let doctor = try program.run("doctor")
      #expect(doctor.output.contains("proxy        \(name), not for example.org\n"), "\(doctor)")
      #expect(!doctor.output.contains("s3cret"))
      #expect(
        try program.set("https_proxy", nil).run("doctor").output.contains("proxy        none\n"))
    }
  }
  #endif

  @Test(.enabled(if: SystemFaults.hasOpenSSL, SystemFaults.needsOpenSSL))
  func `a self-signed certificate is refused`() throws {
    let sound = try FakeXenoCanto(Self.ids)
    try withProgram(sound.variables) { program in
      let first = try program.run("fetch", "parrot", "--all")
      #expect(first.status == 0, "\(first)")
      let made = try program.shell(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -subj /CN=localhost"
      )
      #expect(made.status == 0, "\(made)")
      let server = try program.start(
        "/bin/sh",
        arguments: [
          "-c",
          "exec openssl s_server -accept 127.0.0.1:0 -cert certificate -key key -www > accepting",
        ])
      defer { kill(server.process.processIdentifier, SIGTERM) }
      let port = try #require(
        try text(in: program.path("accepting"), matching: /ACCEPT 127\.0\.0\.1:([0-9]+)/))
      let troubled = program.set("CHIRPER_XENO_CANTO_URL", "https://127.0.0.1:\(port)")
      let result = try troubled.run("fetch", "parrot", "--all")
      #expect(result.status == 69, "\(result)")
      #expect(
        result.error.contains("the certificate of 127.0.0.1 is not trusted)"), "\(result.error)")
      try expectStored(troubled)
    }
  }

  @Test(arguments: [
    ScriptedAnswer.short(FakeXenoCanto.body([], page: 2, pages: 2, total: 3), announcing: 9999),
    .empty(500),
    .cutChunk("{"), .json(502, ""), .empty(408), .raw("HTTP/1.1 200 OK\r\nContent-Len"),
  ])
  func `a page that fails once is requested again`(answer: ScriptedAnswer) throws {
    let tries = Tries()
    let catalogue = try FakeXenoCanto((1...6).map { "\($0)" }) { _, page in
      page == 2 && tries.next() == 1 ? answer : nil
    }
    try withProgram(catalogue.variables) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 0, "\(result)")
      #expect(try StoreInspector(program).check("again").first?.count == 6)
      #expect(catalogue.server.requests.map { $0.query("page") } == ["1", "2", "2"])
    }
  }

  @Test
  func
    `a page that keeps failing leaves the others stored, and the next run requests only that page`()
    throws
  {
    let broken = try FakeXenoCanto((1...12).map { "\($0)" }) { _, page in
      page == 2 ? .json(200, "{") : nil
    }
    let sound = try FakeXenoCanto((1...12).map { "\($0)" })
    try withProgram(broken.variables) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 3, "\(result)")
      #expect(result.error.contains("Page 2 could not be fetched"), "\(result.error)")
      #expect(try StoreInspector(program).check("without page 2").first?.count == 9)
      let again = try program.set("CHIRPER_XENO_CANTO_URL", sound.server.url.absoluteString).run(
        "fetch", "parrot", "--all")
      #expect(again.status == 0, "\(again)")
      #expect(sound.server.requests.map { $0.query("page") } == ["2"])
      #expect(try StoreInspector(program).check("whole").first?.count == 12)
    }
  }

  @Test func `a Retry-After is obeyed after a restart`() throws {
    let catalogue = try FakeXenoCanto(Self.ids) { _, _ in
      .empty(429, headers: ["Retry-After": "3600"])
    }
    try withProgram(catalogue.variables) { program in
      for _ in 1...2 { #expect(try program.run("fetch", "parrot").status == 75) }
      #expect(catalogue.server.requests.count == 1)
      let doctor = try program.run("doctor")
      #expect(doctor.output.contains(", not before "), "\(doctor)")
    }
  }

  @Test func `an endless list is requested only as long as its pages bring new rows`() throws {
    let catalogue = try FakeXenoCanto([]) { _, page in
      page < 4
        ? .json(
          200,
          FakeXenoCanto.body(
            [FakeXenoCanto.record("\(page)", size: 9)], page: page, pages: 1_000_000_000,
            total: 1_000_000_000)
        )
        : .json(
          200,
          FakeXenoCanto.body(
            [FakeXenoCanto.record("1", size: 9)], page: page, pages: 1_000_000_000,
            total: 1_000_000_000))
    }
    try withProgram(catalogue.variables) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 3, "\(result)")
      #expect(result.error.contains("announced 1000000000 pages, has sent 6 and names more"))
      #expect(catalogue.server.requests.count < 40)
      #expect(try StoreInspector(program).check("endless") == [["1", "2", "3"]])
      #expect(try StoreInspector(program).stored()?.completeness.word != "complete")
    }
  }

  @Test(arguments: [0, 4])
  func `a list that falls keeps its rows, says why, and when that is decided`(left: Int) throws {
    let ids = (1...12).map(String.init)
    let catalogue = try FakeXenoCanto(ids)
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      catalogue.change { $0 = Array($0.prefix(left)) }
      func rows() throws -> [Substring] {
        try program.run("export", "parrot", "--format", "jsonl").output.split(separator: "\n")
      }
      let fetches = [["fetch", "parrot", "--all"], ["fetch", "parrot"]]
      for arguments in [["sync"], ["sync", "parrot"]] + fetches {
        let result = try program.run(BuiltProgram.path, arguments, input: "")
        #expect(result.status == 3, "\(arguments): \(result)")
        #expect(result.error.contains("lists only \(left) of the 12 rows now, so all stay"))
        #expect(result.error.contains("until a sync after 20"))
        #expect(result.error.contains("chirper fetch parrot --source xeno-canto --all --verify"))
        #expect(try Set(rows()).count == 12)
      }
      let list = try program.run("list", "parrot", "--format", "json").output
      #expect(list.contains(#""completeness":"shifted""#))
      #expect(list.contains(#""fall":{"found":\#(left),"seenAt":"20"#))
      let decided = try program.run("fetch", "parrot", "--all", "--verify")
      #expect(decided.status == 0, "\(decided)")
      #expect(try rows().count == left)
      #expect(try StoreInspector(program).stored()?.completeness == .verified)
    }
  }

  @Test func `after three unreadable pages in a row no more are requested`() throws {
    let catalogue = try FakeXenoCanto([]) { _, page in
      let rows = page == 1 ? [FakeXenoCanto.record("1", size: 9)] : page < 60 ? ["{}"] : []
      return .json(
        200, FakeXenoCanto.body(rows, page: page, pages: 1_000_000_000, total: 1_000_000_000))
    }
    try withProgram(catalogue.variables) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 0 || result.status == 3, "\(result)")
      #expect(result.error.contains("records could not be read"), "\(result)")
      #expect(catalogue.server.requests.map { $0.query("page") } == ["1", "2", "3", "4"])
      #expect(try StoreInspector(program).check("unreadable") == [["1"]])
      #expect(try StoreInspector(program).stored()?.completeness.word == "partial")
    }
  }

  @Test func `an unreadable page costs only that page`() throws {
    let catalogue = try FakeXenoCanto([]) { _, page in
      let row = page == 2 || page == 4 ? "{}" : FakeXenoCanto.record("\(page)", size: 9)
      return .json(200, FakeXenoCanto.body([row], page: page, pages: 5, total: 5))
    }
    try withProgram(catalogue.variables) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 0, "\(result)")
      #expect(try StoreInspector(program).check("two unreadable").first == ["1", "3", "5"])
    }
  }

  /// What a file says once another process has written it.
  private func text(in path: String, matching pattern: Regex<(Substring, Substring)>) throws
    -> String?
  {
    for _ in 1...3000 {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      if let match = text.firstMatch(of: pattern) { return String(match.1) }
      usleep(20_000)
    }
    return nil
  }

  private func expectStored(_ program: BuiltProgram) throws {
    #expect(try StoreInspector(program).check("stored") == [Self.ids])
    let list = try program.run("list", "parrot")
    #expect(
      list.status == 0 && list.error.contains("3 recordings from xeno-canto, fetched "), "\(list)")
  }
}

/// Counts from 1.
private final class Tries: @unchecked Sendable {  // Safe: the lock guards the one variable.
  private let lock = NSLock()
  private var count = 0

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
