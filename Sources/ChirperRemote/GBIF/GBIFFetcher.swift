import ChirperModel
import Foundation

/// Requests one page of occurrences with sounds from GBIF, and looks up names.
package final class GBIFFetcher: PageFetcher {
  package var catalogue: Catalogue { GBIF.catalogue }

  private let client: HTTPClient

  package init(configuration: RemoteConfiguration) {
    client = HTTPClient(GBIF.catalogue, configuration)
  }

  package var minimumInterval: Duration { client.minimumInterval }

  package func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (number, query) = (request.number, request.query)
    let parameters = RequestParameters(text: query.sent)
    // Without a taxon there is nothing to request.
    guard GBIF.taxa.name(in: parameters) == nil else {
      return RecordingPage(number: number, recordings: [], totals: Totals(recordings: 0, pages: 1), next: nil)
    }
    guard let window = GBIFWindow(page: number, size: query.pageSize, token: request.token) else {
      throw .tooDeep(total: nil, limit: GBIF.reach)
    }
    var items = [("mediaType", "Sound")]
    items += parameters.all.map { ($0.name, $0.value) }
    items += [("limit", "\(window.limit)"), ("offset", "\(window.offset)")]
    let url = try client.address.url("/v1/occurrence/search", items)
    let response = try await client.get(url)
    let envelope = try client.read(response, GBIFEnvelope.init)
    // Varnish keeps answers for ten minutes, and says how old one is.
    let isOld = response.header("Age").flatMap { Int($0) }.map { $0 > 0 } ?? false
    return try envelope.page(number, from: window, isFromCache: request.isReread && isOld)
  }

  package func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery? {
    GBIF.taxa.known(query, stored: stored)
  }

  /// By the scientific name first, which is unambiguous. English names are looked for among the vernacular ones, and only a
  /// taxon that has exactly that name is taken.
  package func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery {
    guard let name = GBIF.taxa.name(in: RequestParameters(text: query.sent)) else { return LookedUpQuery(query) }
    return GBIF.taxa.replaced(query, with: try await lookup(name))
  }

  private func lookup(_ name: RequestParameters.Parameter) async throws(FetchError) -> NameLookup {
    func found(_ taxa: [NameLookup.Taxon], isExact: Bool = true, suggestions: [NameLookup.Taxon] = []) -> NameLookup {
      NameLookup(name: name.value, parameter: GBIF.taxa.key, taxa: taxa, isExact: isExact, suggestions: suggestions)
    }
    let match = name.name == "vernacularName" ? nil : try await match(name.value)
    let ranks = ["genus": "genus", "family": "family"]
    let hasRank = ranks[name.name].map { $0 == match?.taxon.rank } ?? true
    if let match, match.isExact, hasRank { return found([match.taxon]) }
    var suggestions = match.map { [$0.taxon] } ?? []
    if ["name", "vernacularName"].contains(name.name) {
      let vernacular = try await vernacular(name.value)
      if !vernacular.same.isEmpty { return found(vernacular.same) }
      suggestions += vernacular.other
    }
    // A name that is spelled a little differently is asked for, and the message says so. A higher taxon would give a list of
    // something else.
    if let match, match.isFuzzy, hasRank { return found([match.taxon], isExact: false) }
    return found([], suggestions: Array(suggestions.prefix(3)))
  }

  private struct Match {
    let taxon: NameLookup.Taxon
    let isExact: Bool
    let isFuzzy: Bool
  }

  /// `nil` if no name of GBIF's backbone is near enough.
  private func match(_ name: String) async throws(FetchError) -> Match? {
    let response = try await client.get(try client.address.url("/v1/species/match", [("name", name)]))
    let fields = try client.object(response)
    guard let type = fields["matchType"]?.text else { throw .malformed("it has no matchType") }
    // A synonym's own key finds only what was published under the synonym.
    guard let key = fields["acceptedUsageKey"]?.idText ?? fields["usageKey"]?.idText, type != "NONE" else { return nil }
    let taxon = NameLookup.Taxon(
      key: key, name: fields["canonicalName"]?.text ?? fields["scientificName"]?.text ?? name,
      rank: fields["rank"]?.text.lowercased() ?? "")
    return Match(taxon: taxon, isExact: type == "EXACT", isFuzzy: type == "FUZZY")
  }

  /// The taxa of GBIF's backbone with that vernacular name, in whatever language, and some whose names are similar.
  private func vernacular(
    _ name: String
  ) async throws(FetchError) -> (same: [NameLookup.Taxon], other: [NameLookup.Taxon]) {
    let url = try client.address.url(
      "/v1/species/search",
      [
        ("q", name), ("qField", "VERNACULAR"), ("datasetKey", Self.backbone), ("status", "ACCEPTED"),
        ("limit", "\(GBIF.largestLimit)"),
      ])
    let usages: [Recording]
    do {
      usages = try client.read(try await client.get(url)) { body throws(JSONFault) in
        try Recording.results(in: body, of: .gbif, id: "key") ?? []
      }
    } catch .refused(status: _, message: _) {
      // Only its parts are documented; a scientific name works without it.
      return ([], [])
    }
    var (same, other): ([NameLookup.Taxon], [NameLookup.Taxon]) = ([], [])
    for usage in usages {
      guard let key = usage["nubKey"]?.idText ?? usage["key"]?.idText else { continue }
      let taxon = NameLookup.Taxon(
        key: key, name: usage["canonicalName"]?.text ?? usage["scientificName"]?.text ?? "",
        rank: usage["rank"]?.text.lowercased() ?? "")
      if Self.vernacularNames(of: usage).contains(where: { TaxonName.isSame(name, $0) }) {
        if !same.contains(taxon) { same.append(taxon) }
      } else {
        other.append(taxon)
      }
    }
    return (same, other)
  }

  /// GBIF's own checklist, whose keys are the taxon keys of occurrences.
  private static let backbone = "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c"

  private static func vernacularNames(of usage: Recording) -> [String] {
    var names: [String] = []
    usage["vernacularNames"]?.withRaw { list in
      list.forEachItem { item in
        item.forEachMember { name, value in
          if name == "vernacularName", let text = value.text { names.append(text) }
        }
      }
    }
    return names
  }
}
