extension RecordingDetails {
  /// The name of the species that a recording counts as: the accepted one, else the catalogue's,
  /// without a subspecies. `nil` for a genus, a kingdom, a hybrid, and whatever else is not one
  /// species.
  package static func species(_ name: String?, rank: String?, accepted: String?) -> String? {
    if let rank, ranksOfSeveralSpecies.contains(rank.lowercased()) { return nil }
    return [accepted, name].lazy.compactMap { $0.flatMap(Binomial.init) }
      .first(where: \.isEpithetPlain)?.spelled
  }

  /// The ranks of GBIF and iNaturalist whose names can have two words.
  private static let ranksOfSeveralSpecies: Set<String> = [
    "genus", "subgenus", "section", "subsection", "series", "subseries", "infrageneric_name",
    "species_aggregate", "complex", "hybrid", "genushybrid",
  ]
}
