import Foundation

/// The file that a path leads to: two paths with the same value lead to one file.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  package let inode: UInt64

  /// The identity of the file at a path, or of the file that a link leads to; `nil` if it
  /// cannot be read.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
