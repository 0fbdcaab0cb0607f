import ChirperFormats
import ChirperModel
import Dispatch
import Foundation

/// The effect of Ctrl-C, SIGTERM and SIGHUP, from the first use to the end of the process.
///
/// The first signal cancels or cleans up the work at hand, the second ends the process at
/// once. Handlers are installed once and never removed, because work that follows other
/// work must be interruptible too.
enum SignalHandling {
  /// Runs work in a task that a signal cancels; work that does not end within a second of it is
  /// ended with the process. The signal returned may also have arrived before the work.
  static func cancelling<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> (result: Result, signal: Int32?) {
    install()
    let task = Task { await work() }
    let hasArrived = state.withLock { state in
      state.action = { _ in task.cancel() }
      return state.received != nil
    }
    if hasArrived { task.cancel() }
    let result = await task.value
    return (
      result,
      state.withLock { state in
        state.action = nil
        return state.received
      }
    )
  }

  /// Runs work in a task that a signal cancels, and throws its error, or that it was interrupted.
  ///
  /// - Parameter changesNothing: whether the work only reads, so that nothing of it is left.
  static func interruptible<Value: Sendable>(
    changesNothing: Bool = false, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let (result, signal) = await cancelling { () -> Result<Value, any Error> in
      do {
        return .success(try await work())
      } catch {
        return .failure(error)
      }
    }
    if let signal {
      throw UserFacingError.interrupted(by: signal)
        .with(hint: changesNothing ? "Nothing was changed." : nil)
    }
    return try result.get()
  }

  /// Runs work during which a signal first cleans up, then ends the process.
  static func cleaningUp<Result, Failure: Error>(
    _ cleanUp: @escaping @Sendable () -> Void, during work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    install()
    state.withLock { state in
      state.action = { number in
        cleanUp()
        _exit(128 + number)
      }
    }
    defer { state.withLock { $0.action = nil } }
    return try work()
  }

  private struct State {
    /// The first signal that arrived.
    var received: Int32?
    /// The effect of a signal on the work at hand; `nil` between two pieces of work.
    var action: (@Sendable (Int32) -> Void)?
  }

  private static let state = Locked(State())
  private static let installed: Void = SignalWatch.start([SIGINT, SIGTERM, SIGHUP], handle)

  private static func install() { installed }

  private static func handle(_ number: Int32) {
    let action = state.withLock { state in
      guard state.received == nil else { return nil as (@Sendable (Int32) -> Void)? }
      state.received = number
      return state.action
    }
    guard let action else { _exit(128 + number) }
    action(number)
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.9) { _exit(128 + number) }
  }
}
