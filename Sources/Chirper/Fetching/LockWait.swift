/// How long to wait for a lock of another process: as long as that process makes progress.
struct LockWait<Progress: Equatable> {
  private var progress: Progress?
  /// The time without progress, as the sum of the pauses: a clock that jumps does not change it.
  private var idle: Duration = .zero

  /// Between two attempts.
  let pause: Duration = .milliseconds(100)
  /// Without progress. The holder may be stopped, or wait as a Retry-After asks.
  let limit: Duration = .seconds(60)

  /// Counts one more pause.
  ///
  /// - Parameter seen: what the other process has done so far.
  /// - Returns: `false` once the limit is reached.
  mutating func mayContinue(_ seen: Progress) -> Bool {
    if progress != seen { (progress, idle) = (seen, .zero) }
    idle += pause
    return idle <= limit
  }
}
