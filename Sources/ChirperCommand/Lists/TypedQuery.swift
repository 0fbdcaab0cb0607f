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

  /// The queries of a file, each once, and the lines with labels that are not those of species. All
  /// are checked before the first is fetched.
  ///
  /// - Parameter typed: reads the text of a line, or of the first column of a CSV file.
  static func all(
    in path: String, _ typed: (String) throws -> TypedQuery
  ) throws -> (queries: [TypedQuery], unread: [String]) {
    var queries: [TypedQuery] = []
    var unread: [String] = []
    let isCSV = path.lowercased().hasSuffix(".csv")
    for (index, line) in try InputFile.lines(path).enumerated() {
      let text = (isCSV ? firstCell(of: line) : line).trimmingCharacters(in: .whitespaces)
      guard !text.isEmpty, !text.hasPrefix("#"), !(isCSV && index == 0 && isHeading(text)) else {
        continue
      }
      let place = "\(InputFile.name(path)), line \(index + 1)"
      guard !ScientificName.isLabel(text) || ScientificName.ofLabel(text) != nil else {
        unread.append("\(place): \(text.inQuotes) is not the label of a species")
        continue
      }
      do {
        let typed = try typed(text)
        if !queries.contains(where: { $0.query == typed.query }) { queries.append(typed) }
      } catch {
        let error = UserFacingError.of(error)
        let problem = [error.subject, error.problem].compactMap(\.self).joined(separator: ": ")
        throw UserFacingError(
          error.status, kind: error.kind, subject: place, problem: problem, hint: error.hint)
      }
    }
    guard !queries.isEmpty else {
      throw UserFacingError.usage(
        "Found no query in \(InputFile.name(path))",
        hint: "Write one a line, as in: cnt:poland q:A")
    }
    return (queries, unread)
  }

  private static func firstCell(of line: String) -> String {
    guard line.hasPrefix("\"") else { return String(line.prefix { !",;\t".contains($0) }) }
    return String(line.dropFirst().prefix { $0 != "\"" })
  }

  private static func isHeading(_ cell: String) -> Bool {
    ["name", "species", "label", "taxon"].contains(where: cell.lowercased().contains)
  }
}
