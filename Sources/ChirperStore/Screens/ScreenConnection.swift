import ChirperModel
import GRDB

/// A second connection to a store, opened when a screen reads first. What is read on it waits
/// neither for this process's other reads nor for a transaction that has not ended.
final class ScreenConnection: Sendable {
  private let state = Locked<(connection: DatabaseQueue?, users: Int)>((nil, 0))

  /// Runs `body` with the connection; `nil` if `waits` is `false` and that would wait for a
  /// different thread, or for the file to be opened.
  func use<T>(waits: Bool, open: () throws -> DatabaseQueue, _ body: (DatabaseQueue) throws -> T?)
    throws -> T?
  {
    let known: DatabaseQueue?? = state.withLock { state in
      guard waits || (state.users == 0 && state.connection != nil) else { return nil }
      state.users += 1
      return .some(state.connection)
    }
    guard let known else { return nil }
    defer { state.withLock { $0.users -= 1 } }
    if let known { return try body(known) }
    // Not while the lock is held: another process may keep the file locked.
    let opened = try open()
    return try body(
      state.withLock { state in
        state.connection = state.connection ?? opened
        return state.connection ?? opened
      })
  }

  /// Runs `body` with the connection if there is one.
  func ifOpen(_ body: (DatabaseQueue) -> Void) {
    if let connection = state.withLock(\.connection) { body(connection) }
  }
}
