import ChirperModel
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct `Retry-After` {
  /// Sun, 06 Nov 1994 08:49:37 GMT
  private let now = Date(timeIntervalSince1970: 784_111_777)

  @Test(arguments: [
    ("0", 0 as Int?), ("120", 120), (" 7 ", 7), ("86400", 86_400), ("86401", 86_400),
    ("99999999999999999999999", 86_400),
    ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
    ("Sat, 05 Nov 1994 08:49:37 GMT", 0),
    ("Wed, 01 Mar 2000 00:00:00 GMT", 86_400), ("Fri, 31 Dec 9999 23:59:60 GMT", 86_400),
    ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("٣", nil),
    ("Sun, 06 Nov 1994 08:49:37 CET", nil),
    ("Sun, 99 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
    ("Sun, 06 Nov 1994 25:00:00 GMT", nil),
    ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", nil),
  ]) func `is read in both forms and held to a day`(_ header: String, _ seconds: Int?) {
    #expect(RetryAfter.parse(header, now: now) == seconds.map { .seconds($0) })
  }

  @Test func `knows leap days`() {
    let now = Date(timeIntervalSince1970: 951_782_400)  // 2000-02-29
    #expect(RetryAfter.parse("Tue, 29 Feb 2000 00:01:00 GMT", now: now) == .seconds(60))
    #expect(RetryAfter.parse("Wed, 01 Mar 2000 00:00:00 GMT", now: now) == .seconds(86_400))
  }
}

#if canImport(Darwin)
@Suite struct `Errors of URLSession` {
  private func read(_ code: URLError.Code, hasHead: Bool = false) -> FetchError {
    let error = NSError(
      domain: NSURLErrorDomain, code: code.rawValue,
      userInfo: [
        NSLocalizedDescriptionKey: "https://xeno-canto.org/?key=sesame-key",
        "NSErrorFailingURLStringKey": "https://xeno-canto.org/?key=sesame-key",
      ])
    return URLSessionFailure.read(error, host: "h", hasHead: hasHead)
  }

  @Test func `are distinguished`() {
    #expect(read(.cannotFindHost) == .offline(host: "h"))
    #expect(read(.notConnectedToInternet) == .offline(host: "h"))
    #expect(read(.timedOut) == FetchError(.timedOut(host: "h", phase: .connect)))
    #expect(
      read(.networkConnectionLost) == .unreachable(host: "h", detail: "the connection broke"))
    #expect(read(.networkConnectionLost, hasHead: true) == FetchError(.truncated))
    #expect(read(.serverCertificateUntrusted) == FetchError(.badCertificate(host: "h")))
    #expect(read(.cancelled) == .cancelled)
  }

  @Test func `leave the URL behind`() {
    for code in [
      URLError.Code.unknown, .badURL, .timedOut, .cannotConnectToHost, .unsupportedURL,
      .badServerResponse,
    ] {
      for hasHead in [false, true] {
        #expect(!"\(read(code, hasHead: hasHead))".contains("sesame-key"))
      }
    }
    let other = NSError(
      domain: "x", code: 1, userInfo: [NSLocalizedDescriptionKey: "key=sesame-key"])
    #expect(
      URLSessionFailure.read(other, host: "h", hasHead: false)
        == .unreachable(host: "h", detail: "the connection failed"))
  }
}
#else
@Suite struct `Errors of libcurl` {
  private func error(_ failure: CurlFailure, proxy: String? = nil) -> FetchError {
    failure.error(host: "h", proxy: proxy, limits: HTTPLimits())
  }

  @Test func `are distinguished`() {
    #expect(error(CurlFailure(result: 6)) == .offline(host: "h"))
    #expect(error(CurlFailure(result: 7, errno: ENETUNREACH)) == .offline(host: "h"))
    #expect(
      error(CurlFailure(result: 7, errno: ECONNREFUSED))
        == .unreachable(host: "h", detail: "it refuses the connection"))
    #expect(
      error(CurlFailure(result: 7, errno: EHOSTUNREACH))
        == .unreachable(host: "h", detail: "no route leads to it"))
    #expect(error(CurlFailure(result: 28)) == FetchError(.timedOut(host: "h", phase: .connect)))
    #expect(
      error(CurlFailure(result: 56)) == .unreachable(host: "h", detail: "the connection broke"))
    #expect(error(CurlFailure(result: 56, hasHead: true)) == FetchError(.truncated))
    #expect(error(CurlFailure(result: 18, hasHead: true)) == FetchError(.truncated))
    #expect(error(CurlFailure(result: 60)) == FetchError(.badCertificate(host: "h")))
    #expect(
      error(CurlFailure(result: 35))
        == .unreachable(host: "h", detail: "no secure connection came about"))
    #expect(
      error(CurlFailure(result: 9999)) == .unreachable(host: "h", detail: "the connection failed")
    )
  }

  @Test func `of a proxy name the proxy`() {
    #expect(
      error(CurlFailure(result: 56, proxyStatus: 407), proxy: "p:1")
        == FetchError(.proxyRefused(proxy: "p:1")))
    #expect(
      error(CurlFailure(result: 56, proxyStatus: 502), proxy: "p:1")
        == .unreachable(host: "h", detail: "the proxy p:1 answers with status 502"))
    #expect(
      error(CurlFailure(result: 7, errno: ECONNREFUSED), proxy: "p:1")
        == .unreachable(host: "h", detail: "the proxy p:1 refuses the connection"))
    #expect(
      error(CurlFailure(result: 5), proxy: "p:1")
        == .unreachable(host: "h", detail: "the proxy p:1 did not resolve"))
  }
}

@Suite struct `What libcurl is asked` {
  private func request(_ text: String, _ headers: [String: String] = [:]) throws -> CurlRequest? {
    CurlRequest(try #require(URL(string: text)), headers, proxy: nil, authorities: nil)
  }

  @Test func `is the URL that was judged, and nothing that could be read in two ways`() throws {
    #expect(
      try request("https://Xeno-Canto.org.:443/a/../b?q=%20x#f")?.url
        == "https://xeno-canto.org:443/a/../b?q=%20x")
    #expect(try request("https://xeno-canto.org")?.url == "https://xeno-canto.org/")
    #expect(try request("http://[::1]:8099/x")?.url == "http://[::1]:8099/x")
    for text in [
      "http://xeno-canto.org/", "ftp://127.0.0.1/", "file:///etc/passwd", "https://",
      "https://user@xeno-canto.org/",
      "https://a%2Fb/", "https://xeno-canto.org%00.evil.example/",
    ] {
      #expect(try request(text) == nil, "\(text)")
    }
  }

  @Test func `has no header with a line end`() throws {
    let headers = ["If-Range": "\"a\"\r\nX: b", "Accept": "audio/*"]
    #expect(try request("https://xeno-canto.org/", headers)?.headers == ["Accept: audio/*"])
  }
}
#endif

@Suite struct `The head of an answer` {
  private func read(_ text: String, limit: Int = 4096) -> HeadReader.Progress {
    read(Array(text.utf8), limit: limit)
  }

  private func read(_ bytes: [UInt8], limit: Int = 4096) -> HeadReader.Progress {
    var reader = HeadReader(limit: limit)
    var last = HeadReader.Progress.unfinished
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      let progress = reader.read(line + [0x0A])
      if progress != .unfinished { last = progress }
    }
    return last
  }

  @Test func `is read whatever its bytes are`() {
    #expect(
      read("HTTP/1.1 200 OK\r\nA: b\r\n\r\n") == .complete(status: 200, HTTPHeaders(["a": "b"])))
    #expect(read("HTTP/2 204\n\n") == .complete(status: 204, HTTPHeaders()))
    #expect(
      read("HTTP/1.1 200 OK\r\nA:\t b \r\n\t c\r\n\r\n")
        == .complete(status: 200, HTTPHeaders(["A": "b c"])))
    let latin =
      Array("HTTP/1.1 200 OK\r\nA: caf".utf8) + [0xE9, 0x00, 0x21] + Array("\r\n\r\n".utf8)
    #expect(read(latin) == .complete(status: 200, HTTPHeaders(["A": "café !"])))
    #expect(
      read("HTTP/1.1 200 OK\r\nA: é\r\nno colon\r\n:x\r\n\r\n")
        == .complete(status: 200, HTTPHeaders(["A": "é", "": "x"])))
  }

  @Test func `comes after every hint, and nothing after it counts`() {
    let hints = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: hint\r\n\r\n"
    #expect(read(hints) == .unfinished)
    #expect(
      read(hints + "HTTP/1.1 200 OK\r\n\r\nA: trailer\r\n\r\n")
        == .complete(status: 200, HTTPHeaders()))
    #expect(read("HTTP/1.1 99999 OK\r\n\r\n") == .unfinished)
    #expect(read("A: b\r\n\r\n") == .unfinished)
  }

  @Test func `has a limit over all of its lines`() {
    #expect(
      read("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 100), limit: 500)
        == .tooLarge)
    #expect(
      read("HTTP/1.1 200 OK\r\nA: " + String(repeating: "b", count: 500) + "\r\n\r\n", limit: 500)
        == .tooLarge)
    #expect(
      read(String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 100), limit: 500)
        == .tooLarge)
  }

  @Test func `keeps every value of a name, and the first is the one that counts`() {
    guard case .complete(_, let headers) = read("HTTP/1.1 200 OK\r\nA: 1\r\na: 2\r\n\r\n") else {
      Issue.record("not complete")
      return
    }
    #expect(headers["A"] == "1")
    #expect(headers.all("A") == ["1", "2"])
  }
}

@Suite struct `Proxy settings` {
  private func name(_ environment: [String: String], _ url: String) throws -> String? {
    ProxySettings(environment).proxy(for: try #require(URL(string: url)))?.name
  }

  @Test func `are those for HTTPS, in either case`() throws {
    for variable in ["https_proxy", "HTTPS_PROXY"] {
      #expect(
        try name([variable: "http://proxy.example:3128"], "https://xeno-canto.org/x")
          == "proxy.example:3128")
    }
    for variable in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
      #expect(try name([variable: "http://proxy.example:3128"], "https://xeno-canto.org/x") == nil)
    }
    #expect(try name(["https_proxy": ""], "https://xeno-canto.org/x") == nil)
  }

  @Test func `never count for this machine nor for plain HTTP`() throws {
    for url in [
      "https://localhost/", "https://127.0.0.1:1/", "https://[::1]/", "http://127.0.0.1/",
      "http://xeno-canto.org/",
    ] {
      #expect(try name(["https_proxy": "p:1"], url) == nil, "\(url)")
    }
  }

  @Test(arguments: [
    ("*", true), ("xeno-canto.org", true), (".xeno-canto.org", true), ("*.org", true),
    ("a,\txeno-canto.org ,b", true),
    ("xeno-canto.org:443", true), ("xeno-canto.org:80", false), ("canto.org", false),
    ("xeno-canto", false), ("", false),
    ("10.0.0.0/8", false),
  ]) func `leave out what no_proxy names`(_ exceptions: String, _ isLeftOut: Bool) throws {
    let environment = ["https_proxy": "p:1", "no_proxy": exceptions]
    #expect(try name(environment, "https://www.xeno-canto.org/") == nil || !isLeftOut)
    #expect(try (name(environment, "https://xeno-canto.org/") == nil) == isLeftOut)
  }

  @Test func `know ranges of addresses`() throws {
    let environment = ["https_proxy": "p:1", "NO_PROXY": "10.0.0.0/8,192.168.7.0/24"]
    for (url, isLeftOut) in [
      ("https://10.9.8.7/", true), ("https://11.9.8.7/", false), ("https://192.168.7.255/", true),
      ("https://192.168.8.0/", false),
    ] {
      #expect(try (name(environment, url) == nil) == isLeftOut, "\(url)")
    }
  }

  #if !canImport(Darwin)
  @Test func `are shown without their password`() {
    #expect(ProxySettings([:]).summary == nil)
    let environment = [
      "https_proxy": "http://anna:s3cret@proxy.example:3128/", "no_proxy": ".internal,10.0.0.0/8",
    ]
    #expect(
      ProxySettings(environment).summary == "proxy.example:3128, not for .internal, 10.0.0.0/8")
  }
  #endif
}

@Suite struct `The clock of a request` {
  private let start = ContinuousClock.now
  private var watch: TransferWatch { TransferWatch(limits: HTTPLimits(), start: start) }

  @Test func `waits for the head`() {
    var watch = watch
    #expect(watch.nextLook(after: start) == start + .seconds(15))
    #expect(watch.nextLook(after: start + .seconds(25)) == start + .seconds(30))
    #expect(watch.expired(at: start + .seconds(29)) == nil)
    #expect(watch.expired(at: start + .seconds(30)) == .firstByte)
  }

  @Test func `waits for the next piece`() {
    var watch = watch
    watch.headArrived(at: start + .seconds(5))
    #expect(watch.nextLook(after: start + .seconds(15)) == start + .seconds(20))
    watch.bodyArrived(100_000, at: start + .seconds(10))
    #expect(watch.expired(at: start + .seconds(20)) == nil)
    #expect(watch.expired(at: start + .seconds(30)) == .idle)
  }

  @Test func `lets a slow body pass and stops one that is too slow`() {
    for (rate, phase) in [(256, nil as FetchError.TimeoutPhase?), (255, .idle)] {
      var watch = watch
      watch.headArrived(at: start)
      for second in 1...15 { watch.bodyArrived(rate, at: start + .seconds(second)) }
      #expect(watch.expired(at: start + .seconds(15)) == phase)
    }
  }

  @Test func `ends at the whole time whatever comes`() {
    var watch = watch
    watch.headArrived(at: start)
    for second in stride(from: 15, through: 165, by: 15) {
      watch.bodyArrived(1_000_000, at: start + .seconds(second))
      #expect(watch.expired(at: start + .seconds(second)) == nil)
    }
    watch.bodyArrived(1_000_000, at: start + .seconds(179))
    #expect(watch.nextLook(after: start + .seconds(179)) == start + .seconds(180))
    #expect(watch.expired(at: start + .seconds(180)) == .whole)
  }
}
