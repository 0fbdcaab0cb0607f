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

  /// Why a request may not be made now.
  enum Refusal: Error {
    case rateLimited(retryAfter: Duration)
    case cancelled
    case store(StoreError)
  }

  /// Waits until a request may be made: for the rate limit, and for the pause the service asked for where that is short.
  func waitForTurn(observe: (Duration, WaitReason) -> Void = { _, _ in }) async throws(Refusal) {
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
        if wait > Self.longestWait { throw .rateLimited(retryAfter: wait) }
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

  private func sleep(_ duration: Duration) async throws(Refusal) {
    do {
      try await dependencies.sleep(duration)
    } catch {
      throw .cancelled
    }
  }
}
