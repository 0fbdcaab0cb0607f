import ChirperModel
import ChirperRemote
import ChirperStore

/// Asks the newer taxonomy of a catalogue for a list, and moves the list if all its recordings are
/// there. Nothing is written before that is known; the pages that are read for it are not stored.
struct TaxonomyMoveRun {
  let fetcher: any TaxonomyFetcher
  let stored: StoredQuery
  let context: FetchContext

  /// The result, and whether the list must be walked with its new taxa.
  struct Outcome {
    let move: TaxonomyMove
    var isWalkNeeded = false
  }

  /// The facts found on the pages of the newer taxa.
  private struct Found {
    /// The rows of the list that are on none of them, in its order.
    var missing: [String] = []
    var total: Int?
    /// Whether the total changed meanwhile, so that a row may have moved past the reader.
    var isUnsteady = false
  }

  private var isForced: Bool { context.plan.moving == .always }

  func run(_ requester: inout PageRequester) async throws -> Outcome {
    // What these pages have beside their ids is reported when they are stored.
    var reader = requester
    reader.report = FetchReport()
    defer { requester.report.requests += reader.report.requests }
    do {
      return try await decide(&requester, &reader)
    } catch LoadError.fetch(let error, catalogue: _, page: _) where error != .cancelled {
      context.logger.debug("the newer taxonomy did not answer", metadata: ["error": "\(error)"])
      return Outcome(move: TaxonomyMove(.undecided, of: stored))
    }
  }

  private func decide(
    _ requester: inout PageRequester, _ reader: inout PageRequester
  ) async throws -> Outcome {
    let newer: LookedUpQuery
    var isSame = true
    switch try await reader.newerTaxa(of: stored.query, by: fetcher) {
    case .missing(let nearest):
      return try stay(.taxonMissing, taxa: nearest.map { [$0] } ?? [])
    case .same(let found): newer = found
    case .renamed(let found):
      newer = found
      isSame = false
    }
    let taxa = newer.lookup?.taxa ?? []
    if !isSame, !isForced { return try stay(.renamed, taxa: taxa) }
    let found = try await read(newer.query, &reader)
    func move(_ result: TaxonomyMove.Result) -> TaxonomyMove {
      TaxonomyMove(
        result, of: stored, taxa: taxa, newerRecords: found.total, missing: found.missing)
    }
    guard found.missing.isEmpty || isForced else {
      if found.isUnsteady { return Outcome(move: move(.undecided)) }
      try keep()
      return Outcome(move: move(.recordingsMissing))
    }
    let isEqual = found.missing.isEmpty && !found.isUnsteady && found.total == stored.records
    try context.store.setRequestText(
      newer.query.requestText, of: stored.query, keepsClaim: isEqual)
    requester.use(newer)
    // A part of a list has more records behind it.
    let isWalkNeeded = !isEqual && (stored.next == nil || !found.missing.isEmpty)
    return Outcome(move: move(.moved), isWalkNeeded: isWalkNeeded)
  }

  /// Reads pages until every row of the list is found, or to the end.
  private func read(
    _ query: CatalogueQuery, _ reader: inout PageRequester
  ) async throws -> Found {
    var found = Found()
    let ids = try context.store.ids(of: stored.query).map(\.value)
    var missing = Set(ids)
    var answers = AnswerLimit()
    var (number, token): (Int, PageRequest.Token?) = (1, nil)
    while true {
      context.observe(.requesting(page: number, of: answers.announced))
      let page: RecordingPage
      do {
        page = try await reader.page(PageRequest(query: query, number: number, token: token))
      } catch LoadError.fetch(.tooDeep, catalogue: _, page: _) {
        break
      }
      missing.subtract(page.recordings.lazy.map(\.id.value))
      let total = page.totals?.exact?.recordings
      if found.total != nil, total != found.total { found.isUnsteady = true }
      found.total = total
      let allowsMore = answers.countAnswer(announced: page.totals?.pages)
      guard !missing.isEmpty, allowsMore, let next = page.next else { break }
      (number, token) = (next, page.nextToken)
    }
    found.missing = ids.filter(missing.contains)
    return found
  }

  private func stay(
    _ result: TaxonomyMove.Result, taxa: [NameLookup.Taxon]
  ) throws -> Outcome {
    try keep()
    return Outcome(move: TaxonomyMove(result, of: stored, taxa: taxa))
  }

  /// Remembers that the newer taxonomy was asked.
  private func keep() throws {
    try context.store.setRequestText(
      fetcher.keepingTaxa(stored.query.requestText), of: stored.query, keepsClaim: nil)
  }
}
