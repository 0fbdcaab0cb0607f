import Foundation

/// The files that SQLite keeps next to a database, such as a journal. They stay there if
/// its program was killed.
package enum SQLiteCompanion {
  /// The ends of their names, which follow the database's name.
  package static let suffixes = ["-journal", "-wal", "-shm"]

  /// Deletes a file that is not needed, with its companion files.
  package static func deleteAll(with path: String) {
    for suffix in [""] + suffixes { unlink(path + suffix) }
  }

  /// The name of the first companion file next to a path; `nil` if it has none.
  ///
  /// SQLite would play such a journal back into any file that gets the database's name.
  package static func name(beside path: String) -> String? {
    for suffix in suffixes {
      var status = stat()
      guard lstat(path + suffix, &status) == 0 else { continue }
      return (path.split(separator: "/").last.map(String.init) ?? path) + suffix
    }
    return nil
  }
}
