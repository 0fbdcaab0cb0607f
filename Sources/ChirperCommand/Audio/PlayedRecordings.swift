import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import ChirperTerminal
import Foundation

/// The recordings that are played, or whose audio is kept, one after the other.
struct PlayedRecordings {
  let count: Int
  /// Whether they are rows of lists, or of everything stored.
  let isList: Bool
  /// The error because of which rows of the lists are missing; `nil` if none is.
  let damage: StoreError?
  /// Returns the recording at that position.
  let at: (Int) throws -> Recording

  /// Plays them, or without a player keeps their audio and prints the paths.
  func play(with player: Player?, in repository: RecordingRepository) async throws {
    do {
      try await playAll(player, repository)
    } catch {
      // What could not be played is the last word.
      if let damage { Console.line(UserFacingError(damage).message) }
      throw error
    }
    if let damage { throw damage }
  }

  private func playAll(_ player: Player?, _ repository: RecordingRepository) async throws {
    let done = player == nil ? "saved" : "played"
    var errors: [UserFacingError] = []
    var inARow = 0
    for position in 0..<count {
      guard let error = try await play(at(position), player, repository) else {
        inARow = 0
        continue
      }
      errors.append(error)
      inARow += 1
      if isList, inARow == Self.mostFailures, position + 1 < count {
        Console.line(error.message)
        throw UserFacingError(
          errors.count == position + 1 ? error.status : .partly, kind: "not-played",
          problem: "\(inARow) recordings after each other could not be \(done), so the other "
            + "\(count - position - 1) were not tried",
          hint: error.hint)
      }
      // The error of a single recording is printed at the end.
      if count > 1 { Console.line(error.message) }
    }
    guard let first = errors.first else { return }
    guard count > 1 else { throw first }
    let all = errors.count == count && errors.allSatisfy { $0.status == first.status }
    throw UserFacingError(
      all ? first.status : .partly, kind: "not-played",
      problem: "\(errors.count) of \(count) recordings could not be \(done)",
      hint: first.hint)
  }

  /// The number of recordings of a list that fail after each other until playing ends,
  /// because the rest would fail too.
  private static let mostFailures = 3

  /// Plays a recording. Returns its error; other recordings may still be played.
  private func play(
    _ recording: Recording, _ player: Player?, _ repository: RecordingRepository
  ) async throws -> UserFacingError? {
    let storesGenerated = player == nil
    let line = ProgressLine(isShown: TerminalDevice.canRewriteError)
    defer { line.close() }
    let (outcome, signal) = await SignalHandling.cancelling {
      () -> Result<(path: String, played: Player.Outcome?), AudioError> in
      do throws(AudioError) {
        let file = try await repository.audio.file(of: recording, storesGenerated: storesGenerated)
        {
          received, total in
          line.show { Self.progress(recording.id, received, total) }
        }
        line.close()
        guard let player else { return .success((file.url.path, nil)) }
        let details = repository.details(of: recording)
        let title = [recording.id.value, details.vernacularName, details.recordedBy]
          .compactMap(\.self).joined(separator: " · ")
        Console.line("\(title) · playing with \(player.name) · Ctrl-C stops")
        return .success((file.url.path, await player.play(file)))
      } catch {
        return .failure(error)
      }
    }
    if let signal {
      // Ctrl-C is the announced way to stop the player, so it is not an error.
      if signal == SIGINT, case .success((_, _?)) = outcome {
        throw ExitCode(ExitStatus.interrupted.rawValue)
      }
      throw UserFacingError.interrupted(by: signal)
    }
    switch outcome {
    case .success((let path, nil)): try ByteSink.printOut(path)
    case .success((_, .failed(let reason)?)):
      return UserFacingError(.failed, kind: "player-failed", problem: reason)
    case .success: break
    case .failure(let error): return UserFacingError(error, recording.id)
    }
    return nil
  }

  /// `535692: 1.2 MB of 3.4 MB`.
  private static func progress(_ id: RecordingID, _ received: Int, _ total: Int?) -> String {
    guard received > 0 else { return "\(id.value): requesting the audio" }
    return
      "\(id.value): \(SizeText.words(received))\(total.map { " of \(SizeText.words($0))" } ?? "")"
  }
}
