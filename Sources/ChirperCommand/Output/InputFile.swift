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
    var bytes: [UInt8] = []
    while true {
      var failure: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
        let result = read(descriptor, buffer.baseAddress, buffer.count)
        if result < 0 { failure = errno }
        count = max(0, result)
      }
      if failure == EINTR { continue }
      guard failure == 0 else { throw .cannotRead(path: path, errno: failure) }
      guard !piece.isEmpty else { return bytes }
      bytes += piece
    }
  }
}
