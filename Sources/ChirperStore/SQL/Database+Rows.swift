import GRDB
import GRDBSQLite

/// Statements one level below GRDB's own row reading, for two reasons: reading a column
/// never crashes, whatever a damaged file holds, and a row allocates nothing but its text.
///
/// GRDB prepares, caches and finalises the statements, and owns the transaction around
/// them.
extension Database {
  /// Runs a statement to its end and ignores its rows.
  func run(_ sql: String, _ values: (any SQLValue)?...) throws {
    try forEachRow(sql, values: values) { _ in }
  }

  func rows<T>(_ sql: String, _ values: (any SQLValue)?..., body: (SQLRow) throws -> T) throws
    -> [T]
  {
    var results: [T] = []
    try forEachRow(sql, values: values) { results.append(try body($0)) }
    return results
  }

  /// The result of `body` for the first row; `nil` if the statement has no row.
  func firstRow<T>(_ sql: String, _ values: (any SQLValue)?..., body: (SQLRow) throws -> T) throws
    -> T?
  {
    let pointer = try bound(sql, values)
    defer { reset(pointer) }
    return try step(pointer) ? body(SQLRow(pointer: pointer)) : nil
  }

  /// Whether the statement has a row.
  func hasRow(_ sql: String, _ values: (any SQLValue)?...) throws -> Bool {
    let pointer = try bound(sql, values)
    defer { reset(pointer) }
    return try step(pointer)
  }

  func forEachRow(_ sql: String, _ values: (any SQLValue)?..., body: (SQLRow) throws -> Void) throws
  {
    try forEachRow(sql, values: values, body: body)
  }

  func forEachRow(_ sql: String, values: [(any SQLValue)?], body: (SQLRow) throws -> Void) throws {
    let pointer = try bound(sql, values)
    defer { reset(pointer) }
    while try step(pointer) { try body(SQLRow(pointer: pointer)) }
  }

  private func bound(_ sql: String, _ values: [(any SQLValue)?]) throws -> SQLiteStatement {
    let pointer = try cachedStatement(sql: sql).sqliteStatement
    for index in values.indices {
      let code =
        values[index]?.bind(to: pointer, at: CInt(index + 1))
        ?? sqlite3_bind_null(pointer, CInt(index + 1))
      guard code == SQLITE_OK else { throw failure(code) }
    }
    return pointer
  }

  private func step(_ pointer: SQLiteStatement) throws -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  private func reset(_ pointer: SQLiteStatement) {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }

  private func failure(_ code: CInt) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: String(cString: sqlite3_errmsg(sqliteConnection)))
  }
}
