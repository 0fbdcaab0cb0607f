import ChirperModel

// The forms that a typed text can be asked in: as words, as a scientific name, and under different
// names of the species that it names. A text has one list: that of the form that found something.

extension CatalogueQuery {
  /// The list, of some that have rows, of what the query asks for: that of one of its forms, which is
  /// the only one to ask then, else one that was typed so and was found under a different name of the
  /// species.
  ///
  /// - Parameter catalogue: the query's; what is asked as a scientific name only has no other list.
  func list(among listed: [CatalogueQuery], in catalogue: Catalogue?) -> CatalogueQuery? {
    let own = forms.first { form in
      listed.contains { $0.identity == form.identity }
    }
    if let own { return own.withoutAlternatives() }
    let further = listed.first { list in
      list.typed.lowercased() == typed.lowercased() && list.otherName != nil
        && NamedText(list.identity)?.rest == NamedText(identity)?.rest
    }
    return further.flatMap { catalogue?.isScientific(self) == true ? nil : $0 }
  }
}

extension RecordingRepository {
  /// The list of what a query asks for: the query itself if no form of it is stored with rows.
  func list(of query: CatalogueQuery) throws(StoreError) -> CatalogueQuery {
    try list(of: query, waits: true) ?? query
  }

  /// - Parameter waits: if `false`, the result is `nil` if the store does not know it at once.
  func list(of query: CatalogueQuery, waits: Bool) throws(StoreError) -> CatalogueQuery? {
    guard let listed = try store.queriesWithRows(like: query, waits: waits) else { return nil }
    if let list = query.list(among: listed, in: catalogue(query.catalogue)) { return list }
    guard let stored = try store.shown(query, waits: waits) else { return nil }
    // A list that had rows is asked for as it was.
    guard let stored else { return query }
    guard stored.isMiss else { return query.withoutAlternatives() }
    // It was asked and found nothing, and what a further form found was another text's already.
    guard waits else { return nil }
    let names = (try? queriesByOtherNames(of: query)) ?? []
    for name in names where try store.stored(name)?.count ?? 0 > 0 { return name }
    return query
  }

  /// Loads the forms of a query until one finds something, then different names of the species. A
  /// text is stored once: as the form that found something, else as the query, which is known then
  /// to find nothing.
  ///
  /// - Parameter load: loads one form.
  /// - Returns: The report of the form that found something, else of the query, with the requests
  ///   of all.
  func loadForms(
    of query: CatalogueQuery, _ load: (CatalogueQuery) async -> FetchReport
  ) async -> FetchReport {
    var forms = query.forms
    var asksNames = true
    var requests = 0
    var miss: FetchReport?
    while !forms.isEmpty {
      let form = forms.removeFirst()
      var report = await load(form)
      requests += report.requests
      report.requests = requests
      guard report.foundNothing || report.isListNotThere else {
        if form != query, report.stored?.query.typed == query.typed { await forgetMiss(query) }
        return report
      }
      if form == query { miss = report } else { await forgetMiss(form) }
      // What was not asked may have found something.
      if Task.isCancelled {
        miss = nil
        break
      }
      if forms.isEmpty, asksNames {
        forms = (try? await perform { try $0.queriesByOtherNames(of: query) }) ?? []
        asksNames = false
      }
    }
    var report = miss ?? FetchReport(failure: .cancelled)
    report.requests = requests
    return report
  }

  /// The most different names of a species that a catalogue is asked for.
  static let mostOtherNames = 4

  /// Forgets a query that never found anything; recordings that left a list stay.
  package func forgetMiss(_ query: CatalogueQuery) async {
    _ = try? await perform { if try $0.stored(query)?.isMiss == true { _ = try $0.forget(query) } }
  }

  /// A query with different names of the species that it names: the scientific names that stored
  /// recordings of the catalogue have, and the names of the list of birds.
  private func queriesByOtherNames(of query: CatalogueQuery) throws -> [CatalogueQuery] {
    guard let catalogue = catalogue(query.catalogue), catalogue.namesSpecies,
      !catalogue.isScientific(query), let typed = NamedText(query.typed),
      // Only the languages of chirper's own catalogues are known to have these tags.
      !typed.isTagged || Catalogues.named(catalogue.id) != nil
    else { return [] }
    #if Collection
    let (named, others) = try self.species(named: typed.name)
    let species = named.listed
    let stored = try others.filter { try stores($0, in: catalogue.id) }.map(\.spelled).sorted()
    var names = stored.map { TypedName($0, .scientific) }
    #else
    let species = typed.name.species
    var names: [TypedName] = []
    #endif
    for species in species.sorted(by: { $0.number < $1.number }) {
      names.append(TypedName(species.englishName, .english))
      names.append(TypedName(species.scientificName, .scientific))
    }
    var known = Set(([query] + query.alternatives).map(\.identity))
    let queries = names.compactMap { name -> CatalogueQuery? in
      guard !name.isSpelled(as: typed.name),
        let other = try? catalogue.query(
          cleaned: typed.text(naming: name),
          scientific: !typed.isTagged && name.kinds == [.scientific], pageSize: query.pageSize),
        known.insert(other.identity).inserted
      else { return nil }
      return other.withoutAlternatives(typed: query.typed)
    }
    return Array(queries.prefix(Self.mostOtherNames))
  }
}

extension FetchReport {
  /// Whether the chirper that was asked in place of the service does not have the list, and no row
  /// of it is stored.
  fileprivate var isListNotThere: Bool {
    guard case .listNotThere? = failure?.fetchError?.reason else { return false }
    return stored.map { $0.count == 0 } ?? true
  }
}

extension CatalogueQuery {
  /// The query and its `alternatives`, in the order in which they are asked: a scientific name of
  /// the list of birds is asked as one first.
  package var forms: [CatalogueQuery] {
    isNameOfListedSpecies ? alternatives + [self] : [self] + alternatives
  }

  /// Whether its plain words are the scientific name of a species of the list of birds.
  package var isNameOfListedSpecies: Bool {
    guard let typed = NamedText(typed), !typed.isTagged else { return false }
    return typed.name.binomial?.species != nil
  }

  /// The name that the catalogue is asked for, if it is a different one of the species that was
  /// typed.
  package var otherName: String? {
    guard let asked = NamedText(identity)?.name, let typed = NamedText(typed)?.name,
      !asked.isSpelled(as: typed)
    else { return nil }
    let isScientific = asked.kinds == [.scientific]
    let listed = asked.species.first.map { isScientific ? $0.scientificName : $0.englishName }
    return listed ?? (isScientific ? Binomial(asked.text)?.spelled : nil) ?? asked.text
  }
}
