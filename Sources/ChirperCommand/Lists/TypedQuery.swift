import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// A typed text, the catalogue that it asks, and the query.
struct TypedQuery {
  let text: TypedText
  /// The lists that the text names.
  let known: [StoredQuery]
  let catalogue: Catalogue
  /// Whether the built-in catalogue answers in place of the default one.
  let isFallback: Bool
  let query: CatalogueQuery

  init(
    _ text: TypedText, pageSize: Int?, isStrict: Bool, _ session: Session,
    storedIn repository: RecordingRepository
  ) throws {
    self.text = text
    known = try text.stored(in: repository)
    (catalogue, isFallback) = try session.catalogue(
      flag: text.catalogue?.rawValue, stored: known)
    // A query that cannot be fetched creates no store.
    query = try text.query(in: catalogue, pageSize: pageSize, stored: known)
    if isStrict { try catalogue.checkTagsAreKnown(in: query) }
  }

  /// The queries of a file, each once. All are checked before the first is fetched.
  ///
  /// - Parameter typed: reads the text of a line.
  static func all(in path: String, _ typed: (String) throws -> TypedQuery) throws -> [TypedQuery] {
    var queries: [TypedQuery] = []
    for (index, line) in try InputFile.lines(path).enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      guard !text.isEmpty, !text.hasPrefix("#") else { continue }
      do {
        let typed = try typed(ScientificName.ofLabel(text) ?? text)
        if !queries.contains(where: { $0.query == typed.query }) { queries.append(typed) }
      } catch {
        let error = UserFacingError.of(error)
        let problem = [error.subject, error.problem].compactMap(\.self).joined(separator: ": ")
        throw UserFacingError(
          error.status, kind: error.kind, subject: "\(InputFile.name(path)), line \(index + 1)",
          problem: problem, hint: error.hint)
      }
    }
    guard !queries.isEmpty else {
      throw UserFacingError.usage(
        "Found no query in \(InputFile.name(path))",
        hint: "Write one a line, as in: cnt:poland q:A")
    }
    return queries
  }
}
