import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct ChangesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes",
    abstract: "Show what changed of stored recordings, old and new; works offline.",
    discussion: """
      A row for each detail that changed: what it was before, and what it is now. Recordings with a \
      different name come first: their species was renamed, or is a different one. What a recording was is kept from the first fetch that finds it changed; --changed compares with what was stored \
      that time ago.

        chirper changes
        chirper changes parrot --changed 30d
        chirper changes parrot gbif:robin --where q:A
        chirper changes parrot -o changes.csv
      """
  )

  @Argument(
    help: "Stored queries. (default: everything stored)", completion: ShellCompletion.queries)
  var queries: [String] = []

  @OptionGroup var rows: SelectionOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let format = try output.format(default: .table)
    try rows.check()
    try output.check(format)
    let options = try output.writeOptions
    let repository = try Session.offline(.read)
    var question = try rows.selection(queries, search: "changed:any")
    question.searchesEverything = true
    question.includesUnlisted = true
    question.offset = 0
    question.limit = nil
    if question.copies == .asUsual { question.copies = .kept }
    let selection = try question.rows(
      in: repository, for: "changes", shows: true, output.printer(for: format))
    let since = rows.changed?.moment(before: options.now)
    let table = ChangeTable(
      try selection.reader.changes(since: since), search: selection.expression?.description ?? "",
      lists: selection.lists,
      since: since,
      offset: rows.offset ?? 0,
      limit: rows.limit, in: repository)
    let notes = table.notes(now: options.now) + selection.report.spellingNotes
    try output.write(format, rows: table.count, options, notes: notes) {
      try table.write(format, options, to: $0)
    }
    try selection.checkIsWhole()
  }
}
