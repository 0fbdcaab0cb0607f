import Chirper
import Foundation

/// A service that takes its queries as JSON in a POST, and answers with an array.
struct HerbariumCatalogue: PageFetcher {
  static let catalogue: Catalogue = {
    var catalogue = Catalogue(id: "herbarium", name: "Herbarium")
    catalogue.service = Catalogue.Service("https://herbarium.example")
    catalogue.defaultPageSize = 2
    catalogue.details = [
      .text(\.vernacularName, of: "plant"), .text(\.locality, of: "place.name"),
      .coordinate(latitude: "place.lat", longitude: "place.lon"), .licence(of: "rights"),
    ]
    return catalogue
  }()

  private struct Sheet: Decodable {
    let number: Int
  }

  private struct Question: Encodable {
    let plant: String
    let from: Int
    let count: Int
  }

  let client: CatalogueClient
  var catalogue: Catalogue { Self.catalogue }
  var minimumInterval: Duration { client.minimumInterval }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let size = request.query.pageSize
    let question = Question(
      plant: request.query.requestText, from: (request.number - 1) * size, count: size)
    guard let body = try? JSONEncoder().encode(question) else {
      throw .malformed("the query is not JSON")
    }
    let sheets = try await client.post(client.url("/sheets"), body: body).objects()
    let recordings = sheets.compactMap { fields -> Recording? in
      guard let fields, let sheet = try? fields.decoded(as: Sheet.self) else { return nil }
      return Recording(
        id: RecordingID(catalogue: catalogue.id, value: "\(sheet.number)"), fields: fields)
    }
    return RecordingPage(
      number: request.number, recordings: recordings, totals: nil,
      next: sheets.count < size ? nil : request.number + 1,
      skipped: sheets.count - recordings.count)
  }
}
