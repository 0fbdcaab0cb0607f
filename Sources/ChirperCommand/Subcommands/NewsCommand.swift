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
      """
  )

  @Option(
    help: ArgumentHelp(
      "What happened within this time: 12h, 7d, 2w. (default: 7d)", valueName: "age"),
    transform: Age.init(option:))
  var since: Age?

  @OptionGroup var common: CommonOptions

  func run() throws {
    let repository = try Session.offline(.read)
    let since = try (since ?? Age(option: "7d")).moment(
      before: RecordingRepository.Dependencies.live.now())
    let news =
      try common.json
      ? repository.news(since: since) : repository.news(since: since, limit: StoredQuery.News.named)
    let (some, sums) = (news.filter { !$0.isEmpty }, NewsSums(news))
    try show(some, sums, since, in: repository)
    if let damage = news.lazy.compactMap(\.damage).first { throw damage }
  }

  private func show(
    _ some: [StoredQuery.News], _ sums: NewsSums, _ since: Date, in repository: RecordingRepository
  ) throws {
    if common.json {
      let object: JSONObject = [
        "since": since, "new": sums.new, "changed": sums.changed, "gone": sums.gone,
        "lists": sums.lists,
        "queries": some.map { $0.json(in: repository) },
      ]
      return try ByteSink.printOut(object.text)
    }
    let blocks = some.map {
      $0.lines(details: repository.details(of:)).joined(separator: "\n") + "\n\n"
    }
    try ByteSink.printOut("\(blocks.joined())\(sums.text) since \(since.formatted(.iso8601))")
  }
}
