import ChirperModel
import ChirperRemote

/// The meaning of a typed text: the query that it is in each catalogue, and the stored
/// lists that it names.
public struct QueryResolver: Sendable {
  /// Cleaned: NFC, single spaces.
  public let typed: String
  /// Whether plain words are a scientific name and no other.
  public let scientific: Bool
  /// The only catalogue to look in; `nil` if any.
  public let catalogue: CatalogueID?

  /// - Throws: `QueryError` if the text cannot be a query in any catalogue: blank, too long,
  ///   control characters.
  public init(_ typed: String, scientific: Bool = false, catalogue: CatalogueID? = nil)
    throws(QueryError)
  {
    self.typed = try CatalogueQuery.cleaned(typed)
    self.scientific = scientific
    self.catalogue = catalogue
  }

  /// The text of an argument, which may begin with its catalogue: `gbif:parrot`.
  package init(argument: String, scientific: Bool = false) throws(QueryError) {
    let named = argument.firstIndex(of: ":").flatMap { colon in
      Catalogues.named(CatalogueID(rawValue: argument[..<colon].lowercased())).map {
        (colon, $0.id)
      }
    }
    // The address of a page of a recording or a taxon names its catalogue.
    let page =
      argument.contains("/")
      ? Catalogues.all.first { $0.queryForID(argument) != nil || $0.namesTaxon(argument) }?.id : nil
    try self.init(
      named.map { String(argument[$0.0...].dropFirst()) } ?? argument, scientific: scientific,
      catalogue: named?.1 ?? page)
  }

  /// The stored lists that the text names, as English words or as a scientific name.
  ///
  /// - Returns: Lists with rows before empty ones, real lists before the sample's, then the
  ///   most recently fetched first.
  public func stored(in repository: RecordingRepository) throws(StoreError) -> [StoredQuery] {
    let texts = texts(in: repository, scientific ? [true] : [false, true])
    let all = try repository.store.storedQueries()
    var found = all.filter { texts[$0.query.catalogue]?.contains($0.query.text) ?? false }
    // The same words may have been another query in the version that stored them: `cnt:UK` was sent
    // as it is.
    if found.isEmpty, !scientific {
      let named = try named(in: repository)
      found = all.filter { named.contains($0.query) }
    }
    func rank(_ stored: StoredQuery) -> (Int, Int) {
      (stored.count > 0 ? 0 : 1, stored.query.catalogue == Catalogues.builtIn.id ? 1 : 0)
    }
    // Swift's sort is stable, so that the order of the store stays among equals.
    return found.sorted { rank($0) < rank($1) }
  }

  /// The queries of the stored lists that the text names: the list of the query that the
  /// text is, and lists that were typed or sent so.
  package func named(in repository: RecordingRepository) throws(StoreError) -> Set<CatalogueQuery> {
    let texts = texts(in: repository, [scientific])
    return Set(
      try repository.store.storedQueries().map(\.query).filter {
        (catalogue == nil || $0.catalogue == catalogue)
          && (texts[$0.catalogue]?.contains($0.text) ?? false
            || [$0.typed, $0.sent].contains { $0.lowercased() == typed.lowercased() })
      })
  }

  /// The texts of queries that the typed text can be in each catalogue.
  private func texts(in repository: RecordingRepository, _ forms: [Bool]) -> [CatalogueID: Set<
    String
  >] {
    var texts: [CatalogueID: Set<String>] = [:]
    for known in repository.catalogues where catalogue == nil || known.id == catalogue {
      texts[known.id] = Set(forms.compactMap { try? known.query(typed, scientific: $0).text })
    }
    return texts
  }

  /// The query to ask a catalogue: of those that the text can be, the first that is stored with
  /// rows, or else the first, whose `alternatives` a fetch asks if it finds nothing.
  ///
  /// - Parameters:
  ///   - catalogue: the one that is asked.
  ///   - pageSize: recordings per page; if `nil`, the size of the list stored last, otherwise the
  ///     catalogue's default.
  ///   - stored: the lists that the text names.
  /// - Throws: `QueryError` if the text is not in the catalogue's language, or it does not serve
  ///   the size.
  public func query(
    in catalogue: Catalogue, pageSize: Int? = nil, stored: [StoredQuery] = []
  ) throws(QueryError) -> CatalogueQuery {
    let first = try catalogue.query(typed, scientific: scientific)
    let here = stored.filter { $0.query.catalogue == catalogue.id }
    let isAlternative = first.alternatives.contains { query in
      here.contains { $0.count > 0 && $0.query.text == query.text }
    }
    let isFirst = here.contains { $0.count > 0 && $0.query.text == first.text }
    let scientific = scientific || isAlternative && !isFirst
    let text = scientific ? try catalogue.query(typed, scientific: true).text : first.text
    let known = here.first { $0.query.text == text }?.query.pageSize
    let size = pageSize ?? known.flatMap { catalogue.pageSizes.contains($0) ? $0 : nil }
    return try catalogue.query(typed, scientific: scientific, pageSize: size)
  }
}
