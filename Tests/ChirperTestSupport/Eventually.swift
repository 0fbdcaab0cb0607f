@_exported import ChirperTesting
import Foundation
import Testing

/// Waits up to a minute until the condition holds; a busy machine is slow.
package func eventually(_ condition: () -> Bool) async throws {
  for _ in 0..<12_000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
  #expect(condition())
}

/// Waits up to a minute like `eventually`, in a test that is not asynchronous.
package func waitUntil(_ condition: () throws -> Bool) throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while try !condition(), ContinuousClock.now < deadline { usleep(5000) }
  #expect(try condition())
}
