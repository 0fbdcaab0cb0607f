#if !canImport(Darwin)
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// What the transport makes of TLS servers, good and bad. Only on Linux can it be given
/// certificates to trust.
@Suite(.enabled(if: SystemFaults.hasOpenSSL, SystemFaults.needsOpenSSL))
struct TLSFaultTests {
  /// A server in a directory of its own: that of openssl, which serves each file as a whole
  /// answer, or the one started.
  private func withServer(
    names: String = "IP:127.0.0.1", flags: [String] = [], made: String = "", start: String? = nil,
    log: String = "accepting",
    port pattern: Regex<(Substring, Substring)> = /ACCEPT 127\.0\.0\.1:([0-9]+)/,
    _ body: (CurlTransport, URL, BuiltProgram) async throws -> Void
  ) async throws {
    let program = try BuiltProgram()
    defer { program.remove() }
    let certificate = try program.shell(
      "\(made) openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -subj /CN=test -days 2 "
        + "-addext subjectAltName=\(names)")
    #expect(certificate.status == 0, "\(certificate)")
    let answers = [
      "whole": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
      "short": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
    ]
    for (name, text) in answers {
      try Data(text.utf8).write(to: program.directory.appending(path: name))
    }
    let openssl =
      ["exec openssl s_server -accept 127.0.0.1:0 -cert certificate -key key -HTTP"] + flags + [
        "> accepting 2>&1"
      ]
    let server = try program.start(
      "/bin/sh", arguments: ["-c", start ?? openssl.joined(separator: " ")])
    defer { kill(server.process.processIdentifier, SIGTERM) }
    let port = try #require(try await text(of: program, log, matching: pattern))
    let url = try #require(URL(string: "https://127.0.0.1:\(port)"))
    try await body(CurlTransport(authorities: program.path("certificate")), url, program)
  }

  private func text(
    of program: BuiltProgram, _ file: String, matching pattern: Regex<(Substring, Substring)>
  ) async throws
    -> String?
  {
    for _ in 1...3000 {
      let text = (try? String(contentsOfFile: program.path(file), encoding: .utf8)) ?? ""
      if let match = text.firstMatch(of: pattern) { return String(match.1) }
      try await Task.sleep(for: .milliseconds(20))
    }
    return nil
  }

  /// No request here is to fail because the machine is busy.
  private static let patient = {
    var limits = HTTPLimits()
    (limits.connect, limits.firstByte, limits.idle) = (
      .seconds(120), .seconds(120), .seconds(120)
    )
    return limits
  }()

  private func failure(_ transport: CurlTransport, _ url: URL) async -> FetchError? {
    do throws(FetchError) {
      _ = try await transport.answer(to: url, headers: [:], limits: Self.patient)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a trusted server is asked, and offered HTTP 2`() async throws {
    try await withServer(flags: ["-msg", "-alpn", "http/1.1"]) { transport, url, program in
      let response = try await transport.answer(
        to: url.appending(path: "whole"), headers: [:], limits: Self.patient)
      #expect(response.status == 200 && response.body == Array("{}".utf8))
      #expect(await failure(transport, url.appending(path: "short")) == FetchError(.truncated))
      let offered = try await text(
        of: program, "accepting", matching: /ALPN protocols advertised by the client: (.*)/)
      #expect(offered == "h2, http/1.1")
    }
  }

  @Test(.enabled(if: SystemFaults.hasHTTP2Server, SystemFaults.needsHTTP2Server))
  func `a server that speaks only HTTP 2 is asked many things over one connection`() async throws {
    let port = Int.random(in: 20_000..<30_000)
    let start =
      "exec \(SystemFaults.http2Server) -v --address=127.0.0.1 -d . \(port) key certificate > log"
    try await withServer(start: start, log: "log", port: /listen 127\.0\.0\.1:([0-9]+)/) {
      transport, url, program in
      let file = url.appending(path: "whole")
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...20 {
          group.addTask {
            try await transport.answer(to: file, headers: [:], limits: Self.patient).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses == Array(repeating: 200, count: 20))
      for _ in 1...20 {
        _ = try await transport.answer(to: file, headers: [:], limits: Self.patient)
      }
      let log = try String(contentsOfFile: program.path("log"), encoding: .utf8)
      // Requests at the same moment may open several connections; those after them open none.
      #expect((1...20).contains(log.matches(of: /negotiated protocol: h2/).count))
    }
  }

  @Test func `a certificate for another name is refused`() async throws {
    try await withServer(names: "DNS:other.example") { transport, url, _ in
      #expect(
        await failure(transport, url.appending(path: "whole"))
          == FetchError(.badCertificate(host: "127.0.0.1")))
    }
  }

  @Test func `a certificate that nobody vouches for is refused by the transport`() async throws {
    try await withServer { _, url, _ in
      #expect(
        await failure(CurlTransport(), url.appending(path: "whole"))
          == FetchError(.badCertificate(host: "127.0.0.1")))
    }
  }

  @Test(.enabled(if: SystemFaults.hasFaketime, SystemFaults.needsFaketime))
  func `a certificate that has run out is refused`() async throws {
    try await withServer(made: "faketime '2001-01-01 00:00:00'") { transport, url, _ in
      #expect(
        await failure(transport, url.appending(path: "whole"))
          == FetchError(.badCertificate(host: "127.0.0.1")))
    }
  }

  @Test func `an old protocol is refused`() async throws {
    try await withServer(flags: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]) {
      transport, url, _ in
      let expected = FetchError.unreachable(
        host: "127.0.0.1", detail: "no secure connection came about")
      #expect(await failure(transport, url.appending(path: "whole")) == expected)
    }
  }

  @Test(arguments: [
    (ScriptedAnswer.html(200), "no secure connection came about"),
    (.raw("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}"), "no secure connection came about"),
    (.raw(""), "no secure connection came about"),
  ]) func `what does not speak TLS is named`(_ greeting: ScriptedAnswer, _ detail: String)
    async throws
  {
    let server = try ScriptedServer(greeting: greeting)
    let url = try #require(
      URL(string: server.url.absoluteString.replacing("http:", with: "https:")))
    #expect(
      await failure(CurlTransport(), url) == .unreachable(host: "127.0.0.1", detail: detail))
  }

  @Test func `a connection that is reset before a secure one begins is an unreachable host`()
    async throws
  {
    let server = try ScriptedServer(greeting: ScriptedAnswer([.reset]))
    let url = try #require(
      URL(string: server.url.absoluteString.replacing("http:", with: "https:")))
    // The reset can come while the connection is made, and after it, so the detail differs.
    let error = try #require(await failure(CurlTransport(), url))
    guard case .unreachable(host: "127.0.0.1", detail: _) = error.reason else {
      Issue.record("another error")
      return
    }
  }
}
#endif
