import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct `Redirects` {
  @Test(arguments: Wire.all) func `on the same host are followed`(_ wire: Wire) async throws {
    let server = try ScriptedServer { request in
      request.path == "/moved"
        ? .json(200, wire.body([wire.record(1)], 1, 1, 1)) : .redirect(to: "/moved", status: 308)
    }
    let page = try await wire.fetcher(server.url, .small).page(1, of: wire.query())
    #expect(page.recordings.count == 1)
    #expect(server.requests.map(\.path).last == "/moved")
  }

  @Test(arguments: Wire.all) func `to another server are refused and it never hears of them`(
    _ wire: Wire
  ) async throws {
    let other = try ScriptedServer { _ in .json(200, wire.body([], 1, 1, 0)) }
    let target = "\(other.url)/steal?key=sesame-key"
    #expect(
      try await wire.failure(.redirect(to: target))
        == FetchError(.redirectRefused("it leads to another port of 127.0.0.1")))
    #expect(other.requests == [])
  }

  @Test(
    arguments: Wire.all,
    [
      ("https://evil.example/x", "it leads to another host, evil.example"),
      ("//evil.example/x", "it leads to evil.example without HTTPS"),
      ("http://127.evil.example/", "it leads to 127.evil.example without HTTPS"),
      ("http://xeno-canto.org/", "it leads to xeno-canto.org without HTTPS"),
      ("https://user@evil.example:443/", "it leads to another host, evil.example"),
      ("http://localhost:1/", "it leads to another host, localhost"),
      ("ftp://127.0.0.1/", "it leads to 127.0.0.1 without HTTPS"),
      ("file:///etc/passwd", "it names no host"),
      ("", "it has no target"),
    ])
  func `elsewhere are refused`(_ wire: Wire, _ hop: (target: String, reason: String)) async throws {
    #expect(
      try await wire.failure(.redirect(to: hop.target)) == FetchError(.redirectRefused(hop.reason)))
  }

  @Test(arguments: Wire.all) func `without a target are refused`(_ wire: Wire) async throws {
    let failure = try await wire.failure(.empty(301))
    #expect(failure == FetchError(.redirectRefused("it has no target")))
  }

  @Test(arguments: Wire.all) func `in a loop are refused`(_ wire: Wire) async throws {
    let server = try ScriptedServer { .redirect(to: $0.path == "/a" ? "/b" : "/a") }
    let query = try wire.query()
    await #expect(throws: FetchError(.redirectRefused("it is a loop"))) {
      try await wire.fetcher(server.url, .small).page(1, of: query)
    }
    #expect(server.requests.map(\.path).dropFirst() == ["/a", "/b"])
  }

  @Test(arguments: Wire.all) func `without end are refused after five`(_ wire: Wire) async throws {
    let server = try ScriptedServer { .redirect(to: "/\((Int($0.path.dropFirst()) ?? 0) + 1)") }
    let query = try wire.query()
    await #expect(throws: FetchError(.redirectRefused("there are more than 5"))) {
      try await wire.fetcher(server.url, .small).page(1, of: query)
    }
    #expect(server.requests.count == 6)
  }
}

@Suite struct `The address of a service` {
  private static func address(_ override: String?) throws -> ServiceAddress {
    ServiceAddress(
      own: try #require(URL(string: "https://xeno-canto.org")),
      ownHosts: ["xeno-canto.org", "www.xeno-canto.org"],
      override: override.flatMap { URL(string: $0) })
  }

  @Test(arguments: [
    "http://mirror.example", "http://127.evil.example", "ftp://127.0.0.1", "http://xeno-canto.org",
  ])
  func `must be HTTPS unless it is this machine`(_ text: String) throws {
    let address = try Self.address(text)
    #expect(
      throws: FetchError(
        .addressRefused("it must begin with https:// unless it is on this machine"))
    ) {
      try address.url("/x", [])
    }
  }

  @Test(arguments: [
    "https://user:pass@mirror.example", "mirror.example", "https://", "https://mirror.example/?a=b",
  ])
  func `must be scheme, host and port`(_ text: String) throws {
    let address = try Self.address(text)
    #expect(
      throws: FetchError(.addressRefused("it must be scheme, host and port: https://host:port"))
    ) {
      try address.url("/x", [])
    }
  }

  @Test func `takes this machine by any of its names`() throws {
    for text in [
      "http://localhost:8099", "http://127.0.0.1:8099/", "http://[::1]:8099",
      "https://mirror.example",
    ] {
      let base = text.hasSuffix("/") ? String(text.dropLast()) : text
      #expect(
        try Self.address(text).url("/x", [("a", "b c")]).absoluteString == "\(base)/x?a=b%20c")
    }
  }

  @Test func `only the service's own host is recognised as its own`() throws {
    #expect(try Self.address(nil).isOwnHost)
    for own in [
      "https://www.xeno-canto.org", "https://XENO-CANTO.org.", "https://xeno-canto.org:443/",
    ] {
      #expect(try Self.address(own).isOwnHost)
    }
    for other in [
      "https://mirror.example", "https://xeno-canto.org.evil.example", "http://127.0.0.1:1",
    ] {
      #expect(try !Self.address(other).isOwnHost)
    }
  }

  @Test func `lets a service redirect among its own names`() throws {
    let address = try Self.address(nil)
    #expect(
      try address.refusal(ofRedirectTo: #require(URL(string: "https://www.xeno-canto.org/api")))
        == nil)
    let elsewhere = try #require(URL(string: "https://xeno-canto.org:8443/api"))
    #expect(
      address.refusal(ofRedirectTo: elsewhere) == "it leads to another port of xeno-canto.org")
  }

  @Test func `sends hostile text as data`() throws {
    let hostile = "a&key=x#y?z=%20+\"';\u{301}é/:"
    let url = try Self.address(nil).url("/x", [("q", hostile), ("n", "1")])
    #expect(
      url.absoluteString
        == "https://xeno-canto.org/x?q=a%26key%3Dx%23y%3Fz%3D%2520%2B%22%27%3B%CC%81%C3%A9%2F%3A&n=1"
    )
    #expect(URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.count == 2)
  }
}
