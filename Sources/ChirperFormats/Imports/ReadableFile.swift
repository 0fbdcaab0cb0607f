import ChirperModel
import Foundation

/// A regular file that is open and read at any position.
package final class ReadableFile: Sendable {
  /// The name of the file in messages.
  let name: String
  let size: Int64
  /// The time of its last change, in seconds and nanoseconds since 1970.
  let modified: (seconds: Int, nanoseconds: Int)
  private let descriptor: CInt

  /// Opens a file that the user named. Pipes and devices are refused: an archive is read more than
  /// once.
  ///
  /// - Parameter followsLinks: whether a link in its place is followed.
  package init(_ path: String, followsLinks: Bool = true) throws(UserFacingError) {
    name = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else { throw .cannotRead(path: path, errno: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      size = 0
      modified = (0, 0)
      throw .notAFile(path: path)
    }
    size = Int64(status.st_size)
    modified = status.modified
  }

  deinit { close(descriptor) }

  /// The bytes at a position, fewer at the end of the file.
  func bytes(at position: Int64, count: Int) throws(UserFacingError) -> [UInt8] {
    guard let bytes = Descriptor.read(descriptor, at: position, count: count) else {
      throw .cannotRead(path: name, errno: errno)
    }
    return bytes
  }

  /// A function that returns the next piece of a part of the file, empty at the end of the part.
  package func pieces(at start: Int64 = 0, count: Int64? = nil) -> () throws -> [UInt8] {
    var position = start
    var left = count ?? size
    return {
      let piece = try self.bytes(at: position, count: Int(min(left, Int64(Self.pieceSize))))
      position += Int64(piece.count)
      left -= Int64(piece.count)
      return piece
    }
  }

  static let pieceSize = 1 << 17
}
