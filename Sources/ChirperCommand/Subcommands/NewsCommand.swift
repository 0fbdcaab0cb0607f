import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct NewsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "news",
    abstract: "Show what is new, changed and gone in lists.",
    discussion: """
      A block for each list with something in it, and a line of sums. What a list had when it was first read is not new. \
      chirper list QUERY --new, --changed and --gone show all of it. --details has a row for each detail that changed, with \
      what it was at that time; recordings with a different name come first: their species was renamed, or is a different \
      one. A table, such as CSV, has the details, which --sort, --limit and --offset are for.

        chirper sync && chirper news
        chirper news parrot gbif:robin --since 30d
        chirper news --details --where q:A
        chirper news --json
        chirper news --since 30d -o birds.atom
        chirper news --since 30d -o changes.csv

      \(HelpText.choosingLine)
      """
  )

  @Argument(help: "Stored queries. (default: all)", completion: ShellCompletion.queries)
  var queries: [String] = []

  @Option(
    help: ArgumentHelp(
      "What happened within this time: 12h, 7d, 2w. (default: 7d)", valueName: "age"),
    transform: Age.init(option:))
  var since: Age?

  @Flag(help: "The old and the new value of each detail that changed.")
  var details = false

  @Option(help: "The format; without it the extension of -o selects one.")
  var format: NewsFormat?

  @OptionGroup(title: HelpText.choosing, visibility: .rare) var choice: ChoiceOptions
  @OptionGroup(title: HelpText.choosing, visibility: .rare) var order: OrderOptions
  @OptionGroup var target: TargetOptions

  func run() throws {
    let format = try chosenFormat()
    try order.window.check()
    let printer = target.common.printer
    let options = try target.writeOptions
    let repository = try choice.names.applied(to: Session.offline(.read))
    let since = try (since ?? Age(option: "7d")).moment(before: options.now)
    if case .rows(let table) = format {
      try target.check(table)
      return try writeDetails(as: table, options, since, repository)
    }
    // Text and feeds have none of a table's options.
    try target.check(.table)
    let lists = try lists(in: repository)
    // What is gone is in no list any more.
    let among = isChoosing ? try rows(in: repository) : nil
    if format == .atom {
      let feed = try NewsFeed(of: lists, since: since, among: among, in: repository)
      try write(feed.text())
      return try repository.checkAreWhole(feed.lists.map(\.query))
    }
    let news = try repository.news(
      of: lists, since: since, among: among,
      limit: printer.isJSON ? FetchReport.idLimit : StoredQuery.News.named)
    if printer.isJSON {
      try printer.print(Report(news.json(since: since, in: repository)))
    } else {
      try write(news.text(since: since, in: repository))
    }
    if let damage = news.lazy.compactMap(\.damage).first { throw damage }
  }

  private func chosenFormat() throws(UserFacingError) -> NewsFormat {
    try TargetOptions.checkIsNamed(target.output, example: "birds.atom")
    if target.common.json, format != nil || target.output != nil {
      throw .usage("--json cannot be used with --format and -o", hint: "Type one of them.")
    }
    let named = target.file.flatMap(RecordFormat.pathExtension).flatMap(NewsFormat.init(argument:))
    // An order is that of a table.
    let isTable = details || !order.isUntyped
    switch format ?? named ?? (isTable ? .rows(target.common.json ? .json : .table) : .text) {
    case .rows(let table): return .rows(try target.format(table, default: table))
    case .text where isTable: return .rows(.table)
    case .atom where isTable:
      throw .usage(
        "A feed has no details, and an order of its own",
        hint: "Leave --details, --sort, --limit and --offset out.")
    case let news:
      guard let other = target.file.flatMap(RecordFormat.ofFile) else { return news }
      throw .usage(
        "The name of the file selects \(other.name), and news are not written as that",
        hint: "Name it .atom, .csv, .tsv, .json, .jsonl or .txt.")
    }
  }

  /// The lists that were typed.
  private func lists(in repository: RecordingRepository) throws -> [StoredQuery] {
    guard !queries.isEmpty else { return [] }
    var named = Selection()
    named.lists = queries.map(ListName.typed)
    named.catalogue = try choice.source.catalogue?.id
    return try named.rows(in: repository, for: "news", shows: true, target.common.printer).lists
  }

  /// Whether only some recordings count.
  private var isChoosing: Bool {
    var others = choice
    // Of typed lists it says which are meant.
    if !queries.isEmpty { others.source.name = nil }
    return !others.chooseEverything
  }

  /// The recordings that the options choose; those in no list any more without a search.
  private func rows(
    of queries: [String] = [], in repository: RecordingRepository, search: String? = nil
  ) throws -> Rows {
    var question = try choice.selection(queries, search: search)
    question.searchesEverything = true
    question.includesUnlisted = search == nil
    question.sort = try order.keys
    if question.copies == .asUsual { question.copies = .kept }
    return try question.rows(in: repository, for: "news", shows: true, target.common.printer)
  }

  private func write(_ text: String) throws {
    try AtomicFile.writing(to: target.file) { sink in
      let isShown = target.file == nil && TerminalDevice.isOutput
      sink.buffer += (isShown ? TerminalText.escaped(text, keepingLines: true) : text).utf8
      try sink.flush()
    }
  }

  private func writeDetails(
    as format: RecordFormat, _ options: WriteOptions, _ since: Date,
    _ repository: RecordingRepository
  ) throws {
    let chosen = try rows(of: queries, in: repository, search: "changed:any")
    let news: JSONObject =
      try format == .json
      ? repository.news(
        of: chosen.lists, since: since, among: isChoosing ? rows(in: repository) : nil
      ).json(since: since, in: repository) : [:]
    let table = ChangeTable(
      try chosen.reader.changes(since: since), search: chosen.expression?.description ?? "",
      news: news, lists: chosen.lists, since: since,
      offset: order.window.offset ?? 0, limit: order.window.limit, in: repository)
    let notes = table.notes(now: options.now) + chosen.report.spellingNotes
    try target.write(format, rows: table.count, options, notes: notes) {
      try table.write(format, options, to: $0)
    }
    try chosen.checkIsWhole()
  }
}
