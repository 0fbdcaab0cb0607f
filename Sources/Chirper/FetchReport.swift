import ChirperModel
import Foundation

/// What a fetch or sync did.
public struct FetchReport: Equatable, Sendable {
  /// Recordings that entered the list, changed in it, and left it.
  public var new = 0
  public var changed = 0
  public var gone = 0
  /// Pages that arrived and are stored.
  public var pagesFetched = 0
  /// Requests made, failed ones and repeated ones among them.
  public var requests = 0
  /// Records that could not be read in the pages that arrived.
  public var skipped = 0
  /// How often the catalogue repeated the key in its answers; `***` is stored in its place.
  public var redactions = 0
  /// Pages that could not be had after every try; the others are stored.
  public var failedPages: [FailedPage] = []
  /// What stopped the run before its goal.
  public var failure: SearchError?
  /// Another process was fetching the same query; this run took its result.
  public var joined = false
  /// What is stored now; `nil` where nothing is.
  public var stored: StoredQuery?

  public struct FailedPage: Equatable, Sendable {
    public let number: Int
    public let error: FetchError
  }
}

/// What happens during a fetch, for a progress line.
public enum FetchEvent: Sendable {
  /// Before any request: what the store holds.
  case stored(StoredQuery?)
  case asking(page: Int, of: Int?)
  /// A page is stored, and what is stored since.
  case page(number: Int, StoredQuery)
  /// The last page was read and the walk closed: what it may claim, and how many recordings left the list.
  case closed(Completeness, gone: Int)
  case waiting(Duration, WaitReason)
  /// Upstream changed while it was read: the pages are asked again, for the n-th time.
  case startingOver(pass: Int)
  /// The list is complete and is read again to verify it.
  case verifying
  case failed(page: Int, FetchError)
}

/// Why a fetch waits.
public enum WaitReason: Hashable, Sendable {
  /// The catalogue's pace.
  case pace
  /// The catalogue asked for it.
  case retryAfter
  /// Before the next try of a page that failed; `attempt` is the try to come.
  case backoff(FetchError, attempt: Int)
  /// Another process is fetching the same query.
  case otherProcess
}
