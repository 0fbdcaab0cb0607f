import GRDB
import GRDBSQLite

/// Reads what can be read of a damaged file: each table from its start, then, if that breaks off, from its end, and the
/// rows between by their keys, which come from the indexes and from other tables.
///
/// The work is limited by SQLite's own step count, which pages that form a loop cannot escape, and by a number of look-ups.
final class Salvage {
  private let db: Database
  private let budget: Budget
  private var lookUps = 0

  private static let lookUpLimit = 1_000_000

  /// The steps that are left, in thousands; shared with SQLite's callback.
  private final class Budget {
    var left: Int

    init(_ left: Int) {
      self.left = left
    }
  }

  init(_ db: Database) throws {
    self.db = db
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    // Reading a sound file takes about one step per two bytes.
    budget = Budget(20_000 + max(0, pages) * 40)
    sqlite3_progress_handler(
      db.sqliteConnection, 1000,
      { context in
        guard let context else { return 0 }
        let budget = Unmanaged<Budget>.fromOpaque(context).takeUnretainedValue()
        budget.left -= 1
        return budget.left > 0 ? 0 : 1
      }, Unmanaged.passUnretained(budget).toOpaque())
  }

  /// Removes the callback.
  func finish() {
    sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
  }

  /// Every row from the start, and if that breaks off, every row from the end; a row may come twice.
  ///
  /// - Parameters:
  ///   - select: in the key's order without an ORDER BY.
  ///   - descending: the key's columns, each with DESC.
  /// - Returns: whether the first reading reached the end.
  @discardableResult
  func scan(_ select: String, descending: String, _ body: (SQLRow) throws -> Void) throws -> Bool {
    if try read(select, body: body) { return true }
    _ = try read("\(select) ORDER BY \(descending)", body: body)
    return false
  }

  /// The rows of a statement until it breaks off; whether it reached its end.
  @discardableResult
  func read(_ sql: String, _ values: SQLValue..., body: (SQLRow) throws -> Void) throws -> Bool {
    do {
      let statement = try SQLStatement(db, sql)
      switch values.count {
      case 0: try statement.forEach { row in try Self.wrappingErrors { try body(row) } }
      case 1: try statement.forEach(values[0]) { row in try Self.wrappingErrors { try body(row) } }
      default: try statement.forEach(values[0], values[1]) { row in try Self.wrappingErrors { try body(row) } }
      }
      return true
    } catch let failure as BodyError {
      throw failure.error
    } catch is DatabaseError {
      return false
    }
  }

  /// The rows of a statement for one key; `false` without reading after too many look-ups.
  @discardableResult
  func lookUp(_ sql: String, _ key: SQLValue, _ second: SQLValue? = nil, body: (SQLRow) throws -> Void) throws -> Bool {
    lookUps += 1
    guard lookUps <= Self.lookUpLimit, budget.left > 0 else { return false }
    if let second { return try read(sql, key, second, body: body) }
    return try read(sql, key, body: body)
  }

  /// An error of `body`, which writes; only errors of reading may be ignored.
  private struct BodyError: Error {
    let error: any Error
  }

  private static func wrappingErrors(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      throw BodyError(error: error)
    }
  }
}
