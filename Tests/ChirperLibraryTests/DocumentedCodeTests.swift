import Foundation
import Testing

/// The code in the articles is code that is compiled.
@Suite struct DocumentedCodeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func `every block of code in the articles is in a file that is compiled`() throws {
    let sources = try files(in: ["Examples/Sources", "Tests/ChirperLibraryTests"], named: ".swift")
    let compiled = try (sources + [Self.root.appending(path: "Examples/Package.swift")]).map {
      lines(in: try text($0))
    }
    var blocks = 0
    for article in try files(in: ["Sources/Chirper/Chirper.docc"], named: ".md") {
      for part in try text(article).components(separatedBy: "```swift\n").dropFirst() {
        blocks += 1
        let code = lines(in: part.components(separatedBy: "```")[0])
        let shown = code.joined(separator: "\n")
        #expect(
          compiled.contains { contains($0, code) },
          "\(article.lastPathComponent) has code that no file has: \(shown)")
      }
    }
    #expect(blocks >= 15)
  }

  @Test func `a product that reads what files are has a privacy manifest`() throws {
    for (target, reason) in [("Chirper", "C617.1"), ("ChirperFormats", "3B52.1")] {
      let data = try Data(
        contentsOf: Self.root.appending(path: "Sources/\(target)/PrivacyInfo.xcprivacy"))
      let manifest = try #require(
        try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
      let types = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
      #expect(types.map { $0["NSPrivacyAccessedAPITypeReasons"] as? [String] } == [[reason]])
      #expect(
        types.map { $0["NSPrivacyAccessedAPIType"] as? String } == [
          "NSPrivacyAccessedAPICategoryFileTimestamp"
        ])
      #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    }
  }

  /// Without white space around them, so that code may be indented differently.
  private func lines(in text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.isEmpty
    }
  }

  private func contains(_ lines: [String], _ block: [String]) -> Bool {
    guard let first = block.first else { return false }
    return lines.indices.contains { lines[$0] == first && lines[$0...].starts(with: block) }
  }

  private func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  private func files(in folders: [String], named suffix: String) throws -> [URL] {
    try folders.flatMap { folder in
      let directory = Self.root.appending(path: folder)
      let names = try #require(FileManager.default.enumerator(atPath: directory.path)).compactMap {
        $0 as? String
      }
      return names.filter { $0.hasSuffix(suffix) }.map { directory.appending(path: $0) }
    }
  }
}
