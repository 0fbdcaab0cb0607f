import ChirperModel

/// The object around xeno-canto's recordings.
struct XenoCantoEnvelope {
  /// `nil` if a record has no usable id.
  private(set) var rows: [Recording?]?
  /// Counts as spelled: totals come as strings and page numbers as numbers, and each is accepted either way.
  private var numbers: [String: String] = [:]
  /// Whether it is an error with status 200, which several clients guard against.
  private(set) var isError = false

  init(_ body: [UInt8]) throws(JSONFault) {
    var reader = JSONReader(body)
    try reader.object { name, reader throws(JSONFault) in
      switch (name, reader.kind) {
      case ("recordings", .array):
        rows = try reader.records(of: .xenoCanto, seeing: ["id"]) { $0["id"]?.idText }
      case ("page", .string), ("numPages", .string), ("numRecordings", .string), ("numSpecies", .string):
        numbers[name] = try reader.string()
      case ("page", .number), ("numPages", .number), ("numRecordings", .number), ("numSpecies", .number):
        numbers[name] = try reader.number()
      case ("error", .string): isError = try !reader.string().isEmpty
      case ("error", .object), ("error", .number):
        isError = true
        try reader.skipValue()
      default: try reader.skipValue()
      }
    }
    try reader.end()
  }

  /// The page that was requested.
  ///
  /// `numPages` is used as sent and never computed: a live answer counted 9 pages for 421 recordings. Without both counts
  /// the end of the list is unknown, so such an answer is malformed. A page without rows is the last, whatever the counts
  /// are: with an exact multiple of the page size `numPages` was one too many.
  func page(_ number: Int, redactions: Int = 0) throws(FetchError) -> RecordingPage {
    guard let rows else { throw .malformed("it has no list of recordings") }
    if let echoed = try count("page"), echoed != number {
      throw .malformed("page \(number) was requested, but page \(echoed) came")
    }
    guard let total = try count("numRecordings") else { throw .malformed("it has no numRecordings") }
    // Nothing found is one page, whether it is counted or not.
    guard let pages = try count("numPages") ?? (total == 0 ? 1 : nil) else { throw .malformed("it has no numPages") }
    let recordings = rows.compactMap { $0 }
    return RecordingPage(
      number: number, recordings: recordings,
      totals: Totals(recordings: total, pages: pages, species: try count("numSpecies")),
      next: number < pages && !rows.isEmpty ? number + 1 : nil, skipped: rows.count - recordings.count,
      redactions: redactions)
  }

  /// `nil` if it is missing, empty or of another type.
  private func count(_ name: String) throws(FetchError) -> Int? {
    guard let text = numbers[name], !text.isEmpty else { return nil }
    return try Int(count: text, name)
  }
}
