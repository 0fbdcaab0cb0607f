@_exported import ChirperTesting
import Foundation
import Testing

/// How long a test waits for what must come: far longer than it takes on a busy machine, on which
/// hundreds of tests share two threads.
package let patience = Duration.seconds(600)

/// Waits until the condition holds, at most as long as `patience`.
package func eventually(
  _ what: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + patience
  while try !condition() {
    try #require(ContinuousClock.now < end, what, sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Waits like `eventually`, in a test that is not asynchronous.
package func waitUntil(
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + patience
  while try !condition() {
    try #require(ContinuousClock.now < end, sourceLocation: sourceLocation)
    usleep(5000)
  }
}
