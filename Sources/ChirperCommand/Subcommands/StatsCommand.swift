import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Count stored recordings by species, month, country and so on; works offline.",
    discussion: """
      On a terminal each value has a bar; two keys make a table. For months, weeks and hours \
      a column has the count for everything stored, because people record more in May.

        chirper stats --by country
        chirper stats parrot --by month
        chirper stats 'Turdus merula' gbif:robin --by species,month -o counts.csv
        chirper stats --where 'q:A type:song' --by hour --json
      """
  )

  @Argument(
    help: "Stored queries. (default: everything stored)", completion: ShellCompletion.queries)
  var queries: [String] = []

  @Option(
    help: ArgumentHelp(
      "One or two of: \(CountKey.all.map(\.name).joined(separator: ", ")).", valueName: "keys"),
    completion: .list(CountKey.all.map(\.name)), transform: StatsCommand.keys)
  var by: [CountKey]

  @OptionGroup var rows: SelectionOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let format = try output.format(default: .table)
    try rows.check()
    try output.check(format)
    if !rows.sort.isEmpty {
      throw UserFacingError.usage(
        "stats has an order of its own, so --sort cannot be used", hint: "Leave it out.")
    }
    let options = try output.writeOptions
    let repository = try rows.names.applied(to: Session.offline(.read))
    var question = try rows.selection(queries)
    question.searchesEverything = true
    // They are of the table of counts, not of the rows that are counted.
    question.offset = 0
    question.limit = nil
    let selection = try question.rows(
      in: repository, for: "stats", shows: true, output.printer(for: format))
    let lists = selection.lists
    let shown = try SearchExpression.everything.and([selection.expression])
    let table = CountTable(
      try selection.counts(by: by), search: shown.description, lists: lists,
      unlisted: lists.isEmpty ? selection.unlisted : nil,
      copies: lists.isEmpty ? selection.leftOutCopies : nil, offset: rows.offset ?? 0,
      limit: rows.limit)
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
