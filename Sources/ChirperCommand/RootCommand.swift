import ArgumentParser
import ChirperModel

/// `chirper`.
struct RootCommand: AsyncParsableCommand {
  static let version = ProgramVersion.current

  static let configuration = CommandConfiguration(
    commandName: "chirper",
    abstract: "Search wildlife sound recordings once, and list them again without a network.",
    discussion: """
      Asks a catalogue page by page, stores every page, and answers from the store from then on.

        chirper fetch parrot --pages 3
        chirper list parrot
        chirper export parrot --format csv -o parrot.csv

      Data goes to standard output, all else to standard error. Flags, fields and exit codes: docs/scripting.md.
      """,
    version: version,
    subcommands: [
      FetchCommand.self, SyncCommand.self, ListCommand.self, ExportCommand.self, BrowseCommand.self, PlayCommand.self,
      ForgetCommand.self, AuthCommand.self,
      DoctorCommand.self,
    ]
  )
}
