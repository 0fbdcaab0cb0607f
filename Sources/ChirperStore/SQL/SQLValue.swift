// Unsafe memory: SQLite's C interface.

import ChirperModel
import Foundation
import GRDB
import GRDBSQLite

/// A value of a statement's parameter; `nil` is NULL. SQLite makes a copy of bytes, because they
/// may move.
protocol SQLValue {
  /// Returns SQLite's result code.
  func bind(to statement: SQLiteStatement, at index: CInt) -> CInt
}

private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

// GRDB's own way to bind them.
extension Int64: SQLValue {}
extension Int: SQLValue {}
extension Double: SQLValue {}
extension Bool: SQLValue {}

extension Date: SQLValue {
  func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
    milliseconds.bind(to: statement, at: index)
  }
}

extension String: SQLValue {
  func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
    var text = self
    return text.withUTF8 { $0.bindAsText(statement, index) }
  }
}

extension RecordingFields: SQLValue {
  func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
    bytes.withUnsafeBufferPointer { $0.bindAsText(statement, index) }
  }
}

extension [UInt8]: SQLValue {
  /// Binds the bytes as a blob.
  func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return sqlite3_bind_zeroblob(statement, index, 0) }
      return sqlite3_bind_blob64(statement, index, start, UInt64(bytes.count), transient)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func bindAsText(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
    // A null pointer would bind NULL, not ''.
    guard let baseAddress else { return sqlite3_bind_text(statement, index, "", 0, transient) }
    let start = UnsafeRawPointer(baseAddress).assumingMemoryBound(to: CChar.self)
    return sqlite3_bind_text64(
      statement, index, start, UInt64(count), transient, UInt8(SQLITE_UTF8))
  }
}
