#if Collection

import ChirperModel

struct ITunesFetcher: ServiceFetcher {
  let client: CatalogueClient

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let window = ITunesWindow(page: request.number, size: request.query.pageSize)
    let url = try client.address.url(
      "/search",
      [
        ("term", request.query.requestText), ("limit", "\(window.limit)"),
        ("offset", "\(window.offset)"),
      ],
      spaceAsPlus: true)
    let response = try await client.answer(to: url)
    // Over the limit the service answers 403 with nothing in it; clients that took that for "no
    // results" cached it.
    if response.status == 403, response.body.isEmpty { throw .rateLimited(retryAfter: nil) }
    // Bodies begin and end with newlines and are sent as `text/javascript`; their `resultCount`
    // counts this page only.
    return window.page(request.number, rows: try client.envelope(response, id: Self.id).list ?? [])
  }

  /// A song has all three ids, an audiobook no `trackId`, a film no `artistId`; a track may have a
  /// collection's number.
  static func id(_ fields: RecordingFields) -> String? {
    guard
      let id = ["trackId", "collectionId", "artistId"].lazy.compactMap({ fields[$0]?.idText }).first
    else { return nil }
    var kind = "item"
    if let wrapper = fields["wrapperType"], wrapper.json.hasPrefix("\""), !wrapper.text.isEmpty {
      kind = wrapper.text
    }
    return "\(kind)-\(id)"
  }
}

/// The rows to request so that a page comes with the row before it (docs/decisions/0005).
struct ITunesWindow: Equatable {
  /// Rows of the list before the first one requested.
  let offset: Int
  let limit: Int
  /// Whether the first row belongs to the page before.
  let overlaps: Bool

  init(page number: Int, size: Int) {
    let size = min(size, ITunes.largestLimit)
    // Far beyond any list, and far from overflow.
    let before = (min(max(number, 1), 4_000_000) - 1) * size
    overlaps = before > 0 && size < ITunes.largestLimit
    offset = overlaps ? before - 1 : before
    limit = overlaps ? size + 1 : size
  }

  /// Makes the page of the rows that came; `nil` is a row without a usable id. There are neither
  /// totals nor a next link: fewer rows than requested are the end. More than requested were never
  /// seen; they would come again with the next page.
  func page(_ number: Int, rows: [Recording?]) -> RecordingPage {
    let own = rows.prefix(limit).dropFirst(overlaps ? 1 : 0)
    let recordings = own.compactMap(\.self)
    let preceding =
      rows.first.map { first in first.map { .recording($0.id) } ?? .unknown }
      ?? RecordingPage.Preceding.nothing
    return RecordingPage(
      number: number, recordings: recordings, totals: nil,
      next: rows.count < limit ? nil : number + 1,
      skipped: own.count - recordings.count, preceding: overlaps ? preceding : .unknown)
  }
}

#endif
