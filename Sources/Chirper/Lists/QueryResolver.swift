import ChirperModel
import ChirperRemote

/// What a typed text means: the query it is in each catalogue, and the stored lists it names.
public struct QueryResolver: Sendable {
  /// Cleaned: NFC, single spaces.
  public let typed: String
  /// Whether plain words are a scientific name.
  public let scientific: Bool
  /// Only this catalogue; `nil`: any.
  public let catalogue: CatalogueID?
  private let queries: [CatalogueID: Result<CatalogueQuery, QueryError>]

  /// - Throws: `QueryError` where the text cannot be a query in any catalogue: blank, too long, control characters.
  public init(_ typed: String, scientific: Bool = false, catalogue: CatalogueID? = nil) throws(QueryError) {
    self.typed = try CatalogueQuery.cleaned(typed)
    self.scientific = scientific
    self.catalogue = catalogue
    queries = Self.queries(self.typed, scientific, catalogue, among: Catalogues.all)
  }

  /// The stored lists that the text names, as English words or as a scientific name.
  ///
  /// - Returns: lists with rows before empty ones, those of other catalogues before the sample's, then the most recently
  ///   fetched first.
  public func stored(in repository: RecordingRepository) throws(StoreError) -> [StoredQuery] {
    let all = try repository.storedQueries()
    let known = repository.catalogues
    let forms = (scientific ? [true] : [false, true]).map { Self.queries(typed, $0, catalogue, among: known) }
    let found = all.filter { stored in forms.contains { Self.names(stored.query, $0) } }
    return found.enumerated().sorted { left, right in
      Self.rank(left.element, left.offset) < Self.rank(right.element, right.offset)
    }.map(\.element)
  }

  private static func rank(_ stored: StoredQuery, _ age: Int) -> (Int, Int, Int) {
    let isBuiltIn = stored.query.catalogue == Catalogues.builtIn.id
    return (stored.count > 0 ? 0 : 1, isBuiltIn ? 1 : 0, age)
  }

  /// The same text as a scientific name, where the catalogue distinguishes the two; `nil` if it does not, and for a
  /// text with tags.
  public func asScientificName(in catalogue: Catalogue) -> QueryResolver? {
    guard !scientific, let other = try? QueryResolver(typed, scientific: true, catalogue: self.catalogue),
      let english = try? query(in: catalogue), let scientific = try? other.query(in: catalogue), english != scientific
    else { return nil }
    return other
  }

  /// Whether the text is spelled like a scientific name: two or three words, only the first with a capital.
  public var looksScientific: Bool {
    let words = typed.split(separator: " ")
    guard (2...3).contains(words.count), words.allSatisfy({ $0.unicodeScalars.allSatisfy(\.properties.isAlphabetic) })
    else { return false }
    return words[0].first?.isUppercase == true && words.dropFirst().allSatisfy { $0.allSatisfy(\.isLowercase) }
  }

  /// The query to ask a catalogue.
  ///
  /// - Parameters:
  ///   - catalogue: the one that is asked.
  ///   - pageSize: recordings per page; if `nil`, the size of the list stored last, otherwise the catalogue's default.
  ///   - stored: the lists that the text names.
  /// - Throws: `QueryError` where the text is not in the catalogue's language, or it does not serve the size.
  public func query(
    in catalogue: Catalogue, pageSize: Int? = nil, stored: [StoredQuery] = []
  ) throws(QueryError) -> CatalogueQuery {
    guard let parsed = queries[catalogue.id] else {
      return try catalogue.query(typed, scientific: scientific, pageSize: pageSize)
    }
    let query = try parsed.get()
    let known = stored.first { $0.query.catalogue == catalogue.id && $0.query.text == query.text }?.query.pageSize
    let size = pageSize ?? known.flatMap { catalogue.pageSizes.contains($0) ? $0 : nil } ?? query.pageSize
    guard catalogue.pageSizes.contains(size) else {
      throw .pageSize(asked: size, served: catalogue.pageSizes, catalogue: catalogue.name)
    }
    return CatalogueQuery(catalogue: query.catalogue, text: query.text, pageSize: size, typed: query.typed, sent: query.sent)
  }

  private static func queries(
    _ typed: String, _ scientific: Bool, _ catalogue: CatalogueID?, among catalogues: [Catalogue]
  ) -> [CatalogueID: Result<CatalogueQuery, QueryError>] {
    let asked = catalogues.filter { catalogue == nil || $0.id == catalogue }
    return Dictionary(
      uniqueKeysWithValues: asked.map { known in
        (known.id, Result { () throws(QueryError) in try known.query(typed, scientific: scientific) })
      })
  }

  private static func names(
    _ stored: CatalogueQuery, _ queries: [CatalogueID: Result<CatalogueQuery, QueryError>]
  ) -> Bool {
    guard case .success(let query)? = queries[stored.catalogue] else { return false }
    return query.text == stored.text
  }
}
