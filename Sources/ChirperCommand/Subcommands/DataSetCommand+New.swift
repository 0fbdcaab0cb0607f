import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

extension DataSetCommand {
  struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new", abstract: "Write NAME.dataset.json, which says what the set is made of.",
      discussion: """
        The recordings are chosen with the options of chirper export; --limit is the most that the set has. The file is \
        text, to be changed by hand: further selections, a title, authors.

          chirper dataset new wrens wren --where 'q:A type:song'
          chirper dataset new warblers --where 'gen:Sylvia' --for derivatives --per-species 200 --first quality
          chirper dataset new twenty --where 'q:A len:<40' --per-species 1 --limit 20 --first quality
          chirper dataset new wrens wren --split 80/10/10 --by place:25
          chirper dataset new wrens wren --split 90/10/0 --hold-out country:PL
        """)

    @Argument(help: "The name of the set.")
    var name: String

    @Argument(
      help: "Stored queries; without one, everything stored.", completion: ShellCompletion.queries)
    var queries: [String] = []

    @Option(help: "The title of the set.")
    var title: String?

    @Option(
      name: .customLong("author"), help: .rare("Who made the set; several with ; between them."))
    var author: String?

    @Option(name: .customLong("per-species"), help: "At most this many recordings of a species.")
    var perSpecies: Int?

    @Option(
      name: .customLong("per-recordist"),
      help: .rare("At most this many recordings of a recordist."))
    var perRecordist: Int?

    @Option(
      parsing: .unconditional,
      help: .rare(
        "With these two and --limit: the columns by which recordings are taken first: quality,-eventDate."
      )
    )
    var first: String?

    @OptionGroup var split: SplitOptions

    @Option(
      help: "The arrangement of the files: folders, audiofolder or package. (default: folders)",
      completion: .list(DataSetDefinition.Layout.allCases.map(\.rawValue)))
    var layout: String?

    @Flag(
      name: .customLong("other-names"),
      help: .rare(
        "Find a bird under its other names too, as the list of names of this version has them."))
    var otherNames = false

    @Option(parsing: .unconditional, help: "At most this many recordings.")
    var limit: Int?

    @OptionGroup(title: HelpText.choosing, visibility: .rare) var choice: ChoiceOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let path = name.hasSuffix(DataSet.definitionEnd) ? name : name + DataSet.definitionEnd
      try UserFacingError.check("--limit", limit, in: 0...1_000_000_000, example: 20)
      try split.check()
      let definition = try definition(named: path)
      try DataSet.checkIsNew(
        path, hint: "Change it, or name a different set.")
      let chosen = try definition.rows(in: Session.offline(.read), common.printer)
      try AtomicFile.writing(to: path) { $0.buffer += definition.file.utf8 }
      let count = chosen.map(\.count).reduce(0, +)
      let notes =
        count == 0
        ? [
          "wrote \(path); it finds no recording in what is stored now",
          "Change its selections, or fetch what they are about.",
        ]
        : [
          "wrote \(path); it finds \(Plural.words(count, "recording")) now",
          "next: \(CommandText.line("dataset lock", path))",
        ]
      try common.printer.print(Report(["file": path, "recordings": count], notes: notes))
    }

    private func definition(named path: String) throws -> DataSetDefinition {
      var definition = DataSetDefinition()
      definition.title = title
      definition.authors =
        author?.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
      definition.selections = [try choice.selection(queries)]
      definition.limits.perSpecies = perSpecies
      definition.limits.perRecordist = perRecordist
      definition.limits.recordings = limit
      definition.limits.first =
        first?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
      definition.split = try split.definition(in: path.folderOfPath)
      definition.names = otherNames
      if let layout {
        guard let known = DataSetDefinition.Layout(rawValue: layout) else {
          throw UserFacingError.usage(
            "Unknown layout \(layout.inQuotes)", hint: "Type folders, audiofolder or package.")
        }
        definition.layout = known
      }
      // What is written can be read: numbers and columns are checked in one place.
      do {
        return try DataSetDefinition(Array(definition.file.utf8), name: path)
      } catch {
        throw error.with(
          status: .usage, hint: "Type: chirper dataset new --help, for what each option takes.")
      }
    }
  }
}
