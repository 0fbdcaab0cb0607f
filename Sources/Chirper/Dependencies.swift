import ChirperPlatform
import Foundation

/// The clock, sleep and randomness, which tests replace.
public struct Dependencies: Sendable {
  /// The wall clock, UTC.
  public var now: @Sendable () -> Date
  /// Sleeps by a monotonic clock; throws `CancellationError` when the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// Uniform in 0..<1.
  public var random: @Sendable () -> Double

  /// The clock, sleep and randomness of a test.
  public init(
    now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void,
    random: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.sleep = sleep
    self.random = random
  }

  /// Those of the system.
  public static let live = Dependencies(
    now: WallClock.now,
    sleep: { try await ContinuousClock().sleep(for: $0) },
    random: { Double.random(in: 0..<1) }
  )
}
