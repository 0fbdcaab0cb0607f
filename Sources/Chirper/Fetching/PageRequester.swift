import ChirperModel
import ChirperRemote
import ChirperStore

/// Requests pages for a run: waits for its turn, repeats a request after a transient error, and looks up the query's names.
struct PageRequester {
  /// As it is sent once its names are known.
  private(set) var query: CatalogueQuery
  /// What the query's name was found to be.
  private(set) var lookup: NameLookup?
  /// Requests made, including failed and repeated ones.
  private(set) var requests = 0
  /// How often the catalogue repeated the key in its answers.
  private(set) var redactions = 0
  /// Of each page that had some: sounds that are no recordings, and recordings with the id of another one. A page that is
  /// requested again counts once.
  private(set) var unlisted: [PageRequest: (leftOut: Int, repeated: Int)] = [:]

  private let context: FetchContext
  private let pacer: RequestPacer
  /// Whether the service has answered in this run; one that has not is not asked as often.
  private var hasAnswered = false
  /// Whether the names of the query are known; they are looked up before the first page is requested.
  private var knowsNames = false

  /// Attempts per page, including the first.
  static let attemptLimit = 5
  /// Attempts without a network, or for a host that has not answered in this run: whether to wait is the user's decision.
  static let offlineAttemptLimit = 2

  init(_ query: CatalogueQuery, _ context: FetchContext) {
    self.query = query
    self.context = context
    // A plan can lengthen a catalogue's own interval, never shorten it; with another base URL only the plan counts.
    let interval = max(context.fetcher.minimumInterval, context.plan.interval ?? .zero)
    pacer = RequestPacer(
      store: context.store, catalogue: query.catalogue, interval: interval, dependencies: context.dependencies)
  }

  /// Makes sure that the query's names are known, by a request where the catalogue needs one and what was sent for the
  /// stored list does not say.
  mutating func findNames(stored: String?) async throws {
    guard !knowsNames else { return }
    let (fetcher, asked) = (context.fetcher, query)
    var found = fetcher.knownNames(of: asked, stored: stored)
    if found == nil {
      found = try await attempt(page: 1) { () throws(FetchError) in try await fetcher.lookUpNames(of: asked) }
    }
    guard let found else { return }
    knowsNames = true
    query = found.query
    lookup = found.lookup
    if let lookup { context.observe(.lookedUp(lookup)) }
  }

  /// Fetches a page; repeats the request after a transient error until the attempts are used up.
  ///
  /// - Throws: `LoadError`, `StoreError`, and what a cancelled sleep throws.
  mutating func page(_ request: PageRequest) async throws -> RecordingPage {
    let (fetcher, logger) = (context.fetcher, context.logger)
    let page = try await attempt(page: request.number) { () throws(FetchError) in
      logger.debug("requesting a page", metadata: ["page": "\(request.number)", "sent": "\(request.query.sent)"])
      let page = try await fetcher.page(request)
      if let fault = page.fault(answering: request) { throw .malformed(fault) }
      return page
    }
    redactions += page.redactions
    let counts = (page.leftOut, page.repeated)
    unlisted[PageRequest(query: request.query, number: request.number)] = counts == (0, 0) ? nil : counts
    return page
  }

  /// Makes one request, and again after a transient error until the attempts are used up.
  private mutating func attempt<Answer: Sendable>(
    page: Int, _ ask: () async throws(FetchError) -> Answer
  ) async throws -> Answer {
    var attempt = 1
    while true {
      try await pacer.waitForTurn(page: page) { context.observe(.waiting($0, $1)) }
      requests += 1
      let error: FetchError
      do throws(FetchError) {
        let answer = try await ask()
        hasAnswered = true
        return answer
      } catch let failure {
        error = failure
      }
      if error == .cancelled { throw LoadError.cancelled }
      var isLast = !error.isTransient || attempt >= Self.attemptLimit
      switch error {
      case .offline: isLast = isLast || attempt >= Self.offlineAttemptLimit
      case .unreachable: isLast = isLast || !hasAnswered && attempt >= Self.offlineAttemptLimit
      default: hasAnswered = true
      }
      try pacer.pause(for: error, isLast: isLast)
      if isLast { throw LoadError.fetch(error, catalogue: query.catalogue, page: page) }
      attempt += 1
      if error.retryAfter == nil {
        let wait = backoff(before: attempt)
        context.observe(.waiting(wait, .backoff(error, attempt: attempt)))
        try await context.dependencies.sleep(wait)
      }
    }
  }

  /// Capped exponential backoff with full jitter: any time up to 0.5 s, 1 s, 2 s … 30 s.
  private func backoff(before attempt: Int) -> Duration {
    let cap = min(30, 0.5 * Double(1 << (attempt - 2)))
    return .seconds(cap * context.dependencies.random())
  }
}
