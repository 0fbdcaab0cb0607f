import Foundation

/// A server's name for the version of a file, so that a piece of a different version is
/// noticed. It is stored as JSON next to an incomplete file.
struct AudioVersion: Codable, Hashable {
  var entityTag: String?
  var lastModified: String?
  /// The length of the whole file, in bytes.
  let total: Int

  /// The limit of the stored JSON in bytes. The head of an answer is shorter.
  static let sizeLimit = 1 << 20

  /// The condition for `If-Range`: a strong entity tag or a date (RFC 9110, section
  /// 13.1.5). Pieces of two runs cannot be joined without it.
  var condition: String? {
    if let entityTag, !entityTag.hasPrefix("W/") { return entityTag }
    return lastModified
  }

  /// Whether a piece of that version continues this one. An answer to `If-Range` may leave out the
  /// date, never the tag (RFC 9110, section 15.3.7).
  func isContinued(by piece: AudioVersion) -> Bool {
    entityTag == piece.entityTag && total == piece.total
      && (piece.lastModified ?? lastModified) == lastModified
  }
}
