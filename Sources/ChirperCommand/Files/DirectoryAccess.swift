import ChirperFormats
import ChirperModel
import Foundation

/// The access to the data directory by its owner and group, for `doctor`.
struct DirectoryAccess {
  /// The permissions in octal digits: `2775`.
  let mode: String
  /// The group that shares the directory; `nil` if it is one account's.
  let group: String?
  /// The problems that keep the group from sharing it, and the commands against them.
  let problems: [String]

  init?(_ directory: URL, database: URL) {
    var status = stat()
    guard stat(directory.path, &status) == 0 else { return nil }
    mode = String(status.st_mode & 0o7777, radix: 8)
    guard OpenFolder(directory.path)?.groupMode != nil else {
      group = nil
      problems = []
      return
    }
    group =
      getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? String(status.st_gid)
    var problems: [String] = []
    let name = CommandText.quoted(directory.path)
    if status.st_mode & S_ISGID == 0 {
      problems.append("new files do not belong to the group; type: chmod g+s \(name)")
    }
    var file = stat()
    if stat(database.path, &file) == 0, file.st_mode & S_IWGRP == 0 || file.st_gid != status.st_gid
    {
      let commands = "chgrp -R \(group ?? "") \(name); chmod -R g+rwX \(name)"
      problems.append("the database is its owner's alone; its owner types: \(commands)")
    }
    self.problems = problems
  }

  var text: String {
    group.map { "shared by the group \($0) (mode \(mode))" } ?? "one account's (mode \(mode))"
  }
}
