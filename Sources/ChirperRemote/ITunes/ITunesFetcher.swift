import ChirperModel
import Foundation

/// Requests one page from the iTunes Search API.
package final class ITunesFetcher: PageFetcher {
  package var catalogue: Catalogue { ITunes.catalogue }

  private let client: HTTPClient

  package init(configuration: RemoteConfiguration) {
    client = HTTPClient(ITunes.catalogue, configuration)
  }

  package var minimumInterval: Duration { client.minimumInterval }

  package func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (number, query) = (request.number, request.query)
    let window = ITunesWindow(page: number, size: query.pageSize)
    let url = try client.address.url(
      "/search", [("term", query.sent), ("limit", "\(window.limit)"), ("offset", "\(window.offset)")], spaceAsPlus: true)
    let response = try await client.get(url)
    // Over the limit the service answers 403 with nothing in it; clients that took that for "no results" cached it.
    if response.status == 403, response.body.isEmpty { throw .rateLimited(retryAfter: nil) }
    let envelope = try client.read(response, ITunesEnvelope.init)
    if envelope.isError { throw .refused(status: 200, message: ServiceMessage.read(response)) }
    guard let rows = envelope.rows else { throw .malformed("it has no list of results") }
    return window.page(number, rows: rows)
  }
}

/// The rows to request so that a page comes with the row before it (docs/decisions/0005).
struct ITunesWindow: Equatable {
  /// Rows of the list before the first one requested.
  let offset: Int
  /// Rows requested.
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

  /// Makes the page of the rows that came; `nil` is a row without a usable id.
  ///
  /// The service gives neither totals nor a next link: fewer rows than requested are the end. More than requested were
  /// never seen; they would come again with the next page.
  func page(_ number: Int, rows: [Recording?]) -> RecordingPage {
    let own = rows.prefix(limit).dropFirst(overlaps ? 1 : 0)
    let recordings = own.compactMap { $0 }
    return RecordingPage(
      number: number, recordings: recordings, totals: nil, next: rows.count < limit ? nil : number + 1,
      skipped: own.count - recordings.count, preceding: preceding(in: rows))
  }

  private func preceding(in rows: [Recording?]) -> RecordingPage.Preceding {
    guard overlaps else { return .unknown }
    guard let first = rows.first else { return .nothing }
    return first.map { .recording($0.id) } ?? .unknown
  }
}

/// The object around iTunes' results; its `resultCount` counts this page only and is not used.
struct ITunesEnvelope {
  /// `nil` if a record has no usable id.
  private(set) var rows: [Recording?]?
  /// Whether it is an error that came with status 200.
  private(set) var isError = false

  /// Bodies begin and end with newlines and are sent as `text/javascript`.
  init(_ body: [UInt8]) throws(JSONFault) {
    var reader = JSONReader(body)
    try reader.object { name, reader throws(JSONFault) in
      switch (name, reader.kind) {
      case ("results", .array):
        rows = try reader.records(
          of: .itunes, seeing: ["wrapperType", "trackId", "collectionId", "artistId"], id: Self.id)
      case ("errorMessage", .string):
        isError = true
        try reader.skipValue()
      default: try reader.skipValue()
      }
    }
    try reader.end()
  }

  /// A song has all three ids, an audiobook no `trackId`, a film no `artistId`; a track and a collection may have the same
  /// number.
  private static func id(_ seen: [String: FieldValue]) -> String? {
    let ids = ["trackId", "collectionId", "artistId"].lazy.compactMap { seen[$0]?.idText }
    guard let id = ids.first else { return nil }
    var kind = "item"
    if let wrapper = seen["wrapperType"], wrapper.json.hasPrefix("\""), !wrapper.text.isEmpty { kind = wrapper.text }
    return "\(kind)-\(id)"
  }
}
