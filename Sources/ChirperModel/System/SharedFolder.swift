import Foundation

/// The permissions of new files and folders in a folder: open to its group if the folder is
/// the group's, else for their owner alone.
///
/// A folder is a group's if its group may write to it and everybody may remove every file
/// in it (no sticky bit). The mode of a new file does not depend on the account's umask
/// then: with `2775` every file is `0664` and every folder `2775`.
package struct SharedFolder {
  private let path: String
  /// The permissions of the folder; `nil` if it is not a group's, or does not exist.
  package let groupMode: mode_t?

  package init(_ path: String) {
    self.path = path
    var status = stat()
    groupMode = Self.groupMode(of: stat(path, &status) == 0 ? status : nil)
  }

  /// The permissions of a folder that is a group's; else `nil`.
  static func groupMode(of folder: stat?) -> mode_t? {
    folder.flatMap { $0.st_mode & (S_IWGRP | S_ISVTX) == S_IWGRP ? $0.st_mode & 0o7777 : nil }
  }

  /// The permissions of a file that is created in a folder with those.
  static func fileMode(in groupMode: mode_t?) -> mode_t { groupMode.map { $0 & 0o664 } ?? 0o600 }

  /// Opens a regular file in the folder for reading and writing, or creates it.
  ///
  /// - Returns: the descriptor; -1 on failure, with `errno` set.
  package func open(_ name: String) -> CInt { OpenFolder(path)?.openOrCreate(name) ?? -1 }

  /// Creates a file in the folder.
  ///
  /// - Returns: The descriptor; -1 on failure, with `errno` set, also if the name exists
  ///   already.
  package func create(_ name: String) -> CInt { OpenFolder(path)?.create(name) ?? -1 }

  /// Creates a folder in it, if it is not there.
  ///
  /// - Returns: `false` on failure, with `errno` set.
  package func makeFolder(_ name: String) -> Bool { OpenFolder(path)?.makeFolder(name) ?? false }
}
