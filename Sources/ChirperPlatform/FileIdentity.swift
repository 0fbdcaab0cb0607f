import Foundation

/// The file that a path leads to: two paths with the same value lead to one file.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  package let inode: UInt64

  /// Follows links; `nil` if there is no file.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
