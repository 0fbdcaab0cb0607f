import ArgumentParser
import Chirper
import ChirperFormats
import Foundation

extension ParsableArguments {
  /// Whether no option of the group was typed. The texts of the values that the parser has are
  /// compared, so that a new option counts at once.
  var isUntyped: Bool { (try? Self.parse([])).map { "\($0)" == "\(self)" } ?? false }
}

extension ArgumentVisibility {
  /// The visibility of options that few need. `--help` leaves them out; completions, errors and man
  /// pages, which the parser makes of what is visible, have them.
  static var rare: ArgumentVisibility {
    let words = CommandLine.arguments.dropFirst()
    return words.first == "help" || words.contains("--help") || words.contains("-h")
      ? .hidden : .default
  }
}

extension ArgumentHelp {
  static func rare(_ text: String, valueName: String? = nil) -> ArgumentHelp {
    ArgumentHelp(text, valueName: valueName, visibility: .rare)
  }
}

/// Flags of every command that prints more than one thing.
struct CommonOptions: ParsableArguments {
  @Flag(help: "Write one JSON object to standard output, and an error as one to standard error.")
  var json = false

  @Flag(name: .customLong("no-color"), help: .rare("Use no colour (like NO_COLOR)."))
  var noColor = false

  var printer: Printer { printer(isQuiet: false) }

  func printer(isQuiet: Bool) -> Printer {
    Printer(isJSON: json, isQuiet: isQuiet, hasNotes: !json && !isQuiet)
  }
}

/// The catalogue to ask or to look in.
struct SourceOption: ParsableArguments {
  @Option(
    name: .customLong("source"),
    help: "The catalogue: \(WordList.or(Catalogues.all.map(\.id.rawValue))).",
    completion: .list(Catalogues.all.map(\.id.rawValue)))
  var name: String?

  /// The catalogue that it names; `nil` if it is not typed.
  var catalogue: Catalogue? {
    get throws(UserFacingError) {
      guard let name else { return nil }
      return try Session.catalogue(name, from: "--source")
    }
  }

  /// The lists that are of the catalogue; all if it is not typed.
  func chosen(of lists: @autoclosure () throws -> [StoredQuery]) throws -> [StoredQuery] {
    let only = try catalogue?.id
    return try lists().filter { only == nil || $0.query.catalogue == only }
  }
}

/// Whether GBIF may be asked for other names if nothing is found.
struct NameServiceOption: ParsableArguments {
  @Flag(
    name: .customLong("no-name-service"),
    help: .rare("If nothing is found, do not ask GBIF for other names."))
  var isOff = false

  /// The repository as it may ask.
  func applied(to repository: RecordingRepository) -> RecordingRepository {
    var repository = repository
    if isOff { repository.asksNameService = false }
    return repository
  }
}

/// The names come from the table of formats.
extension RecordFormat: ExpressibleByArgument {
  public init?(argument: String) {
    guard let format = RecordFormat.named(argument) else { return nil }
    self = format
  }

  public static var allValueStrings: [String] { all.map(\.name) }
  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The uses that recordings are meant for: `commercial`, `derivatives`, `precise` or
/// several with commas between them.
struct Purposes: ExpressibleByArgument {
  let purposes: [Selection.Purpose]

  init?(argument: String) {
    guard let purposes = Selection.Purpose.list(argument) else { return nil }
    self.purposes = purposes
  }

  // Without `allValueStrings` the help does not list them a second time.
  static var defaultCompletionKind: CompletionKind { .list(Selection.Purpose.names) }
}

extension WriteOptions {
  /// The options for standard output: fitted on a terminal, with a bold heading, and
  /// without characters that the terminal could act on.
  init(printing common: CommonOptions) {
    self.init(now: WallClock.now())
    guard TerminalDevice.isOutput else { return }
    terminalWidth = TerminalDevice.width(of: STDOUT_FILENO)
    escapesControls = true
    heading = Style(noColor: common.noColor, variables: .live, isTerminal: true).bold
  }
}
