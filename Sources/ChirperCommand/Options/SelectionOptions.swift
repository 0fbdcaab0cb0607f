import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The choice of recordings, and their order.
struct SelectionOptions: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Only rows that a search finds: 'q:A type:song' (man 7 chirper-search). Repeat it for further conditions.",
      valueName: "search"),
    completion: ShellCompletion.searchTags)
  var conditions: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only rows that entered a list within this time: 12h, 7d, 2w.", valueName: "age"),
    transform: Age.init(option:))
  var new: Age?

  @Option(
    help: ArgumentHelp("Only rows whose recordings changed within this time.", valueName: "age"),
    transform: Age.init(option:))
  var changed: Age?

  @Flag(help: "Only recordings that left a list upstream.")
  var gone = false

  @Option(
    name: .customLong("for"),
    help: """
      Only what you may use: commercial; derivatives (edited versions). precise: places known \
      within 1 km (precise:500: within 500 m). Several with commas.
      """)
  var purposes: Purposes?

  @Flag(
    help: """
      Leave out copies of recordings that are shown, such as GBIF's of xeno-canto. The default \
      without a list.
      """)
  var distinct = false

  @Flag(help: "Without a list: show copies too, such as GBIF's of xeno-canto.")
  var allCopies = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: """
      Sort by a column instead of the catalogue's order; -COLUMN for descending. Repeat it \
      for further keys. rank, the default of tables on a terminal: rows with the words in a \
      name first. stored: no such order.
      """,
    completion: ShellCompletion.sortKeys)
  var sort: [String] = []

  @Option(parsing: .unconditional, help: "At most this many rows, up to 1000000000.")
  var limit: Int?

  @Option(parsing: .unconditional, help: "Skip this many rows, up to 1000000000. (default: 0)")
  var offset: Int?

  @OptionGroup var source: SourceOption
  @OptionGroup var names: NamesOption

  /// Whether no option was typed, `--source` and `--names` apart.
  var areDefaults: Bool {
    var others = self
    (others.source.name, others.names.language) = (nil, nil)
    return others.isUntyped
  }

  /// Whether no option was typed that chooses or sorts rows: `--limit`, `--offset` and
  /// `--source` do not count.
  var selectsEverything: Bool {
    var others = self
    (others.limit, others.offset) = (nil, nil)
    return others.areDefaults
  }

  /// Whether no option was typed that sorts the chosen rows or takes a part of them.
  var onlyChoose: Bool { sort.isEmpty && limit == nil && offset == nil }

  /// The names of the options `--new`, `--changed` and `--gone` that were typed.
  private var events: [String] {
    [new.map { _ in "--new" }, changed.map { _ in "--changed" }, gone ? "--gone" : nil].compactMap(
      \.self)
  }

  func check() throws(UserFacingError) {
    if events.count > 1 {
      throw .usage(
        "\(WordList.and(events)) cannot be used together", hint: "Type one of them.")
    }
    if distinct, allCopies {
      throw .usage("--distinct and --all-copies cannot be used together", hint: "Type one of them.")
    }
    try UserFacingError.check("--limit", limit, in: 0...1_000_000_000, example: 20)
    try UserFacingError.check("--offset", offset, in: 0...1_000_000_000, example: 20)
  }

  /// The search that rows must satisfy; `nil` if nothing is asked for.
  ///
  /// - Parameters:
  ///   - search: the search of everything stored.
  ///   - inEverything: whether everything stored is meant. The other options are terms of
  ///     the search then, too.
  func expression(_ search: String? = nil, inEverything: Bool) throws -> SearchExpression? {
    var all: [SearchExpression?] = try ([search].compactMap(\.self) + conditions).map {
      try SearchExpression(typed: $0, in: Catalogues.known)
    }
    if inEverything {
      let choices: [SearchExpression?] = try [
        source.catalogue.map { .sources([$0.id]) },
        gone ? SearchExpression(.gone, ["yes"], [.gone(true)]) : nil,
        changed.map { SearchExpression(.changed, [$0.typed], [.changed($0.duration)]) },
        new.map { SearchExpression(.new, [$0.typed], [.entered($0.duration)]) },
      ]
      all += choices
    }
    return try SearchExpression.all(all)
  }

  func part(now: Date) -> ListReader.Part {
    if gone { return .gone }
    if let changed { return .changed(since: changed.moment(before: now)) }
    return new.map { .new(since: $0.moment(before: now)) } ?? .rows
  }

  var order: [SortKey] {
    get throws(UserFacingError) {
      let order = sort.map(SortKey.init(typed:))
      guard order.allSatisfy({ !$0.name.isEmpty }) else {
        throw .usage("--sort needs a column", hint: "Type it as in: --sort date or --sort -date")
      }
      return order
    }
  }

  /// The stored lists that were typed, each once, and those that the same texts are stored as too,
  /// in words.
  ///
  /// - Parameters:
  ///   - command: as it is typed.
  ///   - shows: whether the command shows which list of several catalogues it took, so that it
  ///     may take one on a terminal.
  ///   - hasNotes: whether standard error gets a line for a text that no list has.
  func lists(
    _ queries: [String], in repository: RecordingRepository, for command: String, shows: Bool,
    hasNotes: Bool
  ) throws -> (stored: [StoredQuery], others: [String]) {
    let chooses = shows && TerminalDevice.isOutput
    var (lists, others) = ([StoredQuery](), [String]())
    let catalogue = try source.catalogue?.id
    for typed in try queries.map({ try TypedText($0, in: catalogue) }) {
      do {
        let found = try typed.choice(in: repository, for: chooses ? nil : command)
        for list in found.stored where !lists.contains(where: { $0.query == list.query }) {
          lists.append(list)
        }
        others += found.others
        if hasNotes, let note = found.note { Console.line(note) }
      } catch let error as UserFacingError where error.status == .notFetched && queries.count > 1 {
        let line = CommandText.line(command, queries.joined(separator: " "))
        throw error.with(
          hint:
            "\(error.hint ?? "")\nEach query is a list; one of several words goes in quotes: \(line)"
        )
      }
    }
    return (lists, others)
  }

  /// The rows of the lists that were typed, or of everything stored.
  ///
  /// - Parameters:
  ///   - search: the search of everything stored, besides the conditions of `--where`.
  ///   - command: as it is typed.
  ///   - shows: whether the command shows which list of several catalogues it took.
  ///   - hasNotes: whether standard error gets lines for a country that is typed by a different
  ///     name, for the names that a bird is found under too, and for lists that are called
  ///     something else.
  ///   - limit: the most rows; `nil` for all.
  ///   - keepsCopies: whether copies stay, unless `--distinct` is typed, also in everything
  ///     stored.
  ///   - ranked: whether rows are ranked unless an order is typed.
  ///   - takesNamesAsTyped: whether a name of a bird finds that name only.
  func selection(
    _ queries: [String], search: String? = nil, for command: String, shows: Bool = false,
    hasNotes: Bool = true, limit: Int?, keepsCopies: Bool = false, ranked: Bool = false,
    takesNamesAsTyped: Bool = false, in repository: @autoclosure () throws -> RecordingRepository
  ) throws -> RowSelection {
    let expression = try expression(search, inEverything: queries.isEmpty)
    if hasNotes { expression?.countryReadings.forEach { Console.line($0) } }
    let repository = try names.applied(to: repository())
    let (lists, others) = try lists(
      queries, in: repository, for: command, shows: shows, hasNotes: hasNotes)
    let selection = try selection(
      of: lists, others: others, where: expression, keepsCopies: keepsCopies, ranked: ranked,
      takesNamesAsTyped: takesNamesAsTyped, offset: offset ?? 0, limit: limit, in: repository)
    if hasNotes, let line = OtherNamesText.line(selection.otherNames) { Console.line(line) }
    return selection
  }

  /// The rows of lists, or of everything stored; shows progress if that takes long.
  ///
  /// - Parameters:
  ///   - others: other lists that are stored under these texts, in words.
  ///   - keepsCopies: whether copies stay, unless `--distinct` is typed, also in everything
  ///     stored.
  ///   - findsUnlisted: whether everything stored includes recordings that are in no list
  ///     any more.
  ///   - ranked: whether rows are ranked unless an order is typed.
  ///   - takesNamesAsTyped: whether a name of a bird finds that name only.
  ///   - limit: the most rows; `nil` for all.
  func selection(
    of lists: [StoredQuery], others: [String] = [], where expression: SearchExpression?,
    keepsCopies: Bool = false, findsUnlisted: Bool = false, ranked: Bool = false,
    takesNamesAsTyped: Bool = false, offset: Int = 0, limit: Int? = nil,
    in repository: RecordingRepository
  ) throws -> RowSelection {
    let now = RecordingRepository.Dependencies.live.now()
    let only = try source.catalogue?.id
    let defaultOrder = ranked ? [SortKey(.field(RowSelection.rank))] : []
    let order = sort.isEmpty ? defaultOrder : try order
    let progress = ProgressLine.ofWork()
    return try SignalHandling.cleaningUp {
      progress.close()
    } during: {
      defer { progress.close() }
      if lists.isEmpty {
        try repository.writeSearchIndex { work in
          progress.show {
            let megabytes = max(1, work.expectedBytes / 1_000_000)
            return
              "preparing the search index (about \(megabytes) MB), \(100 * work.done / max(1, work.total)) %"
          }
        }
      }
      return try RowSelection(
        repository, lists: lists, others: others, of: only, part: part(now: now),
        where: expression, sort: order,
        isDistinct: distinct || lists.isEmpty && !keepsCopies && !allCopies,
        for: purposes?.purposes ?? [], findsUnlisted: findsUnlisted,
        takesNamesAsTyped: takesNamesAsTyped, offset: offset, limit: limit
      ) { done in progress.show { "searching, \(Int(done * 100)) %" } }
    }
  }
}
