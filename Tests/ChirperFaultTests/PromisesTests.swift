import ChirperTestSupport
import Foundation
import Testing

/// Tests/PROMISES.md, and the tests and files that it names.
struct PromisesTests {
  @Test func `every promise names tests, and each of them is there`() throws {
    let document = try String(
      contentsOf: BuiltProgram.repository.appending(path: "Tests/PROMISES.md"), encoding: .utf8)
    let (tests, files) = try names()
    var promises = 0
    let sections = document.components(separatedBy: "\n## What is not promised")
    #expect(sections.count == 2)
    for line in sections[0].split(separator: "\n") where line.hasPrefix("- ") {
      promises += 1
      let named = line.matches(of: /\*([^*]+)\*/).map { String($0.output.1) }
      #expect(!named.isEmpty, "\(line)")
      for name in named { #expect(tests.contains(name), "\(name)") }
      for match in line.matches(of: /`(\w+Tests)`/) {
        #expect(files.contains("\(match.output.1).swift"), "\(line)")
      }
    }
    #expect(promises > 80)
  }

  private func names() throws -> (tests: Set<String>, files: Set<String>) {
    let folder = BuiltProgram.repository.appending(path: "Tests")
    var names: (tests: Set<String>, files: Set<String>) = ([], [])
    for case let name as String in try #require(FileManager.default.enumerator(atPath: folder.path))
    where name.hasSuffix(".swift") {
      let file = folder.appending(path: name)
      names.files.insert(file.lastPathComponent)
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /func\s+`([^`]+)`/) {
        names.tests.insert(String(match.output.1))
      }
    }
    return names
  }
}
