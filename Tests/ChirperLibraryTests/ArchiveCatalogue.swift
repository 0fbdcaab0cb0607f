import Chirper
import Foundation

/// Sounds of the Internet Archive, by its scrape API (https://archive.org/help/aboutsearch.htm):
/// its answers name the next page by a cursor that only the service can read.
struct ArchiveCatalogue: PageFetcher {
  static let catalogue: Catalogue = {
    var catalogue = Catalogue(id: "archive", name: "Internet Archive")
    catalogue.service = Catalogue.Service("https://archive.org")
    catalogue.pageSizes = 100...10_000
    catalogue.fields = ["identifier", "title", "creator", "date", "downloads"]
    catalogue.volatileFields = ["downloads"]
    catalogue.details = details
    catalogue.makeQuery = { text, _ in
      (identity: text.lowercased(), requestText: "mediatype:audio AND (\(text))")
    }
    return catalogue
  }()

  static let details: [Catalogue.Detail] = [
    .text(\.vernacularName, of: "title"), .text(\.recordedBy, of: "creator"),
    .date(\.eventDate, of: "date"),
    .value(\.pageURL, from: ["identifier"]) { recording in
      URL(string: "https://archive.org/details/\(recording.id.value)")
    },
  ]

  private let client: CatalogueClient

  init(_ configuration: RemoteConfiguration = RemoteConfiguration()) {
    client = CatalogueClient(Self.catalogue, configuration)
  }

  var catalogue: Catalogue { Self.catalogue }
  var minimumInterval: Duration { client.minimumInterval }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let size = request.query.pageSize
    let url = try client.url(
      "/services/search/v1/scrape",
      [
        "q": request.query.requestText, "fields": "title,creator,date,downloads",
        "count": "\(size)",
        "cursor": request.token?.rawValue,
      ])
    let answer = try await client.get(url).object()
    guard let items = answer["items"]?.objects, let total = answer["total"]?.integer else {
      throw .malformed("it has no items or no total")
    }
    let recordings = items.compactMap { item -> Recording? in
      guard let item, let id = item["identifier"]?.text, !id.isEmpty else { return nil }
      return Recording(id: RecordingID(catalogue: catalogue.id, value: id), fields: item)
    }
    let cursor = answer["cursor"].map { PageRequest.Token(rawValue: $0.text) }
    return RecordingPage(
      number: request.number, recordings: recordings,
      totals: RecordingPage.Totals(recordings: total, pages: (total + size - 1) / size),
      next: cursor == nil ? nil : request.number + 1, nextToken: cursor,
      skipped: items.count - recordings.count)
  }
}
