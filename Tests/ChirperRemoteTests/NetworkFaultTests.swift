import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// What can go wrong between a request and its page, for every catalogue over HTTP.
@Suite struct `Network faults` {
  @Test(arguments: Wire.all) func `nobody listens`(_ wire: Wire) async throws {
    // Port 1 (tcpmux) is served by no one.
    let url = try #require(URL(string: "http://127.0.0.1:1"))
    let query = try wire.query()
    await #expect(
      throws: FetchError.unreachable(host: "127.0.0.1", detail: "it refuses the connection")
    ) {
      try await wire.fetcher(url, .small).page(1, of: query)
    }
  }

  @Test(arguments: Wire.all) func `the server connects and says nothing`(_ wire: Wire) async throws
  {
    var limits = HTTPLimits.none
    limits.firstByte = .milliseconds(150)
    #expect(
      try await wire.failure(.silent, limits: limits)
        == FetchError(.timedOut(host: "127.0.0.1", phase: .firstByte)))
  }

  @Test(arguments: Wire.all) func `the head comes a byte at a time`(_ wire: Wire) async throws {
    var limits = HTTPLimits.none
    limits.firstByte = .milliseconds(400)
    let head = ScriptedAnswer([
      .send(Array("HTTP/1.1 200 OK\r\nX: ".utf8)), .endless([0x78], every: .milliseconds(20)),
    ])
    let server = try ScriptedServer { _ in head }
    let fetcher = wire.fetcher(server.url, limits)
    let query = try wire.query()
    await #expect(throws: FetchError(.timedOut(host: "127.0.0.1", phase: .firstByte))) {
      try await fetcher.page(1, of: query)
    }
  }

  @Test(arguments: Wire.all) func `a hint comes before the answer`(_ wire: Wire) async throws {
    let body = wire.body([wire.record(1)], 1, 1, 1)
    let hint = Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8)
    let answer = ScriptedAnswer([
      .send(hint), .send(ScriptedAnswer.head(200)), .send(Array(body.utf8)),
    ])
    #expect(try await wire.page(answer).recordings.count == 1)
  }

  @Test(arguments: Wire.all) func `the body stops`(_ wire: Wire) async throws {
    var limits = HTTPLimits.none
    limits.idle = .milliseconds(150)
    let answer = ScriptedAnswer.stalled("{", announcing: 100)
    #expect(
      try await wire.failure(answer, limits: limits)
        == FetchError(.timedOut(host: "127.0.0.1", phase: .idle)))
  }

  @Test(arguments: Wire.all) func `the body comes a byte at a time`(_ wire: Wire) async throws {
    var limits = HTTPLimits.none
    limits.rateWindow = .milliseconds(250)
    limits.minimumBytesPerSecond = 1000
    let answer = ScriptedAnswer.drip(every: .milliseconds(20))
    #expect(
      try await wire.failure(answer, limits: limits)
        == FetchError(.timedOut(host: "127.0.0.1", phase: .idle)))
  }

  @Test(arguments: Wire.all) func `the whole takes too long`(_ wire: Wire) async throws {
    var limits = HTTPLimits.none
    limits.whole = .milliseconds(250)
    limits.minimumBytesPerSecond = 0
    let answer = ScriptedAnswer.drip(every: .milliseconds(20))
    #expect(
      try await wire.failure(answer, limits: limits)
        == FetchError(.timedOut(host: "127.0.0.1", phase: .whole)))
  }

  @Test(arguments: Wire.all) func `the body never ends`(_ wire: Wire) async throws {
    #expect(try await wire.failure(.endless) == FetchError(.tooLarge(limit: 4 << 20)))
  }

  @Test(arguments: Wire.all) func `the body is a gzip bomb`(_ wire: Wire) async throws {
    #expect(try await wire.failure(.gzipBomb) == FetchError(.tooLarge(limit: 4 << 20)))
  }

  @Test(arguments: Wire.all) func `a compressed body is undone`(_ wire: Wire) async throws {
    let body = wire.body([wire.record(1)], 1, 1, 1)
    #expect(try await wire.page(.gzip(body)).recordings.map(\.id.value) == [wire.id(1)])
  }

  @Test(arguments: Wire.all) func `a chunked body is joined`(_ wire: Wire) async throws {
    let body = wire.body([wire.record(1)], 1, 1, 1)
    let pieces = [String(body.prefix(20)), String(body.dropFirst(20))]
    #expect(try await wire.page(.chunked(pieces)).recordings.map(\.id.value) == [wire.id(1)])
  }

  @Test(arguments: Wire.all) func `the encoding is unknown`(_ wire: Wire) async throws {
    let answer = ScriptedAnswer.bytes(200, Array("{}".utf8), headers: ["Content-Encoding": "zork"])
    #expect(try await wire.failure(answer) == FetchError(.unknownEncoding("zork")))
  }

  @Test(arguments: Wire.all) func `the compression is damaged`(_ wire: Wire) async throws {
    let answer = ScriptedAnswer.bytes(200, Array("{}".utf8), headers: ["Content-Encoding": "gzip"])
    #expect(try await wire.failure(answer) == .malformed("its compression is damaged"))
  }

  @Test(arguments: Wire.all) func `the body is shorter than announced`(_ wire: Wire) async throws {
    let body = wire.body([wire.record(1)], 1, 1, 1)
    #expect(
      try await wire.failure(.short(body, announcing: body.utf8.count + 40))
        == FetchError(.truncated))
  }

  @Test(arguments: Wire.all) func `a chunk is cut or broken`(_ wire: Wire) async throws {
    #expect(try await wire.failure(.cutChunk(wire.body([], 1, 1, 0))) == FetchError(.truncated))
    #expect(try await wire.failure(.badChunk(wire.body([], 1, 1, 0))) == FetchError(.truncated))
  }

  @Test(arguments: Wire.all) func `a body of unknown length breaks off`(_ wire: Wire) async throws {
    let body = wire.body([wire.record(1)], 1, 1, 1).trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try await wire.page(.unframed(body)).recordings.count == 1)
    #expect(try await wire.failure(.unframed(String(body.dropLast(12)))) == FetchError(.truncated))
  }

  @Test(arguments: Wire.all) func `the answer is not HTTP`(_ wire: Wire) async throws {
    for answer in ["", "hello\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"] {
      let failure = try await wire.failure(.raw(answer))
      #expect(
        failure == .unreachable(host: "127.0.0.1", detail: "it gave no HTTP answer"), "\(answer)")
    }
  }

  @Test(arguments: Wire.all) func `the connection ends within the head`(_ wire: Wire) async throws {
    for answer in [
      "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Len",
      "HTTP/1.1 200 OK\r\nA: b\r\n",
    ] {
      let failure = try await wire.failure(.raw(answer))
      #expect(
        failure == .unreachable(host: "127.0.0.1", detail: "it gave no HTTP answer"), "\(answer)")
    }
    let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    let failure = try await wire.failure(.raw(hint + "HTTP/1.1 200 OK\r\nContent-Len"))
    #expect(failure == .unreachable(host: "127.0.0.1", detail: "it gave no HTTP answer"))
  }

  @Test(arguments: Wire.all) func `an odd head is read`(_ wire: Wire) async throws {
    let body = wire.body([wire.record(1)], 1, 1, 1)
    let length = "Content-Length: \(body.utf8.count)\r\n"
    let latin =
      Array("HTTP/1.1 200 OK\r\nServer: caf".utf8) + [0xE9] + Array("\r\n\(length)\r\n\(body)".utf8)
    let answers: [(name: String, answer: ScriptedAnswer)] = [
      ("a Latin-1 byte", .raw(latin)),
      (
        "obsolete folding",
        .raw("HTTP/1.1 200 OK\r\nServer: a\r\n b\r\n\tc\r\n\(length)\r\n\(body)")
      ),
      (
        "hints",
        .raw(
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n\(length)\r\n\(body)"
        )
      ),
      (
        "duplicates", .raw("HTTP/1.1 200 OK\r\nDate: a\r\nDate: b\r\n\(length)\(length)\r\n\(body)")
      ),
      ("no reason", .raw("HTTP/1.1 200\r\n\(length)\r\n\(body)")),
      ("bare line feeds", .raw("HTTP/1.1 200 OK\nServer: a\n\(length)\n\(body)")),
      ("HTTP/1.0", .raw("HTTP/1.0 200 OK\r\n\r\n\(body)")),
      ("a header without a name", .raw("HTTP/1.1 200 OK\r\n: a\r\n\(length)\r\n\(body)")),
      (
        "100 kB of head",
        .raw(
          "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 17_000)
            + "\(length)\r\n\(body)")
      ),
    ]
    for (name, answer) in answers {
      #expect(try await wire.page(answer).recordings.count == 1, "\(name)")
    }
  }

  @Test(arguments: Wire.all)
  func `a body with trailers is joined, and the trailers are passed over`(_ wire: Wire) async throws
  {
    let body = wire.body([wire.record(1)], 1, 1, 1)
    let size = String(body.utf8.count, radix: 16)
    for trailers in [
      "Server-Timing: a\r\n", "Content-Length: 0\r\nContent-Encoding: zork\r\n",
      "Content-Type: caf\u{E9}\r\n folded\r\n",
    ] {
      let answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\(trailers)\r\n"
      #expect(try await wire.page(.raw(answer)).recordings.count == 1, "\(trailers)")
    }
    let broken =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\nHTTP/1.1 500 No\r\n\r\n"
    #expect(try await wire.failure(.raw(broken)) == FetchError(.truncated))
  }

  @Test(arguments: Wire.all) func `a length at the limits of integers ends nothing but the request`(
    _ wire: Wire
  ) async throws {
    let body = wire.body([wire.record(1)], 1, 1, 1)
    #expect(
      try await wire.failure(
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n\(body)"))
        == FetchError(.tooLarge(limit: 4 << 20)))
    for length in [
      "9223372036854775808", "18446744073709551617", "-9223372036854775808", "1e9", "0x7", "5, 6",
      "+5", "",
    ] {
      // Which of them libcurl takes is its own affair; a page, where one comes, is the whole page.
      let failure = try await wire.failure(
        .raw("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(body)"))
      #expect(failure != .cancelled, "\(length)")
    }
  }

  @Test(arguments: Wire.all) func `a head of a megabyte is refused`(_ wire: Wire) async throws {
    let lines = String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 1000)
    let line = "X: \(String(repeating: "y", count: 1_000_000))\r\n"
    let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 30_000)
    for answer in ["HTTP/1.1 200 OK\r\n\(lines)\r\n{}", "HTTP/1.1 200 OK\r\n\(line)\r\n{}", hints] {
      let failure = try await wire.failure(.raw(answer))
      #if canImport(Darwin)
      // URLSession has limits of its own.
      #expect(failure != nil)
      #else
      #expect(failure == FetchError(.tooLarge(limit: 256 << 10)))
      #endif
    }
  }

  @Test(arguments: Wire.all) func `a connection that is reset is an error like others`(_ wire: Wire)
    async throws
  {
    let head = ScriptedAnswer.head(200, ["Content-Length": "100"])
    for (steps, isRead) in [
      ([], false), ([.send(head), .send(Array("{".utf8)), .pause(.milliseconds(50))], true),
    ]
      as [([ScriptedAnswer.Step], Bool)]
    {
      let failure = try await wire.failure(ScriptedAnswer(steps + [.reset]))
      #expect(
        failure
          == (isRead
            ? FetchError(.truncated)
            : .unreachable(host: "127.0.0.1", detail: "the connection broke"))
      )
    }
  }

  @Test(arguments: Wire.all) func `a web page answers for the service`(_ wire: Wire) async throws {
    #expect(try await wire.failure(.html(200)) == FetchError(.webPage))
    #expect(try await wire.failure(.html(200, "Log in")) == FetchError(.webPage))
    #expect(
      try await wire.failure(.json(200, "\u{FEFF}\n <!DOCTYPE html>")) == FetchError(.webPage))
  }

  @Test(arguments: Wire.all) func `data is taken whatever its type is called`(_ wire: Wire)
    async throws
  {
    let body = Array(wire.body([wire.record(1)], 1, 1, 1).utf8)
    for type in ["text/javascript; charset=utf-8", "text/html", "application/octet-stream"] {
      #expect(
        try await wire.page(.bytes(200, body, headers: ["Content-Type": type])).recordings.count
          == 1)
    }
  }

  @Test(arguments: Wire.all) func `transient statuses are distinguished from permanent ones`(
    _ wire: Wire
  ) async throws {
    for status in [408, 425, 500, 501, 502, 503, 504] {
      #expect(try await wire.failure(.html(status)) == .serverBusy(status: status, retryAfter: nil))
    }
    for status in [400, 402, 404, 409, 410, 414, 418, 304] {
      #expect(try await wire.failure(.html(status)) == .refused(status: status, message: nil))
    }
    #expect(try await wire.failure(.html(429)) == .rateLimited(retryAfter: nil))
    #expect(
      try await wire.failure(.empty(204))
        == .malformed("a page comes with status 200, this with 204"))
  }

  @Test(arguments: Wire.all) func `a wait that is asked for is kept`(_ wire: Wire) async throws {
    let headers = ["Retry-After": "17"]
    #expect(
      try await wire.failure(.empty(429, headers: headers))
        == .rateLimited(retryAfter: .seconds(17)))
    #expect(
      try await wire.failure(.empty(503, headers: headers))
        == .serverBusy(status: 503, retryAfter: .seconds(17)))
  }

  @Test(arguments: Wire.all) func `a challenge to log in does not hang`(_ wire: Wire) async throws {
    let failure = try await wire.failure(
      .json(401, "{}", headers: ["WWW-Authenticate": "Basic realm=\"x\""]))
    #expect(
      failure
        == (wire.catalogue.id == .xenoCanto
          ? .keyRefused(status: 401, message: nil) : .refused(status: 401, message: nil)))
  }

  @Test(arguments: Wire.all) func `text that is not strict JSON is a typed error, never a trap`(
    _ wire: Wire
  ) async throws {
    let deep = String(repeating: "[", count: 100_000)
    let cases: [(body: [UInt8], expected: String)] = [
      (Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8), "it is not valid UTF-8 (byte 6)"),
      ([0xEF, 0xBB, 0xBF] + Array("{}".utf8), "it begins with a byte order mark (byte 0)"),
      (Array("{\"a\":\"\\ud800\"}".utf8), "half of a surrogate pair is missing (byte 6)"),
      (Array("{\"a\":\(deep)".utf8), "it is nested more than 64 deep (byte 69)"),
      (Array("{\"a\":1,\"a\":2}".utf8), "the name \"a\" occurs twice in one object (byte 7)"),
      (Array("{\"a\":1e}".utf8), "a number is malformed (byte 5)"),
      (Array("{\"a\":\"\0\"}".utf8), "a string contains a control character (byte 6)"),
      (Array("{} {}".utf8), "there is more text after the end (byte 3)"),
      (Array("[]".utf8), "expected an object (byte 0)"),
      (Array("null".utf8), "expected an object (byte 0)"),
      (Array("{\"a\"".utf8), "the text ends too early (byte 4)"),
      ([], "the text ends too early (byte 0)"),
    ]
    for (body, expected) in cases {
      #expect(try await wire.failure(.bytes(200, body)) == .malformed(expected))
    }
  }

  @Test(arguments: Wire.all) func `a fault inside a record is a fault of the page`(_ wire: Wire)
    async throws
  {
    let record = String(wire.record(1).dropLast()) + #","x":1,"x":2}"#
    let failure = try await wire.failure(.json(200, wire.body([record], 1, 1, 1)))
    guard case .malformed(let detail)? = failure?.reason else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(detail.contains("the name \"x\" occurs twice in one object"))
  }

  @Test(arguments: Wire.all) func `an object without the list is malformed`(_ wire: Wire)
    async throws
  {
    for body in ["{}", #"{"recordings":null,"results":null}"#, #"{"recordings":{},"results":"x"}"#]
    {
      let failure = try await wire.failure(.json(200, body))
      #expect(
        failure
          == .malformed(
            "it has no list of \(wire.catalogue.id == .xenoCanto ? "recordings" : "results")"))
    }
  }

  @Test(arguments: Wire.all) func `more records than any page has are refused`(_ wire: Wire)
    async throws
  {
    let failure = try await wire.failure(
      .json(200, wire.body([String](repeating: "1", count: 100_000), 1, 1, 100_000)))
    guard case .malformed(let detail)? = failure?.reason else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(detail.contains("expected no more than 10000 records"))
  }
}
