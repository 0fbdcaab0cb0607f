import Chirper
import Foundation

/// Sounds of the Internet Archive, by its scrape API (https://archive.org/help/aboutsearch.htm):
/// its answers name the next page by a cursor that only the service can read.
struct ArchiveCatalogue: PageFetcher {
  static let catalogue = Catalogue(
    id: CatalogueID(rawValue: "archive"), name: "Internet Archive",
    service: Catalogue.Service(baseURL: "https://archive.org", hosts: ["archive.org"]),
    pageSizes: 100...10_000, defaultPageSize: 100, minimumInterval: .seconds(1),
    fields: ["identifier", "title", "creator", "date", "downloads"],
    tableColumns: [.init("title", "Title"), .init("creator", "Creator"), .init("date", "Date")],
    volatileFields: ["downloads"], mapping: mapping, searchTags: ["title": .vernacularName]
  ) { (text, _) throws(QueryError) in
    (identity: text.lowercased(), requestText: "mediatype:audio AND (\(text))")
  }

  static let mapping = Catalogue.DetailsMapping(
    fields: [
      .vernacularName: ["title"], .recordedBy: ["creator"], .eventDate: ["date"],
      .references: ["identifier"],
    ]
  ) { recording in
    var details = RecordingDetails()
    details.vernacularName = recording.text("title")
    details.recordedBy = recording.text("creator")
    details.eventDate = recording.text("date").flatMap { PartialDate($0) }
    details.pageURL = URL(string: "https://archive.org/details/\(recording.id.value)")
    return details
  }

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
    let cursor = answer["cursor"].map { PageToken(rawValue: $0.text) }
    return RecordingPage(
      number: request.number, recordings: recordings,
      totals: Totals(recordings: total, pages: (total + size - 1) / size),
      next: cursor == nil ? nil : request.number + 1, nextToken: cursor,
      skipped: items.count - recordings.count)
  }
}
