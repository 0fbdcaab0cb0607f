import Foundation

/// A file that the user names to be read.
enum InputFile {
  /// The whole file. Pipes and devices are refused, because they may never end.
  ///
  /// - Throws: `CommandError.cannotRead` or `.notAFile`.
  static func bytes(_ path: String) throws(CommandError) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .cannotRead(path: path, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotRead(path: path, errno: errno) }
    defer { close(descriptor) }
    var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 18))
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .cannotRead(path: path, errno: errno) }
      guard count > 0 else { return bytes }
      bytes += piece.prefix(count)
    }
  }
}
