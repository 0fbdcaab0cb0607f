import ChirperModel

/// Lists that were stored before names were looked up in the Catalogue of Life.
extension GBIFFetcher: TaxonomyFetcher {
  func hasOlderTaxa(_ requestText: String, again: Bool) -> Bool {
    let parameters = RequestParameters(text: requestText)
    let keys = parameters.all.filter { $0.name == GBIF.taxa.key }
    let named = parameters.all.first { $0.name == GBIFTaxonomy.parameter }
    // A key beside which there is a name was looked up.
    return !keys.isEmpty && keys.allSatisfy { $0.note != nil }
      && GBIFTaxonomy(of: parameters) == .backbone && (named == nil || again)
  }

  func newerTaxa(of query: CatalogueQuery) async throws(FetchError) -> NewerTaxa {
    guard
      let older = GBIF.taxa.lookup(of: query.typed, in: RequestParameters(text: query.requestText))
    else {
      return .missing(nearest: nil)
    }
    var (taxa, areSame): ([NameLookup.Taxon], Bool) = ([], true)
    for taxon in older.taxa {
      let found = try await match(ofBackbone: taxon.key)
      guard let found, found.isOfRank(taxon.rank) else {
        return .missing(nearest: found?.accepted)
      }
      if found.taxon(replacing: taxon) == nil { areSame = false }
      if !taxa.contains(where: { $0.key == found.accepted.key }) { taxa.append(found.accepted) }
    }
    let lookup = NameLookup(name: query.typed, parameter: GBIF.taxa.key, taxa: taxa)
    let newer = GBIF.taxa.replaced(query, with: lookup, of: GBIFTaxonomy.catalogueOfLife.rawValue)
    return areSame ? .same(newer) : .renamed(newer)
  }

  func keepingTaxa(_ requestText: String) -> String {
    var parameters = RequestParameters(text: requestText)
    guard !parameters.all.contains(where: { $0.name == GBIFTaxonomy.parameter }) else {
      return requestText
    }
    let at = parameters.all.lastIndex { $0.name == GBIF.taxa.key }.map { $0 + 1 } ?? 0
    parameters.all.insert(
      .init(GBIFTaxonomy.parameter, GBIFTaxonomy.backbone.rawValue), at: at)
    return parameters.text
  }
}
