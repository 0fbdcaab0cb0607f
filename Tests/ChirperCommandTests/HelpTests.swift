import ChirperTestSupport
import Foundation
import Testing

/// The screens are recorded in HelpScreens/; CONTRIBUTING.md says how.
struct HelpTests {
  @Test(arguments: [
    "", "fetch", "sync", "list", "search", "export", "browse", "play", "forget", "backup", "auth", "auth set", "auth status",
    "auth clear", "doctor",
  ])
  func `every help screen equals the recorded one`(command: String) throws {
    let name = command.isEmpty ? "chirper" : command.replacing(" ", with: "-")
    let file = BuiltProgram.repository.appending(path: "Tests/ChirperCommandTests/HelpScreens/\(name).txt")
    try withProgram { program in
      let result = try program.run(BuiltProgram.path, command.split(separator: " ").map(String.init) + ["--help"], input: "")
      let agreed = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      #expect(result.output == agreed)
      #expect(result.error == "")
      #expect(result.status == 0)
    }
  }
}
