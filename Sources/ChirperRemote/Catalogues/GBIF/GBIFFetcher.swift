#if Collection

import ChirperModel

struct GBIFFetcher: ServiceFetcher, NameFetcher, SoundFetcher {
  let client: CatalogueClient

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let number = request.number
    let query = request.query
    let parameters = RequestParameters(text: query.requestText)
    guard GBIF.taxa.name(in: parameters) == nil else { return .withoutTaxon(number) }
    guard let window = GBIFWindow(page: number, size: query.pageSize, token: request.token) else {
      throw FetchError(.tooDeep(total: nil, limit: GBIF.reach))
    }
    let sent = parameters.all.filter { $0.name != GBIFTaxonomy.parameter }
    let items =
      [("mediaType", "Sound")] + sent.map { ($0.name, $0.value) }
      + [
        (GBIFTaxonomy.parameter, GBIFTaxonomy(of: parameters).rawValue),
        ("limit", "\(window.limit)"), ("offset", "\(window.offset)"),
      ]
    let response = try await client.get(try client.address.url("/v1/occurrence/search", items))
    let envelope = try client.envelope(response, id: GBIF.id)
    // Varnish keeps answers for ten minutes, and says how old one is.
    let isOld = response.header("Age").flatMap { Int($0) }.map { $0 > 0 } ?? false
    return try window.page(number, envelope, isFromCache: request.isReread && isOld)
  }

  func records(of page: RecordingPage) -> [String] { GBIFSound.records(of: page.recordings) }

  func identified(_ page: RecordingPage, _ stored: StoredSounds) -> RecordingPage {
    page.with(GBIFSound.identified(page.recordings, in: GBIFSound.field, stored))
  }

  func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery? {
    GBIF.taxa.known(query, stored: stored)
  }

  /// Looks up the scientific name first, which is unambiguous, then the vernacular name,
  /// which must be equal letter by letter.
  func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery {
    guard let name = GBIF.taxa.name(in: RequestParameters(text: query.requestText)) else {
      return LookedUpQuery(query)
    }
    let (lookup, taxonomy) = try await lookup(name)
    return GBIF.taxa.replaced(query, with: lookup, of: taxonomy.rawValue)
  }

  private func lookup(
    _ name: RequestParameters.Parameter
  ) async throws(FetchError) -> (NameLookup, GBIFTaxonomy) {
    func found(
      _ taxa: [NameLookup.Taxon], isExact: Bool = true, suggestions: [NameLookup.Taxon] = [],
      in taxonomy: GBIFTaxonomy = .catalogueOfLife
    ) -> (NameLookup, GBIFTaxonomy) {
      let lookup = NameLookup(
        name: name.value, parameter: GBIF.taxa.key, taxa: taxa, isExact: isExact,
        suggestions: suggestions)
      return (lookup, taxonomy)
    }
    let match = name.name == "vernacularName" ? nil : try await match(ofName: name.value)
    let hasRank = !["genus", "family"].contains(name.name) || match?.accepted.rank == name.name
    if let match, match.isExact(name.value), hasRank { return found([match.accepted]) }
    var suggestions = match.map { [$0.accepted] } ?? []
    if ["name", "vernacularName"].contains(name.name) {
      let vernacular = try await vernacular(name.value)
      if !vernacular.same.isEmpty {
        // Vernacular names are found in the backbone.
        let newer = try await newerTaxa(vernacular.same)
        return newer.map { found($0) } ?? found(vernacular.same, in: .backbone)
      }
      suggestions += vernacular.other
    }
    // A name that only the older taxonomy has.
    if name.name != "vernacularName", let older = try await backboneTaxon(name.value),
      !["genus", "family"].contains(name.name) || older.rank == name.name
    {
      return found([older], in: .backbone)
    }
    // A similar name is asked for, and the message says so. A higher taxon would give a list of
    // something else.
    if let match, match.type == "FUZZY", hasRank { return found([match.accepted], isExact: false) }
    return found([], suggestions: Array(suggestions.prefix(3)))
  }

  /// The most taxa of one vernacular name whose keys are asked for in the newer taxonomy.
  private static let mostTaxa = 8

  /// The taxa of the backbone in the Catalogue of Life; `nil` if there are too many, or if one of
  /// them is not there under the same name.
  private func newerTaxa(
    _ taxa: [NameLookup.Taxon]
  ) async throws(FetchError) -> [NameLookup.Taxon]? {
    guard taxa.count <= Self.mostTaxa else { return nil }
    var newer: [NameLookup.Taxon] = []
    for taxon in taxa {
      let match = try await match([("scientificNameID", "gbif:\(taxon.key)")])
      guard let found = match?.taxon(replacing: taxon) else { return nil }
      if !newer.contains(where: { $0.key == found.key }) { newer.append(found) }
    }
    return newer
  }

  /// The match for a name in the Catalogue of Life; `nil` if no name is near enough.
  private func match(_ name: [(String, String)]) async throws(FetchError) -> GBIFMatch? {
    let items = name + [(GBIFTaxonomy.parameter, GBIFTaxonomy.catalogueOfLife.rawValue)]
    let url = try client.address.url("/v2/species/match", items)
    return try GBIFMatch(try await client.get(url).object())
  }

  /// The match that the Catalogue of Life has for a name; `nil` also from a service that
  /// does not have the name. Only the names of new lists are asked for so, because an error
  /// must not decide about a stored list.
  private func match(ofName name: String) async throws(FetchError) -> GBIFMatch? {
    do {
      return try await match([("scientificName", name)])
    } catch {
      guard error.refusedStatus == 404 else { throw error }
      return nil
    }
  }

  /// The accepted taxon of the backbone with exactly that name; `nil` if it has none.
  private func backboneTaxon(_ name: String) async throws(FetchError) -> NameLookup.Taxon? {
    let url = try client.address.url("/v1/species/match", [("name", name)])
    let match: RecordingFields
    do {
      match = try await client.get(url).object()
    } catch {
      guard error.refusedStatus == 404 else { throw error }
      return nil
    }
    guard match["matchType"]?.text == "EXACT",
      let key = ["acceptedUsageKey", "usageKey"].lazy.compactMap({ match[$0]?.idText }).first
    else { return nil }
    return NameLookup.Taxon(
      key: key, name: match["canonicalName"]?.text ?? name,
      rank: match["rank"]?.text.lowercased() ?? "")
  }

  /// The taxa of GBIF's backbone with that vernacular name, in any language, and some whose
  /// names are similar.
  private func vernacular(
    _ name: String
  ) async throws(FetchError) -> (same: [NameLookup.Taxon], other: [NameLookup.Taxon]) {
    let url = try client.address.url(
      "/v1/species/search",
      [
        ("q", name), ("qField", "VERNACULAR"), ("datasetKey", GBIFTaxonomy.backbone.rawValue),
        ("status", "ACCEPTED"), ("limit", "\(GBIF.largestLimit)"),
      ])
    let usages: [Recording]
    do {
      usages = try client.envelope(try await client.get(url)) { $0["key"]?.idText }.readable
    } catch {
      guard error.refusedStatus != nil else { throw error }
      // Only its parts are documented; a scientific name works without it.
      return ([], [])
    }
    var (same, other): ([NameLookup.Taxon], [NameLookup.Taxon]) = ([], [])
    for usage in usages {
      let all = usage["vernacularNames"]?.objects.compactMap(\.self) ?? []
      let names = all.compactMap { $0["vernacularName"]?.text }
      let english = all.first { $0["language"]?.text == "eng" }?["vernacularName"]?.text
      guard let key = usage.fields["nubKey"]?.idText ?? usage.fields["key"]?.idText else {
        continue
      }
      let taxon = NameLookup.Taxon(
        key: key, name: usage.text("canonicalName") ?? usage.text("scientificName") ?? "",
        rank: usage.text("rank")?.lowercased() ?? "", englishName: english)
      if !names.contains(where: { TaxonName.isSame(name, $0) }) {
        other.append(taxon)
      } else if !same.contains(taxon) {
        same.append(taxon)
      }
    }
    return (same, other)
  }
}

struct GBIFWindow: Equatable {
  /// Occurrences of the list before the first one.
  let offset: Int
  let limit: Int
  /// Whether the page before named the position, because its size was not the one requested.
  let isFromToken: Bool

  /// The position of a page in the list; `nil` if it is further into the list than the
  /// service answers. The last page that can be read is shorter.
  init?(page number: Int, size: Int, token: PageRequest.Token?) {
    let named = token.flatMap { Int($0.rawValue) }.map { max(0, $0) }
    isFromToken = named != nil
    // Far beyond any list, and far from overflow.
    offset = named ?? (min(max(number, 1), 4_000_000) - 1) * size
    limit = min(size, GBIF.reach - offset)
    guard limit > 0 else { return nil }
  }

  /// A larger `limit` is cut: if the size is not the one requested, the next page is named by its
  /// position, not its number.
  func page(_ number: Int, _ envelope: Envelope, isFromCache: Bool) throws(FetchError)
    -> RecordingPage
  {
    guard let total = try envelope.count("count") else { throw .malformed("it has no count") }
    if let came = try envelope.count("offset"), came != offset {
      throw .malformed("position \(offset) was requested, but \(came) came")
    }
    let size = try envelope.count("limit").flatMap { $0 > 0 ? $0 : nil } ?? limit
    let end = offset + size
    let isLast =
      envelope.count == 0 || (envelope["endOfRecords"].map { $0.json == "true" } ?? (end >= total))
    let readable = envelope.readable
    let (rows, leftOut) = GBIFSound.rows(of: readable, in: GBIFSound.field)
    return RecordingPage(
      number: number, recordings: rows,
      totals: RecordingPage.Totals(recordings: total, pageSize: size),
      next: isLast ? nil : number + 1,
      nextToken: size != limit || isFromToken ? PageRequest.Token(rawValue: "\(end)") : nil,
      skipped: envelope.count - readable.count, leftOut: leftOut, records: envelope.count,
      isFromCache: isFromCache)
  }
}

#endif
