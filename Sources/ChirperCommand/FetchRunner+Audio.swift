import Chirper
import ChirperModel
import Foundation

/// The audio of what was fetched.
extension FetchRunner {
  /// Fetches the audio of the stored list, unless the fetch was interrupted, and says what came of it.
  ///
  /// - Returns: what went wrong; `nil` where nothing did.
  func fetchAudio(of outcome: FetchOutcome, _ catalogue: Catalogue, _ session: Session) async throws -> UserFacingError? {
    guard outcome.report.stored != nil, outcome.status != .interrupted, outcome.status != .terminated else { return nil }
    let fetch = AudioFetch(
      repository: repository, audio: try session.audio(), interval: session.audioInterval(of: catalogue),
      dependencies: .live)
    let (query, isTold) = (outcome.query, TerminalDevice.canRewriteError && !common.json)
    let (result, signal) = await SignalHandling.cancelling {
      await Result { try await fetch.run(query) { if isTold { Console.write("\r\($0)") } } }
    }
    if isTold { Console.write("\r\u{1B}[K") }
    if let signal { return UserFacingError(CommandError.interrupted(terminated: signal != SIGINT)) }
    let report = try result.get()
    if !common.json { Console.line(report.summary) }
    guard let error = report.error, let id = report.failedID else { return nil }
    return UserFacingError(error, id).with(
      status: .partly, hint: "Type the same command again: it goes on with what is missing.")
  }
}

extension Result where Failure == any Error {
  /// The outcome of asynchronous work.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
