import GRDB
import GRDBSQLite

/// Reads what can be read of a damaged file: each table from its start, where that breaks off from its end, and what
/// lies between key by key, with keys taken from the indexes and from other tables.
///
/// The work is bounded: by SQLite's own count of steps, which no loop of pages escapes, and by a number of probes.
final class Salvage {
  private let db: Database
  private let budget: Budget
  private var probes = 0

  private static let probeLimit = 1_000_000

  /// What is left of the steps; shared with SQLite's callback.
  private final class Budget {
    var left: Int

    init(_ left: Int) {
      self.left = left
    }
  }

  init(_ db: Database) throws {
    self.db = db
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    // In thousands; reading a sound file takes about one step for each two bytes.
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

  /// Takes the callback out again; the values read are no longer needed.
  func finish() {
    sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
  }

  /// Every row a plain reading gives, then those from the end; a row may come twice.
  ///
  /// - Parameters:
  ///   - columns: and from where; in the key's order without an ORDER BY.
  ///   - descending: the key's columns, each with DESC.
  /// - Returns: whether the first reading came to its end.
  @discardableResult
  func scan(_ columns: String, descending: String, _ body: (SQLRow) throws -> Void) throws -> Bool {
    if try read(columns, body: body) { return true }
    _ = try read("\(columns) ORDER BY \(descending)", body: body)
    return false
  }

  /// The rows of a statement until it breaks off; whether it came to its end.
  @discardableResult
  func read(_ sql: String, _ values: SQLValue..., body: (SQLRow) throws -> Void) throws -> Bool {
    do {
      let statement = try SQLStatement(db, sql)
      switch values.count {
      case 0: try statement.forEach { row in try Self.guarding { try body(row) } }
      case 1: try statement.forEach(values[0]) { row in try Self.guarding { try body(row) } }
      default: try statement.forEach(values[0], values[1]) { row in try Self.guarding { try body(row) } }
      }
      return true
    } catch let failure as OfBody {
      throw failure.error
    } catch is DatabaseError {
      return false
    }
  }

  /// The same for one key; `false` without a try once there were too many.
  @discardableResult
  func probe(_ sql: String, _ key: SQLValue, _ second: SQLValue? = nil, body: (SQLRow) throws -> Void) throws -> Bool {
    probes += 1
    guard probes <= Self.probeLimit, budget.left > 0 else { return false }
    if let second { return try read(sql, key, second, body: body) }
    return try read(sql, key, body: body)
  }

  /// An error of writing what was read, told apart from one of reading.
  private struct OfBody: Error {
    let error: any Error
  }

  private static func guarding(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      throw OfBody(error: error)
    }
  }
}
