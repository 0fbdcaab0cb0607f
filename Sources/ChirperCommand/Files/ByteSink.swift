import ChirperFormats
import ChirperPlatform
import Foundation

/// Writes to a file descriptor in large pieces.
final class ByteSink: ByteOutput {
  var buffer: [UInt8] = []
  private let descriptor: Int32
  private let path: String
  let file: String?

  private static let limit = 1 << 16

  init(descriptor: Int32, path: String, file: String? = nil) {
    self.descriptor = descriptor
    self.path = path
    self.file = file
    buffer.reserveCapacity(Self.limit * 2)
  }

  static func standardOutput() -> ByteSink {
    ByteSink(descriptor: STDOUT_FILENO, path: "standard output")
  }

  static func printOut(_ text: String) throws(UserFacingError) {
    let sink = standardOutput()
    try sink.write(Array((text + "\n").utf8))
    try sink.flush()
  }

  func write(_ bytes: [UInt8]) throws(UserFacingError) {
    buffer.append(contentsOf: bytes)
    try writeIfFull()
  }

  func writeIfFull() throws(UserFacingError) {
    if buffer.count >= Self.limit { try flush() }
  }

  func flush() throws(UserFacingError) {
    if let number = Descriptor.write(buffer, to: descriptor) {
      // The reader of our output has ended: success, without a message.
      if number == EPIPE {
        throw UserFacingError(.done, "closed-pipe", "The reader of the output has ended")
      }
      throw .writeFailed(path: path, errno: number)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
