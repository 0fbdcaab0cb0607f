#if Collection

import GRDB
import GRDBSQLite

/// Reads the readable rows of a damaged file: each table from its start, then, if that
/// breaks off, from its end, and the rows between by their keys, which come from the
/// indexes and from other tables.
///
/// The work is limited by SQLite's own step count, which pages that form a loop cannot
/// escape, and by a number of look-ups.
final class Salvage {
  private let db: Database
  /// The steps that are left, in thousands; SQLite's callback counts them.
  private var budget: Int
  private var lookUps: Int64 = 0

  static let mostLookUps: Int64 = 1_000_000

  init(_ db: Database) throws {
    self.db = db
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    // Reading a sound file takes about one step per two bytes.
    budget = 20_000 + max(0, pages) * 40
    sqlite3_progress_handler(
      db.sqliteConnection, 1000,
      { context in
        guard let context else { return 0 }
        let salvage = Unmanaged<Salvage>.fromOpaque(context).takeUnretainedValue()
        salvage.budget -= 1
        return salvage.budget > 0 ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func finish() {
    sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
  }

  /// Reads every row from the start, and if that breaks off, every row from the end, then
  /// the part of each row that an index has. A row may come twice.
  ///
  /// - Returns: Whether the first reading reached the end.
  @discardableResult
  func scan(
    _ select: String, descending: String, orOnly index: String? = nil,
    _ body: (SQLRow) throws -> Void
  ) throws -> Bool {
    let isWhole = try read(select, body: body)
    if !isWhole { try read("\(select) ORDER BY \(descending)", body: body) }
    if let index { try read(index, body: body) }
    return isWhole
  }

  /// The rows of a statement until it breaks off; whether it reached its end.
  @discardableResult
  func read(_ sql: String, _ values: [(any SQLValue)?] = [], body: (SQLRow) throws -> Void) throws
    -> Bool
  {
    // An error of `body`, which writes, is thrown; one of reading is not.
    var isInBody = false
    do {
      try db.forEachRow(sql, values: values) { row in
        isInBody = true
        try body(row)
        isInBody = false
      }
      return true
    } catch is DatabaseError where !isInBody {
      return false
    }
  }

  /// The rows of a statement for one key; `false` without reading after too many look-ups.
  @discardableResult
  func lookUp(_ sql: String, _ key: (any SQLValue)?..., body: (SQLRow) throws -> Void) throws
    -> Bool
  {
    lookUps += 1
    return try lookUps <= Self.mostLookUps && budget > 0 && read(sql, key, body: body)
  }
}

#endif
