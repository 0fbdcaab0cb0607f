import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct FetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Request a catalogue page by page, and store it.",
    discussion: """
      The same command continues where an interrupted one stopped. --from reads queries from a file, one a line, as parrot or \
      gbif:parrot; then pages that are less than a day old are not requested again.

        chirper fetch parrot                           the first page
        chirper fetch parrot --all                     every page
        chirper fetch 'cnt:poland q:A' --all           with xeno-canto's tags
        chirper fetch 'european robin' --source gbif
        chirper fetch --from trip.txt --all --audio

      For the audio of some rows: chirper export parrot --where q:A --audio FOLDER
      """
  )

  @Argument(
    help: "What to search for: plain words, or the catalogue's own tags.",
    completion: ShellCompletion.newQueries)
  var query: String?

  @Option(help: "How many pages, from page 1; up to 1000000. (default: 1)")
  var pages: Int?

  @Flag(help: "Fetch every page.")
  var all = false

  @Option(
    help: "Fetch the queries in this file, one a line; - reads them from standard input.",
    completion: .file())
  var from: String?

  @Option(
    name: .customLong("from-server"),
    help: .rare(
      "Take a list of xeno-canto from another chirper's server: https://birds.example."))
  var fromServer: String?

  @Option(
    name: .customLong("per-page"),
    help: .rare("Recordings per page. (default: as stored, else the catalogue's own)"))
  var perPage: Int?

  @Option(
    name: .customLong("max-age"),
    help: "Request only pages older than this: 30m, 12h, 7d, 2w. (default with --from: 1d)",
    transform: Age.init(option:))
  var maxAge: Age?

  @Option(
    name: .customLong("max-rate"),
    help: .rare("At most this many requests a second (0.5) or a minute (30/min)."),
    transform: Rate.init(option:))
  var maxRate: Rate?

  @Flag(
    help: .rare("Read a complete list a second time to make sure that it is exact; needs --all."))
  var verify = false

  @Flag(help: "Also download and keep the audio of every stored row.")
  var audio = false

  @Flag(help: .rare("Take plain words as a scientific name only."))
  var scientific = false

  @Flag(
    help: .rare(
      "Refuse a query with a tag that chirper does not know, which is sent as typed otherwise."))
  var strict = false

  @OptionGroup var names: NameServiceOption

  @Flag(help: .rare("Print errors only, for cron."))
  var quiet = false

  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  private var printer: Printer { common.printer(isQuiet: quiet) }

  func run() async throws {
    guard (query == nil) != (from == nil) else {
      let problem =
        query == nil
        ? "Missing query, or --from with a file of them"
        : "A query and --from cannot be used together"
      throw UserFacingError.usage(problem, hint: "Type: chirper fetch parrot")
    }
    let age = maxAge?.duration ?? from.map { _ in Self.tripAge }
    let plan = FetchPlan(try goal(), maxAge: age, verify: verify, interval: maxRate?.interval)
    var session = try Session()
    if let fromServer { session = try session.asking(fromServer) }
    let offline = try Session.offline(.read)
    if let from {
      let (queries, unread) = try TypedQuery.all(in: from) { try self.typed($0, session, offline) }
      return try await fetchAll(queries, unread, plan, session)
    }
    let typed = try self.typed(query ?? "", session, offline)
    let catalogue = typed.catalogue
    let reporter = FetchReporter(
      repository: names.applied(to: try session.repository()), printer: printer)
    reporter.printHeader(typed.query, catalogue, isFallback: typed.isFallback)
    var outcome = try await fetch(typed, plan, reporter)
    let isAmbiguous = typed.known.contains { $0.query.catalogue != catalogue.id }
    let named = typed.text.catalogue?.rawValue ?? (isAmbiguous ? catalogue.id.rawValue : nil)
    let isMeant = outcome.query != typed.query
    let text = (isMeant ? outcome.report.stored?.query.typed : nil) ?? typed.text.text
    let next =
      (typed.isFallback ? real(typed.text) : nil)
      ?? outcome.next(after: text, isScientific: scientific, source: named)
    reporter.printSummary(outcome, next: next)
    if let server = session.server, outcome.report.pagesFetched > 0, outcome.hasClaimOfServer,
      let claim = outcome.report.stored?.completeness.word
    {
      // Of a list that changed while the server read it, a part is what it can pass on.
      let extent = outcome.error == nil ? "as" : "as far as"
      printer.note("\(extent) the server at \(server.absoluteString) has it: \(claim)")
    }
    printer.note(outcome.suggestion(source: named))
    if audio { await reporter.fetchAudio(of: &outcome) }
    try printer.print(Report(outcome.json))
    if let error = outcome.error { throw error }
  }

  /// The same search in a real catalogue that needs no key; `nil` if it does not take the search.
  private func real(_ typed: TypedText) -> String? {
    let gbif = Catalogues.named(.gbif).flatMap { try? typed.query(in: $0, stored: []) }
    return gbif.map { _ in
      CommandText.line(
        "fetch", typed.text, source: CatalogueID.gbif.rawValue, scientific: scientific)
        + ", for real recordings without a key"
    }
  }

  /// The catalogue that was named; with a server xeno-canto, of which alone it has lists.
  private var catalogue: CatalogueID? {
    get throws {
      let named = try source.catalogue?.id
      guard fromServer != nil else { return named }
      let served = Catalogues.defaultCatalogue.id
      guard named ?? served == served else {
        throw UserFacingError.usage(
          "--from-server has lists of xeno-canto only", hint: "Leave --source out.")
      }
      return served
    }
  }

  private func typed(
    _ text: String, _ session: Session, _ repository: RecordingRepository
  ) throws -> TypedQuery {
    // An invalid query is reported before a missing key.
    try TypedQuery(
      TypedText(text, scientific: scientific, in: try catalogue), pageSize: perPage,
      isStrict: strict, session, storedIn: repository)
  }

  // MARK: Several queries

  private static let tripAge = Duration.seconds(86_400)

  private func fetchAll(
    _ queries: [TypedQuery], _ unread: [String], _ plan: FetchPlan, _ session: Session
  ) async throws {
    printer.notes(unread)
    var reporter = FetchReporter(
      repository: names.applied(to: try session.repository()), printer: printer)
    printer.notes(
      queries.compactMap {
        $0.isFallback ? $0.catalogue.fallbackNotice : $0.catalogue.notice
      }.uniqued)
    for typed in queries {
      printer.notes(typed.query.notes(in: typed.catalogue).map { "\(typed.query.typed): \($0)" })
    }
    var batch = FetchBatch(count: queries.count, unread: unread)
    for (index, typed) in queries.enumerated() {
      reporter.position = "\(index + 1) of \(queries.count)"
      let isLast = try await batch.run(typed.query) { [reporter] in
        var outcome = try await fetch(typed, plan, reporter)
        if audio { await reporter.fetchAudio(of: &outcome) }
        printer.note(outcome.suggestion(source: typed.text.catalogue?.rawValue))
        if !outcome.isStopped, let error = outcome.error {
          printer.note("\(typed.query.typed): \(error.message)")
        }
        return outcome
      }
      if isLast { break }
    }
    try printer.print(Report(batch.json, notes: batch.summary))
    guard let error = batch.error(done: "fetched") else { return }
    let again = "Type the same command again: it continues with what is missing."
    throw error.with(hint: [error.hint, again].joinedTexts(by: "\n"))
  }

  /// Fetches a query. Words that found nothing get suggestions, and if they are a name of one taxon
  /// alone, that taxon is fetched. The commands after a signal or an error have different ones.
  private func fetch(
    _ typed: TypedQuery, _ plan: FetchPlan, _ reporter: FetchReporter
  ) async throws -> FetchOutcome {
    var outcome = await reporter.fetch(typed.query, plan)
    guard outcome.foundNothing else { return outcome }
    let query = outcome.query
    let suggestions = try await SignalHandling.interruptible {
      [repository = reporter.repository] in
      await repository.suggestions(for: query.typed, after: query)
    }
    guard let meant = reporter.repository.meant(by: query, suggestions) else {
      outcome.suggestions = suggestions
      return outcome
    }
    printer.note(meant.taxon.meaning(of: query.typed))
    outcome = await reporter.fetch(meant.query, plan)
    await reporter.repository.keepOnce(query, meaning: meant.query, outcome.report)
    return outcome
  }

  private func goal() throws(UserFacingError) -> FetchPlan.Goal {
    try UserFacingError.check("--pages", pages, in: 1...1_000_000, example: 3)
    if pages != nil, all {
      throw .together(["--pages", "--all"])
    }
    if verify, !all {
      throw .usage(
        "--verify needs --all: only a complete list can be verified", hint: "Type --all --verify.")
    }
    return all ? .all : .pages(pages ?? 1)
  }
}
