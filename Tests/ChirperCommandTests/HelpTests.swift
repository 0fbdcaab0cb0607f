import ChirperTestSupport
import Foundation
import Testing

/// The screens are recorded in HelpScreens/, with `{values}` for a list that the program makes, so
/// that a new catalogue or format changes no record.
struct HelpTests {
  /// `CHIRPER_RECORD=1` writes the files again.
  @Test func `every command has a recorded help screen, and each equals it`() throws {
    let folder = BuiltProgram.repository.appending(path: "Tests/ChirperCommandTests/HelpScreens")
    var names: Set<String> = []
    try withProgram { program in
      for (words, command) in try DumpedCommand.all() {
        let name = words.isEmpty ? "chirper.txt" : words.joined(separator: "-") + ".txt"
        names.insert(name)
        let result = try program.run(BuiltProgram.path, words + ["--help"], input: "")
        #expect(result.status == 0 && result.error.isEmpty, "\(name)")
        let screen = withoutLists(result.output, of: command)
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["CHIRPER_RECORD"] != nil {
          try Data(screen.utf8).write(to: file)
        }
        #expect(try screen == String(contentsOf: file, encoding: .utf8), "\(name)")
      }
    }
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == names)
  }

  /// A screen with `{values}` for each list of all values of an option, whose help then is one
  /// line.
  private func withoutLists(_ screen: String, of command: DumpedCommand) -> String {
    var lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
    for option in command.arguments ?? [] {
      guard let flag = option.flag, let values = option.values, let last = values.last,
        let first = lines.firstIndex(where: { $0.hasPrefix("  \(flag) <") })
      else { continue }
      let indent = String(repeating: " ", count: 26)
      let end = lines[(first + 1)...].firstIndex { !$0.hasPrefix(indent) } ?? lines.endIndex
      let help = ([lines[first]] + lines[(first + 1)..<end].map { $0.dropFirst(indent.count) })
        .joined(separator: " ")
      let comma = values.joined(separator: ", ")
      let or = values.dropLast().joined(separator: ", ") + " or " + last
      let shown = help.replacing(comma, with: "{values}").replacing(or, with: "{values}")
      if shown != help { lines.replaceSubrange(first..<end, with: [shown[...]]) }
    }
    return lines.joined(separator: "\n")
  }
}
