import Foundation

/// A command as the parser describes it: what the program has, without a list that someone types.
package struct DumpedCommand: Decodable, Sendable {
  package let commandName: String
  package let arguments: [Argument]?
  package let subcommands: [DumpedCommand]?

  package struct Argument: Decodable, Sendable {
    package let kind: String
    package let isOptional: Bool
    package let valueName: String?
    private let names: [Name]?
    private let preferredName: Name?
    private let completionKind: Completion?

    private struct Name: Decodable, Sendable {
      let kind: String
      let name: String

      var flag: String { (kind == "long" ? "--" : "-") + name }
    }

    private struct Completion: Decodable, Sendable {
      let list: List?

      struct List: Decodable, Sendable { let values: [String] }
    }

    /// The values that a shell offers; `nil` if there is not a list of them.
    package var values: [String]? { completionKind?.list?.values }

    /// The option as it is typed; `nil` for a word that is not an option.
    package var flag: String? { preferredName?.flag }

    /// All its names, as they are typed.
    package var flags: [String] { (names ?? []).map(\.flag) }
  }

  /// Every command by the words that name it, none for the program itself.
  package static func all() throws -> [(words: [String], command: DumpedCommand)] {
    try commands.get()
  }

  /// Read once, because every suite asks many times.
  private static let commands = Result {
    () throws -> [(words: [String], command: DumpedCommand)] in
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
