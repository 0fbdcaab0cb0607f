import ChirperModel

/// The object around iNaturalist's observations.
struct INaturalistEnvelope {
  /// Observations, `nil` if one has no usable id.
  private(set) var observations: [Recording?]?
  private var total: String?

  init(_ body: [UInt8]) throws(JSONFault) {
    var reader = JSONReader(body)
    try reader.object { name, reader throws(JSONFault) in
      switch (name, reader.kind) {
      case ("results", .array):
        observations = try reader.records(of: .iNaturalist, seeing: ["id"]) { $0["id"]?.idText }
      case ("total_results", .number): total = try reader.number()
      default: try reader.skipValue()
      }
    }
    try reader.end()
  }

  /// How many observations there are on this page and after it.
  func totalResults() throws(FetchError) -> Int {
    guard let total else { throw .malformed("it has no total_results") }
    return try Int(count: total, "total_results")
  }

  /// The page that was requested from that position on, with one row for each sound.
  func page(_ number: Int, size: Int, from position: INaturalistPosition) throws(FetchError) -> RecordingPage {
    guard let observations else { throw .malformed("it has no list of results") }
    let left = try totalResults()
    let before = position.cursor?.recordsBefore ?? 0
    let total = before + left
    let readable = observations.compactMap { $0 }
    let isLast =
      observations.isEmpty
      || (position.isCursor ? left <= observations.count : (number - 1) * size + observations.count >= left)
    // Without an id there is no cursor; such an answer was never seen.
    let next = readable.last.map { IDCursor(lastID: $0.id.value, recordsBefore: before + observations.count) }
    return RecordingPage(
      number: number, recordings: readable.flatMap(INaturalistSound.rows),
      totals: Totals(recordings: total, pages: max(1, (total + size - 1) / size)), next: isLast ? nil : number + 1,
      nextToken: position.isCursor ? next?.token : nil, skipped: observations.count - readable.count,
      records: observations.count)
  }
}

/// Where a page begins.
struct INaturalistPosition: Equatable {
  /// Only observations with a lower id; `nil` on the first page.
  let cursor: IDCursor?
  /// Whether the page is found by its cursor, whose total then counts only what is ahead. A page whose token is not known is
  /// found by its number, up to 10,000 observations.
  let isCursor: Bool

  init(page number: Int, token: PageToken?) {
    let named = token.flatMap(IDCursor.init)
    cursor = named.flatMap { cursor in
      !cursor.lastID.isEmpty && cursor.lastID.utf8.allSatisfy { (0x30...0x39).contains($0) } ? cursor : nil
    }
    isCursor = cursor != nil || number == 1
  }
}
