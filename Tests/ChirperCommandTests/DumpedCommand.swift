import ChirperTestSupport
import Foundation

/// A command as the parser describes it: what the program has, without a list that someone types.
struct DumpedCommand: Decodable {
  let commandName: String
  let arguments: [Argument]?
  private let subcommands: [DumpedCommand]?

  struct Argument: Decodable {
    let kind: String
    let isOptional: Bool
    let preferredName: Name?
    private let completionKind: Completion?

    struct Name: Decodable {
      let kind: String
      let name: String
    }

    private struct Completion: Decodable {
      let list: List?

      struct List: Decodable { let values: [String] }
    }

    /// The values that a shell offers; `nil` if there is not a list of them.
    var values: [String]? { completionKind?.list?.values }

    /// As it is typed; `nil` for what is not named.
    var flag: String? { preferredName.map { ($0.kind == "long" ? "--" : "-") + $0.name } }
  }

  /// Every command by the words that name it, none for the program itself.
  static func all() throws -> [(words: [String], command: DumpedCommand)] {
    struct Dump: Decodable { let command: DumpedCommand }
    var dump = Data()
    try withProgram { dump = Data(try $0.run("--experimental-dump-help").output.utf8) }
    func withSubcommands(_ command: DumpedCommand, _ words: [String]) -> [(
      words: [String], command: DumpedCommand
    )] {
      [(words, command)]
        + (command.subcommands ?? []).flatMap { withSubcommands($0, words + [$0.commandName]) }
    }
    return withSubcommands(try JSONDecoder().decode(Dump.self, from: dump).command, []).filter {
      $0.words != ["help"]
    }
  }
}
