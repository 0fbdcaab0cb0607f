import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

extension NamesCommand {
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add the names of a CSV file, or of BirdNET's labels.",
      discussion: """
        A row has a species and its names, each below its language, or one name and its language. Cells are separated by \
        commas, semicolons or tabs. Several names in a cell have ; or | between them; the first is shown. Rows of genera \
        and subspecies are left out.

          chirper names add ioc.csv
          chirper names add birds-of-hessen.csv --as hessen
          chirper names add labels.txt --language German
        """)

    @Argument(help: "A CSV file, or one of labels.", completion: .file())
    var file: String

    @Option(
      name: .customLong("as"),
      help: ArgumentHelp(
        "The name of the list. (default: the file's name without its extension)", valueName: "name")
    )
    var listName: String?

    @Option(
      help: ArgumentHelp(
        "The language of the names, if the file does not say it: German, de.", valueName: "language"
      ),
      transform: language)
    var language: String?

    @OptionGroup var common: CommonOptions

    func run() throws {
      let fileName = (file as NSString).lastPathComponent
      let name = listName ?? (fileName as NSString).deletingPathExtension
      guard name.count <= Self.nameLimit, !name.contains(where: \.isNewline),
        name.contains(where: { !$0.isWhitespace })
      else {
        throw UserFacingError.usage(
          "The name of a list has 1 to \(Self.nameLimit) characters in one line",
          example: "--as hessen")
      }
      var names = try NameFile(name: file, language: language) { try ReadableFile(file).pieces() }
      let progress = common.printer.progress()
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
      try common.printer.print(names.report(list, of: file))
    }

    private static func language(_ typed: String) throws -> String {
      guard let code = NameLanguage.code(ofHeading: typed).code else {
        throw ValidationError("type a language, as in German, Deutsch or de")
      }
      return code
    }

    /// The characters of the name of a list.
    private static let nameLimit = 100
  }
}
