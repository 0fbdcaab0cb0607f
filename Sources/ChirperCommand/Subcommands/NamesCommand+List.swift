import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

extension NamesCommand {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show which lists of names were added.")

    @OptionGroup var common: CommonOptions

    func run() throws {
      let lists = try Session.offline(.read).nameLists()
      let now = WallClock.now()
      let nothing = "No list of names was added. Type: chirper names add FILE"
      try common.printer.print(
        Report(
          ["lists": lists.map(\.json)], answer: lists.map { $0.text(now: now) },
          notes: lists.isEmpty ? [nothing] : []))
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a list of names.")

    @Argument(help: "The name of the list.", completion: ShellCompletion.nameLists)
    var name: String

    @OptionGroup var common: CommonOptions

    func run() throws {
      let lists = try Session.offline(.read).nameLists()
      guard let list = lists.first(where: { $0.name == name }),
        try Session.offline(.write).removeNames(name)
      else {
        let near = NearestNames.to(name, among: lists.map(\.name)).first
        throw UserFacingError.usage(
          "No list of names is called \(name.inQuotes)",
          hint: near.map { "Type: \(CommandText.line("names remove", $0))" }
            ?? "Type: chirper names list")
      }
      try common.printer.print(
        Report(
          ["removed": list.json], notes: ["removed \(list.name.inQuotes): \(list.numbers)"]))
    }
  }
}
