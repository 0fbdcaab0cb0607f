import ChirperModel
import ChirperRemote

/// What a typed text means: the query it is in each catalogue, and the stored lists it names. The text is parsed here and
/// nowhere else.
public struct QueryResolver: Sendable {
  /// Cleaned: NFC, single spaces.
  public let typed: String
  /// Whether plain words are a scientific name.
  public let scientific: Bool
  /// Only this catalogue; `nil`: any.
  public let catalogue: CatalogueID?
  private let queries: [CatalogueID: Result<SearchQuery, QueryError>]

  /// - Throws: `QueryError` where the text cannot be a query in any catalogue: blank, too long, control characters.
  public init(_ typed: String, scientific: Bool = false, catalogue: CatalogueID? = nil) throws(QueryError) {
    self.typed = try SearchQuery.cleaned(typed)
    self.scientific = scientific
    self.catalogue = catalogue
    queries = Self.queries(self.typed, scientific, catalogue)
  }

  /// The stored lists that the text names, the most recently fetched first.
  ///
  /// A text that names none as English words is looked for as a scientific name too: it may have been fetched as one.
  public func stored(in repository: RecordingRepository) throws(StoreError) -> [StoredQuery] {
    let all = try repository.storedQueries()
    let found = Self.lists(of: queries, among: all)
    guard found.isEmpty, !scientific else { return found }
    return Self.lists(of: Self.queries(typed, true, catalogue), among: all)
  }

  /// The query to ask a catalogue.
  ///
  /// - Parameters:
  ///   - pageSize: recordings per page; if `nil`, the size of the list stored last, otherwise the catalogue's default.
  ///   - stored: the lists that the text names.
  /// - Throws: `QueryError` where the text is not in the catalogue's language, or it does not serve the size.
  public func query(
    in catalogue: Catalogue, pageSize: Int? = nil, stored: [StoredQuery] = []
  ) throws(QueryError) -> SearchQuery {
    guard let parsed = queries[catalogue.id] else {
      return try catalogue.query(typed, scientific: scientific, pageSize: pageSize)
    }
    let query = try parsed.get()
    let known = stored.first { $0.query.catalogue == catalogue.id && $0.query.text == query.text }?.query.pageSize
    let size = pageSize ?? known.flatMap { catalogue.pageSizes.contains($0) ? $0 : nil } ?? query.pageSize
    guard catalogue.pageSizes.contains(size) else {
      throw .pageSize(asked: size, served: catalogue.pageSizes, catalogue: catalogue.name)
    }
    return SearchQuery(catalogue: query.catalogue, text: query.text, pageSize: size, typed: query.typed, sent: query.sent)
  }

  private static func queries(
    _ typed: String, _ scientific: Bool, _ catalogue: CatalogueID?
  ) -> [CatalogueID: Result<SearchQuery, QueryError>] {
    let asked = Catalogues.all.filter { catalogue == nil || $0.id == catalogue }
    return Dictionary(
      uniqueKeysWithValues: asked.map { known in
        (known.id, Result { () throws(QueryError) in try known.query(typed, scientific: scientific) })
      })
  }

  private static func lists(
    of queries: [CatalogueID: Result<SearchQuery, QueryError>], among stored: [StoredQuery]
  ) -> [StoredQuery] {
    stored.filter { stored in
      guard case .success(let query)? = queries[stored.query.catalogue] else { return false }
      return query.text == stored.query.text
    }
  }
}
