import ChirperModel

/// Whether an answer can be audio. Known first bytes decide alone, because services send audio as
/// `application/octet-stream` and even as `text/html`. For other first bytes the content type
/// decides, and text is never audio.
package enum AudioContent {
  /// The reason why an answer is not stored as audio; `nil` if it is.
  ///
  /// - Parameter isStart: whether the body begins with the first byte of the file.
  package static func fault(_ response: CatalogueClient.Response, isStart: Bool) -> FetchError? {
    guard !response.body.isEmpty else { return .malformed("the audio is empty") }
    if response.status == 200, !response.isFramed {
      return .malformed("the audio came without a length, so a missing end could not be noticed")
    }
    let start = response.body.prefix(1024)
    if isStart, !AudioKind.kinds(of: start).isEmpty { return nil }
    let type = response.mediaType
    // The middle of a file can look like anything, so both must speak against it.
    guard isStart else {
      return isText(start) && isOther(type) ? .malformed("it is \(type), not audio") : nil
    }
    if isText(start) {
      return response.isWebPage ? FetchError(.webPage) : .malformed("it is text, not audio")
    }
    if isOther(type) { return .malformed("it is \(type), not audio") }
    return otherFiles.contains { start.starts(with: $0) }
      ? .malformed("it is a different kind of file, not audio") : nil
  }

  /// PDF, zip, gzip, PNG, JPEG and GIF.
  private static let otherFiles: [[UInt8]] = [
    Array("%PDF".utf8), [0x50, 0x4B, 3, 4], [0x1F, 0x8B], [0x89, 0x50, 0x4E, 0x47],
    [0xFF, 0xD8, 0xFF], Array("GIF8".utf8),
  ]

  /// Whether bytes are text. A kilobyte of audio always had control characters other than
  /// white space and escape.
  private static func isText(_ bytes: some Collection<UInt8>) -> Bool {
    // The byte order marks of UTF-16.
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) || $0 == 0x1B }
  }

  /// Whether a media type is of something other than audio. The types of downloads in general are
  /// not.
  private static func isOther(_ type: String) -> Bool {
    let parts = type.split(separator: "/", maxSplits: 1)
    guard let main = parts.first else { return false }
    if ["text", "image", "font", "message", "multipart", "model"].contains(main) { return true }
    guard main == "application", parts.count == 2 else { return false }
    return ["json", "xml", "html", "javascript", "pdf", "zip"].contains { parts[1].contains($0) }
  }
}
