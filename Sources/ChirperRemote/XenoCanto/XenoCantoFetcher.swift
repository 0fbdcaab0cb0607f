import ChirperModel
import ChirperPlatform

/// Requests one page from xeno-canto; without a key nothing is sent.
struct XenoCantoFetcher: ServiceFetcher {
  let client: CatalogueClient
  /// Read at the first request.
  private let knownKey = Locked<APIKey?>(nil)

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (number, query) = (request.number, request.query)
    let known = knownKey.withLock { key in
      key = key ?? client.key
      return key
    }
    guard let key = known else { throw .keyMissing }
    let url = try client.address.url(
      "/api/3/recordings",
      [
        ("query", query.requestText), ("key", key.secret), ("page", "\(number)"),
        ("per_page", "\(query.pageSize)"),
      ])
    let response = try await client.answer(to: url, hiding: key)
    if [401, 403].contains(response.status) {
      throw .keyRefused(status: response.status, message: ServiceMessage.read(response))
    }
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
    let recordings = envelope.readable
    // A page without rows is the last: with an exact multiple of the page size `numPages` was one
    // too many.
    return RecordingPage(
      number: number, recordings: recordings,
      totals: RecordingPage.Totals(
        recordings: total, pages: pages, species: try envelope.count("numSpecies")),
      next: number < pages && envelope.count > 0 ? number + 1 : nil,
      skipped: envelope.count - recordings.count,
      redactions: response.redactions)
  }
}
