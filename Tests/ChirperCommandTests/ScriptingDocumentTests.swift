import Chirper
import ChirperFormats
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperCommand

struct ScriptingDocumentTests {
  private let document = try? String(
    decoding: Data(contentsOf: BuiltProgram.repository.appending(path: "docs/scripting.md")),
    as: UTF8.self)

  @Test func `every command and flag is in docs/scripting.md`() throws {
    let document = try #require(document)
    let commands = try DumpedCommand.all()
    #expect(commands.count > 8)
    for (words, command) in commands {
      let path = (["chirper"] + words).joined(separator: " ")
      #expect(document.contains("`\(path)"), "\(path)")
      for flag in (command.arguments ?? []).flatMap(\.flags) where flag.hasPrefix("--") {
        #expect(document.contains("`\(flag)"), "\(path) \(flag)")
      }
    }
  }

  @Test func `docs/scripting.md has every exit code and no other`() throws {
    let codes = try #require(document).matches(of: /\n\| ([0-9]+) \|/).compactMap {
      Int32($0.output.1)
    }
    #expect(codes == Chirper.ExitStatus.allCases.map(\.rawValue))
  }

  @Test func `every environment variable that the sources read is in docs/scripting.md`() throws {
    let document = try #require(document)
    let sources = try #require(
      FileManager.default.enumerator(
        atPath: BuiltProgram.repository.appending(path: "Sources").path))
    var found = 0
    for case let name as String in sources where name.hasSuffix(".swift") {
      let file = BuiltProgram.repository.appending(path: "Sources").appending(path: name)
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      for match in text.matches(of: /"((?:CHIRPER|XDG|XENO_CANTO|NO|CLICOLOR)_[A-Z_]+)"/) {
        found += 1
        let variable = String(match.output.1)
        #expect(document.contains("`\(variable)`"), "\(variable) in \(name)")
        // A report names it if it is set.
        #expect(
          ProcessEnvironment([variable: "x"]).namesRead == [variable], "\(variable) in \(name)")
      }
    }
    #expect(found > 5)
  }
}
