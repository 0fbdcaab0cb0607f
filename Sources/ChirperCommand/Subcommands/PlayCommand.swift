import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import ChirperTerminal
import Foundation

/// `chirper play ID`.
struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a stored recording with an installed audio player.",
    discussion: """
      The audio is fetched once and kept, so that it plays without a network the next time. Players are mpv, ffplay, play \
      (sox) and afplay, the first that is installed, or the one that the settings name.

        chirper play 535692
        chirper play XC535692 --save
        chirper play sample:17
      """
  )

  @Argument(help: "The recording's id, as list and browse show it.")
  var id: String

  @Flag(help: "Fetch and keep the audio and print the file's path; play nothing.")
  var save = false

  @OptionGroup var source: SourceOption

  func run() async throws {
    let session = try Session()
    let repository = try session.repositoryOrReadOnly()
    let recording = try self.recording(repository)
    let player = save ? nil : try self.player(session)
    let keepsGenerated = save
    let (outcome, signal) = await SignalHandling.cancelling { () -> Result<Done, AudioError> in
      do throws(AudioError) {
        let file = try await repository.audio.file(of: recording, keepsGenerated: keepsGenerated)
        guard let player else { return .success(.saved(file.url.path)) }
        Console.line("\(Self.title(recording)) · playing with \(player.name) · Ctrl-C stops")
        return .success(.played(await player.play(file)))
      } catch {
        return .failure(error)
      }
    }
    if let signal { throw CommandError.interrupted(terminated: signal != SIGINT) }
    switch outcome {
    case .success(.saved(let path)):
      let sink = ByteSink.standardOutput()
      try sink.line(path)
      try sink.flush()
    case .success(.played(.failed(let reason))): throw UserFacingError(.failed, "player-failed", reason)
    case .success(.played): break
    case .failure(let error): throw UserFacingError(error, recording.id)
    }
  }

  private enum Done: Sendable {
    case saved(String)
    case played(Player.Outcome)
  }

  private func recording(_ repository: RecordingRepository) throws -> Recording {
    let catalogues = try source.name.map { [try Session.catalogue($0, from: "--source")] } ?? Catalogues.all
    for id in catalogues.flatMap({ $0.ids(for: id) }) {
      if let found = try repository.recording(id) { return found }
    }
    let query = catalogues.lazy.compactMap { $0.queryForID(id) }.first
    throw UserFacingError(
      .notFetched, "not-stored", "No recording \"\(id)\" is stored",
      hint: query.map { "Type: \(CommandText.fetch($0))" }
        ?? "Fetch a query that finds it; chirper browse shows the id of each row.")
  }

  private func player(_ session: Session) throws -> Player {
    switch session.player() {
    case .success(let player): return player
    case .failure(let missing):
      throw UserFacingError(.configuration, "no-player", missing.problem, hint: "Or type: chirper play \(id) --save")
    }
  }

  private static func title(_ recording: Recording) -> String {
    let details = Catalogues.named(recording.id.catalogue)?.details(of: recording)
    return ([recording.id.value] + [details?.vernacularName, details?.recordedBy].compactMap(\.self))
      .joined(separator: " · ")
  }
}
