import Foundation

/// A value that is only used while a lock is held.
///
/// Not `Mutex`: on Linux, Thread Sanitizer reports races in programs that only count under one
/// (docs/decisions/0021).
package final class Locked<Value: Sendable>: @unchecked Sendable {  // Safe: under `lock`.
  private let lock = NSLock()
  private var value: Value

  /// The value to protect.
  package init(_ value: Value) {
    self.value = value
  }

  /// Calls `body` with the value, one caller at a time; `body` must not wait for anything.
  package func withLock<T>(_ body: (inout Value) throws -> T) rethrows -> T {
    try lock.withLock { try body(&value) }
  }
}
