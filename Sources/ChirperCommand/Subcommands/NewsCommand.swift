import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct NewsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "news",
    abstract: "Show what is new, changed and gone in all stored lists; works offline.",
    discussion: """
      A block for each list with something in it, and a line of sums. What a list had when it was first read is not new. \
      chirper list QUERY --new, --changed and --gone show all of it.

        chirper sync && chirper news
        chirper news --since 30d
        chirper news --json
        chirper news --since 30d --format atom -o birds.atom
      """
  )

  @Option(
    help: ArgumentHelp(
      "What happened within this time: 12h, 7d, 2w. (default: 7d)", valueName: "age"),
    transform: Age.init(option:))
  var since: Age?

  @Option(help: "text, or atom for feed readers; without it the extension of -o selects one.")
  var format: NewsFormat?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The file to write. (default: standard output)", completion: .file())
  var output: String?

  @OptionGroup var common: CommonOptions

  /// The forms of the news besides JSON.
  enum NewsFormat: String, ExpressibleByArgument, CaseIterable {
    case text, atom
  }

  func run() throws {
    let printer = common.printer
    if printer.isJSON, format != nil || output != nil {
      throw UserFacingError.usage(
        "--json cannot be used with --format and -o", hint: "Type one of them.")
    }
    try OutputOptions.checkIsNamed(output, example: "birds.atom")
    let repository = try Session.offline(.read)
    let since = try (since ?? Age(option: "7d")).moment(
      before: RecordingRepository.Dependencies.live.now())
    let file = output == "-" ? nil : output
    let selected = file.flatMap(RecordFormat.pathExtension) == "atom" ? NewsFormat.atom : .text
    if (format ?? selected) == .atom {
      let feed = try NewsFeed(since: since, in: repository)
      try write(feed.text(), to: file)
      return try repository.checkAreWhole(feed.lists.map(\.query))
    }
    let news = try repository.news(
      since: since, limit: printer.isJSON ? FetchReport.idLimit : StoredQuery.News.named)
    if printer.isJSON {
      try printer.print(Report(news.json(since: since, in: repository)))
    } else {
      try write(news.text(since: since, in: repository), to: file)
    }
    if let damage = news.lazy.compactMap(\.damage).first { throw damage }
  }

  private func write(_ text: String, to file: String?) throws {
    let files = try AtomicFile.all([file].compactMap(\.self))
    try AtomicFile.writing(files) {
      let sink = files.first?.sink ?? .standardOutput()
      let isShown = file == nil && TerminalDevice.isOutput
      sink.buffer += (isShown ? TerminalText.escaped(text, keepingLines: true) : text).utf8
      try sink.flush()
    }
  }
}
