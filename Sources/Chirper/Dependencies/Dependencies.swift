import ChirperModel
import ChirperRemote
import Foundation

#if Logging
import Logging
#endif

extension RecordingRepository {
  /// The clock, sleep and randomness, which tests replace, and the logger.
  public struct Dependencies: Sendable {
    /// The wall clock, UTC.
    public var now: @Sendable () -> Date
    /// Sleeps by a monotonic clock; throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Uniform in 0..<1.
    public var random: @Sendable () -> Double
    package var log = Log()
    #if Logging
    /// The logger of the library. It gets the reason why a sync walks, requests (without the
    /// key), waits, and the work of the store. The levels are `debug` and `trace`; `warning`
    /// is a sentence for the user. The default discards everything.
    public var logger: Logger {
      get { log.logger }
      set { log.logger = newValue }
    }
    #endif

    /// The clock, sleep and randomness of a test. The logger discards everything.
    public init(
      now: @escaping @Sendable () -> Date,
      sleep: @escaping @Sendable (Duration) async throws -> Void,
      random: @escaping @Sendable () -> Double
    ) {
      self.now = now
      self.sleep = sleep
      self.random = random
    }

    /// The clock, sleep and randomness of the system.
    public static let live = Dependencies(
      now: WallClock.now,
      sleep: { try await ContinuousClock().sleep(for: $0) },
      random: { Double.random(in: 0..<1) }
    )
  }
}
