import ChirperModel

extension NameLookup {
  /// `Asked GBIF for taxonKey 2480528 (Accipiter, genus)`, or that the catalogue has no taxon of that name, with names to
  /// try instead.
  package func text(in catalogue: Catalogue?) -> String {
    let catalogue = catalogue?.name ?? "the catalogue"
    guard !taxa.isEmpty else {
      let known = suggestions.map { "\($0.name)\($0.rank.isEmpty ? "" : " (\($0.rank))")" }
      return known.isEmpty
        ? "\(catalogue) has no taxon named \(name.inQuotes); try its scientific name"
        : "\(catalogue) has no taxon named \(name.inQuotes); similar: \(known.joined(separator: ", "))"
    }
    let keys = taxa.map { "\($0.key)\(Self.words($0).isEmpty ? "" : " (\(Self.words($0)))")" }
    let asked = "Asked \(catalogue) for \(parameter) \(keys.joined(separator: " and "))"
    return isExact ? asked : asked + ", the nearest that it has to \(name.inQuotes)"
  }

  /// `Accipiter, genus`.
  private static func words(_ taxon: Taxon) -> String {
    [taxon.name, taxon.rank].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
