#if Collection

import ChirperModel

/// The names of a record in the Catalogue of Life, from its field `classifications`.
struct GBIFNames {
  /// The field of an occurrence that has its names in each taxonomy.
  static let field = "classifications"

  /// The accepted taxon, or the one that was found if no accepted one is named.
  private var taxon: [String: String] = [:]
  /// The taxa that it belongs to and itself, the highest first; ranks are in lower case.
  private var steps: [(rank: String, name: String)] = []

  /// The problems that the matching of the record's name found, in GBIF's words.
  private(set) var issues: [String] = []

  /// The names in a record's classifications; `nil` if it has no name there.
  init?(_ classifications: RawValue) {
    var (usage, accepted): ([String: String], [String: String]) = ([:], [:])
    classifications.forEachMember { taxonomy, entry in
      guard taxonomy == GBIFTaxonomy.catalogueOfLife.rawValue else { return }
      entry.forEachMember { part, value in
        switch part {
        case "usage": usage = value.memberTexts
        case "acceptedUsage": accepted = value.memberTexts
        case "classification":
          value.forEachItem { item in
            let texts = item.memberTexts
            guard let name = texts["name"] else { return }
            steps.append((texts["rank"]?.lowercased() ?? "", name))
          }
        case "issues": issues = value.texts
        default: break
        }
      }
    }
    taxon = accepted["name"] == nil ? usage : accepted
    if taxon["name"] == nil && steps.isEmpty { return nil }
  }

  /// The texts that count when a record is compared with an earlier one: the names that
  /// details have. Keys, times and further ranks do not count, because a build of the
  /// taxonomy can add a rank, such as a domain or a subphylum, to every record.
  var counted: [String] { [taxon["name"] ?? ""] + Self.countedRanks.map { name(of: $0) ?? "" } }

  private static let countedRanks = [
    "kingdom", "phylum", "class", "order", "family", "genus", "species",
  ]

  /// The counted texts of a record; none without names in the Catalogue of Life.
  @Sendable static func counted(_ fields: RecordingFields) -> [String] {
    fields[field]?.withRaw { Self($0)?.counted } ?? []
  }

  /// Whether the record has a taxon there, whose names are then taken in place of the backbone's.
  var hasTaxon: Bool { taxon["name"] != nil }

  func name(of rank: String) -> String? { steps.last { $0.rank == rank }?.name }

  /// The rank in lower case.
  var rank: String? { taxon["rank"]?.lowercased() }

  /// The name with its author.
  var fullName: String? { taxon["name"] }

  var specificEpithet: String? { isSpeciesOrBelow ? taxon["specificEpithet"] : nil }

  private static let ranks: Set = ["species", "subspecies", "variety", "form"]
  private var isSpeciesOrBelow: Bool { rank.map(Self.ranks.contains) ?? false }

  var species: String? {
    if let species = name(of: "species") { return species }
    guard isSpeciesOrBelow, let genus = taxon["genericName"], let epithet = specificEpithet else {
      return nil
    }
    return "\(genus) \(epithet)"
  }

  /// The last word of the name of a subspecies, variety or form of the species.
  var infraspecificEpithet: String? {
    guard let rank, rank != "species", isSpeciesOrBelow, let species, let name = name(of: rank),
      name.hasPrefix(species + " ")
    else { return nil }
    return name.split(separator: " ").last.map(String.init)
  }
}

#endif
