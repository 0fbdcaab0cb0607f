import Foundation
import GRDBSQLite

/// A database read with nothing but SQLite, to compare a repair with.
final class RawDatabase {
  enum Value: Hashable {
    case null
    case int(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    var int: Int64? { if case .int(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }
  }

  private var connection: OpaquePointer?

  init(_ path: String) {
    sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil)
    // More steps than the largest of these files has bytes, so that pages that form a loop end the
    // reading.
    sqlite3_progress_handler(connection, 40_000_000, { _ in 1 }, nil)
  }

  deinit { sqlite3_close_v2(connection) }

  /// Changes a database without the store; `false` if a statement failed.
  @discardableResult
  static func execute(_ sql: String, in path: String) -> Bool {
    var connection: OpaquePointer?
    sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    defer { sqlite3_close_v2(connection) }
    return sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK
  }

  /// The rows of a SELECT until it ends or breaks off.
  func rows(_ sql: String) -> [[Value]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
    defer { sqlite3_finalize(statement) }
    var rows: [[Value]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append((0..<sqlite3_column_count(statement)).map { value(statement, $0) })
    }
    return rows
  }

  func table(_ name: String) -> [[Value]] { rows("SELECT * FROM \(name)") }

  private func value(_ statement: OpaquePointer?, _ column: CInt) -> Value {
    let count = { Int(sqlite3_column_bytes(statement, column)) }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      guard let bytes = sqlite3_column_text(statement, column) else { return .text("") }
      return .text(
        String(decoding: UnsafeBufferPointer(start: bytes, count: count()), as: UTF8.self))
    case SQLITE_BLOB:
      guard let bytes = sqlite3_column_blob(statement, column) else { return .blob([]) }
      return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count())))
    default: return .null
    }
  }
}
