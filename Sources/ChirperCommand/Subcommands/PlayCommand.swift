import ArgumentParser
import Chirper
import ChirperFormats
import ChirperTerminal
import Foundation

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play stored recordings with an installed audio player.",
    discussion: """
      The audio is fetched once and kept, so that it plays without a network the next time. Several recordings are played one \
      after the other; give ids or stored lists, or choose from everything with --where. Players are mpv, ffplay, play (sox) and afplay, the first that is installed, or the one that the \
      settings name.

        chirper play 535692
        chirper play XC535692 XC119000
        chirper play XC535692 --save
        chirper play parrot --limit 5
        chirper play --where 'q:A type:song audio:yes' --sort -date
        chirper play sample:17

      \(HelpText.choosingLine)
      """
  )

  @Argument(
    help: "The recordings' ids, as list and browse show them, or stored queries.",
    completion: ShellCompletion.queries)
  var ids: [String] = []

  @Flag(help: "Fetch and keep the audio and print the path of each file; play nothing.")
  var save = false

  @OptionGroup(title: HelpText.choosing, visibility: .rare) var rows: SelectionOptions

  func run() async throws {
    try rows.check()
    let session = try Session()
    let repository = try session.repositoryOrReadOnly()
    let recordings = try PlayedRecordings(ids, rows, in: repository)
    let player = save ? nil : try self.player(session)
    try await recordings.play(with: player, in: repository)
  }

  private func player(_ session: Session) throws -> Player {
    let typed = ids.map { CommandText.quoted($0) }.joined(separator: " ")
    let hint =
      rows.areDefaults
      ? "Or type: chirper play \(typed) --save"
      : "Or type --save with it, for the paths of the files."
    return try session.player().mapError { $0.with(hint: hint) }.get()
  }
}
