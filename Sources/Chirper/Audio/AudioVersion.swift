import ChirperRemote
import Foundation

/// How a server names the version of a file, so that a piece of another version is noticed; stored as JSON beside an incomplete
/// file.
struct AudioVersion: Codable, Hashable {
  var entityTag: String?
  var lastModified: String?
  /// The length of the whole file, in bytes.
  let total: Int

  /// Of what is stored of it, in bytes. The head of an answer is shorter.
  static let sizeLimit = 1 << 20

  /// For `If-Range`: a strong entity tag or a date (RFC 9110, section 13.1.5). Pieces of two runs cannot be joined without it.
  var condition: String? {
    if let entityTag, !entityTag.hasPrefix("W/") { return entityTag }
    return lastModified
  }

  /// Whether a piece of that version continues this one. An answer to `If-Range` may leave out the date, never the tag
  /// (RFC 9110, section 15.3.7).
  func isContinued(by piece: AudioVersion) -> Bool {
    entityTag == piece.entityTag && total == piece.total && (piece.lastModified ?? lastModified) == lastModified
  }
}
