import Foundation

/// A query for a list: a catalogue, a normalised text and a page size.
///
/// Two queries are equal if these three are. The text as typed and the text as sent do not
/// matter. An encoded query is equal to the decoded one, also if its words were taken as a
/// scientific name.
public struct CatalogueQuery: Codable, Sendable, Identifiable {
  /// The catalogue that is searched.
  public let catalogue: CatalogueID
  /// The text that identifies the query: NFC, lower case, single spaces, tags in a fixed order.
  public let identity: String
  /// Recordings requested per page.
  public let pageSize: Int
  /// The text as the user wrote it.
  public let typed: String
  /// The text that is sent to the catalogue: `en:"parrot"`.
  public let requestText: String
  /// The queries that are asked first, in this order, if nothing is found: the words as a
  /// scientific name. Empty for a stored query.
  public let alternatives: [CatalogueQuery]

  /// The query itself.
  public var id: CatalogueQuery { self }

  /// Made by `Catalogue.query`, which checks the text against the catalogue's language, and by the
  /// store.
  package init(
    catalogue: CatalogueID, identity: String, pageSize: Int, typed: String, requestText: String,
    alternatives: [CatalogueQuery] = []
  ) {
    self.catalogue = catalogue
    self.identity = identity
    self.pageSize = pageSize
    self.typed = typed
    self.requestText = requestText
    self.alternatives = alternatives
  }

  // The names that encoded queries have.
  private enum CodingKeys: String, CodingKey {
    case catalogue, pageSize, typed, alternatives
    case identity = "text"
    case requestText = "sent"
  }

  /// A part of this query, to be requested and not stored.
  package func narrowed(to text: String, pageSize: Int? = nil) -> CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue, identity: text, pageSize: pageSize ?? self.pageSize, typed: text,
      requestText: text
    )
  }

  /// The query, for which nothing else is asked.
  ///
  /// - Parameter typed: what was typed, if it is something else.
  package func withoutAlternatives(typed: String? = nil) -> CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue, identity: identity, pageSize: pageSize, typed: typed ?? self.typed,
      requestText: requestText)
  }

  /// The query with a different page size, and its alternatives with it.
  func paged(by size: Int) -> CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue, identity: identity, pageSize: size, typed: typed,
      requestText: requestText,
      alternatives: alternatives.map { $0.paged(by: size) })
  }

  /// NFC with each run of white space made one space and none at the ends; throws when nothing or
  /// too much is left.
  package static func cleaned(_ typed: String) throws(QueryError) -> String {
    let text = typed.precomposedStringWithCanonicalMapping.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    guard !text.isEmpty else { throw QueryError(.blank) }
    guard text.unicodeScalars.count <= lengthLimit else {
      throw QueryError(.tooLong(count: text.unicodeScalars.count, limit: lengthLimit))
    }
    if let control = text.unicodeScalars.first(where: PlainLine.isControl) {
      throw QueryError(.controlCharacter(control.value))
    }
    return text
  }

  /// Unicode scalars; a longer text would not fit the URL of any catalogue.
  static let lengthLimit = 1000
}

extension CatalogueQuery: Hashable {
  /// Whether catalogue, text and page size are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.catalogue == right.catalogue && left.identity == right.identity
      && left.pageSize == right.pageSize
  }

  /// Hashes catalogue, text and page size.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(catalogue)
    hasher.combine(identity)
    hasher.combine(pageSize)
  }
}
