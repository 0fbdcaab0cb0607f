import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the stored lists, or the rows of some.",
    discussion: """
      On a terminal the table has the columns that fit; in a pipe it has all of them, separated by tabs. The source and \
      the age of the list are printed on standard error. Of several lists, each recording is shown once. Of a list it says:

      \(StoredQuery.Completeness.meanings.map { "  \($0.0): \($0.1)" }.joined(separator: "\n"))

        chirper list
        chirper list parrot
        chirper list parrot --sort -date --limit 20
        chirper list parrot --where 'q:A type:song month:5'
        chirper list parrot --where 'text:"dawn chorus"'
        chirper list parrot --new 7d
        chirper list parrot --changed 7d
        chirper list parrot --gone
        chirper list parrot gbif:parrot --copies no
        chirper list parrot --format json --columns id,vernacularName,raw.rec

      \(HelpText.choosingLine)
      """
  )

  @Argument(
    help: "Stored queries; without one the stored queries are listed.",
    completion: ShellCompletion.queries)
  var queries: [String] = []

  @Flag(help: .rare("List the queries that never found anything."))
  var empty = false

  @OptionGroup(title: HelpText.choosing, visibility: .rare) var rows: SelectionOptions
  @OptionGroup var columns: ColumnOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    if empty, !queries.isEmpty {
      throw UserFacingError.together(["--empty", "a query"])
    }
    guard queries.isEmpty else {
      return try SelectionWriter(
        command: "list", rows: rows, columns: columns, output: output, defaultFormat: .table,
        showsList: true
      )
      .write(queries)
    }
    let format = try output.format(default: .table)
    try rows.check()
    try output.target.check(format)
    if !rows.selectsEverything || !columns.isUntyped {
      throw UserFacingError.usage(
        "Options that choose rows need a query",
        hint: "Type it after the command, as in: chirper list parrot --sort date")
    }
    let repository = try Session.offline(.read)
    let all = try rows.source.chosen(of: empty ? repository.misses() : repository.storedQueries())
    let some = all.dropFirst(rows.offset ?? 0).prefix(rows.limit ?? .max)
    let options = try output.target.writeOptions
    let nothing =
      empty
      ? "Every stored query has found something."
      : "Nothing is stored yet. Type: chirper fetch parrot"
    let notes = all.isEmpty ? [nothing] : []
    try output.target.write(format, rows: some.count, options, notes: notes) {
      try StoredQueryTable(Array(some), in: repository).write(format, options, to: $0)
    }
  }
}
