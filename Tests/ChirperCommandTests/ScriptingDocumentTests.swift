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

  private struct Help: Decodable {
    let command: Command
  }

  private struct Command: Decodable {
    let commandName: String
    let subcommands: [Command]?
    let arguments: [Argument]?
  }

  private struct Argument: Decodable {
    struct Name: Decodable { let name: String }
    let kind: String
    let names: [Name]?
  }

  @Test func `every command and flag is in docs/scripting.md`() throws {
    let document = try #require(document)
    try withProgram { program in
      let help = try JSONDecoder().decode(
        Help.self, from: Data(try program.run("--experimental-dump-help").output.utf8))
      func check(_ command: Command, _ path: String) {
        #expect(document.contains("`\(path)"), "\(path)")
        for argument in command.arguments ?? [] where argument.kind != "positional" {
          for name in argument.names ?? [] where name.name.count > 1 {
            #expect(document.contains("`--\(name.name)"), "\(path) --\(name.name)")
          }
        }
        for sub in command.subcommands ?? [] where sub.commandName != "help" {
          check(sub, "\(path) \(sub.commandName)")
        }
      }
      #expect((help.command.subcommands ?? []).count > 8)
      check(help.command, "chirper")
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
