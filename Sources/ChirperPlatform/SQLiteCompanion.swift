import Foundation

/// The files that SQLite keeps beside a database: while it is open, or since its program was killed.
package enum SQLiteCompanion {
  /// The ends of their names, which follow the database's name.
  package static let suffixes = ["-journal", "-wal", "-shm"]

  /// The name of one that stands beside a path; `nil` if there is none.
  ///
  /// SQLite would play it back into any file that gets the database's name.
  package static func name(beside path: String) -> String? {
    for suffix in suffixes {
      var status = stat()
      guard lstat(path + suffix, &status) == 0 else { continue }
      return (path.split(separator: "/").last.map(String.init) ?? path) + suffix
    }
    return nil
  }
}
