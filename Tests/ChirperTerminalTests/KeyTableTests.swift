import Foundation
import Testing

@testable import ChirperTerminal

@Suite struct KeyTableTests {
  @Test func `No key is in the table twice`() {
    let keys = KeyTable.bindings.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
  }

  @Test func `docs/browse.md lists the keys of the table`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../docs/browse.md"
    ).standardized
    let page = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    let begin = "<!-- keys: written by the tests with CHIRPER_RECORD=1 -->\n"
    let end = "<!-- end of keys -->"
    let parts = page.components(separatedBy: begin)
    try #require(parts.count == 2)
    let tail = parts[1].components(separatedBy: end)
    try #require(tail.count == 2)
    if ProcessInfo.processInfo.environment["CHIRPER_RECORD"] == "1" {
      try Data((parts[0] + begin + KeyTable.markdown + end + tail[1]).utf8).write(to: file)
    } else {
      #expect(tail[0] == KeyTable.markdown)
    }
  }
}

extension KeyTable {
  /// The table in docs/browse.md.
  fileprivate static var markdown: String {
    let rows = bindings.map { binding in
      "| \(binding.label.split(separator: " ").map { "`\($0)`" }.joined(separator: " ")) | \(binding.help) |\n"
    }
    return "| key | does |\n| --- | --- |\n" + rows.joined()
  }
}
