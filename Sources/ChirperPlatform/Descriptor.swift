// Unsafe memory: buffers of system calls.

import Foundation

/// Writing to an open file, pipe or terminal.
package enum Descriptor {
  /// Writes all the bytes, in as many calls as that takes.
  ///
  /// - Returns: the number of the error that ended it; `nil` if everything was written.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        written += count
      } else if count < 0, errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, 1000)
      } else if count == 0 || errno != EINTR {
        return count == 0 ? EIO : errno
      }
    }
    return nil
  }
}
