import Foundation

/// A data set: recordings that a definition chooses, a lock that says which they were, and a folder
/// that is built from the lock.
public enum DataSet {
  /// Throws if a file must not be written, or replaced, under a name.
  package typealias OutputCheck =
    @Sendable (_ path: String, _ links: AtomicFile.LinkPolicy) throws -> Void

  /// Refuses a file that is there already.
  package static func checkIsNew(
    _ lock: String,
    hint: String = "A lock is never replaced. Type -o and a different name, or remove it first."
  ) throws(UserFacingError) {
    var status = stat()
    guard lstat(lock, &status) == 0 else { return }
    throw .cannotCreate(lock, "this file exists already", hint: hint)
  }
}
