import ChirperTestSupport
import Foundation
import Testing

/// The links that `chirper serve` prints on a terminal.
struct ServedLinksTests {
  /// The lines with a link to the page, the number of QR codes, and the tokens.
  private func printed(
    _ options: String...
  ) throws -> (links: [String], codes: Int, tokens: (owner: String, reader: String)) {
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
      (try token("serve-token"), try token("serve-reader-token"))
    )
  }

  @Test func `a server for other machines prints a link for its owner and one for readers`() throws
  {
    let (links, codes, tokens) = try printed("--listen", "0.0.0.0")
    #expect(links.count == 2 && codes == 1, "\(links)")
    #expect(links.first?.hasPrefix("For you: http://") == true)
    #expect(links.first?.hasSuffix("/#\(tokens.owner)") == true)
    #expect(links.last?.hasPrefix("For a class, only to read: http://") == true)
    #expect(links.last?.hasSuffix("/#\(tokens.reader)") == true)
  }

  @Test func `where reading is public, the link for readers has no token`() throws {
    let (links, codes, tokens) = try printed("--listen", "0.0.0.0", "--public", "--qr", "owner")
    #expect(links.count == 2 && codes == 1, "\(links)")
    #expect(links.first?.hasSuffix("/#\(tokens.owner)") == true)
    #expect(links.last?.hasSuffix("/") == true, "\(links)")
  }

  @Test func `a server for this machine prints one link`() throws {
    let (links, codes, tokens) = try printed()
    #expect(links.count == 1 && codes == 0, "\(links)")
    #expect(links.first?.hasPrefix("In a browser: http://127.0.0.1:") == true)
    #expect(links.first?.hasSuffix("/#\(tokens.owner)") == true)
  }
}
