import Foundation

/// A line to type that makes a command of the program do something.
///
/// The lines are made from what the parser says of the commands, and from the values below. A new
/// command or option is in all of them at once, or makes them fail if it needs a value.
package struct CommandForm: Sendable, CustomStringConvertible {
  /// The words that name the command, with blanks between them.
  package let command: String
  package let words: [String]
  /// Whether it has no option that can be left out.
  package let isPlain: Bool

  package var description: String { words.joined(separator: " ") }

  // MARK: Values

  /// A value for each option and each word that is not an option, by its name in the help, after
  /// the command if it differs there. CATALOGUE is that of the lists, and NEW a name for a file.
  private static let values = [
    "query": "parrot", "queries": "parrot", "ids": "parrot", "search": "parrot",
    "import files": "download", "backup file": "NEW", "names add file": "labels_de.txt",
    "names remove name": "hessen", "dataset new name": "NEW",
    "dataset lock file": "set.dataset.json",
    "lock": "made.lock.jsonl", "locks": "made.lock.jsonl", "old": "made.lock.jsonl",
    "new": "made.lock.jsonl", "folder": "NEW", "recording": "sample:2518",
    "--from": "queries.txt", "--pages": "1",
    "--per-page": "50", "--max-age": "1d",
    "--max-rate": "50", "--where": "source:any", "--new": "7d", "--changed": "7d",
    "--for": "commercial", "--copies": "no", "--sort": "id", "--limit": "5",
    "--offset": "0", "--source": "CATALOGUE", "--names": "de", "--within": "1d",
    "--columns": "id,lists", "--provenance": "NEW.json", "--format": "csv", "--output": "NEW",
    "--audio": "NEW", "--since": "7d", "stats --by": "species,month",
    "--as": "NEW", "--title": "A title", "--author": "A. Author", "--per-species": "5",
    "--per-recordist": "5", "--first": "quality", "--split": "80/10/10", "--seed": "2",
    "dataset new --by": "place:25", "--hold-out": "country:PL", "--split-file": "split.csv",
    "--layout": "package", "--part": "1/1", "--language": "de", "--qr": "owner",
  ]

  /// Options, as above, that go into no line with others, apart from those that they need.
  private static let alone: Set = [
    "--from", "--count", "--quiet", "--empty", "--due", "--annotations",
    "export --audio",
    "--prune", "--repair", "--report",
  ]

  /// Options of which one goes into a line.
  private static let apart: [Set<String>] = [
    ["--where", "--new", "--changed", "--gone", "--for", "--json"],
    ["--pages", "--all"], ["--split", "--split-file"],
    ["--json", "--format", "--output"],
  ]

  /// The option that an option needs, or every option of a command.
  private static let needs = [
    "--verify": "--all", "--prune": "--audio", "--part": "--audio", "--seed": "--split",
    "dataset new --by": "--split", "--hold-out": "--split",
    // A lock is never replaced.
    "dataset lock --json": "--output",
  ]

  /// Options without which a command would ask or play.
  private static let always = ["forget": ["--yes"], "play": ["--save"]]

  /// Options in whose place a query would be.
  private static let withoutQuery: Set = ["--from", "--empty", "--due"]

  /// What is refused with any other words: a command without its query, and options that it has
  /// only because they belong to a group.
  private static let refused: Set = [
    "fetch", "play", "forget",
  ]

  /// Commands that wait for keys or requests, and the tests that run them in place of these lines.
  private static let waiting = [
    "browse": "BrowseTests, in a terminal of their own", "serve": "ServeTests, ServedRightsTests",
  ]

  /// Commands that remove what others need, and what is typed before each so that there is
  /// something to remove.
  private static let removing = [
    "names remove": ["names", "add", "labels_de.txt", "--as", "hessen"],
    "forget": ["fetch", "parrot"], "auth clear": ["auth", "set"],
  ]

  /// Whether the command opens the store.
  package var opensStore: Bool {
    !command.hasPrefix("auth") && command != "dataset has"
  }

  /// Options that need a server or a file of their own, and the tests that run them with one.
  private static let elsewhere = [
    "--from-server": "ServedClaimTests", "import --labels": "LabelTests",
    "import --by": "LabelTests", "import --recording": "LabelTests",
    "forget --labels": "LabelTests", "forget --by": "LabelTests",
    "forget --recording": "LabelTests",
  ]

  // MARK: Lines

  /// Lines that have every command in its plain form, and every option at least once.
  ///
  /// - Parameter catalogue: the one that the list `parrot` is of.
  package static func all(of catalogue: String) throws -> [CommandForm] {
    let forms = try DumpedCommand.all().filter {
      $0.command.subcommands == nil && waiting[$0.words.joined(separator: " ")] == nil
    }.flatMap { try Self.forms(of: $0.words, $0.command.arguments ?? []) }
    return forms.enumerated().map { number, line in
      let words = line.words.map {
        $0.replacing("CATALOGUE", with: catalogue).replacing("NEW", with: "new\(number)")
      }
      return CommandForm(command: line.command, words: words, isPlain: line.isPlain)
    }
  }

  /// The words of all lines for a store that has the list: first those of names, which others
  /// show, and last those that remove something.
  package static func session(
    _ forms: [CommandForm], then others: [[String]] = []
  ) -> [[String]] {
    [["names", "add", "labels_de.txt", "--as", "shown"]]
      + forms.filter { removing[$0.command] == nil }.map(\.words) + others
      + forms.flatMap { form in removing[form.command].map { [$0, form.words] } ?? [] }
  }

  private static func forms(
    of name: [String], _ arguments: [DumpedCommand.Argument]
  ) throws -> [CommandForm] {
    let command = name.joined(separator: " ")
    func isIn(_ table: Set<String>, _ key: String) -> Bool {
      table.contains(key) || table.contains("\(command) \(key)")
    }
    var (needed, queries, options) = (name, [String](), [(flag: String, words: [String])]())
    for argument in arguments {
      guard let flag = argument.flag else {
        let word = try value(argument.valueName ?? "", of: command)
        if argument.isOptional { queries.append(word) } else { needed.append(word) }
        continue
      }
      // HelpTests have these two.
      guard !["--help", "--version"].contains(flag), elsewhere[flag] == nil,
        elsewhere["\(command) \(flag)"] == nil
      else { continue }
      let words = try argument.kind == "flag" ? [flag] : [flag, value(flag, of: command)]
      if !argument.isOptional {
        needed += words
      } else if !isIn(refused, flag), always[command]?.contains(flag) != true {
        options.append((flag, words))
      }
    }
    func takes(_ line: Set<String>, _ flag: String) -> Bool {
      !line.union([flag]).contains { isIn(alone, $0) }
        && !apart.contains { group in isIn(group, flag) && line.contains { isIn(group, $0) } }
    }
    var lines: [Set<String>] = []
    for (flag, _) in options where !lines.joined().contains(flag) {
      let need = needs["\(command) \(flag)"] ?? needs[flag] ?? needs[command]
      let added = Set([need, flag].compactMap(\.self))
      let free = lines.firstIndex { line in
        added.subtracting(line).allSatisfy { takes(line, $0) }
      }
      if let free { lines[free].formUnion(added) } else { lines.append(added) }
    }
    func form(_ queries: [String], _ line: Set<String> = []) -> CommandForm {
      let typed = options.filter { line.contains($0.flag) }.flatMap(\.words)
      return CommandForm(
        command: command, words: needed + queries + (always[command] ?? []) + typed,
        isPlain: line.isEmpty)
    }
    let bare = queries.isEmpty || refused.contains(command) ? [] : [form([])]
    return [form(queries)] + bare
      + lines.map { form(withoutQuery.isDisjoint(with: $0) ? queries : [], $0) }
  }

  /// The list in each format that a command has.
  package static func formats() throws -> [CommandForm] {
    try DumpedCommand.all().flatMap { words, command in
      let formats = command.arguments?.first { $0.flag == "--format" }?.values ?? []
      let plain = formats.isEmpty ? [] : try forms(of: words, command.arguments ?? [])[0].words
      return formats.map { format in
        // A terminal gets none of these.
        let file = ["sqlite", "gpkg", "dwca", "anki"].contains(format)
        // Each sound of the sample is made for a deck.
        let few = format == "anki" ? ["--limit", "1"] : []
        return CommandForm(
          command: words[0],
          words: plain + few + ["--format", format]
            + (file ? ["-o", "\(words[0]).\(format)"] : []), isPlain: false)
      }
    }
  }

  /// The value of an option, or of a word that is not one, of a command.
  package static func value(_ name: String, of command: String) throws -> String {
    guard let value = values["\(command) \(name)"] ?? values[name] else {
      throw MissingValue(command: command, name: name)
    }
    return value
  }

  private struct MissingValue: Error, CustomStringConvertible {
    let command: String
    let name: String

    var description: String {
      "chirper \(command) takes \(name), and no test types it yet: give it a value in "
        + "CommandForm.values (Tests/ChirperTestSupport/CommandForm.swift)"
    }
  }

  // MARK: Files

  /// Writes the files that the lines name.
  package static func writeFiles(for program: BuiltProgram) throws {
    for (name, data) in try files.get() {
      try data.write(to: URL(filePath: program.path(name)))
    }
    try GBIFDownload([.init(1)]).write(to: program.path("download"))
  }

  /// Made once, from a list of the sample.
  private static let files = Result { () throws -> [String: Data] in
    var files = [
      "queries.txt": Data("parrot\n".utf8), "split.csv": Data("id,split\nsample:2518,test\n".utf8),
      "labels_de.txt": Data("Turdus merula_Amsel\n".utf8),
      "set.dataset.json": Data(#"{"selections":[{"lists":["parrot"]}]}"#.utf8),
    ]
    try withProgram { program in
      for line in [
        "fetch parrot --source sample --per-page 10",
        "export parrot --tidy --columns id,catalogue -o earlier.csv",
        // One short recording, because its sound is made and hashed.
        "dataset new made parrot --where len:<9 --split 80/20", "dataset lock made.dataset.json",
      ] {
        let words = line.split(separator: " ").map(String.init)
        let result = try program.run(BuiltProgram.path, words, input: "")
        guard result.status == 0 else { throw FetchFailed(result: result) }
      }
      for name in ["earlier.csv", "made.lock.jsonl"] {
        files[name] = try Data(contentsOf: URL(filePath: program.path(name)))
      }
    }
    return files
  }
}
