#if Collection

import ChirperModel

/// The two taxonomies of GBIF: a key of one is not a key of the other, so each request names its
/// taxonomy (docs/decisions/0042-two-taxonomies-of-gbif.md).
enum GBIFTaxonomy: String {
  /// The extended release of the Catalogue of Life, GBIF's own taxonomy since 2026.
  case catalogueOfLife = "7ddf754f-d193-4cc9-b351-99906754a03b"
  /// The taxonomy before it, whose last state is of 2023; its keys are numbers.
  case backbone = "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c"

  /// The parameter that names the taxonomy.
  static let parameter = "checklistKey"

  /// The taxonomy of a key that is sent without one.
  init(of key: String) {
    self = key.isDigits ? .backbone : .catalogueOfLife
  }

  /// The taxonomy that these parameters are sent with.
  init(of parameters: RequestParameters) {
    let named = parameters.all.first { $0.name == Self.parameter }
    let keys = parameters.all.filter { $0.name == GBIF.taxa.key }.map(\.value)
    self =
      named.flatMap { Self(rawValue: $0.value) }
      ?? (keys.contains { Self(of: $0) == .backbone } ? .backbone : .catalogueOfLife)
  }
}

/// The address of a taxon's page, or of a search for a taxon, as people copy it from GBIF's site.
struct GBIFTaxonPage {
  /// The address in one form for each taxon and taxonomy.
  let address: String
  /// The parameters of a request for the taxon.
  let parameters: RequestParameters

  /// The page at a typed address; `nil` for any other text, and for a search that has filters
  /// besides the taxon.
  init?(_ typed: String) {
    guard let page = typed.page(on: ["gbif.org", "www.gbif.org"]) else { return nil }
    let parts = page.prefix { $0 != "#" }.split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let folders = parts[0].split(separator: "/").map(String.init)
    let filters = RequestParameters(text: parts.count > 1 ? String(parts[1]) : "").all
    func value(_ names: String...) -> String? {
      filters.first { names.contains($0.name) }?.value
    }
    let found: String?
    if folders.count >= 2, folders[0] == "species", folders[1] != "search" {
      found = folders[1]
    } else if folders == ["occurrence", "search"],
      filters.allSatisfy({ Self.known.contains($0.name) }),
      filters.count(where: { Self.keys.contains($0.name) }) == 1
    {
      found = value("taxonKey", "taxon_key")
    } else {
      return nil
    }
    guard let key = found?.uppercased(), (1...12).contains(key.utf8.count),
      key.utf8.allSatisfy({ $0.isDigit || (0x41...0x5A).contains($0) })
    else { return nil }
    let named = value("checklistKey", "checklist_key")
    guard
      let taxonomy = named.map({ GBIFTaxonomy(rawValue: $0.lowercased()) }) ?? GBIFTaxonomy(of: key)
    else { return nil }
    let scope = RequestParameters.Parameter(GBIFTaxonomy.parameter, taxonomy.rawValue)
    parameters = RequestParameters(all: [.init(GBIF.taxa.key, key), scope])
    let isOwn = taxonomy == GBIFTaxonomy(of: key)
    let site = "https://www.gbif.org/"
    address =
      isOwn ? "\(site)species/\(key)" : "\(site)occurrence/search?\(parameters.text)"
  }

  private static let keys: Set = ["taxonKey", "taxon_key"]
  /// Parameters of a search for a taxon that leave out no sound of it.
  private static let known = keys.union([
    "checklistKey", "checklist_key", "mediaType", "media_type", "view", "advanced",
  ])
}

#endif
