import ChirperModel
import Foundation

/// Requests one page of observations with sounds from iNaturalist, and looks up names.
package final class INaturalistFetcher: PageFetcher {
  package var catalogue: Catalogue { INaturalist.catalogue }

  private let client: HTTPClient

  package init(configuration: RemoteConfiguration) {
    client = HTTPClient(INaturalist.catalogue, configuration)
  }

  package var minimumInterval: Duration { client.minimumInterval }

  package func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (number, size) = (max(1, request.number), request.query.pageSize)
    let parameters = RequestParameters(text: request.query.sent)
    // Without a taxon there is nothing to request.
    guard INaturalist.taxa.name(in: parameters) == nil else {
      return RecordingPage(number: number, recordings: [], totals: Totals(recordings: 0, pages: 1), next: nil)
    }
    let position = INaturalistPosition(page: number, token: request.token)
    var items = Self.items(parameters) + [("order_by", "id"), ("order", "desc"), ("per_page", "\(size)")]
    if let cursor = position.cursor { items.append(("id_below", cursor.lastID)) }
    if !position.isCursor { items.append(("page", "\(number)")) }
    // The service's cache answers for five minutes, so a second look would be the first one.
    if request.isReread { items.append(("ttl", "-1")) }
    let response = try await client.get(try client.address.url("/v1/observations", items))
    return try client.read(response, INaturalistEnvelope.init).page(number, size: size, from: position)
  }

  package func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery? {
    INaturalist.taxa.known(query, stored: stored)
  }

  /// Scientific and English names are found alike; only a taxon that has exactly that name is taken.
  package func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery {
    guard let name = INaturalist.taxa.name(in: RequestParameters(text: query.sent))?.value else { return LookedUpQuery(query) }
    let response = try await client.get(
      try client.address.url("/v1/taxa/autocomplete", [("q", name), ("per_page", "30"), ("locale", "en")]))
    let read = try client.read(response) { body throws(JSONFault) in try Recording.results(in: body, of: .iNaturalist, id: "id") }
    guard let results = read else { throw .malformed("it has no list of results") }
    var (scientific, same, other): ([NameLookup.Taxon], [NameLookup.Taxon], [NameLookup.Taxon]) = ([], [], [])
    for found in results where found["is_active"]?.json != "false" {
      let taxon = NameLookup.Taxon(
        key: found.id.value, name: found.text("name") ?? "", rank: found.text("rank") ?? "")
      let names = ["preferred_common_name", "english_common_name", "matched_term"].compactMap { found.text($0) }
      if TaxonName.isSame(name, taxon.name) {
        scientific.append(taxon)
      } else if names.contains(where: { TaxonName.isSame(name, $0) }) {
        same.append(taxon)
      } else {
        other.append(taxon)
      }
    }
    let taxa = scientific.isEmpty ? same : scientific
    let lookup = NameLookup(
      name: name, parameter: INaturalist.taxa.key, taxa: taxa, suggestions: taxa.isEmpty ? Array(other.prefix(3)) : [])
    return INaturalist.taxa.replaced(query, with: lookup)
  }

  /// What every request for observations has; several taxa are one parameter.
  static func items(_ parameters: RequestParameters) -> [(name: String, value: String)] {
    let taxa = parameters.all.filter { $0.name == INaturalist.taxa.key }.map(\.value)
    let others = parameters.all.filter { $0.name != INaturalist.taxa.key }.map { (name: $0.name, value: $0.value) }
    return [("sounds", "true")] + (taxa.isEmpty ? [] : [(INaturalist.taxa.key, taxa.joined(separator: ","))]) + others
  }
}
