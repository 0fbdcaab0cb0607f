/// The taxon that a catalogue has for a name. Some catalogues search by the number of a
/// taxon, so a name is looked up first.
public struct NameLookup: Hashable, Sendable {
  /// The name that was looked up, as typed.
  public let name: String
  /// The request's parameter for a taxon: `taxonKey`.
  package let parameter: String
  /// The taxa that are asked for; empty if the catalogue has none of that name.
  package let taxa: [Taxon]
  /// Whether they have exactly that name; otherwise it is spelled a little differently.
  package let isExact: Bool
  /// Taxa of similar names that are not asked for, to suggest.
  package let suggestions: [Taxon]

  /// Made by the catalogue's fetcher.
  package init(
    name: String, parameter: String, taxa: [Taxon], isExact: Bool = true, suggestions: [Taxon] = []
  ) {
    self.name = name
    self.parameter = parameter
    self.taxa = taxa
    self.isExact = isExact
    self.suggestions = suggestions
  }

  /// A taxon of a catalogue.
  package struct Taxon: Hashable, Sendable {
    /// The catalogue's own number, as text.
    package let key: String
    /// The scientific name: `Accipiter`.
    package let name: String
    /// The rank in lower case, as the catalogue has it: `genus`; empty if it gives none.
    package let rank: String
    /// An English name; `nil` if the catalogue gave none.
    package let englishName: String?

    /// A taxon by its key, name and rank.
    package init(key: String, name: String, rank: String, englishName: String? = nil) {
      self.key = key
      self.name = name
      self.rank = rank
      self.englishName = englishName
    }
  }
}

/// A query after its names were looked up, with the result.
package struct LookedUpQuery: Sendable {
  /// The query as it is to be sent.
  package let query: CatalogueQuery
  /// The taxon that was found; `nil` if the query has no name to look up.
  package let lookup: NameLookup?

  /// A query that is sent as it is, unless `lookup` is given.
  package init(_ query: CatalogueQuery, lookup: NameLookup? = nil) {
    self.query = query
    self.lookup = lookup
  }
}

extension CatalogueQuery {
  /// The query, requested as `text`.
  package func requested(as text: String) -> CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue, identity: identity, pageSize: pageSize, typed: typed, requestText: text,
      alternatives: alternatives)
  }
}
