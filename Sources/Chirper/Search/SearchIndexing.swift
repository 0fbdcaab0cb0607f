#if Collection

import ChirperModel
import ChirperStore

extension RecordingRepository {
  /// The number of bytes that a recording's part of the index takes in the store's file, roughly.
  package static let indexBytes = 150

  /// The most recordings that are added to the index after they were stored. More take longer than
  /// about two seconds, and are left to the next search, which shows progress.
  static let mostIndexedAfterStoring = 200_000

  /// Adds stored and changed recordings to the search index, unless they are too few to
  /// slow a search down. Searches are exact without it, because they read the recordings
  /// that are not in the index.
  ///
  /// Each part is one transaction, and no lock is held while recordings are read. So this
  /// can be ended, by a kill too, and run during fetches at any time. If the store cannot
  /// be written (read-only, full disk, a different process), nothing is done.
  ///
  /// - Parameters:
  ///   - limit: nothing is done if more recordings than this would have to be read.
  ///   - least: nothing is done for fewer.
  ///   - progress: called several times a second, on any thread, with the recordings that were
  ///     read, and those that were to be read when the work began.
  /// - Throws: `CancellationError` soon after the task is cancelled.
  public func updateSearchIndex(
    limit: Int = .max, least: Int = 1000,
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws {
    try await withTaskExecutorPreference(store.indexing) {
      try writeSearchIndex(limit: limit, least: least, progress: progress)
    }
  }

  /// The work of `updateSearchIndex`, on the caller's thread, which must be one that may
  /// wait.
  package func writeSearchIndex(
    limit: Int = .max, least: Int = 1000,
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws {
    #if DEBUG
    for catalogue in catalogues where !catalogue.mapping.unversioned.isEmpty {
      let details = catalogue.mapping.unversioned.map(\.name).joined(separator: ", ")
      dependencies.log.warning(
        """
        The search index has no recording of \(catalogue.id), and each search reads all of them. \
        It needs Catalogue.detailsVersion, because these details are computed: \(details).
        """)
    }
    #endif
    do {
      var written = 0
      let indexed = catalogues.filter { !unindexed.contains($0.id) }
      let mappings = Dictionary(indexed.map { ($0.id, $0.mapping) }) { first, _ in first }
      let details = { @Sendable (row: Recording) in mappings[row.id.catalogue]?.details(of: row) }
      try store.writeSearchIndex(least: least, limit: limit, details: details) { done, total in
        try Task.checkCancellation()
        written = done
        progress(done, total)
      }
      if written > 0 {
        dependencies.log.debug("search index written", ["recordings": "\(written)"])
      }
    } catch let error as StoreError {
      dependencies.log.debug("search index not written", ["error": "\(error)"])
    }
  }

  /// Deletes the search index and writes it again; `false` if the store had none.
  package func rewriteSearchIndex() throws -> Bool {
    guard try store.dropSearchIndex() else { return false }
    try writeSearchIndex()
    return true
  }
}

#endif
