extension RecordingRepository.Dependencies {
  /// Takes a lock that a different process may hold. Waits as long as the holder makes
  /// progress, which `progress` returns.
  ///
  /// - Returns: `nil` after a minute without progress. The holder may be stopped, or wait
  ///   as a Retry-After asks.
  func lock<Lock, Progress: Equatable>(
    _ take: () throws -> Lock?, progress: () throws -> Progress, willWait: () -> Void = {}
  ) async throws -> Lock? {
    var last: Progress?
    // The sum of the pauses: a clock that jumps does not change it.
    var idle: Duration = .zero
    while true {
      if let lock = try take() { return lock }
      if last == nil { willWait() }
      let seen = try progress()
      if seen != last { (last, idle) = (seen, .zero) }
      idle += .milliseconds(100)
      guard idle <= .seconds(60) else { return nil }
      try await sleep(.milliseconds(100))
    }
  }
}
