import ChirperFormats
import Foundation

/// A file that the user names to be read.
enum InputFile {
  /// Calls `body` with a function that reads the file's next piece, empty at its end. Pipes and devices are refused, because they
  /// may never end.
  static func reading<Result>(_ path: String, _ body: (_ next: () throws -> [UInt8]) throws -> Result) throws -> Result {
    var status = stat()
    guard stat(path, &status) == 0 else { throw UserFacingError.cannotRead(path: path, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw UserFacingError.notAFile(path: path) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw UserFacingError.cannotRead(path: path, errno: errno) }
    defer { close(descriptor) }
    return try body {
      var piece = [UInt8](repeating: 0, count: 1 << 18)
      while true {
        let count = read(descriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw UserFacingError.cannotRead(path: path, errno: errno) }
        return Array(piece.prefix(count))
      }
    }
  }
}
