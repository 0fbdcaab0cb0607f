import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import ChirperTerminal
import Foundation

struct BrowseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Search, read and play recordings in a table.",
    discussion: """
      What is stored is shown at once, with its age; then it is refreshed from the catalogue. Without a network the table \
      stays usable. Without QUERY it opens on the stored queries. ? shows the keys.

        chirper browse
        chirper browse parrot
        chirper browse 'jack johnson' --source itunes
      """
  )

  @Argument(
    help: "What to search for; without it the stored queries are shown.",
    completion: ShellCompletion.newQueries)
  var query: String?

  @OptionGroup var source: SourceOption

  @Flag(help: .rare("Take plain words as a scientific name only."))
  var scientific = false

  @OptionGroup var nameService: NameServiceOption
  @OptionGroup var names: NamesOption

  @Flag(name: .customLong("no-color"), help: .rare("Use no colour (like NO_COLOR)."))
  var noColor = false

  func run() async throws {
    let catalogueNamed = try source.catalogue?.id
    let typed = try query.map { try TypedText($0, scientific: scientific, in: catalogueNamed) }
    guard TerminalDevice.isInput, TerminalDevice.isOutput else {
      let instead =
        query.map { CommandText.line("list", $0, source: source.name) } ?? "chirper list"
      throw UserFacingError.usage(
        "browse needs a terminal for its input and its output", hint: "Type: \(instead)")
    }
    let session = try Session()
    let repository = try nameService.applied(
      to: names.applied(to: session.repositoryOrReadOnly()))
    let known = try typed?.stored(in: repository) ?? []
    let (catalogue, isFallback) = try session.catalogue(
      flag: (typed?.catalogue ?? catalogueNamed)?.rawValue, stored: known)
    // A stored list is opened as it was fetched.
    let here = known.first { $0.query.catalogue == catalogue.id && $0.count > 0 }?.query
    let asked = try here ?? typed.map { try $0.query(in: catalogue, stored: known) }
    if let notice = isFallback ? catalogue.fallbackNotice : catalogue.notice {
      Console.line(notice)
    }
    var environment = ProcessInfo.processInfo.environment
    if noColor { environment["NO_COLOR"] = "1" }
    let browser = try Browser(
      repository, catalogue: catalogue, isFallback: isFallback, player: session.player(),
      environment: environment
    ) { BrowseExporter(repository: $0).write($1, $2) }
    switch await browser.run(asked) {
    case .quit(let message): if let message { Console.line(message) }
    // The table is gone, and there is nothing to say.
    case .signal(let signal):
      throw ExitCode((signal == SIGINT ? ExitStatus.interrupted : .terminated).rawValue)
    }
  }
}
