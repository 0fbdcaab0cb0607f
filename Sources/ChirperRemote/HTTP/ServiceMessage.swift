import ChirperModel

/// A reader of the message with which a service refuses a request, in any of the shapes
/// that were seen.
enum ServiceMessage {
  /// The most scalars of a message that are kept.
  private static let limit = 500

  static func read(_ response: CatalogueClient.Response) -> String? {
    guard !response.isWebPage, let message = json(response.body) ?? plain(response),
      !message.isEmpty
    else { return nil }
    return message.unicodeScalars.count > limit
      ? String(message.unicodeScalars.prefix(limit)) + "…" : message
  }

  /// `{"error":"client_error","message":"…"}`, `{"error":{"code":"…"}}` (or `message`, `original`),
  /// `{"errorMessage":"…"}`.
  private static func json(_ body: [UInt8]) -> String? {
    guard let fields = try? RecordingFields(json: String(decoding: body, as: UTF8.self)) else {
      return nil
    }
    let error = fields["error"]
    let inner = error.flatMap { try? RecordingFields(json: $0.json) }
    let messages = [
      fields["message"], fields["errorMessage"], inner?["message"], inner?["original"],
      inner?["code"], error,
    ]
    return messages.lazy.compactMap(\.self).first { $0.json.hasPrefix("\"") }?.text
  }

  private static func plain(_ response: CatalogueClient.Response) -> String? {
    guard response.mediaType == "text/plain" else { return nil }
    return String(decoding: response.body.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
  }
}
