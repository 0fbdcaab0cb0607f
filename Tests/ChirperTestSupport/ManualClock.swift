import Chirper
import ChirperModel
import ChirperPlatform
import Foundation

/// A clock that moves only by sleeping, which takes no time.
public final class ManualClock: Sendable {
  private let shared: Locked<(now: Date, slept: [Duration])>

  public init(_ start: Date = Date(timeIntervalSince1970: 1_780_000_000)) {
    shared = Locked((start, []))
  }

  public var now: Date {
    shared.withLock { $0.now }
  }

  /// Every sleep so far.
  public var slept: [Duration] {
    shared.withLock { $0.slept }
  }

  public func advance(by duration: Duration) {
    shared.withLock { $0.now += duration / .seconds(1) }
  }

  /// Dependencies with this clock; each random number is `random`.
  ///
  /// - Parameter leastSleep: the time that a sleep takes in truth, for one that waits for other work.
  public func dependencies(random: Double = 0.5, leastSleep: Duration = .zero) -> Dependencies {
    Dependencies(
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
