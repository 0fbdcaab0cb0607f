import ChirperFormats
import Foundation

/// Writes to a file descriptor in large pieces.
final class ByteSink: ByteOutput {
  /// What is to be written; `writeIfFull` and `flush` empty it.
  var buffer: [UInt8] = []
  private let descriptor: Int32
  /// For error texts.
  private let path: String

  private static let limit = 1 << 16

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
    buffer.reserveCapacity(Self.limit * 2)
  }

  static func standardOutput() -> ByteSink {
    ByteSink(descriptor: STDOUT_FILENO, path: "standard output")
  }

  /// Prints a text and a line feed on standard output.
  static func printOut(_ text: String) throws(CommandError) {
    let sink = standardOutput()
    try sink.write(Array((text + "\n").utf8))
    try sink.flush()
  }

  func write(_ bytes: [UInt8]) throws(CommandError) {
    buffer.append(contentsOf: bytes)
    try writeIfFull()
  }

  func writeIfFull() throws(CommandError) {
    if buffer.count >= Self.limit { try flush() }
  }

  func flush() throws(CommandError) {
    var written = 0
    while written < buffer.count {
      let count = buffer[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw errno == EPIPE ? .closedPipe : .writeFailed(path: path, errno: errno)
      }
      written += count
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
