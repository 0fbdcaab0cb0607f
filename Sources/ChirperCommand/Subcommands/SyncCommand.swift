import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Update one stored list, or all of them.",
    discussion: """
      Asks the catalogue again and reports what is new, changed and gone. Without QUERY every stored list is updated; if one \
      fails, the others go on. chirper news shows what was found.

      A complete list of xeno-canto or iNaturalist takes few requests: only what was added is asked for, and the total. An \
      edit of an older recording is found when its page is read again. That happens to every page at least once in the time \
      that --within gives.

      No list that was imported is asked for: its line says where a newer file is.

      The setting due says after how long lists are due (without it 7d), and for some of them otherwise: \
      due = 1d gbif:parrot.

        chirper sync parrot
        chirper sync parrot --within 2d
        chirper sync
        chirper sync parrot --audio
        chirper sync --json
        chirper sync --quiet    for cron: prints errors only
        chirper sync --due      only what was not updated for a week
      """
  )

  @Argument(help: "A stored query. (default: all of them)", completion: ShellCompletion.queries)
  var query: String?

  @Flag(help: "Also download and keep the audio of every row.")
  var audio = false

  @Option(
    help: .rare("Read pages again that were read longer ago than this: 12h, 7d, 2w. (default: 2w)"),
    completion: .list(["1d", "7d", "2w"]), transform: Age.init(option:))
  var within: Age?

  @Flag(
    help:
      "Only lists that were not updated for the time of the setting due. Without a terminal it prints one line."
  )
  var due = false

  @Flag(help: "Print errors only, for cron.")
  var quiet = false

  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let session = try Session()
    let printer = common.printer(isQuiet: quiet)
    let only = try source.catalogue?.id
    let typed = try query.map { try TypedText($0, in: only) }
    // Read first: a store that does not exist is not created.
    let offline = try Session.offline(.read)
    let all = try stored(typed, offline, printer)
    if !due { printer.notes(all.compactMap(\.importNote)) }
    let fetched = all.filter { $0.imported == nil }
    let queries = due ? try session.settings.due(fetched, in: offline, printer) : fetched
    if due, queries.isEmpty { return try report(FetchBatch(count: 0), of: fetched.count, printer) }
    try session.checkKey(for: queries.map(\.query.catalogue))
    let repository = try session.repository()

    let isQuiet = quiet || due && !TerminalDevice.canRewriteError
    let reporter = FetchReporter(repository: repository, printer: common.printer(isQuiet: isQuiet))
    var batch = FetchBatch(count: queries.count)
    for stored in queries {
      let isLast = await batch.run(stored.query) {
        reporter.printHeader(
          stored.query, repository.catalogue(stored.query.catalogue), isFallback: false)
        var outcome = await reporter.sync(
          stored, within: within?.duration ?? FetchPlan.defaultRereading)
        reporter.printSummary(outcome)
        if audio { await reporter.fetchAudio(of: &outcome) }
        // With several queries each error is printed at once; the error of a single one is printed
        // at the end.
        if queries.count > 1, !outcome.isStopped, let error = outcome.error {
          printer.problem("\(stored.query.typed): \(error.message)")
        }
        return outcome
      }
      if isLast { break }
    }
    try report(batch, of: fetched.count, printer)
    if let error = batch.error(done: "updated") { throw error }
  }

  private func report(_ batch: FetchBatch, of all: Int, _ printer: Printer) throws {
    try printer.print(Report(batch.json))
    if !batch.notTried.isEmpty {
      printer.problem("not tried: \(batch.notTried.map(\.typed).joined(separator: ", "))")
    }
    let sums = batch.sums.map(\.text)
    if due {
      let part = "\(batch.count) of \(Plural.words(all, "list")) due"
      printer.note([part, sums].compactMap(\.self).joined(separator: ": "))
    } else if batch.outcomes.count > 1 {
      // The line of a single list says the same.
      printer.note(sums)
    }
  }

  private func stored(
    _ typed: TypedText?, _ repository: RecordingRepository, _ printer: Printer
  ) throws -> [StoredQuery] {
    if let typed {
      let (lists, note) = try typed.listsToRead(in: repository)
      printer.note(note)
      return lists
    }
    let database = RecordingRepository.database(in: try ProcessEnvironment.live.storeDirectory())
      .path
    guard FileManager.default.fileExists(atPath: database) else {
      throw UserFacingError(
        .notFetched, kind: "never-fetched", subject: database,
        problem: "this database does not exist yet, so nothing can be updated",
        hint: "Type: chirper fetch parrot")
    }
    let all = try source.chosen(of: repository.storedQueries())
    if all.isEmpty { printer.note("Nothing is stored yet. Type: chirper fetch parrot") }
    return all.sorted {
      ($0.checkedAt ?? $0.oldestFetchedAt) < ($1.checkedAt ?? $1.oldestFetchedAt)
    }
  }
}
