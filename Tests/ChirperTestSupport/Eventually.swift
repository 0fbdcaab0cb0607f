import Foundation
import Testing

/// Waits up to ten seconds for something another thread brings about; a busy machine is slow.
package func eventually(_ condition: () -> Bool) async throws {
  for _ in 0..<2000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
  #expect(condition())
}

/// The same in a test that is not asynchronous, where another process brings it about; up to 20 seconds.
package func waitUntil(_ condition: () throws -> Bool) throws {
  let deadline = ContinuousClock.now + .seconds(20)
  while try !condition(), ContinuousClock.now < deadline { usleep(5000) }
  #expect(try condition())
}
