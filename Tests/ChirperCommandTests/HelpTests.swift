import ChirperTestSupport
import Foundation
import Testing

/// The screens are recorded in HelpScreens/; CONTRIBUTING.md says how.
struct HelpTests {
  @Test func `every command has a recorded help screen, and each equals it`() throws {
    let folder = BuiltProgram.repository.appending(path: "Tests/ChirperCommandTests/HelpScreens")
    var names: Set<String> = []
    try withProgram { program in
      for (words, _) in try DumpedCommand.all() {
        let name = words.isEmpty ? "chirper.txt" : words.joined(separator: "-") + ".txt"
        names.insert(name)
        let agreed = String(
          decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
        let result = try program.run(BuiltProgram.path, words + ["--help"], input: "")
        #expect(result == .init(status: 0, output: agreed, error: ""), "\(name)")
      }
    }
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == names)
  }
}
