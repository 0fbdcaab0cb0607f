// Unsafe memory: numbers as bytes.

import ChirperModel
import Foundation
import GRDB
import GRDBSQLite

/// A database file with the table `recordings`, for other programs; written once, from its first
/// row to its last.
///
/// Rows come encoded (`append(_:to:)`), so that other cores can make them while one inserts.
package final class TableFile {
  /// The kind of file.
  package enum Form: Sendable {
    /// SQLite, for Datasette, DBeaver and dbplyr.
    case sqlite
    /// GeoPackage 1.3 (https://www.geopackage.org/spec130/), for QGIS, R and geopandas: each row is
    /// a point, or has no place.
    case geoPackage
  }

  /// A column, and a line with its meaning.
  package typealias Column = (name: String, type: ColumnType, meaning: String)

  /// The description of the table.
  package struct Description {
    let title: String
    let text: String
    let provenance: String
    let writtenAt: Date

    /// - Parameters:
    ///   - text: the title in more words.
    ///   - provenance: where the rows come from, a JSON object.
    package init(title: String, text: String, provenance: String, writtenAt: Date) {
      (self.title, self.text, self.provenance, self.writtenAt) = (
        title, text, provenance, writtenAt
      )
    }
  }

  /// The file could not be written, for the reason that the system has this number for.
  package struct Failure: Error {
    /// The error's number, as in `errno`.
    package let number: Int32

    package init(number: Int32) { self.number = number }
  }

  private let form: Form
  private let columns: [Column]
  private var database: SQLiteConnection?
  private var insertion: SQLiteStatement?
  /// The corners of the box around all places.
  private var (least, greatest) = (
    SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity)
  )

  /// - Parameters:
  ///   - path: of an empty file, which the caller removes if writing fails.
  ///   - named: the columns; of equal names, and SQLite does not distinguish upper and lower case,
  ///     those after the first are changed.
  package init(path: String, form: Form, columns named: [Column]) throws {
    self.form = form
    var names: Set = ["fid", "geom"]
    columns = named.map { column in
      var column = column
      while !names.insert(column.name.lowercased()).inserted { column.name += "_2" }
      return column
    }
    try check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
    // Nobody reads the file before it is whole, and then the caller syncs it.
    try run("PRAGMA journal_mode = OFF")
    try run("PRAGMA synchronous = OFF")
    var definitions = columns.map { "\(Self.quoted($0.name)) \(Self.declaration(of: $0.type))" }
    var places = definitions.map { _ in "?" }
    if form == .geoPackage {
      for statement in GeoPackage.statements { try run(statement) }
      definitions = ["fid INTEGER PRIMARY KEY NOT NULL", "geom POINT"] + definitions
      places = ["NULL", "?"] + places
    } else {
      // SQLite keeps the comments with the statement, which programs show.
      definitions = zip(columns, definitions).map { "-- \($0.meaning)\n\($1)" }
    }
    try run("BEGIN")
    try run("CREATE TABLE recordings (\n\(definitions.joined(separator: ",\n"))\n)")
    insertion = try prepared("INSERT INTO recordings VALUES (\(places.joined(separator: ",")))")
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_close_v2(database)
  }

  /// Inserts rows that are encoded whole: of a GeoPackage the place first, then a value for each
  /// column.
  package func insert(_ rows: [UInt8]) throws {
    let count = sqlite3_bind_parameter_count(insertion)
    try rows.withUnsafeBytes { rows in
      var at = 0
      while at < rows.count {
        for index in 1...count { try check(bind(rows, &at, to: index)) }
        let code = sqlite3_step(insertion)
        try check(code == SQLITE_DONE ? sqlite3_reset(insertion) : code)
      }
    }
  }

  /// Writes the description of the table, and ends the file.
  package func finish(_ description: Description) throws {
    switch form {
    case .sqlite:
      try run(
        "CREATE TABLE provenance AS SELECT key AS name, value FROM json_each(?)",
        description.provenance)
    case .geoPackage:
      let time = description.writtenAt.formatted(.iso8601)
      let box = [least.x, least.y, greatest.x, greatest.y].map { $0.isFinite ? $0 : nil }
      try run(
        "INSERT INTO gpkg_contents VALUES ('recordings', 'features', ?, ?, ?, ?, ?, ?, ?, 4326)",
        description.title,
        description.text, time, box[0], box[1], box[2], box[3])
      try run(
        "INSERT INTO gpkg_geometry_columns VALUES ('recordings', 'geom', 'POINT', 4326, 0, 0)")
      // The standard of the metadata is JSON.
      try run(
        "INSERT INTO gpkg_metadata VALUES (1, 'dataset', 'https://www.rfc-editor.org/info/rfc8259', 'application/json', ?)",
        description.provenance)
      try run(
        "INSERT INTO gpkg_metadata_reference VALUES ('table', 'recordings', NULL, NULL, ?, 1, NULL)",
        time)
      for column in columns {
        try run(
          "INSERT INTO gpkg_data_columns (table_name, column_name, description) VALUES ('recordings', ?, ?)",
          column.name,
          column.meaning)
      }
    }
    try run("COMMIT")
  }

  private func run(_ sql: String, _ values: (any SQLValue)?...) throws {
    let statement = try prepared(sql)
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      if let value { try check(value.bind(to: statement, at: CInt(index + 1))) }
    }
    let code = sqlite3_step(statement)
    if code != SQLITE_ROW, code != SQLITE_DONE { try check(code) }
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
    case none, integer, number, text, place
  }

  /// Appends a value of a row.
  package static func append(_ value: ColumnValue, to rows: inout [UInt8]) {
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

  /// Appends the place of a row.
  package static func append(_ place: Coordinate?, to rows: inout [UInt8]) {
    guard let place else { return rows.append(Kind.none.rawValue) }
    append(.place, SIMD2(place.longitude, place.latitude), to: &rows)
  }

  private static func append(_ kind: Kind, _ value: some BitwiseCopyable, to rows: inout [UInt8]) {
    rows.append(kind.rawValue)
    withUnsafeBytes(of: value) { rows.append(contentsOf: $0) }
  }

  /// Binds the value at that place of encoded rows, and moves on to the next. SQLite reads texts
  /// where they are.
  private func bind(_ rows: UnsafeRawBufferPointer, _ at: inout Int, to index: CInt) -> CInt {
    func next<Value: BitwiseCopyable>(_: Value.Type) -> Value {
      defer { at += MemoryLayout<Value>.size }
      return rows.loadUnaligned(fromByteOffset: at, as: Value.self)
    }
    switch Kind(rawValue: next(UInt8.self)) {
    case .integer: return sqlite3_bind_int64(insertion, index, next(Int64.self))
    case .number: return sqlite3_bind_double(insertion, index, next(Double.self))
    case .text:
      let count = next(Int.self)
      defer { at += count }
      let text = UnsafeRawBufferPointer(rebasing: rows[at..<(at + count)]).assumingMemoryBound(
        to: CChar.self)
      return sqlite3_bind_text64(
        insertion, index, text.baseAddress, UInt64(count), nil, UInt8(SQLITE_UTF8))
    case .place:
      let place = next(SIMD2<Double>.self)
      (least, greatest) = (pointwiseMin(least, place), pointwiseMax(greatest, place))
      return insertion.map { GeoPackage.point(place).bind(to: $0, at: index) } ?? SQLITE_MISUSE
    case nil, .some(.none): return sqlite3_bind_null(insertion, index)
    }
  }

  private static func declaration(of type: ColumnType) -> String {
    switch type {
    case .key: "TEXT NOT NULL"
    case .text, .serial, .list, .objects, .pattern, .address, .date, .rating: "TEXT"
    case .number: "REAL"
    case .integer: "INTEGER"
    case .boolean: "BOOLEAN"
    }
  }

  private static func quoted(_ name: String) -> String {
    "\"\((PlainLine.text(name) ?? "column").replacing("\"", with: "\"\""))\""
  }
}
