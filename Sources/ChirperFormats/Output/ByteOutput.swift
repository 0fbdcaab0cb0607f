// The module ChirperFormats turns values of `Chirper` into bytes and words. It opens no file and
// writes to no terminal: a caller gives it a `ByteOutput`. Start reading at `RecordFormat` (the
// table of formats), `RowTable` and `UserFacingError`.

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

extension ByteOutput {
  /// The default for a destination that is not a regular file.
  package var file: String? { nil }

  /// Does nothing.
  package func fileIsOpen() {}

  /// Writes a text and a line feed.
  package func line(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    try writeIfFull()
  }
}
