import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The choice of recordings, whatever their order.
struct ChoiceOptions: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Only rows that a search finds: 'q:A type:song' (man 7 chirper-search). Repeat it for further conditions.",
      valueName: "search"),
    completion: ShellCompletion.searchTags)
  var conditions: [String] = []

  @Option(
    name: .customLong("for"),
    help: """
      Only what you may use: commercial; derivatives (edited versions). precise: places known \
      within 1 km (precise:500: within 500 m). Several with commas.
      """)
  var purposes: Purposes?

  @Option(
    help: ArgumentHelp(
      "Whether copies of recordings that are shown are shown too, such as GBIF's of xeno-canto. (default: yes of lists, else no)",
      valueName: "yes|no"))
  var copies: Copies?

  /// Whether no option was typed, `--names` apart.
  var chooseEverything: Bool {
    var others = self
    others.names.language = nil
    return others.isUntyped
  }

  enum Copies: String, ExpressibleByArgument, CaseIterable {
    case yes, no
  }

  @OptionGroup var source: SourceOption
  @OptionGroup var names: NamesOption

  /// The question that the options ask.
  ///
  /// - Parameters:
  ///   - queries: the lists that were typed; none for everything stored.
  ///   - search: the search of everything stored, besides the conditions of `--where`.
  func selection(_ queries: [String] = [], search: String? = nil) throws(UserFacingError)
    -> Selection
  {
    var selection = Selection(where: [search].compactMap(\.self) + conditions)
    selection.lists = queries.map(ListName.typed)
    selection.catalogue = try source.catalogue?.id
    selection.purposes = purposes?.purposes ?? []
    if let copies { selection.copies = copies == .yes ? .kept : .leftOut }
    return selection
  }
}

/// The part of lists that is chosen.
struct PartOptions: ParsableArguments {
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

  func check() throws(UserFacingError) {
    let typed = [
      new.map { _ in "--new" }, changed.map { _ in "--changed" }, gone ? "--gone" : nil,
    ].compactMap(\.self)
    if typed.count > 1 { throw .together(typed) }
  }

  func apply(to selection: inout Selection) {
    if gone { selection.part = .gone }
    if let new { selection.part = .new(within: new) }
    if let changed { selection.part = .changed(within: changed) }
  }
}

/// The rows of a table that are shown.
struct WindowOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: "At most this many rows, up to 1000000000.")
  var limit: Int?

  @Option(parsing: .unconditional, help: "Skip this many rows, up to 1000000000. (default: 0)")
  var offset: Int?

  func check() throws(UserFacingError) {
    try UserFacingError.check("--limit", limit, in: 0...1_000_000_000, example: 20)
    try UserFacingError.check("--offset", offset, in: 0...1_000_000_000, example: 20)
  }
}

/// The order of recordings, and the rows that are shown.
struct OrderOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: """
      Sort by a column instead of the catalogue's order; -COLUMN for descending. Repeat it \
      for further keys. rank, the default of tables on a terminal: rows with the words in a \
      name first. stored: no such order.
      """,
    completion: ShellCompletion.sortKeys)
  var sort: [String] = []

  @OptionGroup var window: WindowOptions

  var keys: [SortKey] {
    get throws(UserFacingError) {
      let order = sort.map(SortKey.init(typed:))
      guard order.allSatisfy({ !$0.name.isEmpty }) else {
        throw .usage("--sort needs a column", example: "--sort date or --sort -date")
      }
      return order
    }
  }
}

/// The choice of recordings, and their order.
struct SelectionOptions: ParsableArguments {
  @OptionGroup var choice: ChoiceOptions
  @OptionGroup var part: PartOptions
  @OptionGroup var order: OrderOptions

  var source: SourceOption { choice.source }
  var names: NamesOption { choice.names }
  var limit: Int? { order.window.limit }
  var offset: Int? { order.window.offset }

  /// Whether no option was typed, `--source` and `--names` apart.
  var areDefaults: Bool {
    var others = self
    others.choice.source.name = nil
    others.choice.names.language = nil
    return others.isUntyped
  }

  /// Whether no option was typed that chooses or sorts rows: `--limit`, `--offset` and
  /// `--source` do not count.
  var selectsEverything: Bool {
    var others = self
    others.order.window.limit = nil
    others.order.window.offset = nil
    return others.areDefaults
  }

  func check() throws(UserFacingError) {
    try part.check()
    try order.window.check()
  }

  /// The question that the options ask, with `ChoiceOptions.selection`'s parameters.
  func selection(_ queries: [String] = [], search: String? = nil) throws(UserFacingError)
    -> Selection
  {
    var selection = try choice.selection(queries, search: search)
    part.apply(to: &selection)
    selection.sort = try order.keys
    selection.offset = offset ?? 0
    selection.limit = limit
    return selection
  }
}

extension Selection {
  /// The rows that it chooses; shows progress if that takes long.
  ///
  /// - Parameters:
  ///   - command: as it is typed before the lists; `nil` if a file names them.
  ///   - shows: whether the command shows which list of several catalogues it took, so that it
  ///     may take one on a terminal.
  ///   - perSpecies: the most rows of a species, of which the offset and the limit choose.
  ///   - forDeck: whether recordings that a deck leaves out do not count among these.
  ///   - printer: gets notes about a country that is typed by a different name, the names that a
  ///     bird is found under too, and lists that are called something else.
  func rows(
    in repository: RecordingRepository, for command: String?, shows: Bool = false,
    perSpecies: Int? = nil, forDeck: Bool = false, _ printer: Printer
  ) throws -> Rows {
    if let perSpecies {
      var whole = self
      whole.offset = 0
      whole.limit = nil
      return try whole.rows(in: repository, for: command, shows: shows, printer)
        .limited(perSpecies: perSpecies, forDeck: forDeck).window(offset: offset, limit: limit)
    }
    let progress = printer.progress()
    let rows = try SignalHandling.cleaningUp {
      progress.close()
    } during: {
      defer { progress.close() }
      if lists.isEmpty || searchesEverything {
        try repository.writeSearchIndex { done, total in
          progress.show {
            let megabytes = max(1, total * RecordingRepository.indexBytes / 1_000_000)
            return
              "preparing the search index (about \(megabytes) MB), \(100 * done / max(1, total)) %"
          }
        }
      }
      do {
        return try repository.rows(
          of: self, choosingLists: shows && TerminalDevice.isOutput
        ) { done, total in progress.show { "searching, \(done * 100 / total) %" } }
      } catch let error as SelectionError {
        throw explained(error, for: command) ?? error
      }
    }
    printer.notes((rows.expression?.countryReadings ?? []) + rows.listNotes)
    printer.note(OtherNamesText.line(rows.otherNames))
    return rows
  }

  /// The error with what to type, which depends on the lists; `nil` for one that does not.
  private func explained(_ error: SelectionError, for command: String?) -> UserFacingError? {
    switch error {
    case .ambiguous(let text, let catalogues):
      let names = catalogues.map { "\($0):\(text)" }
      return UserFacingError(error).with(
        hint: command.map { command in
          "Type \(WordList.or(names.map { CommandText.line(command, $0) }))"
        } ?? "Name \(WordList.or(names.map(\.inQuotes))) in its lists.")
    case .neverFetched where lists.count > 1:
      guard let command else { return nil }
      let error = UserFacingError(error)
      let line = CommandText.line(command, lists.map(\.text).joined(separator: " "))
      return error.with(
        hint:
          "\(error.hint ?? "")\nEach query is a list; one of several words goes in quotes: \(line)"
      )
    default: return nil
    }
  }
}
