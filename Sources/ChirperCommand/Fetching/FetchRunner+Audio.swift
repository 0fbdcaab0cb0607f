import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The audio of what was fetched.
extension FetchRunner {
  /// Fetches the audio of the stored list, unless the fetch was interrupted or its catalogue cannot be reached, and prints a
  /// summary; what goes wrong becomes part of the outcome.
  func fetchAudio(of outcome: inout FetchOutcome) async {
    guard outcome.report.stored != nil, outcome.status != .interrupted, outcome.status != .terminated,
      !outcome.isServiceUnavailable
    else { return }
    let query = outcome.query
    let line = ProgressLine(isShown: TerminalDevice.canRewriteError && printsText)
    let (result, signal) = await SignalHandling.cancelling { [repository] in
      await Result {
        try await repository.fetchAudio(of: query) { position, count in line.show { "audio \(position) of \(count)" } }
      }
    }
    line.close()
    if let signal { outcome.add(.interrupted(terminated: signal != SIGINT)) }
    switch result {
    case .failure(let error): outcome.add(UserFacingError(any: error) ?? .other(error))
    case .success(let report):
      outcome.audio = report
      if printsText, signal == nil { Console.line(report.summary) }
      if let error = report.error, let id = report.failedID {
        outcome.add(
          UserFacingError(error, id).with(
            status: .partly, hint: "Type the same command again: it continues with what is missing."))
      }
    }
  }
}

extension AudioReport {
  /// `audio: 1 new, 4 already kept, 0 without audio; 5 files, 3.4 MB`.
  fileprivate var summary: String {
    let parts = ["\(new) new", "\(kept) already kept", "\(without) without audio"] + (failed > 0 ? ["\(failed) failed"] : [])
    let files = new + kept
    let all = files > 0 ? "; \(Plural.words(files, "file")), \(SizeText.words(bytes))" : ""
    return "audio: \(parts.joined(separator: ", "))\(all)"
  }

  /// For `--json`.
  var json: JSONObject {
    var object = JSONObject()
    object.add("new", new)
    object.add("kept", kept)
    object.add("without", without)
    object.add("failed", failed)
    object.add("files", new + kept)
    object.add("bytes", bytes)
    return object
  }
}

extension Result where Failure == any Error {
  /// The outcome of asynchronous work.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
