import ChirperModel

/// A destination of bytes with a buffer, which is emptied when it is full.
package protocol ByteOutput: AnyObject {
  /// The bytes to be written; `writeIfFull` and `flush` empty it.
  var buffer: [UInt8] { get set }
  /// Writes the buffer if enough has gathered in it.
  func writeIfFull() throws
  func flush() throws
  /// The path of the regular file that is written; `nil` if it is something else.
  var file: String? { get }
  /// Called once the writer of `file` has opened it.
  func fileIsOpen()
}

/// Keeps everything that is written.
package final class MemoryOutput: ByteOutput {
  package var buffer: [UInt8] = []

  package init() {}
  package func writeIfFull() {}
  package func flush() {}
}

/// Writes to an open file, a pipe or a terminal in large pieces.
package final class ByteSink: ByteOutput {
  package var buffer: [UInt8] = []
  package let file: String?
  private let descriptor: Int32
  private let path: String

  /// - Parameters:
  ///   - path: the name that errors have.
  ///   - file: the path of a regular file that a format may write by itself.
  package init(_ descriptor: Int32, path: String, file: String? = nil) {
    self.descriptor = descriptor
    self.path = path
    self.file = file
  }

  package func writeIfFull() throws(FileError) {
    if buffer.count >= 1 << 16 { try flush() }
  }

  package func flush() throws(FileError) {
    if let number = Descriptor.write(buffer, to: descriptor) {
      throw .writing(path, errno: number)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// The reason why a file cannot be written.
package enum FileError: Error {
  /// The file cannot be created, for the reason that the system has this number for.
  case creating(_ path: String, errno: Int32)
  /// Writing failed, for the reason that the system has this number for.
  case writing(_ path: String, errno: Int32)
  /// A folder has the name.
  case folder(_ path: String)
  /// A pipe or a device has the name, and a file must not take its place.
  case device(_ path: String)
  /// A file of SQLite's is next to it.
  case openDatabase(_ path: String, companion: String)
}

extension ByteOutput {
  /// The default for a destination that is not a regular file.
  package var file: String? { nil }

  package func fileIsOpen() {}

  func line(_ text: PlainText) throws { try line(text.text) }

  /// Writes a text and a line feed.
  package func line(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    try writeIfFull()
  }
}
