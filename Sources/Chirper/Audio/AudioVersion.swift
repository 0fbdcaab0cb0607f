import ChirperRemote
import Foundation

/// How a server names the version of a file, so that a piece of another version is noticed.
struct AudioVersion: Hashable {
  private(set) var entityTag: String?
  private(set) var lastModified: String?
  /// The length of the whole file, in bytes.
  let total: Int

  init(entityTag: String? = nil, lastModified: String? = nil, total: Int) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.total = total
  }

  init(of response: HTTPResponse, total: Int) {
    self.init(entityTag: response.header("ETag"), lastModified: response.header("Last-Modified"), total: total)
  }

  /// For `If-Range`: a strong entity tag or a date (RFC 9110, section 13.1.5). Without one the pieces of two runs cannot be joined.
  var condition: String? {
    if let entityTag, !entityTag.hasPrefix("W/") { return entityTag }
    return lastModified
  }

  /// Whether a piece of that version continues this one. An answer to `If-Range` may leave out the date, never the tag
  /// (RFC 9110, section 15.3.7).
  func isContinued(by piece: AudioVersion) -> Bool {
    entityTag == piece.entityTag && total == piece.total && (piece.lastModified ?? lastModified) == lastModified
  }

  /// One line per value, as stored beside an incomplete file.
  var text: String {
    (["total \(total)"] + [entityTag.map { "tag \($0)" }, lastModified.map { "date \($0)" }].compactMap(\.self))
      .joined(separator: "\n")
  }

  /// `nil` for text that is not of this form.
  init?(text: String) {
    var values: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { values[parts[0]] = String(parts[1]) }
    }
    guard let total = values["total"].flatMap({ Int($0) }), (1...AudioFetcher.limit).contains(total) else { return nil }
    self.init(entityTag: values["tag"], lastModified: values["date"], total: total)
  }
}
