import Chirper
import ChirperModel

extension NameLookup {
  /// `Asked GBIF for taxonKey 2480528 (Accipiter, genus)`, or that the catalogue has no taxon of
  /// that name, with names to try instead.
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

extension NameSuggestions {
  /// A sentence with the names that were probably meant, and the command that finds the
  /// best of them; `nil` if nothing is suggested.
  ///
  /// - Parameters:
  ///   - typed: the words that found nothing.
  ///   - command: the line to type for a name.
  package func text(for typed: String, command: (String) -> String) -> String? {
    guard let best else { return nil }
    let meant =
      WordList.meant(near) ?? "\(typed): \(taxa.map(\.names).joined(separator: "; "))."
    return "\(meant) Type: \(command(best))"
  }
}

extension NameLookup.Taxon {
  /// `Luscinia megarhynchos, Common Nightingale`.
  package var names: String { [name, englishName].compactMap(\.self).joined(separator: ", ") }

  /// `Nachtigall is Luscinia megarhynchos, Common Nightingale, by GBIF's name service`.
  package func meaning(of words: String) -> String {
    "\(words) is \(names), by GBIF's name service"
  }
}

extension CatalogueQuery {
  /// `no English name has this; tried as the genus Turdus`, or `asked as the species Turdus merula`,
  /// for plain words that are asked as a scientific name; for a query that is asked under a different name of the species, which one
  /// that is; `nil` for other queries.
  package var reading: String? {
    if let otherName {
      return "\(typed) is asked as \(otherName), a name of the same species"
    }
    var scanner = TagScanner(requestText)
    guard !TagScanner.words(ofQuery: typed).words.isEmpty, let tag = scanner.tag(),
      let rank = ["gen": "genus", "sp": "species"][tag], let name = try? scanner.value(of: tag).text
    else { return nil }
    let isSubspecies = scanner.skipSpaces() && scanner.tag() == "ssp"
    let rest = isSubspecies ? try? scanner.value(of: "ssp").text : nil
    let words = [name, rest].compactMap(\.self).joined(separator: " ").lowercased()
    let shown = words.prefix(1).uppercased() + words.dropFirst()
    let tried = isNameOfListedSpecies ? "asked" : "no English name has this; tried"
    return "\(tried) as the \(rest == nil ? rank : "subspecies") \(shown)"
  }

  /// Notes on how the query is sent, a sentence each: that plain words beside tags are a
  /// name, and which tags chirper does not know.
  package func notes(in catalogue: Catalogue?) -> [String] {
    var notes: [String] = []
    let (words, hasTags) = TagScanner.words(ofQuery: typed)
    // A catalogue without tags sends what was typed.
    if hasTags, !words.isEmpty, reading == nil, requestText != typed {
      let isEnglish = requestText.hasPrefix("en:")
      let name = words.filter { !"\"\\".contains($0) }
      notes.append(
        "\"\(name)\" is taken as \(isEnglish ? "an English name" : "a name"): \(requestText)")
    }
    for tag in catalogue?.unknownTags(of: self) ?? [] {
      let service = catalogue?.name ?? self.catalogue.rawValue
      notes.append(
        "chirper does not know the tag \"\(tag):\", so it is sent as typed; \(service) may ignore it"
      )
    }
    return notes
  }
}
