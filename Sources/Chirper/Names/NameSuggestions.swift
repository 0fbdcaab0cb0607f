#if Collection

import ChirperModel
import ChirperRemote

/// The names that were probably meant by words that found nothing.
package struct NameSuggestions: Hashable, Sendable {
  /// Names of stored recordings and texts of lists that are spelled nearly so; at most three, the
  /// nearest first.
  package let near: [String]
  /// Taxa that have the words as a name in some language, by GBIF's name service; at most three.
  /// Empty if there are near names.
  package let taxa: [NameLookup.Taxon]

  /// Suggestions for previews and tests; the repository makes those for a text.
  package init(near: [String] = [], taxa: [NameLookup.Taxon] = []) {
    self.near = near
    self.taxa = taxa
  }

  /// The name to fetch in place of the words; `nil` if nothing is suggested.
  package var best: String? { near.first ?? taxa.first?.name }
}

extension RecordingRepository {
  /// The query for the taxon whose name words are that found nothing, if they are that of one alone.
  /// Its list has the words as its text.
  package func meant(
    by words: CatalogueQuery, _ suggestions: NameSuggestions
  ) -> (query: CatalogueQuery, taxon: NameLookup.Taxon)? {
    guard suggestions.taxa.count == 1, let taxon = suggestions.taxa.first,
      let query = try? catalogue(words.catalogue)?.query(
        taxon.name, scientific: true, pageSize: words.pageSize), query != words
    else { return nil }
    return (query.withoutAlternatives(typed: words.typed), taxon)
  }

  /// Stores words once, when the taxon that they mean was fetched: with its list if that has them as
  /// its text, else as a query that found nothing.
  ///
  /// - Returns: The query of the list that answers the words.
  @discardableResult
  package func keepOnce(
    _ words: CatalogueQuery, meaning taxon: CatalogueQuery, _ report: FetchReport
  ) async -> CatalogueQuery {
    if report.foundNothing {
      await forgetMiss(taxon)
      return words
    }
    guard let list = report.stored?.query else { return taxon }
    if list.typed == words.typed { await forgetMiss(words) }
    return list
  }

  /// The names that were probably meant by words that found nothing. Near names in the
  /// store come first, without a request. If the store has none, GBIF's name service is
  /// asked, if it may be, by one request. For a text with tags, only a country or a family is suggested.
  ///
  /// - Parameters:
  ///   - typed: the words.
  ///   - query: the query that found nothing; GBIF itself has looked its names up.
  /// - Returns: No suggestion if the store cannot be read or GBIF does not answer.
  package func suggestions(
    for typed: String, after query: CatalogueQuery
  ) async -> NameSuggestions {
    guard !TagScanner.words(ofQuery: typed).hasTags else {
      return NameSuggestions(near: SearchTag.corrections(of: typed))
    }
    guard !typed.utf8.contains(UInt8(ascii: "/")) else { return NameSuggestions() }
    let near = (try? names(near: typed)) ?? []
    guard near.isEmpty, asksNameService, query.catalogue != Catalogues.nameService.id,
      let found = try? await taxa(named: typed)
    else {
      return NameSuggestions(near: near)
    }
    return NameSuggestions(taxa: found)
  }

  /// The names of stored recordings and texts of lists that are spelled nearly as the text.
  /// If a country or a family was misspelled, the text with the one that was probably meant.
  package func names(near typed: String) throws -> [String] {
    let corrected = SearchTag.corrections(of: typed)
    guard corrected.isEmpty else { return corrected }
    let everything = try search(.everything)
    var names = try storedQueries().map(\.query.typed).filter { !$0.contains(":") }
    for key in [CountKey.englishName, .scientificName] {
      for row in try everything.counts(by: [key]).rows {
        if case .text(let name)? = row.values.first { names.append(name) }
      }
    }
    // An epithet alone does not decide, so an older name only suggests.
    if let older = Binomial(typed), older.species == nil,
      let present = older.onlySpecies()?.scientificName, names.contains(present)
    {
      return [present]
    }
    return NearestNames.to(name: typed, among: names)
  }

  /// Asks GBIF for the taxa with that vernacular name, in any language, after its turn.
  private func taxa(named typed: String) async throws -> [NameLookup.Taxon] {
    guard let fetcher = fetcher(Catalogues.nameService.id) else { return [] }
    let query = try fetcher.catalogue.query(TagScanner.spelled("en", typed, quoted: true))
    let pacer = RequestPacer(
      store: store, catalogue: fetcher.catalogue.id, interval: fetcher.minimumInterval,
      dependencies: dependencies)
    try await pacer.waitForTurn { _, _ in }
    do throws(FetchError) {
      let lookup = try await fetcher.lookUpNames(of: query).lookup
      return Array((lookup.map { $0.taxa.isEmpty ? $0.suggestions : $0.taxa } ?? []).prefix(3))
    } catch {
      try await pacer.pause(for: error, isLast: true)
      throw error
    }
  }
}

#endif
