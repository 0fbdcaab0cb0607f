import Chirper
import ChirperModel
import Foundation

/// A clock for tests, which moves only when the library sleeps or a test advances it. Sleeping
/// takes no time, so a test that waits for a rate limit, or between attempts, ends at once.
///
///     let clock = ManualClock()
///     let repository = try RecordingRepository.inMemory(catalogues: [catalogue], dependencies:
///     clock.dependencies())
public final class ManualClock: Sendable {
  private let shared: Locked<(now: Date, slept: [Duration])>

  /// A clock that shows that moment.
  public init(_ start: Date = Date(timeIntervalSince1970: 1_780_000_000)) {
    shared = Locked((start, []))
  }

  /// The moment that it shows.
  public var now: Date {
    shared.withLock { $0.now }
  }

  /// Every sleep so far.
  public var slept: [Duration] {
    shared.withLock { $0.slept }
  }

  /// Moves the clock without a sleep: what is stored becomes older by that much.
  public func advance(by duration: Duration) {
    shared.withLock { $0.now += duration / .seconds(1) }
  }

  /// Dependencies with this clock.
  ///
  /// - Parameters:
  ///   - random: every random number, from 0 to less than 1. Pauses between attempts depend on it.
  ///   - leastSleep: how long a sleep takes in truth, for one that waits for other work.
  public func dependencies(random: Double = 0.5, leastSleep: Duration = .zero)
    -> RecordingRepository.Dependencies
  {
    RecordingRepository.Dependencies(
      now: { self.now },
      sleep: { duration in
        try Task.checkCancellation()
        if leastSleep > .zero { try await Task.sleep(for: leastSleep) }
        self.shared.withLock {
          $0.now += duration / .seconds(1)
          $0.slept.append(duration)
        }
      },
      random: { random })
  }
}
