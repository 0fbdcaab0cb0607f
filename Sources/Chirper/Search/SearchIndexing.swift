import ChirperModel
import ChirperPlatform
import ChirperRemote
import ChirperStore
import Dispatch

/// How far the search index is.
public struct SearchIndexProgress: Hashable, Sendable {
  /// Recordings that were read.
  public let done: Int
  /// Recordings that were to be read when the work began.
  public let total: Int

  /// About how many bytes the index of the recordings to be read takes in the store's file.
  public var expectedBytes: Int64 { Int64(total) * 150 }
}

extension RecordingRepository {
  /// Adds what was stored, or has changed, to the search index, if it is so much that searches would notice.
  ///
  /// Searches are exact without it: they read what is not in the index. Each part is written in one transaction, and no lock
  /// is held while recordings are read, so this can be ended, by a kill too, and run during fetches at any time. Where the store
  /// cannot be written (read-only, full disk, held by another process), nothing is done.
  ///
  /// - Parameters:
  ///   - limit: nothing is done if more recordings than this would have to be read.
  ///   - least: nothing is done for fewer.
  ///   - progress: called several times a second.
  /// - Throws: `CancellationError` soon after the task is cancelled; `StoreError.damaged`.
  public func updateSearchIndex(
    limit: Int = .max, least: Int = 1000, progress: (SearchIndexProgress) -> Void = { _ in }
  ) throws {
    do {
      let total = try store.unindexedCount()
      guard total >= least, total <= limit else { return }
      var done = 0
      while let job = try store.nextSegmentJob(least: least) {
        let isWritten = try store.write(job, details: Catalogues.indexedDetails(of:)) { count in
          try Task.checkCancellation()
          done += count
          progress(SearchIndexProgress(done: done, total: max(done, total)))
        }
        // Somebody else is busy with these recordings; the next call continues.
        guard isWritten else { return }
      }
    } catch let error as StoreError {
      if case .damaged = error { throw error }
    }
  }
}

/// Adds recordings to the search index on another core while a fetch stores them, so that little is left to do at its end.
final class IndexingBesideFetch: Sendable {
  private enum Phase { case fetching, ended, cancelled }

  private let store: RecordingStore
  private let phase = Locked(Phase.fetching)
  /// Recordings that were stored until the work began; `nil` since.
  private let waiting: Locked<Int?> = Locked(0)
  private let pages = DispatchSemaphore(value: 0)
  private let work = DispatchGroup()
  private let least: Int

  /// - Parameter least: nothing is done for fewer recordings.
  init(store: RecordingStore, least: Int) {
    self.store = store
    self.least = least
  }

  func pageWasStored(new: Int) {
    let begins = waiting.withLock { count in
      count = count.map { $0 + new }
      guard let reached = count, reached >= least else { return false }
      count = nil
      return true
    }
    // Not the default queue: on Linux, Swift's tasks run on its threads, one for each core. This work would keep one of them as
    // long as the fetch lasts, and no page would be parsed while another is stored.
    if begins { DispatchQueue.global(qos: .utility).async(group: work) { [self] in index() } }
    pages.signal()
  }

  /// Returns when the work has ended: what the fetch stored is in the index, unless a recording changed meanwhile.
  func fetchEnded(isCancelled: Bool) async {
    phase.withLock { $0 = isCancelled ? .cancelled : .ended }
    pages.signal()
    await withCheckedContinuation { ended in work.notify(queue: .global()) { ended.resume() } }
  }

  private func index() {
    var mayHaveMore = true
    // True once more after the fetch has ended, for what it stored last.
    func waitForPage() throws -> Bool {
      guard mayHaveMore else { return false }
      pages.wait()
      try checkCancellation()
      mayHaveMore = phase.withLock { $0 == .fetching }
      return true
    }
    do {
      while try waitForPage() {
        guard let job = try store.growingSegmentJob(least: least) else { continue }
        _ = try store.write(job, details: Catalogues.indexedDetails(of:), waitForMore: waitForPage) { _ in
          try checkCancellation()
        }
      }
    } catch {
      // Searches are right without the index, and the fetch meets whatever is wrong with the store itself.
    }
  }

  private func checkCancellation() throws {
    if phase.withLock({ $0 == .cancelled }) { throw CancellationError() }
  }
}

extension Catalogues {
  /// The details that the index is written from; `nil` for the catalogues of an app, which may change what their fields mean
  /// at any time.
  @Sendable static func indexedDetails(of recording: Recording) -> RecordingDetails? {
    named(recording.id.catalogue)?.details(of: recording)
  }
}
