// Unsafe memory: numbers as bytes.

#if Collection

import ChirperModel
import Foundation
import GRDB
import GRDBSQLite

/// An SQLite file for other programs, with one table of rows; written once, from its first row to
/// its last. What is in it is given in SQL.
///
/// Rows come encoded (`append(_:to:)`), so that other cores can make them while one inserts.
package final class TableFile {
  /// The file could not be written, for the reason that the system has this number for.
  package struct Failure: Error {
    /// The error's number, as in `errno`.
    package let number: Int32

    package init(number: Int32) { self.number = number }
  }

  private let point: @Sendable (SIMD2<Double>) -> [UInt8]
  private var database: SQLiteConnection?
  private var insertion: SQLiteStatement?
  /// The corners of the box around all coordinates.
  private var (least, greatest) = (
    SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity)
  )

  /// Opens the file, and begins its rows.
  ///
  /// - Parameters:
  ///   - path: of an empty file, which the caller removes if writing fails.
  ///   - opening: the statements that make the table.
  ///   - insertion: the statement for a row, with a `?` for each of its values.
  ///   - point: the bytes of a place, longitude and latitude.
  package init(
    path: String, opening: [String], insertion: String,
    point: @escaping @Sendable (SIMD2<Double>) -> [UInt8]
  ) throws {
    self.point = point
    try check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
    // Nobody reads the file before it is whole, and then the caller syncs it.
    for statement in ["PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF"] + opening {
      try run(statement)
    }
    self.insertion = try prepared(insertion)
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_close_v2(database)
  }

  /// Inserts rows that are encoded whole.
  package func insert(_ rows: [UInt8]) throws {
    guard let insertion else { return }
    try rows.withUnsafeBytes { rows in
      var at = 0
      while at < rows.count { try step(insertion, rows, &at) }
    }
  }

  /// Runs the statements that end the file, each with its values.
  ///
  /// - Parameter statements: they are given west, south, east and north of all places, which are
  ///   missing if no row has a place.
  package func finish(
    _ statements: (_ box: [DetailColumn.Value]) -> [(sql: String, values: [DetailColumn.Value])]
  ) throws {
    let box = [least.x, least.y, greatest.x, greatest.y].map {
      $0.isFinite ? DetailColumn.Value.number($0) : .none
    }
    for (sql, values) in statements(box) { try run(sql, values) }
    try run("COMMIT")
  }

  private func run(_ sql: String, _ values: [DetailColumn.Value] = []) throws {
    let statement = try prepared(sql)
    defer { sqlite3_finalize(statement) }
    var row: [UInt8] = []
    for value in values { Self.append(value, to: &row) }
    try row.withUnsafeBytes { row in
      var at = 0
      try step(statement, row, &at)
    }
  }

  /// Runs a statement with the values at that place of encoded rows, and moves on to the next row.
  private func step(
    _ statement: SQLiteStatement, _ rows: UnsafeRawBufferPointer, _ at: inout Int
  ) throws {
    for index in 0..<sqlite3_bind_parameter_count(statement) {
      try check(bind(rows, &at, to: index + 1, of: statement))
    }
    let code = sqlite3_step(statement)
    try check([SQLITE_ROW, SQLITE_DONE].contains(code) ? sqlite3_reset(statement) : code)
  }

  private func prepared(_ sql: String) throws -> SQLiteStatement {
    var statement: SQLiteStatement?
    try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    guard let statement else { throw Failure(number: EIO) }
    return statement
  }

  private func check(_ code: CInt) throws {
    guard code != SQLITE_OK else { return }
    // SQLite has no number for what fails at the end of a transaction.
    let last = errno
    let numbers = [code & 0xFF == SQLITE_FULL ? ENOSPC : 0, sqlite3_system_errno(database), last]
    throw Failure(number: numbers.first { $0 != 0 } ?? EIO)
  }

  // MARK: Encoded rows

  private enum Kind: UInt8 {
    case none, integer, number, text, coordinate
  }

  /// Appends a value of a row.
  package static func append(_ value: DetailColumn.Value, to rows: inout [UInt8]) {
    switch value {
    case .integer(let number): append(.integer, Int64(number), to: &rows)
    case .flag(let isTrue): append(.integer, isTrue ? 1 : 0 as Int64, to: &rows)
    case .number(let number): append(.number, number, to: &rows)
    default:
      guard let text = value.text() else { return rows.append(Kind.none.rawValue) }
      append(.text, text.utf8.count, to: &rows)
      rows.append(utf8: text)
    }
  }

  /// Appends the coordinate of a row.
  package static func append(_ coordinate: RecordingDetails.Coordinate?, to rows: inout [UInt8]) {
    guard let coordinate else { return rows.append(Kind.none.rawValue) }
    append(.coordinate, SIMD2(coordinate.longitude, coordinate.latitude), to: &rows)
  }

  private static func append(_ kind: Kind, _ value: some BitwiseCopyable, to rows: inout [UInt8]) {
    rows.append(kind.rawValue)
    withUnsafeBytes(of: value) { rows.append(contentsOf: $0) }
  }

  /// Binds the value at that position of encoded rows, and moves on to the next. SQLite reads texts
  /// where they are.
  private func bind(
    _ rows: UnsafeRawBufferPointer, _ at: inout Int, to index: CInt, of statement: SQLiteStatement
  ) -> CInt {
    func next<Value: BitwiseCopyable>(_: Value.Type) -> Value {
      defer { at += MemoryLayout<Value>.size }
      return rows.loadUnaligned(fromByteOffset: at, as: Value.self)
    }
    switch Kind(rawValue: next(UInt8.self)) {
    case .integer: return sqlite3_bind_int64(statement, index, next(Int64.self))
    case .number: return sqlite3_bind_double(statement, index, next(Double.self))
    case .text:
      let count = next(Int.self)
      defer { at += count }
      let text = UnsafeRawBufferPointer(rebasing: rows[at..<(at + count)]).assumingMemoryBound(
        to: CChar.self)
      return sqlite3_bind_text64(
        statement, index, text.baseAddress, UInt64(count), nil, UInt8(SQLITE_UTF8))
    case .coordinate:
      let coordinate = next(SIMD2<Double>.self)
      least = pointwiseMin(least, coordinate)
      greatest = pointwiseMax(greatest, coordinate)
      return point(coordinate).bind(to: statement, at: index)
    case nil, .some(.none): return sqlite3_bind_null(statement, index)
    }
  }
}

#endif
