import Foundation
import NIOCore

extension ByteBuffer {
  /// The bytes of a part of a file. `FileHandle` would ask the system for 4 kB at a time.
  ///
  /// - Throws: `ChannelError.inputClosed` if the file ends before or cannot be read: the client then sees that bytes are missing.
  init(_ range: Range<Int>, of file: FileHandle) throws {
    self.init()
    var next = range.lowerBound
    while next < range.upperBound {
      let (start, wanted) = (next, range.upperBound - next)
      let read = writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) {
        max(0, pread(file.fileDescriptor, $0.baseAddress, wanted, off_t(start)))
      }
      guard read > 0 else { throw ChannelError.inputClosed }
      next += read
    }
  }
}
