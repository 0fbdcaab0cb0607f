import ChirperModel
import ChirperStore

/// Enforces a catalogue's rate limit, shared by all processes that use the store.
struct RequestPacer: Sendable {
  let store: RecordingStore
  let catalogue: CatalogueID
  let interval: Duration
  let dependencies: RecordingRepository.Dependencies

  /// A Retry-After up to this is waited for; a longer one is an error.
  static let longestWait: Duration = .seconds(60)

  /// Waits until a request may be made: for the rate limit, and for the pause the service asked for
  /// if that is short.
  func waitForTurn(page: Int? = nil, observe: (Duration, LoadState.WaitReason) -> Void) async throws
  {
    // Another process may be asked to wait longer meanwhile.
    var paused: Duration = .zero
    while true {
      let now = dependencies.now()
      let slot = try await withTaskExecutorPreference(store.loading) {
        try store.reserveRequest(to: catalogue, interval: interval, now: now)
      }
      switch slot {
      case .at(let moment):
        let wait = Duration.seconds(moment.timeIntervalSince(now))
        if wait > .zero {
          observe(wait, .rateLimit)
          try await dependencies.sleep(wait)
        }
        return try Task.checkCancellation()
      case .paused(let until):
        let wait = Duration.seconds(until.timeIntervalSince(now))
        paused += wait
        if paused > Self.longestWait {
          throw LoadError.fetch(.rateLimited(retryAfter: wait), catalogue: catalogue, page: page)
        }
        observe(wait, .retryAfter)
        try await dependencies.sleep(wait)
      }
    }
  }

  /// Stores the pause that an error asks for, so that every process keeps it. A service that
  /// answers "too many requests" to each attempt without a time is left alone for a minute after
  /// the last.
  func pause(for error: FetchError, isLast: Bool) async throws(StoreError) {
    var wait = error.retryAfter
    if error == .rateLimited(retryAfter: nil), isLast { wait = .seconds(60) }
    guard let wait else { return }
    try await withTaskExecutorPreference(store.loading) { () async throws(StoreError) in
      try store.pause(catalogue, for: wait, now: dependencies.now())
    }
  }
}
