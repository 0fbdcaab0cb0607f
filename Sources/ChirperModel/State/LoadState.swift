import Foundation

/// Whether pages are being requested; a property of the load, never of the rows.
public enum LoadState: Hashable, Sendable {
  /// Nothing is being requested, and the last load did not fail.
  case idle
  /// A load is under way, and what it is doing.
  case loading(LoadStep)
  /// The last load ended with this error.
  case failed(LoadError)
}

/// What a load is doing.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum LoadStep: Hashable, Sendable {
  /// It has begun and has not requested anything.
  case starting
  /// That page is stored and is requested again; `of`: the number of pages, if the catalogue sends it.
  case refreshing(page: Int, of: Int?)
  /// That page is requested for the first time; `of` as above.
  case loading(page: Int, of: Int?)
  /// The next request is made at that time, without another change; `nil` if another process decides when. Waits of less than
  /// 5 seconds for the rate limit, which every page has, are not shown.
  case waiting(until: Date?, WaitReason)
  /// Upstream changed during the walk: its pages are requested again, in this pass.
  case startingOver(pass: Int)
  /// The list is complete and is read a second time to verify it.
  case verifying
}

/// Why a load waits.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum WaitReason: Hashable, Sendable {
  /// For the rate limit.
  case rateLimit
  /// As the catalogue's Retry-After asks.
  case retryAfter
  /// Before the next attempt after a transient error; attempts count from 1.
  case backoff(FetchError, attempt: Int)
  /// Another process is fetching the same query: `process 4711 (chirper sync)`, if it is known.
  case otherProcess(holder: String? = nil)
}
