import ChirperModel
import GRDB
import GRDBSQLite

/// The time for which one piece of work, such as the answer to a request, has waited for the
/// database in all its transactions.
package final class SharedWait: Sendable {
  /// The wait of the work that runs; `nil` if each transaction may wait as long as one.
  @TaskLocal package static var current: SharedWait?

  fileprivate let spent = Locked(Duration.zero)

  package init() {}
}

/// The wait for one transaction, from the moment it is made: first for the connection, then for
/// other processes. Of many that wait for a connection, each would otherwise wait as long as one,
/// one after the other.
struct DatabaseWait {
  private let start = ContinuousClock.now
  private let shared = SharedWait.current

  /// Calls `body`, in which the database may be waited for until `busyTimeout` is over.
  func limited<T>(on db: Database, _ body: () throws -> T) throws -> T {
    let spent = ContinuousClock.now - start + (shared?.spent.withLock(\.self) ?? .zero)
    let rest = RecordingStore.busyTimeout - spent / .seconds(1)
    let least = RecordingStore.leastBusyTimeout
    sqlite3_busy_timeout(db.sqliteConnection, CInt(max(least, rest) * 1000))
    defer {
      sqlite3_busy_timeout(db.sqliteConnection, CInt(RecordingStore.busyTimeout * 1000))
    }
    return try body()
  }

  /// The transaction has the database.
  func hasEnded() { shared?.spent.withLock { $0 += ContinuousClock.now - start } }
}
