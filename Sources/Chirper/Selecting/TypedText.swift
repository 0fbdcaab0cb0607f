#if Collection

import ChirperModel
import ChirperRemote

/// The meaning of a text that somebody typed: the query that it is in each catalogue, and the
/// stored lists that it names. Each catalogue reads it once, a line of BirdNET's lists as the
/// scientific name in it. What the text means as a search is in `SearchExpression.init(typed:in:)`,
/// and as a recording in `RecordingRepository.recording(typed:)`.
package struct TypedText: Sendable {
  /// The text, cleaned: NFC, single spaces, and without the name of a catalogue before it.
  package let text: String
  /// The text that catalogues read: the scientific name in a line of BirdNET's lists.
  var asked: String { ScientificName.ofLabel(text) ?? text }
  /// Whether plain words are a scientific name only.
  let scientific: Bool
  /// The only catalogue to look in; `nil` if any.
  package let catalogue: CatalogueID?
  /// The queries that the text is in the catalogues asked so far.
  private let readings = Locked<[CatalogueID: Reading]>([:])

  typealias Reading = (
    words: Result<CatalogueQuery, QueryError>, scientific: Result<CatalogueQuery, QueryError>
  )

  /// The meaning of a text, which may begin with its catalogue: `gbif:parrot`.
  ///
  /// - Parameters:
  ///   - scientific: whether plain words are a scientific name only.
  ///   - catalogue: the catalogue that was named apart from the text.
  ///   - otherwise: the catalogue of a text that does not name one.
  ///   - known: the catalogues that the text can name.
  /// - Throws: `QueryError` if the text cannot be a query in any catalogue: blank, too long,
  ///   control characters; and if it names a different catalogue than was named apart from it.
  package init(
    _ argument: String, scientific: Bool = false, in catalogue: CatalogueID? = nil,
    otherwise: CatalogueID? = nil, among known: [Catalogue] = Catalogues.known
  ) throws(QueryError) {
    var text = argument
    var catalogue = catalogue
    if let colon = argument.firstIndex(of: ":"),
      let named = known.first(where: { $0.id.rawValue == argument[..<colon].lowercased() })?.id
    {
      if let catalogue, catalogue != named {
        throw QueryError(.severalCatalogues(named.rawValue, catalogue.rawValue))
      }
      text = String(argument[colon...].dropFirst())
      catalogue = named
    }
    // The address of a page of a recording or a taxon names its catalogue.
    if catalogue == nil, argument.contains("/") {
      catalogue =
        known.first { $0.idQuery(argument) != nil || $0.namesTaxon(argument) }?.id
    }
    self.text = try CatalogueQuery.cleaned(text)
    self.scientific = scientific
    self.catalogue = catalogue ?? otherwise
  }

  /// The stored lists that the text names, as English words or as a scientific name.
  /// `TypedText+Lists` throws if nothing is found, and chooses one of several.
  ///
  /// - Returns: Lists with rows before empty ones, real lists before the sample's, then the
  ///   most recently fetched first.
  package func stored(in repository: RecordingRepository) throws(StoreError) -> [StoredQuery] {
    let all = try repository.store.storedQueries()
    var found = all.filter { isForm($0.query, in: repository, orScientific: true) }
    // The same words may have been another query: under a different name of the species, or in the
    // version that stored them, which sent `cnt:UK` as it is. What found nothing does not hide it.
    if found.allSatisfy(\.isMiss), !scientific {
      let missed = Set(found.map(\.query))
      found += all.filter { !missed.contains($0.query) && names($0.query, in: repository) }
    }
    // A list that an import has named like a label is meant alone.
    let own = found.filter { isName(of: $0.query) }
    return ranked(asked == text || own.isEmpty ? found : own)
  }

  /// The queries of the stored lists that the text names: the list of the query that the
  /// text is, and lists that were typed or sent so.
  func named(in repository: RecordingRepository) throws(StoreError) -> Set<CatalogueQuery> {
    Set(try repository.store.storedQueries().map(\.query).filter { names($0, in: repository) })
  }

  func ranked(_ lists: [StoredQuery]) -> [StoredQuery] {
    func rank(_ stored: StoredQuery) -> (Int, Int) {
      (stored.count > 0 ? 0 : 1, stored.query.catalogue == Catalogues.defaultWithoutKey.id ? 1 : 0)
    }
    // Swift's sort is stable, so that the order of the store stays among equals.
    return lists.sorted { rank($0) < rank($1) }
  }

  private func names(_ query: CatalogueQuery, in repository: RecordingRepository) -> Bool {
    isForm(query, in: repository)
      || (catalogue == nil || query.catalogue == catalogue)
        && [query.typed, query.requestText].contains { $0.lowercased() == text.lowercased() }
  }

  /// Whether an import has given the list that text as its name.
  private func isName(of query: CatalogueQuery) -> Bool {
    query.identity == CatalogueQuery.imported(text, as: query.catalogue).identity
  }

  /// Whether the text is that query in its catalogue, as words or as a scientific name.
  private func isForm(
    _ query: CatalogueQuery, in repository: RecordingRepository, orScientific: Bool = false
  ) -> Bool {
    guard catalogue == nil || query.catalogue == catalogue,
      let known = repository.catalogue(query.catalogue)
    else { return false }
    if isName(of: query) { return true }
    let reading = reading(in: known)
    return !scientific && (try? reading.words.get().identity) == query.identity
      || (scientific || orScientific) && (try? reading.scientific.get().identity) == query.identity
  }

  func reading(in catalogue: Catalogue) -> Reading {
    if let known = readings.withLock({ $0[catalogue.id] }) { return known }
    func query(_ isScientific: Bool) -> Result<CatalogueQuery, QueryError> {
      Result { () throws(QueryError) in
        try catalogue.query(cleaned: asked, scientific: isScientific)
      }
    }
    let words = query(false)
    let alternative = (try? words.get())?.alternatives.first
    let reading: Reading = (words, alternative.map(Result.success) ?? query(true))
    readings.withLock { $0[catalogue.id] = reading }
    return reading
  }

  /// The query to ask a catalogue: of those that the text can be, the first that is stored with
  /// rows, else the one that found rows under a different name of the species, or else the first,
  /// whose alternatives a fetch asks if it finds nothing.
  ///
  /// - Parameters:
  ///   - catalogue: the one that is asked.
  ///   - pageSize: recordings per page; if `nil`, the size of the list stored last, otherwise the
  ///     catalogue's default.
  ///   - stored: the lists that the text names.
  /// - Throws: `QueryError` if the text is not in the catalogue's language, or it does not serve
  ///   the size.
  package func query(
    in catalogue: Catalogue, pageSize: Int? = nil, stored: [StoredQuery] = []
  ) throws(QueryError) -> CatalogueQuery {
    let reading = reading(in: catalogue)
    let first = try (scientific ? reading.scientific : reading.words).get()
    let here = stored.filter { $0.query.catalogue == catalogue.id }
    // An import has given it its name, and it is not asked for.
    if let imported = here.first, here.allSatisfy({ $0.imported != nil }) { return imported.query }
    let asked = first.list(among: here.filter { $0.count > 0 }.map(\.query), in: catalogue) ?? first
    let known = here.first { $0.query.identity == asked.identity }?.query.pageSize
    let size = pageSize ?? known.flatMap { catalogue.pageSizes.contains($0) ? $0 : nil }
    return try catalogue.query(asked, pageSize: size)
  }
}

extension RecordingRepository {
  /// The queries of the stored lists that a search calls so; none for a text that cannot be a
  /// query.
  func lists(named name: ListName) throws(StoreError) -> Set<CatalogueQuery> {
    switch name {
    case .query(let query): [query]
    case .typed(let text): try (try? TypedText(text, among: catalogues))?.named(in: self) ?? []
    }
  }
}

extension CatalogueQuery {
  /// The rows of a page of a list that is imported.
  static let importedPageSize = 500

  /// The query of a list that is imported. No text that is typed for a catalogue is read as it.
  package static func imported(_ name: String, as catalogue: CatalogueID) -> CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue, identity: "import:\(name.lowercased())", pageSize: importedPageSize,
      typed: name, requestText: name)
  }
}

#endif
