import ChirperModel
import Foundation

/// What fetching the audio of a list did.
public struct AudioReport: Equatable, Sendable {
  /// Files fetched.
  public var new = 0
  /// Files that were kept already.
  public var kept = 0
  /// Recordings without audio.
  public var without = 0
  /// Files that could not be fetched.
  public var failed = 0
  /// Bytes of the files in `new` and `kept`.
  public var bytes: Int64 = 0
  /// What stopped it, or the first file that failed.
  public var error: AudioError?
  /// The recording of that error.
  public var failedID: RecordingID?

  /// What all of these did; the error is the first.
  package init(sumOf reports: [AudioReport] = []) {
    for report in reports {
      new += report.new
      kept += report.kept
      without += report.without
      failed += report.failed
      bytes += report.bytes
      if error == nil { (error, failedID) = (report.error, report.failedID) }
    }
  }
}

extension RecordingRepository {
  /// Fetches the audio of every row of a stored list, one file after the other, and keeps it. A cancelled run ends early without
  /// an error.
  ///
  /// - Parameters:
  ///   - query: of the list.
  ///   - observe: called after each new file with its place in the list, from 1, and the list's length.
  public func fetchAudio(
    of query: CatalogueQuery, observe: @Sendable (_ position: Int, _ count: Int) -> Void = { _, _ in }
  ) async throws(StoreError) -> AudioReport {
    var report = AudioReport()
    let reader = try reader(of: query)
    for position in 0..<reader.count {
      guard !Task.isCancelled, let recording = try reader.rows(position..<(position + 1)).first else { break }
      do throws(AudioError) {
        if let file = try audio.kept(recording.id) {
          report.kept += 1
          report.bytes += AudioLibrary.size(of: file) ?? 0
          continue
        }
        report.bytes += AudioLibrary.size(of: try await audio.file(of: recording, keepsGenerated: true).url) ?? 0
        report.new += 1
        observe(position + 1, reader.count)
      } catch {
        let isLast: Bool
        switch error {
        case .withheld, .none:
          report.without += 1
          continue
        case .fetch(.cancelled): return report
        // No other file can be fetched either.
        case .file, .store: isLast = true
        case .fetch(let error): isLast = error.scope == .service
        case .addressRefused, .badID, .inUse: isLast = false
        }
        report.failed += 1
        if report.error == nil { (report.error, report.failedID) = (error, recording.id) }
        if isLast { return report }
      }
    }
    return report
  }
}
