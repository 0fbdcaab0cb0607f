import ChirperModel

/// The time-outs of one request as a pure value. It is given events and their times, says
/// when to look again, and names the time-out that has passed.
struct TransferWatch {
  typealias Instant = ContinuousClock.Instant

  let limits: HTTPLimits
  let start: Instant
  var lastPiece: Instant?
  var windowStart: Instant?
  var windowBytes = 0

  mutating func headArrived(at now: Instant) {
    lastPiece = now
    windowStart = now
  }

  mutating func bodyArrived(_ count: Int, at now: Instant) {
    lastPiece = now
    windowBytes += count
  }

  /// The next moment at which something may have run out, or before the head the latest at which to
  /// look whether it came.
  func nextLook(after now: Instant) -> Instant {
    let whole = start + limits.whole
    guard let lastPiece, let windowStart else {
      return min(whole, start + limits.firstByte, now + min(limits.idle, limits.rateWindow))
    }
    return min(whole, lastPiece + limits.idle, windowStart + limits.rateWindow)
  }

  /// The phase whose time has run out by `now`, if any. Opens the next rate window if the
  /// last one was fast enough.
  mutating func expired(at now: Instant) -> FetchError.TimeoutPhase? {
    if now >= start + limits.whole { return .whole }
    guard let lastPiece, let windowStart else {
      return now >= start + limits.firstByte ? .firstByte : nil
    }
    if now >= lastPiece + limits.idle { return .idle }
    if now >= windowStart + limits.rateWindow {
      let wanted = Double(limits.minimumBytesPerSecond) * ((now - windowStart) / .seconds(1))
      if Double(windowBytes) < wanted { return .idle }
      self.windowStart = now
      windowBytes = 0
    }
    return nil
  }
}
