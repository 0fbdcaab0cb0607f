import Chirper
import ChirperModel
import Foundation

/// Brings the audio of a stored list into the data directory, one file after the other, at the catalogue's pace.
struct AudioFetch {
  let repository: RecordingRepository
  let audio: AudioLibrary
  /// Between two requests.
  let interval: Duration
  let dependencies: Dependencies

  /// What was done.
  struct Report: Equatable, Sendable {
    var new = 0
    var kept = 0
    /// Recordings of which the catalogue gives none.
    var without = 0
    var failed = 0
    /// What stopped it, or the first file that failed.
    var error: AudioError?
    var failedID: RecordingID?

    var summary: String {
      let parts = ["\(new) new", "\(kept) already kept", "\(without) without audio"] + (failed > 0 ? ["\(failed) failed"] : [])
      return "audio: \(parts.joined(separator: ", "))"
    }
  }

  func run(_ query: SearchQuery, tell: @Sendable (String) -> Void) async throws -> Report {
    var report = Report()
    guard let catalogue = Catalogues.named(query.catalogue) else { return report }
    let reader = try repository.reader(of: query)
    for position in 0..<reader.count {
      guard let recording = try reader.rows(position..<(position + 1)).first, !Task.isCancelled else { break }
      do throws(AudioError) {
        guard try audio.kept(recording, in: catalogue) == nil else {
          report.kept += 1
          continue
        }
        _ = try await audio.file(of: recording, in: catalogue, isKept: true)
        report.new += 1
        tell("audio \(position + 1) of \(reader.count)")
      } catch {
        switch error {
        case .withheld, .none:
          report.without += 1
          continue
        case .fetch(.cancelled): return report
        case .addressRefused, .badID, .fetch, .file:
          report.failed += 1
          if report.error == nil { (report.error, report.failedID) = (error, recording.id) }
          if error.endsRun { return report }
        }
      }
      guard (try? await dependencies.sleep(interval)) != nil else { break }
    }
    return report
  }
}

extension AudioError {
  /// Whether no other file can be had either.
  fileprivate var endsRun: Bool {
    switch self {
    case .file, .fetch(.offline), .fetch(.unreachable), .fetch(.rateLimited), .fetch(.badCertificate), .fetch(.webPage): true
    default: false
    }
  }
}
