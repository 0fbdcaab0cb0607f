import ChirperModel

extension RecordingRepository {
  /// The queries that are asked, in this order, if one finds nothing: its `alternatives`, then the
  /// same query with different names of the species that it names. These are the scientific names
  /// that stored recordings of the catalogue have, and the names of the list of birds.
  ///
  /// - Returns: The query's `alternatives` alone if the store cannot be read.
  package func alternatives(of query: CatalogueQuery) async -> [CatalogueQuery] {
    let named = try? await perform { try $0.queriesByOtherNames(of: query) }
    return query.alternatives + (named ?? [])
  }

  /// The most different names of a species that a catalogue is asked for.
  static let mostOtherNames = 4

  private func queriesByOtherNames(of query: CatalogueQuery) throws -> [CatalogueQuery] {
    guard let catalogue = catalogue(query.catalogue), catalogue.namesSpecies,
      !catalogue.isScientific(query), let typed = NamedText(query.typed),
      // Only the languages of chirper's own catalogues are known to have these tags.
      !typed.isTagged || Catalogues.named(catalogue.id) != nil
    else { return [] }
    let (species, others) = try self.species(named: typed.name)
    let stored = try others.filter { try stores($0, in: catalogue.id) }.map(\.spelled).sorted()
    var names = stored.map { TypedName($0, .scientific) }
    for species in species.listed.sorted(by: { $0.number < $1.number }) {
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
      return CatalogueQuery(
        catalogue: catalogue.id, identity: other.identity, pageSize: query.pageSize,
        typed: query.typed, requestText: other.requestText)
    }
    return Array(queries.prefix(Self.mostOtherNames))
  }

}

extension CatalogueQuery {
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
