import Foundation

/// How files and folders are created in a folder: open to its group if the folder is the group's, else for their owner alone.
///
/// A folder is a group's if its group may write to it and everybody may remove every file in it (no sticky bit). The mode of a new
/// file does not depend on the account's umask then: with `2775` every file is `0664` and every folder `2775`.
package struct SharedFolder {
  private let path: String
  /// The permissions of the folder; `nil` if it is not a group's, or does not exist.
  package let groupMode: mode_t?

  package init(_ path: String) {
    self.path = path
    var status = stat()
    let isGroups = stat(path, &status) == 0 && status.st_mode & (S_IWGRP | S_ISVTX) == S_IWGRP
    groupMode = isGroups ? status.st_mode & 0o7777 : nil
  }

  /// Of a file that is created in it.
  private var fileMode: mode_t { groupMode.map { $0 & 0o664 } ?? 0o600 }

  /// Opens a file in the folder for reading and writing, or creates it.
  ///
  /// - Returns: the descriptor; -1 on failure, with `errno` set.
  package func open(_ name: String) -> CInt {
    let existing = Foundation.open(path + "/" + name, O_RDWR | O_CLOEXEC)
    guard existing < 0, errno == ENOENT else { return existing }
    let created = create(name)
    // Another process may have created it between the two calls.
    return created < 0 && errno == EEXIST ? Foundation.open(path + "/" + name, O_RDWR | O_CLOEXEC) : created
  }

  /// Creates a file in the folder.
  ///
  /// - Returns: the descriptor; -1 on failure, with `errno` set, also if there is such a file.
  package func create(_ name: String) -> CInt {
    let created = Foundation.open(path + "/" + name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, fileMode)
    if created >= 0 { setMode(ofNew: name) }
    return created
  }

  /// Sets the permissions of a file in the folder that this account has just created in some other way.
  package func setMode(ofNew name: String) {
    chmod(path + "/" + name, fileMode)
  }

  /// Creates a folder in it, if it is not there.
  ///
  /// - Returns: `false` on failure, with `errno` set.
  package func makeFolder(_ name: String) -> Bool {
    let path = path + "/" + name
    guard mkdir(path, 0o700) == 0 else { return errno == EEXIST }
    return groupMode.map { chmod(path, $0 & 0o2775) == 0 } ?? true
  }
}
