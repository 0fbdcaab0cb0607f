#if Collection

import ChirperModel
import Foundation

extension RecordingRepository {
  /// Fetches the audio of every row of a stored list, one file after the other, and keeps it. A
  /// cancelled run ends early without an error.
  ///
  /// - Parameters:
  ///   - query: of the list.
  ///   - progress: called after each new file with its position in the list, from 1, and the list's
  ///     length.
  public func fetchAudio(
    of query: CatalogueQuery,
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws(StoreError) -> AudioLibrary.Report {
    let reader = try await perform { repository throws(StoreError) in
      try ListReader(repository, [query])
    }
    return try await fetchAudio(of: reader, 0..<reader.count, progress: progress)
  }

  /// Fetches the audio of the rows at positions, like `fetchAudio(of:progress:)`.
  func fetchAudio(
    of reader: ListReader, _ range: Range<Int>,
    progress: @Sendable (_ done: Int, _ total: Int) -> Void
  ) async throws(StoreError) -> AudioLibrary.Report {
    var run = AudioRun(audio)
    for (index, position) in range.enumerated() {
      guard !Task.isCancelled else { break }
      let row = try await perform { _ throws(StoreError) in
        try reader.rows(position..<(position + 1)).first
      }
      guard let recording = row else { break }
      let before = run.report.new
      _ = await run.file(of: recording)
      if run.report.new > before { progress(index + 1, range.count) }
    }
    return run.report
  }
}

#endif
