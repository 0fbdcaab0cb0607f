import Foundation

/// Whether pages are being requested; a property of the load, never of the rows.
public enum LoadState: Hashable, Sendable {
  /// The load has ended or never began, without a failure; nothing is being requested.
  case idle
  /// A load is under way; the step is its progress.
  case loading(Step)
  /// The last load ended with this error.
  case failed(LoadError)
}

extension LoadState {
  /// The progress of a load.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Step: Hashable, Sendable {
    /// The load has begun and has not requested anything.
    case starting
    /// The stored page `page` is requested again. `of` is the number of pages, if the
    /// catalogue sends it.
    case refreshing(page: Int, of: Int?)
    /// The page `page` is requested for the first time. `of` is the number of pages, if the
    /// catalogue sends it.
    case loading(page: Int, of: Int?)
    /// The next request is made at `until`, without a change before it; `nil` if a different
    /// process decides when. Waits of less than 5 seconds for the rate limit, which every
    /// page has, are not shown.
    case waiting(until: Date?, WaitReason)
    /// Upstream changed during the walk: its pages are requested again, in this pass.
    case startingOver(pass: Int)
    /// The list is complete and is read a second time to verify it.
    case verifying
  }
}

extension LoadState {
  /// The reason why a load waits.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum WaitReason: Hashable, Sendable {
    /// The rate limit of the catalogue.
    case rateLimit
    /// The catalogue's Retry-After.
    case retryAfter
    /// The next attempt after a transient error; attempts count from 1.
    case backoff(FetchError, attempt: Int)
    /// A different process that fetches the query: `process 4711 (chirper sync)`, if it is
    /// known.
    case otherProcess(holder: String? = nil)
  }
}
