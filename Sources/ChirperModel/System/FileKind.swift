import Foundation

package enum FileKind: String, Sendable {
  case file, directory, link, pipe = "named pipe", socket, device

  /// The kind of the file at a path; `nil` if it does not exist.
  package init?(_ path: String, followsLinks: Bool = true) {
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(mode: status.st_mode)
  }

  init(mode: mode_t) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
  }
}
