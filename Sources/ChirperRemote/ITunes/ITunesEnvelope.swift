import ChirperModel

/// The object around iTunes' results; its `resultCount` counts this page only and is not used.
struct ITunesEnvelope {
  /// `nil` where a record has no usable id.
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

  /// A song has all three ids, an audiobook no `trackId`, a film no `artistId`; the same number may stand for a track
  /// and for a collection.
  private static func id(_ seen: [String: FieldValue]) -> String? {
    let ids = ["trackId", "collectionId", "artistId"].lazy.compactMap { seen[$0]?.idText }
    guard let id = ids.first else { return nil }
    var kind = "item"
    if let wrapper = seen["wrapperType"], wrapper.json.hasPrefix("\""), !wrapper.text.isEmpty { kind = wrapper.text }
    return "\(kind)-\(id)"
  }
}
