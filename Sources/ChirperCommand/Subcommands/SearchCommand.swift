import ArgumentParser
import ChirperFormats

struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find recordings in everything that is stored.",
    discussion: """
      The language is xeno-canto's, and works for every catalogue: words, and tags such as q: type: len: cnt: near: fam: lic:. \
      man 7 chirper-search has all of them. Each recording is found once, with the lists it is in and whether its audio is kept. A bird is found by any of its names.

        chirper search robin
        chirper search 'cnt:poland q:A type:song len:30-60 month:5'
        chirper search 'nightingale -in:"my list" audio:yes' --sort -date --limit 20
        chirper search 'lic:BY q:">C"' -o usable.csv
        chirper search XC363793
        chirper search thrush --count

      \(HelpText.choosingLine)
      """
  )

  @Argument(help: "What to find; in single quotes.", completion: ShellCompletion.searchTags)
  var search: String

  @Flag(help: "Print only how many recordings are found.")
  var count = false

  @OptionGroup(title: HelpText.choosing, visibility: .rare) var rows: SelectionOptions
  @OptionGroup var columns: ColumnOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    if count, !(rows.order.isUntyped && columns.isUntyped && output.isUntyped) {
      throw UserFacingError.usage(
        "--count prints one number, so it goes only with --json and with what is searched for",
        hint: "Leave it out.")
    }
    try SelectionWriter(
      command: "search", rows: rows, columns: columns, output: output, defaultFormat: .table,
      columnSet: .found, counts: count
    ).write([], search: search)
  }
}
