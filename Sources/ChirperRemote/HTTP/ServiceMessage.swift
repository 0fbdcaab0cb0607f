import ChirperModel

/// What a service says of a request it refuses, out of any of the shapes that were seen.
enum ServiceMessage {
  /// Scalars kept of it.
  private static let limit = 500

  static func read(_ response: HTTPResponse) -> String? {
    if response.isWebPage { return nil }
    return clipped(json(response.body) ?? plain(response))
  }

  /// `{"error":"client_error","message":"…"}`, `{"error":{"code":"…","message":"…"}}`, `{"errorMessage":"…"}`,
  /// `{"error":{"original":"…"}}`.
  private static func json(_ body: [UInt8]) -> String? {
    var message: String?
    var code: String?
    var reader = JSONReader(body)
    guard reader.kind == .object else { return nil }
    try? reader.object { name, reader throws(JSONFault) in
      switch (name, reader.kind) {
      case ("message", .string), ("errorMessage", .string): message = try reader.string()
      case ("error", .string): code = try reader.string()
      case ("error", .object):
        try reader.object { name, reader throws(JSONFault) in
          switch (name, reader.kind) {
          case ("message", .string), ("original", .string): message = try reader.string()
          case ("code", .string): code = try reader.string()
          default: try reader.skipValue()
          }
        }
      default: try reader.skipValue()
      }
    }
    return message ?? code
  }

  private static func plain(_ response: HTTPResponse) -> String? {
    guard response.header("Content-Type")?.lowercased().hasPrefix("text/plain") ?? false else { return nil }
    return String(decoding: response.body.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
  }

  static func clipped(_ message: String?) -> String? {
    guard let message, !message.isEmpty else { return nil }
    guard message.unicodeScalars.count > limit else { return message }
    return String(String.UnicodeScalarView(message.unicodeScalars.prefix(limit))) + "…"
  }
}
