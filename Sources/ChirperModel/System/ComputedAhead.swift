#if Collection

import Dispatch
import Foundation

/// Cores of this machine. Asked once, because the answer comes from files.
package let coreCount = ProcessInfo.processInfo.activeProcessorCount

/// A value that is computed on a different core, from the moment of `init`, while its
/// caller does something else. The caller is on a thread that may wait: the main thread of
/// the command, or the thread of a `QueueExecutor`.
package struct ComputedAhead<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case waiting(@Sendable () throws -> Value)
    case begun
    case computed(Result<Value, any Error>)
  }

  private let state: Locked<State>
  private let group = DispatchGroup()

  /// Begins to compute the value as soon as a core is free.
  package init(_ compute: @escaping @Sendable () throws -> Value) {
    state = Locked(.waiting(compute))
    DispatchQueue.global(qos: .userInitiated).async(group: group) { [state] in Self.compute(state) }
  }

  /// Computes the value, if nothing has begun to.
  private static func compute(_ state: Locked<State>) {
    let compute: (@Sendable () throws -> Value)? = state.withLock { state in
      guard case .waiting(let compute) = state else { return nil }
      state = .begun
      return compute
    }
    guard let compute else { return }
    let result = Result { try compute() }
    state.withLock { $0 = .computed(result) }
  }

  /// The value, once it is computed. Throws the error of its computation.
  ///
  /// Computes it here, if every thread of the system's queue is busy. Only a computation
  /// under way is waited for, so that no two can wait for each other.
  package func value() throws -> Value {
    Self.compute(state)
    if case .computed(let result) = state.withLock(\.self) { return try result.get() }
    group.wait()
    guard case .computed(let computed) = state.withLock(\.self) else {
      fatalError("the group was left before")  // Safe: the state is set before.
    }
    return try computed.get()
  }

  /// Calls `body` with the value computed for each element, in their order; a few are
  /// computed at the same time.
  ///
  /// - Throws: the errors of `compute` and `body`, and `CancellationError` soon after the
  ///   task is cancelled.
  package static func forEach<Element: Sendable>(
    of elements: some Sequence<Element>, compute: @escaping @Sendable (Element) throws -> Value,
    _ body: (Value) throws -> Void
  ) throws {
    var waiting: [ComputedAhead] = []
    for element in elements {
      try Task.checkCancellation()
      waiting.append(ComputedAhead { try compute(element) })
      if waiting.count > coreCount { try body(waiting.removeFirst().value()) }
    }
    for computed in waiting { try body(computed.value()) }
  }
}

#endif
