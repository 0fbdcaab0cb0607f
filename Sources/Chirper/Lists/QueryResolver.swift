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

  /// - Throws: `QueryError` where the text cannot be a query in any catalogue: blank, too long, control characters.
  public init(_ typed: String, scientific: Bool = false, catalogue: CatalogueID? = nil) throws(QueryError) {
    self.typed = try CatalogueQuery.cleaned(typed)
    self.scientific = scientific
    self.catalogue = catalogue
  }

  /// The text of an argument, which may begin with its catalogue: `gbif:parrot`.
  package init(argument: String, scientific: Bool = false) throws(QueryError) {
    let named = argument.firstIndex(of: ":").flatMap { colon in
      Catalogues.named(CatalogueID(rawValue: argument[..<colon].lowercased())).map { (colon, $0.id) }
    }
    try self.init(
      named.map { String(argument[$0.0...].dropFirst()) } ?? argument, scientific: scientific, catalogue: named?.1)
  }

  /// The stored lists that the text names, as English words or as a scientific name.
  ///
  /// - Returns: lists with rows before empty ones, those of other catalogues before the sample's, then the most recently
  ///   fetched first.
  public func stored(in repository: RecordingRepository) throws(StoreError) -> [StoredQuery] {
    let texts = texts(in: repository, scientific ? [true] : [false, true])
    let all = try repository.storedQueries()
    var found = all.filter { texts[$0.query.catalogue]?.contains($0.query.text) ?? false }
    // The same words may have been another query in the version that stored them: `cnt:UK` was sent as it is.
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

  /// The stored lists of that name: those of the query that the text is, or that were typed so.
  package func named(in repository: RecordingRepository) throws(StoreError) -> Set<CatalogueQuery> {
    let texts = texts(in: repository, [scientific])
    return Set(
      try repository.storedQueries().map(\.query).filter {
        (catalogue == nil || $0.catalogue == catalogue)
          && (texts[$0.catalogue]?.contains($0.text) ?? false || $0.typed.lowercased() == typed.lowercased())
      })
  }

  /// The texts of queries that the typed text can be in each catalogue.
  private func texts(in repository: RecordingRepository, _ forms: [Bool]) -> [CatalogueID: Set<String>] {
    var texts: [CatalogueID: Set<String>] = [:]
    for known in repository.catalogues where catalogue == nil || known.id == catalogue {
      texts[known.id] = Set(forms.compactMap { try? known.query(typed, scientific: $0).text })
    }
    return texts
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
    let query = try catalogue.query(typed, scientific: scientific)
    let known = stored.first { $0.query.catalogue == catalogue.id && $0.query.text == query.text }?.query.pageSize
    let size = pageSize ?? known.flatMap { catalogue.pageSizes.contains($0) ? $0 : nil }
    return try catalogue.query(typed, scientific: scientific, pageSize: size)
  }
}
