import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// What the transport of this system does with its connections.
@Suite struct `Connections` {
  private static let transport = RemoteConfiguration().network

  private func url(_ server: ScriptedServer, _ path: String = "/") throws -> URL {
    try #require(URL(string: server.url.absoluteString + path))
  }

  @Test(arguments: Wire.all)
  func `are used again for every page of every fetcher of a configuration`(_ wire: Wire)
    async throws
  {
    let server = try ScriptedServer { request in
      let page = request.query("page").flatMap { Int($0) } ?? 1
      return .kept(wire.body([wire.record(page)], page, 36, 36))
    }
    var configuration = RemoteConfiguration(
      baseURLs: [wire.catalogue.id: server.url], key: { _ in APIKey("sesame-key") })
    configuration.limits = .small
    for page in 1...36 {
      let fetcher = try #require(
        Catalogues.fetcher(for: wire.catalogue.id, configuration: configuration))
      _ = try await fetcher.page(page, of: wire.query())
    }
    #expect(server.requests.count == 36)
    #expect(server.connections == 1)
  }

  @Test func `that were closed meanwhile are replaced without a word`() async throws {
    // HTTP/1.1 keeps a connection by default, so the client learns only now that it is gone.
    let server = try ScriptedServer { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") }
    for _ in 1...3 {
      #expect(
        try await Self.transport.answer(to: url(server), headers: [:], limits: .small).body
          == Array("{}".utf8))
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(server.connections == 3)
  }

  @Test func `outlive answers whose first header is folded`() async throws {
    // libcurl before 8.1.1 reads freed memory here where a handle had another answer before (curl
    // issue 11101).
    let server = try ScriptedServer { request in
      let folded = request.path.hasSuffix("odd") ? " X: folded\r\n" : ""
      return ScriptedAnswer(
        [
          .send(
            Array(
              "HTTP/1.1 200 OK\r\n\(folded)Content-Length: 2\r\nServer: \(request.path)\r\n\r\n{}"
                .utf8))
        ],
        keepsConnection: true)
    }
    for number in 1...20 {
      // Whether such a line is taken is for libcurl to say.
      _ = try? await Self.transport.answer(to: url(server, "/odd"), headers: [:], limits: .small)
      let path = "/\(String(repeating: "x", count: number * 50))"
      let response = try await Self.transport.answer(
        to: url(server, path), headers: [:], limits: .small)
      #expect(response.header("Server") == path)
    }
  }

  @Test func `serve many requests at once`() async throws {
    let server = try ScriptedServer { request in .kept(request.path) }
    let bodies = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<40 {
        let url = try url(server, "/\(number)")
        group.addTask {
          (
            number,
            String(
              decoding: try await Self.transport.answer(to: url, headers: [:], limits: .small).body,
              as: UTF8.self)
          )
        }
      }
      return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
    }
    #expect(bodies == Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, "/\($0)") }))
  }

  @Test func `reach a server on IPv6`() async throws {
    guard let server = try? ScriptedServer(onIPv6: true, { _ in .json(200, "{}") }) else {
      // A machine without IPv6.
      return
    }
    #expect(server.url.absoluteString.hasPrefix("http://[::1]:"))
    #expect(
      try await Self.transport.answer(to: url(server), headers: [:], limits: .small).body
        == Array("{}".utf8))
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      ScriptedAnswer.silent, .stalled("{", announcing: 9), .endless, .drip(every: .milliseconds(5)),
    ])
  func `are dropped when they are cancelled`(_ answer: ScriptedAnswer) async throws {
    let server = try ScriptedServer { _ in answer }
    let url = try url(server)
    let task = Task { try await Self.transport.answer(to: url, headers: [:], limits: .none) }
    try await eventually { !server.requests.isEmpty }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: FetchError.cancelled) { try await task.value }
    try await eventually { server.hangUps > 0 }
    #expect(server.hangUps == 1)
  }

  @Test func `a request that is cancelled before it begins is not made`() async throws {
    let server = try ScriptedServer { _ in .json(200, "{}") }
    let url = try url(server)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Self.transport.answer(to: url, headers: [:], limits: .small)
    }
    task.cancel()
    await #expect(throws: FetchError.cancelled) { try await task.value }
    #expect(server.connections == 0)
  }

  @Test func `go nowhere by plain HTTP but to this machine`() async throws {
    for text in ["http://example.org/", "ftp://127.0.0.1/", "https://a:b@127.0.0.1/"] {
      let url = try #require(URL(string: text))
      await #expect(throws: FetchError(.addressRefused("it is not an HTTPS address"))) {
        try await Self.transport.answer(to: url, headers: [:], limits: .small)
      }
    }
  }

  @Test func `that nobody accepts time out as such`() async throws {
    // A listener that never accepts a TLS greeting: the connection is TCP and TLS together.
    let server = try ScriptedServer { _ in .silent }
    let url = try #require(
      URL(string: server.url.absoluteString.replacing("http:", with: "https:")))
    var limits = HTTPLimits.small
    #if canImport(Darwin)
    // URLSession does not report when a connection is open.
    limits.firstByte = .milliseconds(150)
    let phase = FetchError.TimeoutPhase.firstByte
    #else
    limits.connect = .milliseconds(150)
    let phase = FetchError.TimeoutPhase.connect
    #endif
    let small = limits
    await #expect(throws: FetchError(.timedOut(host: "127.0.0.1", phase: phase))) {
      try await Self.transport.answer(to: url, headers: [:], limits: small)
    }
  }
}

#if !canImport(Darwin)
/// Proxies as the environment sets them; on Apple systems the system's settings count.
@Suite struct `Proxies` {
  private func get(_ text: String, through answer: ScriptedAnswer) async throws -> (
    FetchError?, [ScriptedServer.Request], String
  ) {
    let proxy = try ScriptedServer { _ in answer }
    let transport = CurlTransport(
      proxies: ProxySettings([
        "https_proxy": "http://anna:s3cret@127.0.0.1:\(proxy.url.port ?? 0)"
      ]))
    let url = try #require(URL(string: text))
    do throws(FetchError) {
      _ = try await transport.answer(to: url, headers: ["User-Agent": "chirper"], limits: .small)
      return (nil, proxy.requests, "127.0.0.1:\(proxy.url.port ?? 0)")
    } catch {
      return (error, proxy.requests, "127.0.0.1:\(proxy.url.port ?? 0)")
    }
  }

  @Test func `that ask for a password are named, and see no key`() async throws {
    let answer = ScriptedAnswer.empty(407, headers: ["Proxy-Authenticate": "Basic realm=\"x\""])
    let (error, requests, proxy) = try await get(
      "https://xeno-canto.invalid/api?key=sesame-key", through: answer)
    #expect(error == FetchError(.proxyRefused(proxy: proxy)))
    #expect(requests.map(\.method) == ["CONNECT"])
    #expect(requests.map(\.target) == ["xeno-canto.invalid:443"])
    #expect(!"\(requests)".contains("sesame-key"))
  }

  @Test func `that do not connect are named`() async throws {
    let (error, _, proxy) = try await get("https://xeno-canto.invalid/", through: .empty(502))
    #expect(
      error
        == .unreachable(
          host: "xeno-canto.invalid", detail: "the proxy \(proxy) answers with status 502"))
    for answer in [ScriptedAnswer.raw(""), .raw("nonsense\r\n\r\n"), ScriptedAnswer([.reset])] {
      guard
        case .unreachable("xeno-canto.invalid", _)? = try await get(
          "https://xeno-canto.invalid/", through: answer
        ).0?.reason
      else {
        Issue.record("\(answer)")
        return
      }
    }
  }

  @Test func `are not asked for this machine`() async throws {
    let server = try ScriptedServer { _ in .json(200, "{}") }
    let (error, requests, _) = try await get(server.url.absoluteString, through: .empty(500))
    #expect(error == nil)
    #expect(requests == [])
  }
}
#endif
