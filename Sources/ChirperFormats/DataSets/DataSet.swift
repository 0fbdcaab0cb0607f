import Chirper

/// A data set: recordings that a definition chooses, a lock that says which they were, and a folder
/// that is built from the lock.
public enum DataSet {
  /// Throws if a file must not be written, or replaced, under a name.
  package typealias OutputCheck =
    @Sendable (_ path: String, _ links: AtomicFile.LinkPolicy) throws -> Void
}
