import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import ChirperPlatform
import Foundation

struct NamesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "names",
    abstract: "Add lists of names of animals in other languages, and remove them.",
    discussion: """
      A list is a CSV file with a row for each species: its scientific name, and a column for each language. Headings are \
      languages (German, Deutsch or de). IOC's multilingual list is such a file if a spreadsheet saves it as CSV. The names \
      are kept in the database.

        chirper names add ioc.csv
        chirper names add birds-of-hessen.csv --as hessen
        chirper names list
        chirper names remove hessen
      """,
    subcommands: [Add.self, List.self, Remove.self]
  )

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add the names of a CSV file.",
      discussion: """
        Cells are separated by commas, semicolons or tabs. Several names in a cell have ; or | between them; the first is \
        shown. Rows of genera and subspecies are left out.

          chirper names add ioc.csv
          chirper names add birds-of-hessen.csv --as hessen
        """)

    @Argument(help: "A CSV file.", completion: .file())
    var file: String

    @Option(
      name: .customLong("as"),
      help: ArgumentHelp(
        "The name of the list. (default: the file's name without its extension)", valueName: "name")
    )
    var listName: String?

    @OptionGroup var common: CommonOptions

    func run() throws {
      let fileName = (file as NSString).lastPathComponent
      let name = listName ?? (fileName as NSString).deletingPathExtension
      try check(name)
      var names = try NameFile(name: file) { try ReadableFile(file).pieces() }
      let progress = ProgressLine.ofWork()
      let list = try SignalHandling.cleaningUp {
        progress.close()
      } during: {
        defer { progress.close() }
        let count = Locked(0)
        progress.show { "\(fileName): \(Plural.words(count.withLock(\.self), "name"))" }
        return try Session.offline(.write).addNames(name, from: fileName) { add in
          try names.forEachName { name in
            try add(name)
            count.withLock { $0 += 1 }
          }
          if count.withLock(\.self) == 0 {
            throw names.notNames("it has none", "Write a name below a language.")
          }
        }
      }
      guard let list else {
        throw UserFacingError.usage(
          "There is a list of names \(name.inQuotes) already",
          hint:
            "Type --as and a different name, or first: \(CommandText.line("names remove", name))")
      }
      try report(list, names)
    }

    /// The characters of the name of a list.
    private static let nameLimit = 100

    private func check(_ name: String) throws(UserFacingError) {
      let isPlain =
        !name.isEmpty && name.count <= Self.nameLimit && name.allSatisfy { !$0.isNewline }
      guard isPlain, name.contains(where: { !$0.isWhitespace }) else {
        throw .usage(
          "The name of a list has 1 to \(Self.nameLimit) characters in one line",
          hint: "Type it as in: --as hessen")
      }
    }

    private func report(_ list: NameList, _ names: NameFile) throws {
      let unknown = names.unknown.filter { code, _ in list.languages.contains { $0.code == code } }
        .sorted { $0.key < $1.key }
      guard !common.json else {
        let object: JSONObject = [
          "added": list.json, "encoding": names.encoding.name, "leftOutRows": names.leftOutRows,
          "leftOutNames": names.leftOutNames,
          "unknownHeadings": unknown.map { ["heading": $1, "code": $0] as JSONObject },
        ]
        return try ByteSink.printOut(object.text)
      }
      if names.encoding == .windows1252 {
        Console.line("\(file) is not UTF-8, and was read as \(names.encoding.name).")
      }
      for (code, heading) in unknown {
        Console.line("\(heading.inQuotes) is not a known language; its code is \(code).")
      }
      if names.leftOutRows > 0 {
        Console.line(
          "\(Plural.words(names.leftOutRows, "row")) left out, without a scientific name of a species"
        )
      }
      if names.leftOutNames > 0 {
        Console.line(
          "\(Plural.words(names.leftOutNames, "name")) left out, of more than \(NameFile.nameLimit) characters"
        )
      }
      Console.line(
        "added \(list.numbers) as \(list.name.inQuotes): \(list.languages.map(\.code).joined(separator: ", "))"
      )
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show which lists of names were added.")

    @OptionGroup var common: CommonOptions

    func run() throws {
      let lists = try Session.offline(.read).nameLists()
      guard !common.json else {
        return try ByteSink.printOut((["lists": lists.map(\.json)] as JSONObject).text)
      }
      guard !lists.isEmpty else {
        return Console.line("No list of names was added. Type: chirper names add FILE")
      }
      let now = RecordingRepository.Dependencies.live.now()
      for list in lists { try ByteSink.printOut(TerminalText.escaped(list.text(now: now))) }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a list of names.")

    @Argument(help: "The name of the list.", completion: ShellCompletion.nameLists)
    var name: String

    @OptionGroup var common: CommonOptions

    func run() throws {
      let lists = try Session.offline(.read).nameLists()
      guard let list = lists.first(where: { $0.name == name }),
        try Session.offline(.write).removeNames(name)
      else {
        let near = NearestNames.to(name, among: lists.map(\.name)).first
        throw UserFacingError.usage(
          "No list of names is called \(name.inQuotes)",
          hint: near.map { "Type: \(CommandText.line("names remove", $0))" }
            ?? "Type: chirper names list")
      }
      guard !common.json else {
        return try ByteSink.printOut((["removed": list.json] as JSONObject).text)
      }
      Console.line("removed \(list.name.inQuotes): \(list.numbers)")
    }
  }
}

extension TextEncoding {
  fileprivate var name: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16, .utf16BigEndian: "UTF-16"
    case .windows1252: "Windows-1252"
    }
  }
}
