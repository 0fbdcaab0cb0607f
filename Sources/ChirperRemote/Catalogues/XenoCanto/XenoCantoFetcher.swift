import ChirperModel
import Foundation

/// Requests one page from xeno-canto, to which nothing is sent without a key, or from a server of
/// chirper in its place.
struct XenoCantoFetcher: ServiceFetcher {
  let client: CatalogueClient
  /// Read at the first request.
  private let knownKey = Locked<APIKey?>(nil)

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    do throws(FetchError) {
      return try await read(request)
    } catch {
      throw client.naming(error)
    }
  }

  private func read(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let number = request.number
    let query = request.query
    let known = knownKey.withLock { key in
      key = key ?? client.key
      return key
    }
    guard known != nil || client.server != nil else { throw .keyMissing }
    // A server's token is in no address.
    let secret = client.server == nil ? known?.secret : nil
    let url = try client.url(
      "/api/3/recordings",
      [
        "query": query.requestText, "key": secret, "page": "\(number)",
        "per_page": "\(query.pageSize)",
      ])
    let response = try await response(url, hiding: known)
    let envelope = try client.envelope(response, list: "recordings")
    if let echoed = try envelope.count("page"), echoed != number {
      throw .malformed("page \(number) was requested, but page \(echoed) came")
    }
    guard let total = try envelope.count("numRecordings") else {
      throw .malformed("it has no numRecordings")
    }
    // `numPages` is used as sent and never computed: a live answer counted 9 pages for 421
    // recordings. Without both counts the end of the list is unknown. Nothing found is one page,
    // whether it is counted or not.
    guard let pages = try envelope.count("numPages") ?? (total == 0 ? 1 : nil) else {
      throw .malformed("it has no numPages")
    }
    let claim = try ServerClaim(response)
    if client.server != nil, claim == nil {
      throw FetchError(.notChirper)
    }
    // Whoever reads on from an unfinished list waits for its next page.
    if claim?.isWhole == false, number > pages { throw FetchError(.listUnfinished) }
    let recordings = envelope.readable
    // A page without rows is the last: with an exact multiple of the page size `numPages` was one
    // too many.
    let isLast = (number >= pages || envelope.count == 0) && claim?.isWhole != false
    let totals = RecordingPage.Totals(
      recordings: total, pages: pages, species: try envelope.count("numSpecies"))
    var page = RecordingPage(
      number: number, recordings: recordings, totals: claim?.isWhole == false ? nil : totals,
      next: isLast ? nil : number + 1, skipped: envelope.count - recordings.count,
      redactions: response.redactions, isFromCache: claim?.isVerified == false)
    page.readAt = claim?.fetchedAt
    return page
  }

  private func response(
    _ url: URL, hiding key: APIKey?
  ) async throws(FetchError) -> CatalogueClient.Response {
    guard let server = client.server else { return try await client.get(url, hiding: key) }
    let response = try await client.answer(to: url, hiding: key, headers: server.headers)
    switch response.status {
    case 200: return response
    case 401, 403: throw FetchError(.tokenRefused)
    case 404:
      // A chirper's refusal is an object, that of most web servers a page.
      guard let answer = try? response.object(), answer["error"]?.text == "client_error" else {
        throw FetchError(.notChirper)
      }
      throw FetchError(.listNotThere(ServiceMessage.read(response)))
    default: throw client.failure(response)
    }
  }
}

/// The claim of a different chirper, asked in place of the service, about the list that its answer
/// is of (docs/serve.md). No list that is read from it claims more, or to be newer.
private struct ServerClaim {
  /// Whether it has read the list to its end.
  let isWhole: Bool
  let isVerified: Bool
  /// The time at which it read the oldest page of the list, UTC.
  let fetchedAt: Date?

  /// The claim of an answer; `nil` if no chirper has made it.
  ///
  /// - Throws: `.listNotThere` for rows of searches and of the sample, which belong to no list of the
  ///   query.
  init?(_ response: CatalogueClient.Response) throws(FetchError) {
    guard response.header("X-Chirper-List") != nil else { return nil }
    guard let word = response.header("X-Chirper-Completeness"),
      response.header("X-Chirper-Notice") == nil
    else { throw FetchError(.listNotThere(nil)) }
    isVerified = word == StoredQuery.Completeness.verified.word
    isWhole = isVerified || word == StoredQuery.Completeness.complete.word
    fetchedAt = response.header("X-Chirper-Fetched").flatMap { try? Date($0, strategy: .iso8601) }
  }
}
