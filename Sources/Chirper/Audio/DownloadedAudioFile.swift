import ChirperModel
import Foundation

/// A downloaded audio file that is open. It is a regular file, and was reached without a link
/// that a different account made. Any member of a group could put a link in its place that
/// leads to any file of the account that opens it.
package final class DownloadedAudioFile: Sendable {
  package let path: String
  /// The length of the file in bytes when it was opened.
  package let size: Int
  /// The time of the file's last change, in seconds and nanoseconds since 1970.
  package let modified: (seconds: Int, nanoseconds: Int)
  private let descriptor: CInt

  /// Opens `…/audio/CATALOGUE/NAME`; `nil` with `errno` set if it cannot be opened, or must not be.
  package init?(path: String) {
    guard let (folder, name) = Self.folderAndName(of: path) else { return nil }
    let opened = folder.open(name)
    guard opened >= 0 else { return nil }
    var status = stat()
    fstat(opened, &status)
    descriptor = opened
    self.path = path
    size = Int(clamping: status.st_size)
    modified = status.modified
  }

  deinit { close(descriptor) }

  /// The bytes of a file at a path; `nil` if `init` would not open it.
  static func size(path: String) -> Int64? { folderAndName(of: path).flatMap { $0.size(of: $1) } }

  /// Gives a file a different name in its folder; `false` with `errno` set on failure.
  static func rename(_ path: String, to new: String) -> Bool {
    guard let (folder, name) = folderAndName(of: path), let right = new.split(separator: "/").last
    else {
      return false
    }
    return folder.rename(name, to: String(right))
  }

  /// The folder of a file, which is reached by itself from the data directory on, and the file's
  /// name in it.
  private static func folderAndName(of path: String) -> (OpenFolder, String)? {
    let parts = path.split(separator: "/").map(String.init)
    guard let name = parts.last else { return nil }
    let start = path.hasPrefix("/") ? "/" : "./"
    var folder = OpenFolder(start + parts.dropLast(3).joined(separator: "/"))
    for part in parts.dropLast().suffix(2) { folder = folder?.folder(part) }
    return folder.map { ($0, name) }
  }

  /// Reads up to `count` bytes from `offset` on; fewer at the end of the file.
  ///
  /// - Throws: `POSIXError` if it cannot be read.
  package func bytes(at offset: Int, upTo count: Int) throws -> [UInt8] {
    guard let bytes = Descriptor.read(descriptor, at: Int64(offset), count: count) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    return bytes
  }
}
