import Testing

/// Waits up to ten seconds for something another thread brings about; a busy machine is slow.
package func eventually(_ condition: () -> Bool) async throws {
  for _ in 0..<2000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
  #expect(condition())
}
