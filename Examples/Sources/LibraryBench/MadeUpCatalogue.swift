import Chirper

/// A catalogue that makes up its rows, at once: a query is a name and a number of rows, `moor 20000`.
struct MadeUpCatalogue: PageFetcher {
  var catalogue: Catalogue { Self.catalogue }

  private static let catalogue: Catalogue = {
    var catalogue = Catalogue(id: "made-up", name: "made up")
    catalogue.pageSizes = 1...500
    catalogue.defaultPageSize = 500
    catalogue.minimumInterval = .zero
    catalogue.fields = ["id", "en", "rec", "cnt", "loc", "type", "q", "length", "date", "rmk"]
    return catalogue
  }()

  static func query(_ name: String, _ rows: Int) throws -> CatalogueQuery {
    try catalogue.query("\(name) \(rows)")
  }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let words = request.query.identity.split(separator: " ")
    guard words.count == 2, let total = Int(words[1]) else {
      throw .refused(status: 400, message: "no number of rows")
    }
    let size = request.query.pageSize
    let start = (request.number - 1) * size
    let rows = (start..<max(start, min(start + size, total))).map { row in
      let id = "\(words[0])-\(row)"
      return Recording(
        id: RecordingID(catalogue: catalogue.id, value: id),
        fields: RecordingFields([
          "id": id, "en": "Common Gull", "rec": "Recordist \(row % 400)", "cnt": "Poland",
          "loc": "By the sea, \(row % 9000)",
          "type": row % 3 == 0 ? "song" : "call", "q": "A", "length": "\(row % 9):\(10 + row % 50)",
          "date": "2024-0\(1 + row % 9)-1\(row % 10)", "rmk": Self.remarks,
        ]))
    }
    return RecordingPage(
      number: request.number, recordings: rows,
      totals: RecordingPage.Totals(recordings: total, pages: (total + size - 1) / size),
      next: start + size < total ? request.number + 1 : nil)
  }

  /// So that a row is about as long as those of real catalogues.
  private static let remarks = String(
    repeating: "A natural call, recorded from a distance of about thirty metres. ", count: 12)
}
