import Chirper
import ChirperFormats
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperServer

/// The sentences of the library's errors, and the front ends that show them.
@Suite struct ErrorTableTests {
  @Test(
    arguments: [
      ("Lists/FetchError.swift", ErrorExamples.fetch.map(\.reason)),
      ("Store/StoreError.swift", ErrorExamples.store.map(\.reason)),
      ("Lists/LoadError.swift", ErrorExamples.load),
      ("Audio/AudioError.swift", ErrorExamples.audio),
      ("Lists/QueryError.swift", ErrorExamples.query.map(\.reason)),
      ("Search/SearchExpression.swift", ErrorExamples.search.map(\.reason)),
    ] as [(String, [any Sendable])])
  func `every case of every error has an example`(file: String, examples: [any Sendable]) throws {
    let source = try String(
      contentsOf: BuiltProgram.repository.appending(path: "Sources/ChirperModel/\(file)"),
      encoding: .utf8)
    let type = file.split { "/.".contains($0) }[1]
    let range = source.firstRange(of: "enum Reason: ") ?? source.firstRange(of: "enum \(type): ")
    let start = try #require(range?.upperBound)
    let lines = source[start...].split(separator: "\n").dropFirst()
    let indent = lines.first { $0.contains(" case ") }?.prefix { $0 == " " } ?? ""
    let cases = lines.prefix { $0 != indent.dropLast(2) + "}" }
      .filter { $0.hasPrefix("\(indent)case ") }
      .map { $0.dropFirst(indent.count + 5).prefix { $0.isLetter } }
    let named = Set(
      examples.map { Mirror(reflecting: $0).children.first?.label ?? "\($0)" })
    #expect(!cases.isEmpty && cases.allSatisfy { named.contains(String($0)) }, "\(cases) \(named)")
  }

  @Test(
    arguments: [
      ("FetchError", ErrorExamples.fetch), ("StoreError", ErrorExamples.store),
      ("QueryError", ErrorExamples.query), ("SearchExpressionError", ErrorExamples.search),
      ("AudioError", ErrorExamples.audio),
    ] as [(String, [any PresentableError])])
  func `the article about errors lists every code`(type: String, examples: [any PresentableError])
    throws
  {
    let article = try String(
      contentsOf: BuiltProgram.repository.appending(
        path: "Sources/Chirper/Chirper.docc/ErrorsAndThreads.md"), encoding: .utf8)
    let row = try #require(
      article.split(separator: "\n").first { $0.hasPrefix("| ``\(type)`` | `") })
    var codes = Set(examples.map(\.presentation.code))
    if type == "AudioError" {
      codes.subtract(ErrorExamples.fetch.map(\.presentation.code))
      codes.subtract(ErrorExamples.store.map(\.presentation.code))
    }
    #expect(Set(row.matches(of: /`([a-z-]+)`/).map { String($0.1) }) == codes)
  }

  @Test func `the command and the server say what the library says, and add only what to type`()
    throws
  {
    for error in ErrorExamples.all {
      let row = error.presentation
      let command = try #require(UserFacingError(library: error))
      #expect(command.kind == row.code && command.status == row.status, "\(error)")
      #expect(command.subject == row.subject && command.problem == row.problem, "\(error)")
      let advice = row.advice ?? ""
      #expect(command.hint?.hasPrefix(advice) ?? advice.isEmpty, "\(error)")
      #expect(row.entry == nil || row.advice != nil, "\(error)")
      guard case .bytes(let bytes) = Answer.of(error).body,
        let body = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
        let served = body["error"] as? [String: Any]
      else {
        Issue.record("\(error)")
        continue
      }
      #expect(served["message"] as? String == row.message, "\(error)")
      #expect(served["detail"] as? String == row.detail, "\(error)")
      #expect((served["hint"] as? String)?.hasPrefix(row.suggestion ?? "") ?? true, "\(error)")
    }
  }

  @Test func `no sentence for people has the facts for a log, or the words of a terminal`() {
    for error in ErrorExamples.all {
      let row = error.presentation
      #expect(row.code.allSatisfy { ("a"..."z").contains($0) || $0 == "-" }, "\(error)")
      #expect(row.title.split(separator: " ").count <= 4 && row.title.last != ".", "\(error)")
      for text in [row.message, row.suggestion].compactMap(\.self) {
        #expect(
          text.first?.isUppercase == true || text.hasPrefix("xeno-canto") || text.hasPrefix("shelf")
            || text.first == "\"", "\(text)")
        for word in ["chirper", "status", "/p", "DETAIL", "SQLite", "CHIRPER_", "column", "--"] {
          #expect(!text.contains(word), "\(text)")
        }
      }
    }
  }
}
