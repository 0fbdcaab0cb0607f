import Foundation

/// Reading and writing of open files, pipes and terminals, and giving a written file its name.
package enum Descriptor {
  /// Writes all the bytes, in as many calls as that takes.
  ///
  /// - Parameter position: the place in a file; `nil` for the current one.
  /// - Returns: the number of the error that ended it; `nil` if everything was written.
  package static func write(
    _ bytes: [UInt8], to descriptor: Int32, at position: Int64? = nil
  ) -> Int32? {
    var written = 0
    while written < bytes.count {
      let rest = written == 0 ? bytes : Array(bytes[written...])
      let count =
        position.map { pwrite(descriptor, rest, rest.count, off_t($0) + off_t(written)) }
        ?? Foundation.write(descriptor, rest, rest.count)
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

  /// The bytes of a file from a position on, fewer at its end; `nil` with `errno` set if they cannot
  /// be read.
  package static func read(_ descriptor: Int32, at position: Int64, count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let read = pread(descriptor, &piece, piece.count, off_t(position) + off_t(bytes.count))
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { return nil }
      if read == 0 { break }
      piece.removeLast(piece.count - read)
      bytes = bytes.isEmpty ? piece : bytes + piece
    }
    return bytes
  }

  /// Gives a file that was written and synced its final name, in place of an entry with that name.
  /// The name is on the disk when this returns, if the file system can sync a folder.
  ///
  /// - Parameters:
  ///   - start: the open folder from which relative paths lead.
  ///   - folder: the path of the folder of both names.
  /// - Returns: `false` with `errno` set on failure.
  package static func rename(
    _ path: String, to new: String, from start: Int32 = AT_FDCWD, in folder: String
  ) -> Bool {
    guard renameat(start, path, start, new) == 0 else { return false }
    let opened = openat(
      start, folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if opened >= 0 {
      _ = fsync(opened)
      close(opened)
    }
    return true
  }
}
