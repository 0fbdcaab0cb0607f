#if Collection

import ChirperModel
import Foundation

extension AudioLibrary {
  /// The result of fetching the audio of a list.
  public struct Report: Hashable, Sendable {
    /// Files fetched.
    public var new = 0
    /// Files that had been downloaded before.
    public var alreadyDownloaded = 0
    /// Recordings without audio.
    public var without = 0
    /// Recordings whose audio the server that was asked in the catalogue's place does not keep.
    package var notKept = 0
    /// Files that could not be fetched.
    public var failed = 0
    /// Bytes of the files in `new` and `alreadyDownloaded`.
    public var bytes: Int64 = 0
    /// The recordings in `failed`, and those that were not tried because their catalogue, or every
    /// one, failed before.
    public var missing: [RecordingID] = []
    /// The error of the first file that failed.
    public var error: AudioError?
    /// The recording of that error.
    package var failedID: RecordingID?

    /// A report of nothing, to be filled for previews and tests.
    package init() {}

    /// The sum of reports; the error is the first.
    package init(sumOf reports: [Report]) {
      for report in reports {
        new += report.new
        alreadyDownloaded += report.alreadyDownloaded
        without += report.without
        notKept += report.notKept
        failed += report.failed
        bytes += report.bytes
        missing += report.missing
        if error == nil { (error, failedID) = (report.error, report.failedID) }
      }
    }
  }
}

/// Fetches the audio of recordings, one after the other. If the service of one recording
/// fails, no further recording of its catalogue is tried.
package struct AudioRun {
  /// The result so far.
  package private(set) var report = AudioLibrary.Report()
  /// The reason why the latest recording has no file; `nil` if it was not tried.
  package private(set) var lastError: AudioError?
  /// Whether the address of the latest recording has different audio than was claimed.
  package private(set) var hasOtherAudio = false
  private let audio: AudioLibrary
  private var unreachable: Set<CatalogueID> = []
  /// Whether no file can be stored.
  private var isBroken = false

  /// A run that keeps files in that library.
  package init(_ audio: AudioLibrary) { self.audio = audio }

  /// The file with the audio of a recording, downloaded if it is not there; `nil` if the
  /// recording has no audio, if it cannot be fetched, and if the task is cancelled.
  ///
  /// - Parameter claim: the audio of a recording whose fields are not known.
  package mutating func file(of recording: Recording, at claim: AudioClaim? = nil) async -> URL? {
    lastError = nil
    hasOtherAudio = false
    do throws(AudioError) {
      if let file = try audio.localFile(of: recording) {
        report.alreadyDownloaded += 1
        report.bytes += AudioLibrary.size(of: file) ?? 0
        return file
      }
      guard !isBroken, !unreachable.contains(recording.id.catalogue) else {
        try audio.checkAddress(of: recording, at: claim)
        report.missing.append(recording.id)
        return nil
      }
      let file = try await audio.file(of: recording, at: claim, storesGenerated: true).url
      report.new += 1
      report.bytes += AudioLibrary.size(of: file) ?? 0
      return file
    } catch {
      lastError = error
      switch error {
      case .none where claim != nil:
        hasOtherAudio = true
        return nil
      case .withheld, .none:
        report.without += 1
        return nil
      case .fetch(.cancelled): return nil
      case .fetch(let error) where error.reason == .notKept:
        report.notKept += 1
        return nil
      case .file, .store: isBroken = true
      case .fetch(let error):
        if error.scope == .service { unreachable.insert(recording.id.catalogue) }
      case .addressRefused, .badID, .inUse: break
      }
      report.failed += 1
      report.missing.append(recording.id)
      if report.error == nil { (report.error, report.failedID) = (error, recording.id) }
      return nil
    }
  }
}

#endif
