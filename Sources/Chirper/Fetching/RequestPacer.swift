import ChirperModel
import ChirperStore

/// Enforces a catalogue's rate limit, shared by all processes that use the store.
struct RequestPacer: Sendable {
  let store: RecordingStore
  let catalogue: CatalogueID
  /// The least time between two requests.
  let interval: Duration
  let dependencies: Dependencies

  /// A Retry-After up to this is waited for; a longer one is an error.
  static let longestWait: Duration = .seconds(60)

  /// Waits until a request may be made: for the rate limit, and for the pause the service asked for if that is short.
  ///
  /// - Parameter page: that is to be requested, if it is one.
  func waitForTurn(page: Int? = nil, observe: (Duration, WaitReason) -> Void) async throws(LoadError) {
    // Another process may be asked to wait longer meanwhile.
    var paused: Duration = .zero
    while true {
      let now = dependencies.now()
      let slot: RecordingStore.RequestSlot
      do {
        slot = try store.reserveRequest(to: catalogue, interval: interval, now: now)
      } catch {
        throw .store(error)
      }
      switch slot {
      case .at(let moment):
        let wait = Duration.seconds(moment.timeIntervalSince(now))
        if wait > .zero {
          observe(wait, .rateLimit)
          try await sleep(wait)
        }
        if Task.isCancelled { throw .cancelled }
        return
      case .paused(let until):
        let wait = Duration.seconds(until.timeIntervalSince(now))
        paused += wait
        if paused > Self.longestWait { throw .fetch(.rateLimited(retryAfter: wait), catalogue: catalogue, page: page) }
        observe(wait, .retryAfter)
        try await sleep(wait)
      }
    }
  }

  /// Stores the pause that an error asks for, so that every process keeps it.
  ///
  /// - Parameter isLast: whether no further attempt follows; a service that answers "too many requests" to each of them
  ///   without a time is then left alone for a minute.
  func pause(for error: FetchError, isLast: Bool) throws(StoreError) {
    var wait = error.retryAfter
    if case .rateLimited(retryAfter: nil) = error, isLast { wait = .seconds(60) }
    if let wait { try store.pause(catalogue, for: wait, now: dependencies.now()) }
  }

  private func sleep(_ duration: Duration) async throws(LoadError) {
    do {
      try await dependencies.sleep(duration)
    } catch {
      throw .cancelled
    }
  }
}
