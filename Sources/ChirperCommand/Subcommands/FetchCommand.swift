import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct FetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Request a catalogue page by page and store the answers.",
    discussion: """
      Requests the query's pages from page 1, stores each, and reports what is new, changed and gone. The same command \
      continues where an interrupted one stopped.

        chirper fetch parrot                        the first page
        chirper fetch parrot --pages 3              pages 1 to 3
        chirper fetch 'cnt:poland q:A' --all        every page, with xeno-canto's tags
        chirper fetch 'larus fuscus' --scientific   plain words as a scientific name
        chirper fetch 'jack johnson' --source itunes --all
        chirper fetch parrot --all --max-age 7d     only pages older than a week
      """
  )

  @Argument(help: "What to search for: plain words, or the catalogue's own tags.", completion: ShellCompletion.queries)
  var query: String

  @Option(help: "How many pages, from page 1; up to 1000000. (default: 1)")
  var pages: Int?

  @Flag(help: "Fetch every page.")
  var all = false

  @OptionGroup var source: SourceOption

  @Option(name: .customLong("per-page"), help: "Recordings per page. (default: as stored, else the catalogue's own)")
  var perPage: Int?

  @Option(
    name: .customLong("max-age"), help: "Request only pages older than this: 30m, 12h, 7d, 2w.",
    transform: Age.init(option:))
  var maxAge: Age?

  @Option(
    name: .customLong("max-rate"), help: "At most this many requests a second (0.5) or a minute (30/min).",
    transform: Rate.init(option:))
  var maxRate: Rate?

  @Flag(help: "Read a complete list a second time to make sure that it is exact; needs --all.")
  var verify = false

  @Flag(help: "Also download and keep the audio of every stored row.")
  var audio = false

  @Flag(help: "Treat plain words as a scientific name.")
  var scientific = false

  @Flag(help: "Print errors only, for cron.")
  var quiet = false

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let plan = FetchPlan(try goal(), maxAge: maxAge?.duration, verify: verify, interval: maxRate?.interval)
    let session = try Session()
    // An invalid query is reported before a missing key.
    let resolver = try QueryResolver(query, scientific: scientific)
    let known = try resolver.stored(in: Session.offline(.read))
    let (catalogue, isFallback) = try session.catalogue(flag: source.name, stored: known)
    // A query that cannot be fetched creates no store.
    let query = try resolver.query(in: catalogue, pageSize: perPage, stored: known)
    let repository = try session.repository()

    let reporter = FetchReporter(repository: repository, common: common, isQuiet: quiet)
    reporter.printHeader(query, catalogue, isFallback: isFallback)
    var outcome = await reporter.fetch(query, plan)
    let other = outcome.foundNothing ? resolver.asScientificName(in: catalogue) : nil
    if let other, resolver.looksScientific {
      if reporter.printsText { Console.line("No English name matches, so it is tried as a scientific name.") }
      let query = try other.query(in: catalogue, pageSize: perPage, stored: known)
      reporter.printHeader(query, catalogue, isFallback: false)
      outcome = await reporter.fetch(query, plan)
    }
    let isAmbiguous = known.contains { $0.query.catalogue != catalogue.id }
    let named = source.name ?? (isAmbiguous ? catalogue.id.rawValue : nil)
    reporter.printSummary(outcome, next: next(after: outcome, canBeScientific: other != nil, source: named))
    if audio { await reporter.fetchAudio(of: &outcome) }
    if common.json { try ByteSink.printOut(outcome.json.text) }
    if let error = outcome.error { throw error }
  }

  private func goal() throws(UserFacingError) -> FetchPlan.Goal {
    try UserFacingError.check("--pages", pages, in: 1...1_000_000, example: 3)
    if pages != nil, all {
      throw .usage("--pages and --all cannot be used together", hint: "Type one of them.")
    }
    if verify, !all {
      throw .usage("--verify needs --all: only a complete list can be verified", hint: "Type --all --verify.")
    }
    return all ? .all : .pages(pages ?? 1)
  }

  /// What to type next: the list, the rest of it, or what may find something.
  private func next(after outcome: FetchOutcome, canBeScientific: Bool, source: String?) -> String? {
    if outcome.foundNothing {
      if canBeScientific { return "for a scientific name: \(CommandText.line("fetch", query, source: source, scientific: true))" }
      let similar = outcome.report.lookup?.suggestions.first?.name
      return similar.map { "for a similar name: \(CommandText.line("fetch", $0, source: source))" }
    }
    let list = CommandText.line("list", query, source: source)
    guard let stored = outcome.report.stored, stored.next != nil else { return list }
    return "\(list), or for the rest: \(CommandText.line("fetch", query, source: source, scientific: scientific, also: "--all"))"
  }
}
