import ChirperModel

/// The object around GBIF's occurrences.
struct GBIFEnvelope {
  /// Occurrences, `nil` if one has no usable key.
  private(set) var occurrences: [Recording?]?
  private var numbers: [String: String] = [:]
  private var endOfRecords: Bool?

  init(_ body: [UInt8]) throws(JSONFault) {
    var reader = JSONReader(body)
    try reader.object { name, reader throws(JSONFault) in
      switch (name, reader.kind) {
      case ("results", .array):
        occurrences = try reader.records(of: .gbif, seeing: ["key", "gbifID"]) {
          $0["key"]?.idText ?? $0["gbifID"]?.idText
        }
      case ("offset", .number), ("limit", .number), ("count", .number): numbers[name] = try reader.number()
      case ("endOfRecords", .boolean):
        var value: [UInt8] = []
        try reader.copyValue(into: &value)
        endOfRecords = value.first == UInt8(ascii: "t")
      default: try reader.skipValue()
      }
    }
    try reader.end()
  }

  /// The page that was requested from that position on, with one row for each sound.
  ///
  /// The size of a page is what the answer says: a larger `limit` is cut. Where it is not the one requested, the next page is
  /// named by its position, because its number would lead elsewhere.
  func page(_ number: Int, from window: GBIFWindow, isFromCache: Bool) throws(FetchError) -> RecordingPage {
    guard let occurrences else { throw .malformed("it has no list of results") }
    guard let total = try count("count") else { throw .malformed("it has no count") }
    if let offset = try count("offset"), offset != window.offset {
      throw .malformed("position \(window.offset) was requested, but \(offset) came")
    }
    let limit = try count("limit").flatMap { $0 > 0 ? $0 : nil } ?? window.limit
    let end = window.offset + limit
    let isLast = occurrences.isEmpty || (endOfRecords ?? (end >= total))
    let readable = occurrences.compactMap { $0 }
    return RecordingPage(
      number: number, recordings: readable.flatMap(GBIFSound.rows),
      totals: Totals(recordings: total, pages: max(1, (total + limit - 1) / limit)), next: isLast ? nil : number + 1,
      nextToken: limit != window.limit || window.isFromToken ? GBIFWindow.token(end) : nil,
      skipped: occurrences.count - readable.count, records: occurrences.count, isFromCache: isFromCache)
  }

  /// `nil` if it is missing.
  private func count(_ name: String) throws(FetchError) -> Int? {
    guard let text = numbers[name] else { return nil }
    return try Int(count: text, name)
  }
}

/// The occurrences that one request asks for.
struct GBIFWindow: Equatable {
  /// Occurrences of the list before the first one.
  let offset: Int
  let limit: Int
  /// Whether the page before named the position, because its size was not the one requested.
  let isFromToken: Bool

  /// `nil` if the page is further into the list than the service answers. The last page that can be read is shorter.
  init?(page number: Int, size: Int, token: PageToken?) {
    let named = token.flatMap { Int($0.rawValue) }.map { max(0, $0) }
    isFromToken = named != nil
    // Far beyond any list, and far from overflow.
    offset = named ?? (min(max(number, 1), 4_000_000) - 1) * size
    limit = min(size, GBIF.reach - offset)
    guard limit > 0 else { return nil }
  }

  static func token(_ offset: Int) -> PageToken { PageToken(rawValue: "\(offset)") }
}
