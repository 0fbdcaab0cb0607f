import Dispatch

/// A value that is computed on another core, from the moment of `init`, while its caller does something else.
package struct ComputedAhead<Value: Sendable>: Sendable {
  private let result = Locked<Result<Value, any Error>?>(nil)
  private let group = DispatchGroup()

  /// Begins to compute the value.
  package init(_ compute: @escaping @Sendable () throws -> Value) {
    DispatchQueue.global(qos: .userInitiated).async(group: group) { [result] in
      let computed = Result { try compute() }
      result.withLock { $0 = computed }
    }
  }

  /// The value, once it is computed, or what its computation threw.
  package func value() throws -> Value {
    group.wait()
    return try result.withLock { $0 }!.get()  // Safe: set before the group is left.
  }
}
