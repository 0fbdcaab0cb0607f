import ChirperModel
import Foundation
import GRDB
import GRDBSQLite

/// A prepared statement one level below GRDB's own row reading, for two reasons: reading a column never traps, whatever a
/// damaged file holds, and a row allocates nothing but its text.
///
/// GRDB prepares, caches and finalises the statement, and owns the transaction around it.
struct SQLStatement {
  private let statement: Statement

  init(_ db: Database, _ sql: String) throws {
    statement = try db.cachedStatement(sql: sql)
  }

  var columnCount: CInt { sqlite3_column_count(statement.sqliteStatement) }

  /// Runs the statement to its end and ignores its rows.
  func run(_ values: SQLValue...) throws {
    try run(values)
  }

  func run(_ values: [SQLValue]) throws {
    try bind(values)
    defer { reset() }
    while try step() {}
  }

  /// Calls `body` for each row.
  func forEach(_ values: SQLValue..., body: (SQLRow) throws -> Void) throws {
    try bind(values)
    defer { reset() }
    while try step() { try body(SQLRow(pointer: statement.sqliteStatement)) }
  }

  /// What `body` returns for the first row; `nil` if there is none.
  func first<T>(_ values: SQLValue..., body: (SQLRow) throws -> T) throws -> T? {
    try bind(values)
    defer { reset() }
    return try step() ? body(SQLRow(pointer: statement.sqliteStatement)) : nil
  }

  /// The first value that `body` returns for a row; `nil` if it returns none.
  func firstValue<T>(_ values: SQLValue..., body: (SQLRow) throws -> T?) throws -> T? {
    try bind(values)
    defer { reset() }
    while try step() {
      if let value = try body(SQLRow(pointer: statement.sqliteStatement)) { return value }
    }
    return nil
  }

  private func bind(_ values: [SQLValue]) throws {
    let pointer = statement.sqliteStatement
    for (index, value) in values.enumerated() {
      let at = CInt(index + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(pointer, at)
        case .int(let value): sqlite3_bind_int64(pointer, at, value)
        case .blob(let bytes):
          bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return sqlite3_bind_zeroblob(pointer, at, 0) }
            return sqlite3_bind_blob64(pointer, at, start, UInt64(bytes.count), Self.transient)
          }
        case .text(var text): text.withUTF8 { bind($0, at) }
        case .utf8(let bytes): bytes.withUnsafeBufferPointer { bind($0, at) }
        }
      guard code == SQLITE_OK else { throw failure(code) }
    }
  }

  private func bind(_ text: UnsafeBufferPointer<UInt8>, _ at: CInt) -> CInt {
    // A null pointer would bind NULL, not ''.
    let bytes = text.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
    guard let bytes else { return sqlite3_bind_text(statement.sqliteStatement, at, "", 0, Self.transient) }
    // SQLite makes a copy (SQLITE_TRANSIENT), because the bytes may move once this returns.
    return sqlite3_bind_text64(
      statement.sqliteStatement, at, bytes, UInt64(text.count), Self.transient, UInt8(SQLITE_UTF8))
  }

  private func step() throws -> Bool {
    switch sqlite3_step(statement.sqliteStatement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  private func reset() {
    sqlite3_reset(statement.sqliteStatement)
    sqlite3_clear_bindings(statement.sqliteStatement)
  }

  private func failure(_ code: CInt) -> DatabaseError {
    let connection = sqlite3_db_handle(statement.sqliteStatement)
    let message = String(cString: sqlite3_errmsg(connection))
    return DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
  }

  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// A value bound to a statement's parameter.
enum SQLValue {
  case null
  case int(Int64)
  case text(String)
  /// A text, given as bytes.
  case utf8([UInt8])
  case blob([UInt8])

  init(_ value: Int?) {
    self = value.map { .int(Int64($0)) } ?? .null
  }

  init(_ text: String?) {
    self = text.map { .text($0) } ?? .null
  }

  static func int(_ value: Int) -> SQLValue { .int(Int64(value)) }
  static func flag(_ value: Bool) -> SQLValue { .int(value ? 1 : 0 as Int64) }
}

/// The current row of a statement; columns count from 0. SQLite converts a value of another type.
struct SQLRow {
  fileprivate let pointer: SQLiteStatement

  func isNull(_ column: CInt) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }
  func int64(_ column: CInt) -> Int64 { sqlite3_column_int64(pointer, column) }
  func int(_ column: CInt) -> Int { Int(clamping: sqlite3_column_int64(pointer, column)) }
  /// A count or a page number, clamped so that arithmetic on what a damaged file holds does not overflow.
  func count(_ column: CInt) -> Int { Int(max(0, min(Self.greatestCount, sqlite3_column_int64(pointer, column)))) }
  private static let greatestCount = min(1 << 40, Int64(Int.max / 4))
  func optionalCount(_ column: CInt) -> Int? { isNull(column) ? nil : count(column) }
  /// Milliseconds, clamped to `Timestamp.range`.
  func time(_ column: CInt) -> Int64 {
    max(Timestamp.range.lowerBound, min(Timestamp.range.upperBound, sqlite3_column_int64(pointer, column)))
  }
  func flag(_ column: CInt) -> Bool { sqlite3_column_int64(pointer, column) != 0 }
  func optionalInt(_ column: CInt) -> Int? { isNull(column) ? nil : int(column) }

  func text(_ column: CInt) -> String {
    guard let bytes = sqlite3_column_text(pointer, column) else { return "" }
    let count = Int(sqlite3_column_bytes(pointer, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The bytes of a text.
  func bytes(_ column: CInt) -> [UInt8] {
    var copy: [UInt8] = []
    withBytes(column) { copy = Array($0) }
    return copy
  }

  /// The text's bytes in SQLite's own memory, valid until the statement's next step.
  func withBytes(_ column: CInt, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    guard let bytes = sqlite3_column_text(pointer, column) else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
    body(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))))
  }

  /// A blob's bytes in SQLite's own memory, valid until the statement's next step.
  func blob(_ column: CInt) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(pointer, column)
    let count = Int(sqlite3_column_bytes(pointer, column))
    return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
  }

  func optionalText(_ column: CInt) -> String? { isNull(column) ? nil : text(column) }
}

/// Times in the store are whole milliseconds since 1970-01-01 00:00 UTC.
enum Timestamp {
  /// Times are clamped to this, so that arithmetic on those of a wrong clock or a damaged file does not overflow.
  static let range: ClosedRange<Int64> = -8_000_000_000_000_000...8_000_000_000_000_000
}

extension Date {
  /// As the store keeps it.
  var milliseconds: Int64 {
    Int64(max(-8e15, min(8e15, (timeIntervalSince1970 * 1000).rounded())))
  }

  init(milliseconds: Int64) {
    let clamped = max(Timestamp.range.lowerBound, min(Timestamp.range.upperBound, milliseconds))
    self.init(timeIntervalSince1970: Double(clamped) / 1000)
  }
}
