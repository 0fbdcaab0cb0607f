import Dispatch
import Foundation

/// Cores of this machine. Asked once, because the answer comes from files.
package let coreCount = ProcessInfo.processInfo.activeProcessorCount

/// A value that is computed on another core, from the moment of `init`, while its caller does something else. The caller is on a
/// thread that may wait: the main thread of the command, or that of a `QueueExecutor`.
package struct ComputedAhead<Value: Sendable>: Sendable {
  private let result = Locked<Result<Value, any Error>?>(nil)
  private let group = DispatchGroup()

  /// Begins to compute the value.
  package init(_ compute: @escaping @Sendable () throws -> Value) {
    // A serial queue gets a thread also if every thread of the concurrent ones waits for such a value.
    DispatchQueue(label: "chirper.ahead", qos: .userInitiated).async(group: group) { [result] in
      let computed = Result { try compute() }
      result.withLock { $0 = computed }
    }
  }

  /// The value, once it is computed, or what its computation threw.
  package func value() throws -> Value {
    group.wait()
    return try result.withLock { $0 }!.get()  // Safe: set before the group is left.
  }

  /// Calls `body` with what is computed of each element, in their order; a few are computed at the same time.
  ///
  /// - Throws: what `compute` and `body` throw, and `CancellationError` soon after the task is cancelled.
  package static func forEach<Element: Sendable>(
    of elements: some Sequence<Element>, compute: @escaping @Sendable (Element) throws -> Value, _ body: (Value) throws -> Void
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
