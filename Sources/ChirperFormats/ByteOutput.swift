/// What people and programs read: the formats of recordings, tables, ages, and the text of every error.
///
/// This module turns values of `Chirper` into bytes and words. It opens no file and writes to no terminal: a caller gives
/// it a `ByteOutput`. Its surface: `RecordFormat` (the table of formats), `RecordList`, `StoredQueryList`, `JSONObject`,
/// `UserFacingError`, and the texts and tables that screens share (`CellText`, `ColumnFit`, `TextTable`).
package protocol ByteOutput: AnyObject {
  /// What is to be written; `writeIfFull` and `flush` empty it.
  var buffer: [UInt8] { get set }
  /// Writes the buffer where enough has gathered in it.
  func writeIfFull() throws
  func flush() throws
}

extension ByteOutput {
  /// Writes a text and a line feed.
  package func line(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    try writeIfFull()
  }
}
