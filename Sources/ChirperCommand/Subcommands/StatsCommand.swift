import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Count recordings by species, month, country and so on.",
    discussion: """
      On a terminal each value has a bar; two keys make a table. For months, weeks and hours \
      a column has the count for everything stored, because people record more in May.

        chirper stats parrot
        chirper stats parrot --by month
        chirper stats 'Turdus merula' gbif:robin --by species,month -o counts.csv
        chirper stats --where 'q:A type:song' --by hour --json

      \(HelpText.choosingLine)
      """
  )

  @Argument(
    help: "Stored queries. (default: everything stored)", completion: ShellCompletion.queries)
  var queries: [String] = []

  @Option(
    help: ArgumentHelp(
      "One or two of: \(CountKey.all.map(\.name).joined(separator: ", ")). (default: species)",
      valueName: "keys"),
    completion: .list(CountKey.all.map(\.name)), transform: StatsCommand.keys)
  var by: [CountKey]?

  @OptionGroup(title: HelpText.choosing, visibility: .rare) var choice: ChoiceOptions
  @OptionGroup(title: HelpText.choosing, visibility: .rare) var part: PartOptions
  @OptionGroup(title: HelpText.choosing, visibility: .rare) var window: WindowOptions

  @Option(help: "The format; without it the extension of -o selects one.")
  var format: TableFormat?

  @OptionGroup var output: TargetOptions

  func run() throws {
    let format = try output.format(
      self.format?.format, default: .table, among: TableFormat.all)
    try part.check()
    try window.check()
    try output.check(format)
    let options = try output.writeOptions
    let repository = try choice.names.applied(to: Session.offline(.read))
    var question = try choice.selection(queries)
    part.apply(to: &question)
    question.searchesEverything = true
    let selection = try question.rows(
      in: repository, for: "stats", shows: true, output.printer(for: format))
    let lists = selection.lists
    let shown = SearchExpression.everything.and([selection.expression])
    let table = CountTable(
      try selection.counts(by: by ?? [.species]), search: shown.description, lists: lists,
      unlisted: lists.isEmpty ? selection.unlisted : nil,
      copies: lists.isEmpty ? selection.leftOutCopies : nil,
      isOfEverything: queries.isEmpty && choice.chooseEverything && part.isUntyped,
      offset: window.offset ?? 0, limit: window.limit)
    let notes =
      table.notes(in: repository, now: options.now)
      + (lists.isEmpty ? selection.report.leftOutNotes : []) + selection.report.spellingNotes
    try output.write(format, rows: table.count, options, notes: notes) {
      try table.write(format, options, to: $0)
    }
    try selection.checkIsWhole()
  }

  private static func keys(_ text: String) throws -> [CountKey] {
    if let keys = CountKey.list(text) { return keys }
    let typed = text.lowercased().filter { $0 != " " }.split(separator: ",")
    throw ValidationError(
      typed.count > 2
        ? "stats counts by at most two keys, as in: --by \(typed[0]),\(typed[1])"
        : "type one or two of \(CountKey.all.map(\.name).joined(separator: ", "))")
  }
}
