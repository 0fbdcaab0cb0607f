import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

#if Collection
extension Catalogue {
  /// The fault in the order of a page, in words, if the list is paged by ids with the
  /// highest first; `nil` if it is sound. Each id must be below the cursor, or the list has
  /// no end.
  fileprivate func fault(inOrderOf page: RecordingPage, after token: PageRequest.Token?) -> String?
  {
    guard case .updates(let sync)? = incrementalSync else { return nil }
    var last = token?.position.flatMap { Int64($0.lastID) }
    // Rows of one record have its number.
    var isFirst = true
    for number in page.recordings.lazy.compactMap({ sync.record($0.id) }) {
      if let last, number > last || isFirst && number == last {
        return "it has the id \(number) where only ids below \(last) follow"
      }
      last = number
      isFirst = false
    }
    return nil
  }
}

extension SoundFetcher {
  /// The page with the ids that are stored for the addresses of its sounds.
  func identified(
    _ page: RecordingPage, in store: RecordingStore
  ) throws(StoreError) -> RecordingPage {
    let ids = try store.ids(ofRecords: records(of: page), in: catalogue.id)
    guard !ids.isEmpty else { return page }
    return identified(
      page, StoredSounds(ids: ids) { id in (try? store.recording(id))?.recording })
  }
}
#endif

/// Requests pages for a run: waits for its turn, repeats a request after a transient error, and
/// looks up the query's names. It also has the run's report and changes, to which each part of the
/// run adds.
struct PageRequester {
  /// The query as it is sent once its names are known.
  private(set) var query: CatalogueQuery
  /// The result of the run so far.
  var report = FetchReport()
  /// The changes of the list by the run so far.
  var changes = RunChanges()
  /// The time of the latest request. Its answer was true then or later, however long it took; but
  /// for one that says itself when it was read.
  private(set) var askedAt: Date
  /// The sounds that are not recordings, and the recordings with an id that occurred
  /// earlier, of each page that had some. A page that is requested again counts once.
  private var unlisted: [PageRequest: (leftOut: Int, repeated: Int)] = [:]

  /// The newest reading of a page of the list before this run; `nil` until a different chirper has
  /// answered in the service's place.
  private var newestBefore: Date?

  private let context: FetchContext
  private let pacer: RequestPacer
  /// Whether the service has answered in this run; one that has not is not asked as often.
  private var hasAnswered = false
  private var knowsNames = false

  /// Attempts per page, including the first.
  static let attemptLimit = 5
  /// Attempts without a network, or for a host that has not answered in this run: whether to wait
  /// is the user's decision.
  static let offlineAttemptLimit = 2

  init(_ context: FetchContext) {
    self.context = context
    query = context.query
    askedAt = context.dependencies.now()
    // A plan can lengthen a catalogue's own interval, never shorten it; with another base URL only
    // the plan counts.
    let interval = max(context.fetcher.minimumInterval, context.plan.interval ?? .zero)
    pacer = RequestPacer(
      store: context.store, catalogue: query.catalogue, interval: interval,
      dependencies: context.dependencies)
  }

  /// Whether a page of a complete list that was read again is as it is stored, apart from the
  /// fields of its recordings, whose changes are stored and counted.
  mutating func confirm(_ page: RecordingPage) throws(StoreError) -> Bool {
    let changed = try context.store.confirm(
      page, of: query, volatileFields: context.fetcher.catalogue.volatility, readAt: askedAt,
      now: context.dependencies.now())
    report.add(changedIDs: changed ?? [])
    return changed != nil
  }

  /// Makes sure that the query's names are known, by a request if the text sent for the
  /// stored list does not have them. Those that are found are sent in place of the earlier ones.
  mutating func findNames(stored: String?) async throws {
    guard !knowsNames else { return }
    let fetcher = context.fetcher
    let asked = query
    var found = fetcher.knownNames(of: asked, stored: stored)
    if found == nil {
      found = try await attempt(page: 1) { () throws(FetchError) in
        try await fetcher.lookUpNames(of: asked)
      }
    }
    guard let found else { return }
    knowsNames = true
    query = found.query
    report.lookup = found.lookup
    if let lookup = found.lookup { context.observe(.lookedUp(lookup)) }
  }

  mutating func page(_ request: PageRequest) async throws -> RecordingPage {
    let fetcher = context.fetcher
    let log = context.log
    var page = try await attempt(page: request.number) { () throws(FetchError) in
      log.debug(
        "requesting a page",
        ["page": "\(request.number)", "sent": "\(request.query.requestText)"])
      let page = try await fetcher.page(request)
      if let fault = page.fault(answering: request) { throw .malformed(fault) }
      #if Collection
      if let fault = fetcher.catalogue.fault(inOrderOf: page, after: request.token) {
        throw .malformed(fault)
      }
      #endif
      return page
    }
    #if Collection
    if let fetcher = context.fetcher as? any SoundFetcher {
      page = try fetcher.identified(page, in: context.store)
    }
    #endif
    if let readAt = page.readAt {
      let stored = try newestBefore ?? context.store.stored(query)?.newestFetchedAt
      let newest = stored ?? .distantPast
      newestBefore = newest
      // What is older replaces nothing, and shows no change of the list.
      if readAt < newest {
        let error = FetchError(.serverIsOlder(stored: newest, served: readAt))
        throw LoadError.fetch(error, catalogue: query.catalogue, page: request.number)
      }
      askedAt = min(askedAt, readAt)
    }
    report.redactions += page.redactions
    let key = PageRequest(query: request.query, number: request.number)
    let counts = (page.leftOut, page.repeated)
    let before = unlisted[key] ?? (0, 0)
    unlisted[key] = counts == (0, 0) ? nil : counts
    report.leftOut += page.leftOut - before.leftOut
    report.repeated += page.repeated - before.repeated
    return page
  }

  /// Makes one request, and again after a transient error until the attempts are used up.
  private mutating func attempt<Answer: Sendable>(
    page: Int, _ ask: () async throws(FetchError) -> Answer
  ) async throws -> Answer {
    var attempt = 1
    while true {
      try await pacer.waitForTurn(page: page) { context.observe(.waiting($0, $1)) }
      report.requests += 1
      askedAt = context.dependencies.now()
      do throws(FetchError) {
        // The run has a thread for the store, which must not wait while an answer is read.
        let answer = try await withTaskExecutorPreference(pacer.store.asking) {
          () async throws(FetchError) in
          try await ask()
        }
        // A clock that was set back meanwhile would make it a page from the future.
        askedAt = min(askedAt, context.dependencies.now())
        hasAnswered = true
        return answer
      } catch {
        if error == .cancelled { throw LoadError.cancelled }
        var limit = error.isTransient ? Self.attemptLimit : 1
        switch error.reason {
        case .offline: limit = Self.offlineAttemptLimit
        case .unreachable: if !hasAnswered { limit = Self.offlineAttemptLimit }
        default: hasAnswered = true
        }
        try await pacer.pause(for: error, isLast: attempt >= limit)
        if attempt >= limit { throw LoadError.fetch(error, catalogue: query.catalogue, page: page) }
        attempt += 1
        guard error.retryAfter == nil else { continue }
        // Exponential backoff with full jitter: any time up to 0.5 s, 1 s, 2 s, 4 s.
        let wait = Duration.seconds(
          0.5 * Double(1 << (attempt - 2)) * context.dependencies.random())
        context.observe(.waiting(wait, .backoff(error, attempt: attempt)))
        try await context.dependencies.sleep(wait)
      }
    }
  }
}
