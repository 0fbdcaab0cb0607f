import ChirperModel
import ChirperPlatform
import ChirperRemote

/// The meaning of a text that somebody typed: the query that it is in each catalogue, and the
/// stored lists that it names. Each catalogue reads it once. What the text means as a search is in
/// `SearchExpression.init(typed:in:)`, and as a recording in
/// `RecordingRepository.recording(typed:)`.
package struct TypedText: Sendable {
  /// The text, cleaned: NFC, single spaces, and without the name of a catalogue before it.
  package let text: String
  /// Whether plain words are a scientific name only.
  let scientific: Bool
  /// The only catalogue to look in; `nil` if any.
  package let catalogue: CatalogueID?
  /// The queries that the text is in the catalogues asked so far.
  private let readings = Locked<[CatalogueID: Reading]>([:])

  private typealias Reading = (
    words: Result<CatalogueQuery, QueryError>, scientific: Result<CatalogueQuery, QueryError>
  )

  /// The meaning of a text, which may begin with its catalogue: `gbif:parrot`.
  ///
  /// - Parameters:
  ///   - scientific: whether plain words are a scientific name only.
  ///   - catalogue: the catalogue that was named apart from the text, which is taken as it is then.
  ///   - otherwise: the catalogue of a text that does not name one.
  ///   - known: the catalogues that the text can name.
  /// - Throws: `QueryError` if the text cannot be a query in any catalogue: blank, too long,
  ///   control characters.
  package init(
    _ argument: String, scientific: Bool = false, in catalogue: CatalogueID? = nil,
    otherwise: CatalogueID? = nil, among known: [Catalogue] = Catalogues.known
  ) throws(QueryError) {
    var text = argument
    var catalogue = catalogue
    if catalogue == nil, let colon = argument.firstIndex(of: ":"),
      let named = known.first(where: { $0.id.rawValue == argument[..<colon].lowercased() })
    {
      text = String(argument[colon...].dropFirst())
      catalogue = named.id
    }
    // The address of a page of a recording or a taxon names its catalogue.
    if catalogue == nil, argument.contains("/") {
      catalogue =
        known.first { $0.queryForID(argument) != nil || $0.namesTaxon(argument) }?.id
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
    // The same words may have been another query in the version that stored them: `cnt:UK` was sent
    // as it is.
    if found.isEmpty, !scientific { found = all.filter { names($0.query, in: repository) } }
    return ranked(found)
  }

  /// The queries of the stored lists that the text names: the list of the query that the
  /// text is, and lists that were typed or sent so.
  func named(in repository: RecordingRepository) throws(StoreError) -> Set<CatalogueQuery> {
    Set(try repository.store.storedQueries().map(\.query).filter { names($0, in: repository) })
  }

  /// The stored lists with rows of the species that the text names, whatever name they were fetched
  /// by, and with the same further tags; the preferred one first. None if the text names no species.
  /// The sample's are left out if there are real ones.
  ///
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  package func listsOfSpecies(in repository: RecordingRepository) throws -> [StoredQuery] {
    guard let name = NamedText(text)?.name else { return [] }
    let (species, others) = try repository.species(named: name)
    let found = try repository.storedQueries().filter { stored in
      guard stored.count > 0, catalogue == nil || stored.query.catalogue == catalogue,
        let known = repository.catalogue(stored.query.catalogue), known.namesSpecies,
        let listed = NamedText(stored.query.identity),
        let asked = (try? reading(in: known).words.get()).flatMap({ NamedText($0.identity) }),
        listed.rest == asked.rest
      else { return false }
      // Also the name that was typed, if the catalogue was asked for a different one.
      let names = [listed.name, NamedText(stored.query.typed)?.name].compactMap(\.self)
      let inTable = names.flatMap(\.species)
      if !inTable.isEmpty { return inTable.contains(where: species.listed.contains) }
      if names.compactMap(\.binomial).contains(where: others.contains) { return true }
      // An English name that the table does not have is of the species of the first rows with it.
      return try repository.rows(of: stored.query, in: 0..<Self.rowsWithName).contains { row in
        var recorded = repository.names(of: row)
        if recorded.species == nil {
          recorded.storedSpecies = try repository.speciesInFamily(
            of: recorded, in: row.id.catalogue)
        }
        return species.includes(recorded) && names.contains { $0.isName(of: recorded) }
      }
    }
    let sample = Catalogues.defaultWithoutKey.id
    let real = found.filter { $0.query.catalogue != sample }
    return ranked(real.isEmpty ? found : real)
  }

  /// The rows of a list that are looked at to learn what its name means.
  private static let rowsWithName = 8

  private func ranked(_ lists: [StoredQuery]) -> [StoredQuery] {
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

  /// Whether the text is that query in its catalogue, as words or as a scientific name.
  private func isForm(
    _ query: CatalogueQuery, in repository: RecordingRepository, orScientific: Bool = false
  ) -> Bool {
    guard catalogue == nil || query.catalogue == catalogue,
      let known = repository.catalogue(query.catalogue)
    else { return false }
    if query.identity == CatalogueQuery.imported(text, as: query.catalogue).identity {
      return true
    }
    let reading = reading(in: known)
    return !scientific && (try? reading.words.get().identity) == query.identity
      || (scientific || orScientific) && (try? reading.scientific.get().identity) == query.identity
  }

  private func reading(in catalogue: Catalogue) -> Reading {
    if let known = readings.withLock({ $0[catalogue.id] }) { return known }
    func query(_ isScientific: Bool) -> Result<CatalogueQuery, QueryError> {
      Result { () throws(QueryError) in
        try catalogue.query(cleaned: text, scientific: isScientific)
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

  /// The stored recording that a typed text means by its id, its catalogue number or the address of
  /// its page; `nil` if it is not stored.
  ///
  /// - Parameter catalogue: the only one to look in. Digits alone are a catalogue number only if it
  ///   is given.
  package func recording(typed: String, in catalogue: Catalogue? = nil) throws -> Recording? {
    let catalogues = catalogue.map { [$0] } ?? known
    for id in catalogues.flatMap({ $0.ids(for: typed) }) {
      if let found = try recording(id) { return found }
    }
    let number = catalogues.lazy.compactMap { $0.catalogueNumber(in: typed) }.first ?? typed
    let isWhole = number.first?.isLetter == true
    guard number.canBeCatalogueNumber, isWhole || catalogue != nil,
      let numbered = SearchExpression.number(number)
    else { return nil }
    let found = try search(numbered.and(.sources(catalogues.map(\.id))), window: 0..<20)
    return try found.rows(0..<found.count).first {
      !isWhole || $0.details.catalogNumber?.lowercased() == number.lowercased()
    }?.recording
  }
}
