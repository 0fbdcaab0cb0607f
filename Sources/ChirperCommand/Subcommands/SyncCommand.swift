import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Update one stored query, or all of them.",
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
    help: "Read pages again that were read longer ago than this: 12h, 7d, 2w. (default: 2w)",
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
    let only = try source.catalogue?.id
    let typed = try query.map { try TypedText($0, in: only) }
    // Read first: a store that does not exist is not created.
    let offline = try Session.offline(.read)
    let all = try stored(typed, only, offline)
    if !common.json, !quiet, !due {
      for list in all { if let note = list.importNote { Console.line(note) } }
    }
    let fetched = all.filter { $0.imported == nil }
    let queries = due ? try fetched.filter(isDue(session.settings, in: offline)) : fetched
    if due, queries.isEmpty { return try report(FetchBatch(count: 0), of: fetched.count) }
    try session.checkKey(for: queries.map(\.query.catalogue))
    let repository = try session.repository()

    let isQuiet = quiet || due && !TerminalDevice.canRewriteError
    let reporter = FetchReporter(repository: repository, common: common, isQuiet: isQuiet)
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
        if queries.count > 1, !common.json, let error = outcome.error {
          Console.line("\(stored.query.typed): \(error.message)")
        }
        return outcome
      }
      if isLast { break }
    }
    try report(batch, of: fetched.count)
    if let error = batch.error(done: "updated") { throw error }
  }

  private func report(_ batch: FetchBatch, of all: Int) throws {
    if common.json { return try ByteSink.printOut(batch.json.text) }
    if !batch.notTried.isEmpty {
      Console.line("not tried: \(batch.notTried.map(\.typed).joined(separator: ", "))")
    }
    guard !quiet else { return }
    let sums = batch.sums.map(\.text)
    if due {
      let part = "\(batch.count) of \(Plural.words(all, "list")) due"
      Console.line([part, sums].compactMap(\.self).joined(separator: ": "))
    } else if batch.outcomes.count > 1, let sums {
      // The line of a single list says the same.
      Console.line(sums)
    }
  }

  /// A test of lists: whether they were not updated for longer than the settings allow.
  private func isDue(
    _ settings: Settings, in repository: RecordingRepository
  ) throws -> (StoredQuery) throws -> Bool {
    let now = RecordingRepository.Dependencies.live.now()
    let usual = try settings.due ?? Age(option: "7d")
    var own: [CatalogueQuery: Age] = [:]
    for (list, age) in settings.dueOfLists {
      let lists = try TypedText(list).stored(in: repository)
      if lists.isEmpty, !quiet {
        Console.line("The setting due names a list that is not stored: \(list)")
      }
      for list in lists { own[list.query] = age }
    }
    return { list in
      // What the clock says is from the future is old.
      let oldest = (own[list.query] ?? usual).moment(before: now)
      return !(oldest...now).contains(list.syncedAt)
    }
  }

  private func stored(
    _ typed: TypedText?, _ only: CatalogueID?, _ repository: RecordingRepository
  ) throws -> [StoredQuery] {
    if let typed {
      let (lists, note) = try typed.listsToRead(in: repository)
      if let note, !common.json, !quiet { Console.line(note) }
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
    let all = try repository.storedQueries().filter {
      only == nil || $0.query.catalogue == only
    }
    if all.isEmpty, !common.json, !quiet {
      Console.line("Nothing is stored yet. Type: chirper fetch parrot")
    }
    return all.sorted {
      ($0.checkedAt ?? $0.oldestFetchedAt) < ($1.checkedAt ?? $1.oldestFetchedAt)
    }
  }
}
