import ChirperModel
import ChirperRemote
import ChirperStore

/// The values that every part of a run works with.
struct FetchContext: Sendable {
  /// The query as it was asked for; its names may not be known yet.
  let query: CatalogueQuery
  var plan: FetchPlan
  let fetcher: any PageFetcher
  let store: RecordingStore
  let dependencies: RecordingRepository.Dependencies
  /// Called after each page that was stored, before its event.
  let pageWasStored: @Sendable (PageOutcome) -> Void
  let observer: @Sendable (FetchEvent) -> Void

  /// Each line names the query.
  var log: Log {
    dependencies.log.with(["catalogue": "\(query.catalogue)", "query": query.requestText])
  }

  func observe(_ event: FetchEvent) {
    switch event {
    case .waiting(let wait, let reason): log.waits(wait, for: reason)
    case .lookedUp(let lookup): log.debug("name looked up", ["found": "\(lookup)"])
    case .asking(let query):
      log.debug(
        "nothing found, so a different name is asked", ["sent": "\(query.requestText)"])
    case .failed(let page, let error):
      log.debug("page cannot be fetched", ["page": "\(page)", "error": "\(error)"])
    case .closed(let completeness, let gone):
      log.debug("walk closed", ["completeness": "\(completeness)", "gone": "\(gone)"])
    case .startingOver(let pass):
      log.debug("upstream changed, so the walk starts over", ["pass": "\(pass)"])
    case .verifying: log.debug("the list is complete and is read again to verify it")
    // The requester and the walk say more about these.
    case .stored, .requesting, .page: break
    }
    observer(event)
  }
}

extension Log {
  func waits(_ wait: Duration, for reason: LoadState.WaitReason) {
    switch reason {
    case .otherProcess(let holder):
      debug("waiting for another process", ["holder": "\(holder ?? "unknown")"])
    case .backoff(let error, let attempt):
      debug(
        "waiting to try again",
        ["seconds": wait.logged, "attempt": "\(attempt)", "error": "\(error)"])
    case .rateLimit where wait < .milliseconds(1): break
    case .rateLimit: debug("waiting for the rate limit", ["seconds": wait.logged])
    case .retryAfter: debug("waiting as Retry-After asks", ["seconds": wait.logged])
    }
  }
}

extension Duration {
  /// The duration in seconds.
  var logged: String { "\(Double(Int(self / .milliseconds(1))) / 1000)" }
}
