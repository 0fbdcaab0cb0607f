#if Collection

import ChirperModel

struct INaturalistFetcher: ServiceFetcher, NameFetcher {
  let client: CatalogueClient

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let number = max(1, request.number)
    let size = request.query.pageSize
    let parameters = RequestParameters(text: request.query.requestText)
    guard INaturalist.taxa.name(in: parameters) == nil else { return .withoutTaxon(number) }
    let position = INaturalistPosition(page: number, token: request.token)
    let key = INaturalist.taxa.key
    let taxa = parameters.all.filter { $0.name == key }.map(\.value).joined(separator: ",")
    var items = [("sounds", "true")]
    // Several taxa are one parameter.
    if !taxa.isEmpty { items.append((key, taxa)) }
    items += parameters.all.filter { $0.name != key }.map { ($0.name, $0.value) }
    items += [("order_by", "id"), ("order", "desc"), ("per_page", "\(size)")]
    if let lastID = position.lastID { items.append(("id_below", lastID)) }
    if !position.isCursor { items.append(("page", "\(number)")) }
    // The service's cache answers for five minutes, so a second look would be the first one.
    if request.isReread { items.append(("ttl", "-1")) }
    let response = try await client.get(try client.address.url("/v1/observations", items))
    return try position.page(number, size: size, try client.envelope(response))
  }

  func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery? {
    INaturalist.taxa.known(query, stored: stored)
  }

  /// Scientific and English names are found alike; only a taxon that has exactly that name is
  /// taken, and a scientific name first.
  func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery {
    guard let parameter = INaturalist.taxa.name(in: RequestParameters(text: query.requestText))
    else {
      return LookedUpQuery(query)
    }
    let (name, kind) = (parameter.value, parameter.name)
    let response = try await client.get(
      try client.address.url(
        "/v1/taxa/autocomplete", [("q", name), ("per_page", "30"), ("locale", "en")]))
    var (scientific, same, other): ([NameLookup.Taxon], [NameLookup.Taxon], [NameLookup.Taxon]) = (
      [], [], []
    )
    for found in try client.envelope(response).readable where found["is_active"]?.json != "false" {
      let taxon = NameLookup.Taxon(
        key: found.id.value, name: found.text("name") ?? "", rank: found.text("rank") ?? "")
      let names = ["preferred_common_name", "english_common_name", "matched_term"].compactMap {
        found.text($0)
      }
      if kind != "commonName", TaxonName.isSame(name, taxon.name) {
        scientific.append(taxon)
      } else if kind != "scientificName", names.contains(where: { TaxonName.isSame(name, $0) }) {
        same.append(taxon)
      } else {
        other.append(taxon)
      }
    }
    let taxa = scientific.isEmpty ? same : scientific
    let lookup = NameLookup(
      name: name, parameter: INaturalist.taxa.key, taxa: taxa,
      suggestions: taxa.isEmpty ? Array(other.prefix(3)) : [])
    return INaturalist.taxa.replaced(query, with: lookup)
  }
}

struct INaturalistPosition: Equatable {
  /// The id below which observations are requested; `nil` on the first page.
  let lastID: String?
  /// Observations on the pages before, if the page is found by that id.
  let recordsBefore: Int
  /// Whether the page is found by that id, so that the total counts only the records
  /// ahead; else by its number, up to 10,000.
  let isCursor: Bool

  init(page number: Int, token: PageRequest.Token?) {
    let cursor = token?.position.flatMap { $0.lastID.isDigits ? $0 : nil }
    lastID = cursor?.lastID
    recordsBefore = cursor?.recordsBefore ?? 0
    isCursor = cursor != nil || number == 1
  }
  /// The page that came, with one row for each sound.
  func page(_ number: Int, size: Int, _ envelope: Envelope) throws(FetchError) -> RecordingPage {
    guard let left = try envelope.count("total_results") else {
      throw .malformed("it has no total_results")
    }
    let total = recordsBefore + left
    let readable = envelope.readable
    let (rows, leftOut) = INaturalistSound.rows(of: readable, in: "sounds")
    let isLast =
      envelope.count == 0
      || (isCursor ? left <= envelope.count : (number - 1) * size + envelope.count >= left)
    // Without an id the next page has no cursor; such an answer was never seen.
    let next = readable.last.map {
      PageRequest.Token.after($0.id.value, recordsBefore: recordsBefore + envelope.count)
    }
    return RecordingPage(
      number: number, recordings: rows,
      totals: RecordingPage.Totals(recordings: total, pageSize: size),
      next: isLast ? nil : number + 1,
      nextToken: isCursor ? next : nil, skipped: envelope.count - readable.count,
      leftOut: leftOut, records: envelope.count
    )
  }
}

#endif
