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

  /// Runs the statement to its end and ignores its rows.
  func run(_ values: SQLValue...) throws { try forEach(values) { _ in } }

  func map<T>(_ values: SQLValue..., body: (SQLRow) throws -> T) throws -> [T] {
    var results: [T] = []
    try forEach(values) { results.append(try body($0)) }
    return results
  }

  func forEach(_ values: SQLValue..., body: (SQLRow) throws -> Void) throws { try forEach(values, body: body) }

  func forEach(_ values: [SQLValue], body: (SQLRow) throws -> Void) throws {
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
