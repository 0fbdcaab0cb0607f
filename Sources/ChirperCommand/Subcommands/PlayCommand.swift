import ArgumentParser
import Chirper
import ChirperModel
import ChirperTerminal
import Foundation

/// `chirper play ID`.
struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a stored recording through the player that is installed.",
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
    let recording = try self.recording(try session.browsable())
    guard let catalogue = Catalogues.named(recording.id.catalogue) else {
      throw CommandError.unknownSource(recording.id.catalogue.rawValue, from: "the store")
    }
    let player = save ? nil : try self.player(session)
    let audio = try session.audio()
    let save = save
    let (outcome, signal) = await SignalHandling.cancelling { () -> Result<Done, AudioError> in
      do throws(AudioError) {
        let source = try await audio.file(of: recording, in: catalogue, isKept: save)
        guard let player else { return .success(.saved(source.url.path)) }
        Console.line("\(Self.title(recording, catalogue)) · \(player.name) plays · Ctrl-C stops")
        return .success(.played(await PlayerRun.play(source, with: player)))
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
    case .success(.played(.failed(let reason))): throw UserFacingError(.failed, "player-failed", "\(reason).")
    case .success(.played): break
    case .failure(let error): throw UserFacingError(error, recording.id)
    }
  }

  private enum Done: Sendable {
    case saved(String)
    case played(PlayerRun.Outcome)
  }

  private func recording(_ repository: RecordingRepository) throws -> Recording {
    let named = try source.name.map { [try Session.catalogue($0, from: "--source")] } ?? Catalogues.all
    for catalogue in named {
      for value in Self.spellings(of: id, in: catalogue.id) {
        if let found = try repository.recording(RecordingID(catalogue: catalogue.id, value: value)) { return found }
      }
    }
    let number = Self.spellings(of: id, in: .xenoCanto).last ?? id
    let isNumber = !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let isXenoCanto = source.name == nil || source.name == CatalogueID.xenoCanto.rawValue
    throw UserFacingError(
      .notFetched, "not-stored", "No recording \"\(id)\" is stored.",
      hint: isNumber && isXenoCanto
        ? "Type: chirper fetch nr:\(number)" : "Fetch a query that finds it; chirper browse shows the id of each row.")
  }

  /// What the id is called in the store: xeno-canto's numbers are written XC535692 everywhere but in its answers, and
  /// the id of an iTunes track has its kind before the number.
  private static func spellings(of id: String, in catalogue: CatalogueID) -> [String] {
    switch catalogue {
    case .xenoCanto where id.uppercased().hasPrefix("XC"): [String(id.dropFirst(2))]
    case .itunes: [id, "track-\(id)"]
    default: [id]
    }
  }

  private func player(_ session: Session) throws -> Player {
    switch session.player() {
    case .success(let player): return player
    case .failure(let missing):
      throw UserFacingError(.configuration, "no-player", "\(missing.words).", hint: "Or type: chirper play \(id) --save")
    }
  }

  private static func title(_ recording: Recording, _ catalogue: Catalogue) -> String {
    let details = catalogue.details(of: recording)
    return ([recording.id.value] + [details.vernacularName, details.recordedBy].compactMap(\.self)).joined(separator: " · ")
  }
}
