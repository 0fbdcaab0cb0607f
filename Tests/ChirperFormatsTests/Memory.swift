@testable import ChirperFormats

/// What is written, in memory.
final class Memory: ByteOutput {
  var buffer: [UInt8] = []
  private(set) var written: [UInt8] = []
  private(set) var largest = 0

  func writeIfFull() { if buffer.count >= 1 << 16 { flush() } }

  func flush() {
    largest = max(largest, buffer.count)
    written += buffer
    buffer.removeAll()
  }
}
