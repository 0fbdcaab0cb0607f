#if Collection

import ChirperModel
import GRDB

extension RecordingStore {
  /// Copies the database into an empty file, as it is at one moment.
  ///
  /// Others can write between two steps of the copy, and it begins again if they have.
  /// After a few beginnings it is made in one step, for which they wait.
  ///
  /// - Parameters:
  ///   - path: a file that is empty or does not exist.
  ///   - progress: called after each step with the number of pages copied, and of all
  ///     pages.
  /// - Throws: `.damaged` if a list of the copy does not have the rows that its pages say.
  package func backup(to path: String, progress: @escaping (_ done: Int, _ total: Int) -> Void)
    throws(StoreError)
  {
    try read { _ in }
    try Self.translating(self.path) {
      do {
        try copy(to: path, progress)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
        // The store is only read.
        throw StoreError(.diskFull(path: path))
      }
    }
    // A copy of a file that was replaced meanwhile is not a backup.
    try read { _ in }
  }

  private func copy(
    to path: String, _ progress: @escaping (_ done: Int, _ total: Int) -> Void
  ) throws {
    var configuration = Configuration()
    // Half a copy is deleted, so nothing is kept to undo it: a journal would be left by a signal.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = MEMORY") }
    let copy = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? copy.close() }
    var remaining = Int.max
    var restarts = 0
    do {
      try queue.backup(to: copy, pagesPerStep: 2048) { step in
        if step.remainingPageCount > remaining { restarts += 1 }
        guard restarts <= 3 else { throw CancellationError() }
        remaining = step.remainingPageCount
        progress(step.completedPageCount, step.totalPageCount)
      }
    } catch is CancellationError {
      try queue.backup(to: copy)
    }
    // What was copied, at one moment, is what counts.
    if let problem = try Self.reading(copy, { try Self.listProblem($0) }) {
      throw Self.damaged(problem)
    }
    // A copy of a file with a write-ahead log says that it has one, and could not be opened where
    // nothing can be written.
    try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
  }
}

#endif
