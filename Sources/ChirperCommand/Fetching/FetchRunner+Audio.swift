import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The audio of what was fetched.
extension FetchRunner {
  /// Fetches the audio of the stored list, unless the fetch was interrupted, and prints a summary.
  ///
  /// - Returns: what went wrong; `nil` where nothing did.
  func fetchAudio(of outcome: FetchOutcome) async throws -> UserFacingError? {
    guard outcome.report.stored != nil, outcome.status != .interrupted, outcome.status != .terminated else { return nil }
    let (query, showsProgress) = (outcome.query, TerminalDevice.canRewriteError && printsText)
    let (result, signal) = await SignalHandling.cancelling { [repository] in
      await Result {
        try await repository.fetchAudio(of: query) { position, count in
          if showsProgress { Console.write("\raudio \(position) of \(count)") }
        }
      }
    }
    if showsProgress { Console.write("\r\u{1B}[K") }
    if let signal { return .interrupted(terminated: signal != SIGINT) }
    let report = try result.get()
    if printsText { Console.line(report.summary) }
    guard let error = report.error, let id = report.failedID else { return nil }
    return UserFacingError(error, id).with(
      status: .partly, hint: "Type the same command again: it continues with what is missing.")
  }
}

extension AudioReport {
  fileprivate var summary: String {
    let parts = ["\(new) new", "\(kept) already kept", "\(without) without audio"] + (failed > 0 ? ["\(failed) failed"] : [])
    return "audio: \(parts.joined(separator: ", "))"
  }
}

extension Result where Failure == any Error {
  /// The outcome of asynchronous work.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
