import ChirperTestSupport
import Foundation
import Testing

/// The links that `chirper serve` prints on a terminal.
struct ServedLinksTests {
  /// The lines with a link to the page, the number of QR codes, the tokens, and the whole text.
  private func printed(
    _ options: String...
  ) throws -> (links: [String], codes: Int, tokens: (owner: String, reader: String), text: String) {
    let program = try BuiltProgram()
    defer { program.remove() }
    let terminal = try PseudoTerminal(
      ["serve", "--port", "0"] + options,
      environment: ["HOME": program.directory.path, "TERM": "xterm"], directory: program.directory,
      rows: 100)
    // On this machine the address alone is printed last, for others the class's link.
    let end = options.isEmpty ? "\r\nhttp://" : "only to read:\r\n\u{1B}[1mhttp://"
    #expect(terminal.wait { _ in String(decoding: terminal.raw, as: UTF8.self).contains(end) })
    terminal.send(SIGINT)
    let text = terminal.raw(untilExit: 10).replacing("only to read:\r\n", with: "only to read: ")
      .replacing("\u{1B}[1m", with: "")
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    let isCode = lines.map { $0.hasPrefix("\u{1B}[30;107m") }
    func token(_ name: String) throws -> String {
      let file = program.path(".local/share/chirper/\(name)")
      return try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    }
    return (
      lines.filter { $0.contains(": http://") }.map { $0.replacing("\u{1B}[0m", with: "") },
      zip(isCode, [false] + isCode).count { $0 && !$1 },
      (try token("serve-token"), try token("serve-reader-token")), text
    )
  }

  @Test func `a server for other machines prints a link for its owner and one for readers`() throws
  {
    let (links, codes, tokens, _) = try printed("--listen", "0.0.0.0")
    #expect(links.count == 2 && codes == 1, "\(links)")
    #expect(links.first?.hasPrefix("For you: http://") == true)
    #expect(links.first?.hasSuffix("/#\(tokens.owner)") == true)
    #expect(links.last?.hasPrefix("For a class, only to read: http://") == true)
    #expect(links.last?.hasSuffix("/#\(tokens.reader)") == true)
  }

  @Test func `the code that is printed for a class opens a session of a reader`() throws {
    let program = try BuiltProgram()
    defer { program.remove() }
    let terminal = try PseudoTerminal(
      ["serve", "--port", "0", "--listen", "0.0.0.0"],
      environment: ["HOME": program.directory.path, "TERM": "xterm"], directory: program.directory)
    #expect(
      terminal.wait { _ in String(decoding: terminal.raw, as: UTF8.self).contains("only to read:") }
    )
    let text = String(decoding: terminal.raw, as: UTF8.self)
    let line = /To read aloud to a class: the code ([A-Z]{6}) at http:\/\/[^:]+:(\d+)\//
    let printed = try #require(text.firstMatch(of: line))
    let code = String(printed.1)
    let port = try #require(Int(printed.2))
    func answer(_ method: String, _ target: String, cookie: String = "", code: String? = nil) throws
      -> RawClient.Answer
    {
      let client = try #require(RawClient(port: port))
      defer { client.close() }
      let body = code.map { "{\"code\":\"\($0)\"}" } ?? ""
      client.send(
        "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
          + "Cookie: \(cookie)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      return try #require(RawClient.Answer(client.rest()))
    }
    #expect(try answer("GET", "/session").text == "{\"access\":\"none\",\"code\":true}")
    let given = try answer("POST", "/session", code: code.lowercased())
    #expect(given.status == 200 && given.text == "{\"access\":\"reader\"}")
    let cookie = String(try #require(given.headers["set-cookie"]?.prefix { $0 != ";" }))
    #expect(!cookie.contains(code))
    #expect(try answer("GET", "/session", cookie: cookie).text == "{\"access\":\"reader\"}")
    #expect(try answer("GET", "/api/chirper/lists", cookie: cookie).status == 200)
    #expect(try answer("DELETE", "/api/chirper/lists?query=x", cookie: cookie).status == 403)
    // It opens nothing in the place of a token.
    #expect(try answer("GET", "/api/chirper/lists?key=\(code)").status == 401)
    for _ in 1...5 {
      let wrong = try answer("POST", "/session", code: "ABC")
      #expect(wrong.status == 401 && wrong.headers["set-cookie"] == nil)
      #expect(wrong.text.contains("This is not the code"))
    }
    for typed in ["ABC", code] {
      let early = try answer("POST", "/session", code: typed)
      #expect(early.status == 429 && early.headers["set-cookie"] == nil)
      #expect(early.text.contains("Too many wrong codes were typed"))
      let seconds = try #require(early.headers["retry-after"].flatMap { Int($0) })
      #expect((1...60).contains(seconds))
    }
    #expect(try answer("GET", "/api/chirper/lists", cookie: cookie).status == 200)
    terminal.send(SIGINT)
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `where reading is public, the link for readers has no token`() throws {
    let (links, codes, tokens, text) = try printed(
      "--listen", "0.0.0.0", "--public", "--qr", "owner")
    #expect(links.count == 2 && codes == 1, "\(links)")
    #expect(links.first?.hasSuffix("/#\(tokens.owner)") == true)
    #expect(links.last?.hasSuffix("/") == true, "\(links)")
    #expect(!text.contains("aloud"))
  }

  @Test func `a server for this machine prints one link`() throws {
    let (links, codes, tokens, text) = try printed()
    #expect(!text.contains("aloud"))
    #expect(links.count == 1 && codes == 0, "\(links)")
    #expect(links.first?.hasPrefix("In a browser: http://127.0.0.1:") == true)
    #expect(links.first?.hasSuffix("/#\(tokens.owner)") == true)
  }
}
