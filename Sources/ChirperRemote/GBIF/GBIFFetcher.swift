import ChirperModel

struct GBIFFetcher: ServiceFetcher, SoundFetcher {
  let client: CatalogueClient

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (number, query) = (request.number, request.query)
    let parameters = RequestParameters(text: query.sent)
    guard GBIF.taxa.name(in: parameters) == nil else { return .withoutTaxon(number) }
    guard let window = GBIFWindow(page: number, size: query.pageSize, token: request.token) else {
      throw .tooDeep(total: nil, limit: GBIF.reach)
    }
    let items =
      [("mediaType", "Sound")] + parameters.all.map { ($0.name, $0.value) }
      + [("limit", "\(window.limit)"), ("offset", "\(window.offset)")]
    let response = try await client.get(try client.address.url("/v1/occurrence/search", items))
    let envelope = try client.envelope(response) { $0["key"]?.idText ?? $0["gbifID"]?.idText }
    // Varnish keeps answers for ten minutes, and says how old one is.
    let isOld = response.header("Age").flatMap { Int($0) }.map { $0 > 0 } ?? false
    return try window.page(number, envelope, isFromCache: request.isReread && isOld)
  }

  func possibleIDs(of page: RecordingPage) -> Set<RecordingID> {
    GBIFSound.possibleIDs(of: page.recordings, in: GBIFSound.field)
  }

  func identified(_ page: RecordingPage, _ stored: StoredSounds) -> RecordingPage {
    page.with(GBIFSound.identified(page.recordings, in: GBIFSound.field, stored))
  }

  func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery? { GBIF.taxa.known(query, stored: stored) }

  /// By the scientific name first, which is unambiguous, then by the vernacular one, which must be exactly the same.
  func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery {
    guard let name = GBIF.taxa.name(in: RequestParameters(text: query.sent)) else { return LookedUpQuery(query) }
    return GBIF.taxa.replaced(query, with: try await lookup(name))
  }

  private func lookup(_ name: RequestParameters.Parameter) async throws(FetchError) -> NameLookup {
    func found(_ taxa: [NameLookup.Taxon], isExact: Bool = true, suggestions: [NameLookup.Taxon] = []) -> NameLookup {
      NameLookup(name: name.value, parameter: GBIF.taxa.key, taxa: taxa, isExact: isExact, suggestions: suggestions)
    }
    let match = name.name == "vernacularName" ? nil : try await match(name.value)
    let hasRank = !["genus", "family"].contains(name.name) || match?.taxon.rank == name.name
    if let match, match.type == "EXACT", hasRank { return found([match.taxon]) }
    var suggestions = match.map { [$0.taxon] } ?? []
    if ["name", "vernacularName"].contains(name.name) {
      let vernacular = try await vernacular(name.value)
      if !vernacular.same.isEmpty { return found(vernacular.same) }
      suggestions += vernacular.other
    }
    // A similar name is asked for, and the message says so. A higher taxon would give a list of something else.
    if let match, match.type == "FUZZY", hasRank { return found([match.taxon], isExact: false) }
    return found([], suggestions: Array(suggestions.prefix(3)))
  }

  /// `nil` if no name of GBIF's backbone is near enough.
  private func match(_ name: String) async throws(FetchError) -> (taxon: NameLookup.Taxon, type: String)? {
    let fields = try await client.get(try client.address.url("/v1/species/match", [("name", name)])).object()
    guard let type = fields["matchType"]?.text else { throw .malformed("it has no matchType") }
    // A synonym's own key finds only what was published under the synonym.
    guard let taxon = Self.taxon(fields, keys: ["acceptedUsageKey", "usageKey"], name), type != "NONE" else { return nil }
    return (taxon, type)
  }

  /// The taxa of GBIF's backbone with that vernacular name, in whatever language, and some whose names are similar.
  private func vernacular(
    _ name: String
  ) async throws(FetchError) -> (same: [NameLookup.Taxon], other: [NameLookup.Taxon]) {
    // GBIF's own checklist, whose keys are the taxon keys of occurrences.
    let backbone = "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c"
    let url = try client.address.url(
      "/v1/species/search",
      [
        ("q", name), ("qField", "VERNACULAR"), ("datasetKey", backbone), ("status", "ACCEPTED"),
        ("limit", "\(GBIF.largestLimit)"),
      ])
    let usages: [Recording]
    do {
      usages = try client.envelope(try await client.get(url)) { $0["key"]?.idText }.readable
    } catch .refused(status: _, message: _) {
      // Only its parts are documented; a scientific name works without it.
      return ([], [])
    }
    var (same, other): ([NameLookup.Taxon], [NameLookup.Taxon]) = ([], [])
    for usage in usages {
      let all = usage["vernacularNames"]?.objects.compactMap(\.self) ?? []
      let names = all.compactMap { $0["vernacularName"]?.text }
      let english = all.first { $0["language"]?.text == "eng" }?["vernacularName"]?.text
      guard let taxon = Self.taxon(usage.fields, keys: ["nubKey", "key"], "", english) else { continue }
      if !names.contains(where: { TaxonName.isSame(name, $0) }) {
        other.append(taxon)
      } else if !same.contains(taxon) {
        same.append(taxon)
      }
    }
    return (same, other)
  }

  /// - Parameter name: of a taxon without one.
  private static func taxon(
    _ fields: RecordingFields, keys: [String], _ name: String, _ englishName: String? = nil
  ) -> NameLookup.Taxon? {
    keys.lazy.compactMap { fields[$0]?.idText }.first.map { key in
      NameLookup.Taxon(
        key: key, name: fields["canonicalName"]?.text ?? fields["scientificName"]?.text ?? name,
        rank: fields["rank"]?.text.lowercased() ?? "", englishName: englishName)
    }
  }
}

struct GBIFWindow: Equatable {
  /// Occurrences of the list before the first one.
  let offset: Int
  let limit: Int
  /// Whether the page before named the position, because its size was not the one requested.
  let isFromToken: Bool

  /// `nil` if the page is further into the list than the service answers. The last page that can be read is shorter.
  init?(page number: Int, size: Int, token: PageToken?) {
    let named = token.flatMap { Int($0.rawValue) }.map { max(0, $0) }
    isFromToken = named != nil
    // Far beyond any list, and far from overflow.
    offset = named ?? (min(max(number, 1), 4_000_000) - 1) * size
    limit = min(size, GBIF.reach - offset)
    guard limit > 0 else { return nil }
  }

  /// A larger `limit` is cut: if the size is not the one requested, the next page is named by its position, not its number.
  func page(_ number: Int, _ envelope: Envelope, isFromCache: Bool) throws(FetchError) -> RecordingPage {
    guard let total = try envelope.count("count") else { throw .malformed("it has no count") }
    if let came = try envelope.count("offset"), came != offset {
      throw .malformed("position \(offset) was requested, but \(came) came")
    }
    let size = try envelope.count("limit").flatMap { $0 > 0 ? $0 : nil } ?? limit
    let end = offset + size
    let isLast = envelope.count == 0 || (envelope["endOfRecords"].map { $0.json == "true" } ?? (end >= total))
    let readable = envelope.readable
    let (rows, leftOut) = GBIFSound.rows(of: readable, in: GBIFSound.field)
    return RecordingPage(
      number: number, recordings: rows,
      totals: Totals(recordings: total, pages: max(1, (total + size - 1) / size)), next: isLast ? nil : number + 1,
      nextToken: size != limit || isFromToken ? PageToken(rawValue: "\(end)") : nil,
      skipped: envelope.count - readable.count, leftOut: leftOut, records: envelope.count, isFromCache: isFromCache)
  }
}
