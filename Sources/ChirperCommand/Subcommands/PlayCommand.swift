import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import ChirperTerminal
import Foundation

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play stored recordings with an installed audio player.",
    discussion: """
      The audio is fetched once and kept, so that it plays without a network the next time. Several recordings are played one \
      after the other. Players are mpv, ffplay, play (sox) and afplay, the first that is installed, or the one that the \
      settings name.

        chirper play 535692
        chirper play XC535692 XC119000
        chirper play XC535692 --save
        chirper play sample:17
      """
  )

  @Argument(help: "The recordings' ids, as list and browse show them.")
  var ids: [String]

  @Flag(help: "Fetch and keep the audio and print the path of each file; play nothing.")
  var save = false

  @OptionGroup var source: SourceOption

  func run() async throws {
    let session = try Session()
    let repository = try session.repositoryOrReadOnly()
    // Before the first is played: a mistyped id should not end an evening halfway.
    let recordings = try ids.map { try recording($0, repository) }
    let player = save ? nil : try self.player(session)
    var errors: [UserFacingError] = []
    for recording in recordings {
      guard let error = try await play(recording, player, repository) else { continue }
      errors.append(error)
      // The error of a single recording is printed at the end.
      if recordings.count > 1 { Console.line(error.message) }
    }
    guard let first = errors.first else { return }
    guard recordings.count > 1 else { throw first }
    let all = errors.count == recordings.count && errors.allSatisfy { $0.status == first.status }
    throw UserFacingError(
      all ? first.status : .partly, "not-played",
      "\(errors.count) of \(recordings.count) recordings could not be \(save ? "saved" : "played")", hint: first.hint)
  }

  /// Returns what went wrong with this recording; others may still be played.
  private func play(
    _ recording: Recording, _ player: Player?, _ repository: RecordingRepository
  ) async throws -> UserFacingError? {
    let keepsGenerated = save
    let line = ProgressLine(isShown: TerminalDevice.canRewriteError)
    defer { line.close() }
    let (outcome, signal) = await SignalHandling.cancelling { () -> Result<(path: String, played: Player.Outcome?), AudioError> in
      do throws(AudioError) {
        let file = try await repository.audio.file(of: recording, keepsGenerated: keepsGenerated) { received, total in
          line.show { Self.progress(recording.id, received, total) }
        }
        line.close()
        guard let player else { return .success((file.url.path, nil)) }
        Console.line("\(Self.title(recording, repository.details(of: recording))) · playing with \(player.name) · Ctrl-C stops")
        return .success((file.url.path, await player.play(file)))
      } catch {
        return .failure(error)
      }
    }
    if let signal { throw UserFacingError.interrupted(terminated: signal != SIGINT) }
    switch outcome {
    case .success((let path, nil)): try ByteSink.printOut(path)
    case .success((_, .failed(let reason)?)): return UserFacingError(.failed, "player-failed", reason)
    case .success: break
    case .failure(let error): return UserFacingError(error, recording.id)
    }
    return nil
  }

  private func recording(_ id: String, _ repository: RecordingRepository) throws -> Recording {
    let catalogues = try source.name.map { [try Session.catalogue($0, from: "--source")] } ?? Catalogues.all
    for id in catalogues.flatMap({ $0.ids(for: id) }) {
      if let found = try repository.recording(id) { return found }
    }
    if let found = try numbered(id, in: catalogues, repository) { return found }
    let query = catalogues.lazy.compactMap { $0.queryForID(id) }.first
    throw UserFacingError(
      .notFetched, "not-stored", "No recording \(id.inQuotes) is stored",
      hint: query.map { "Type: \(CommandText.line("fetch", $0))" }
        ?? "Fetch a query that finds it; chirper browse shows the id of each row.")
  }

  /// The recording with that catalogue number; digits alone are one if a catalogue was named.
  private func numbered(_ typed: String, in catalogues: [Catalogue], _ repository: RecordingRepository) throws -> Recording? {
    guard typed.canBeCatalogueNumber else { return nil }
    let isWhole = typed.first?.isLetter == true
    guard isWhole || source.name != nil else { return nil }
    let ids = catalogues.map(\.id)
    let names = ids.map(\.rawValue).joined(separator: ",")
    let found = try repository.search(SearchExpression("nr:\(typed) source:\(names)", catalogues: ids), window: 0..<20)
    return try found.rows(0..<found.count).first {
      !isWhole || $0.details.catalogueNumber?.lowercased() == typed.lowercased()
    }?.recording
  }

  private func player(_ session: Session) throws -> Player {
    let typed = ids.map { CommandText.quoted($0) }.joined(separator: " ")
    return try session.player().mapError { $0.with(hint: "Or type: chirper play \(typed) --save") }.get()
  }

  /// `535692: 1.2 MB of 3.4 MB`.
  private static func progress(_ id: RecordingID, _ received: Int, _ total: Int?) -> String {
    guard received > 0 else { return "\(id.value): requesting the audio" }
    return "\(id.value): \(SizeText.words(received))\(total.map { " of \(SizeText.words($0))" } ?? "")"
  }

  private static func title(_ recording: Recording, _ details: RecordingDetails) -> String {
    ([recording.id.value] + [details.vernacularName, details.recordedBy].compactMap(\.self)).joined(separator: " · ")
  }
}
