// Unsafe memory: SQLite's C interface.

import Foundation
import GRDB
import GRDBSQLite

/// The current row of a statement; columns count from 0. SQLite converts a value of a
/// different type.
struct SQLRow {
  let pointer: SQLiteStatement

  func isNull(_ column: CInt) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }
  func int64(_ column: CInt) -> Int64 { sqlite3_column_int64(pointer, column) }
  func optionalInt64(_ column: CInt) -> Int64? { isNull(column) ? nil : int64(column) }
  func int(_ column: CInt) -> Int { Int(clamping: sqlite3_column_int64(pointer, column)) }
  /// A count or a page number, clamped so that arithmetic on the numbers of a damaged file
  /// does not overflow.
  func count(_ column: CInt) -> Int {
    Int(max(0, min(Self.greatestCount, sqlite3_column_int64(pointer, column))))
  }
  private static let greatestCount = min(1 << 40, Int64(Int.max / 4))
  func optionalCount(_ column: CInt) -> Int? { isNull(column) ? nil : count(column) }
  func date(_ column: CInt) -> Date { Date(milliseconds: int64(column)) }
  func optionalDate(_ column: CInt) -> Date? { isNull(column) ? nil : date(column) }
  func flag(_ column: CInt) -> Bool { sqlite3_column_int64(pointer, column) != 0 }
  func optionalInt(_ column: CInt) -> Int? { isNull(column) ? nil : int(column) }

  func text(_ column: CInt) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }

  /// The bytes of a text.
  func bytes(_ column: CInt) -> [UInt8] { withBytes(column) { Array($0) } }

  /// The text's bytes in SQLite's own memory, valid until the statement's next step.
  func withBytes<T>(_ column: CInt, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    let start = sqlite3_column_text(pointer, column)
    return body(
      UnsafeBufferPointer(
        start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column))))
  }

  /// A blob's bytes in SQLite's own memory.
  func withBlob<T>(_ column: CInt, _ body: (Span<UInt8>) throws -> T) rethrows -> T {
    let start = sqlite3_column_blob(pointer, column)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column))
    return try body(
      UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count).span)
  }

  func blob(_ column: CInt) -> [UInt8] {
    withBlob(column) { $0.withUnsafeBufferPointer { Array($0) } }
  }

  func optionalText(_ column: CInt) -> String? { isNull(column) ? nil : text(column) }
}

extension Span<UInt8> {
  /// The text whose UTF-8 these bytes are.
  var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}
