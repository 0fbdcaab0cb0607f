import ChirperModel
import ChirperRemote
import ChirperStore
import Logging

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
  var logger: Logger {
    var logger = dependencies.logger
    logger[metadataKey: "catalogue"] = "\(query.catalogue)"
    logger[metadataKey: "query"] = "\(query.requestText)"
    return logger
  }

  func observe(_ event: FetchEvent) {
    switch event {
    case .waiting(let wait, let reason): logger.log(wait, for: reason)
    case .lookedUp(let lookup): logger.debug("name looked up", metadata: ["found": "\(lookup)"])
    case .asking(let query):
      logger.debug(
        "nothing found, so a different name is asked", metadata: ["sent": "\(query.requestText)"])
    case .failed(let page, let error):
      logger.debug("page cannot be fetched", metadata: ["page": "\(page)", "error": "\(error)"])
    case .closed(let completeness, let gone):
      logger.debug("walk closed", metadata: ["completeness": "\(completeness)", "gone": "\(gone)"])
    case .startingOver(let pass):
      logger.debug("upstream changed, so the walk starts over", metadata: ["pass": "\(pass)"])
    case .verifying: logger.debug("the list is complete and is read again to verify it")
    // The requester and the walk say more about these.
    case .stored, .requesting, .page: break
    }
    observer(event)
  }
}

extension Logger {
  func log(_ wait: Duration, for reason: LoadState.WaitReason) {
    switch reason {
    case .otherProcess(let holder):
      debug("waiting for another process", metadata: ["holder": "\(holder ?? "unknown")"])
    case .backoff(let error, let attempt):
      debug(
        "waiting to try again",
        metadata: ["seconds": wait.logged, "attempt": "\(attempt)", "error": "\(error)"])
    case .rateLimit where wait < .milliseconds(1): break
    case .rateLimit: debug("waiting for the rate limit", metadata: ["seconds": wait.logged])
    case .retryAfter: debug("waiting as Retry-After asks", metadata: ["seconds": wait.logged])
    }
  }
}

extension Duration {
  /// The duration in seconds.
  var logged: Logger.MetadataValue { "\(Double(Int(self / .milliseconds(1))) / 1000)" }
}
