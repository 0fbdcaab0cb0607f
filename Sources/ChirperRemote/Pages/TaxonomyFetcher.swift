import ChirperModel

/// A fetcher of a catalogue that has replaced the taxonomy whose keys stored lists were sent with.
package protocol TaxonomyFetcher: PageFetcher {
  /// Whether the text sent for a stored list has keys of the older taxonomy that names were
  /// looked up as, and the newer one was not asked for them.
  ///
  /// - Parameter again: also if it was asked. Keys that a user typed are never meant.
  func hasOlderTaxa(_ requestText: String, again: Bool) -> Bool
  /// The query with the taxa of the newer taxonomy: a request for each, one attempt.
  func newerTaxa(of query: CatalogueQuery) async throws(FetchError) -> NewerTaxa
  /// The text to send for a list that keeps its older taxa although the newer taxonomy was
  /// asked.
  func keepingTaxa(_ requestText: String) -> String
}

/// The taxa that the newer taxonomy of a catalogue has for the taxa of a list.
package enum NewerTaxa: Sendable {
  /// Taxa of the same names and ranks, and the query as it is sent for them.
  case same(LookedUpQuery)
  /// Taxa of the same ranks, of which one has a different name.
  case renamed(LookedUpQuery)
  /// The taxonomy does not have such a taxon, or only one of a different rank: its name, if
  /// it has one.
  case missing(nearest: NameLookup.Taxon?)
}
