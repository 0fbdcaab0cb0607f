/// The parts of a scientific name of one genus, species or subspecies, as catalogues write it, with
/// its author or without: `Turdus merula mauritanicus Hartert, 1902`.
package struct ScientificName {
  package let genus: String
  package let specificEpithet: String?
  package let infraspecificEpithet: String?

  /// The parts of a name; `nil` if it is not that of one taxon (`isOfNoTaxon`), or not spelled as
  /// such names are.
  package init?(_ text: String) {
    var words = text.split(whereSeparator: \.isWhitespace)[...]
    guard let genus = words.popFirst(), genus.first?.isUppercase == true, Self.isWord(genus),
      !Self.isOfNoTaxon(text)
    else { return nil }
    // A subgenus.
    if let word = words.first, words.count > 1, Self.isWord(word.dropFirst().dropLast()),
      word.hasPrefix("("), word.hasSuffix(")"), Self.isEpithet(words[words.startIndex + 1])
    {
      words.removeFirst()
    }
    var epithets: [String] = []
    while let word = words.first, epithets.count < 2 {
      if epithets.count == 1, Self.ranks.contains(word.lowercased()) {
        words.removeFirst()
        continue
      }
      guard Self.isEpithet(word), !Self.ofAuthors.contains(String(word)) else { break }
      epithets.append(String(word))
      words.removeFirst()
    }
    // The rest is the author and the year.
    guard !text.contains("["),
      words.allSatisfy({ Self.ofAuthors.contains($0.lowercased()) || !Self.isEpithet($0) })
    else { return nil }
    self.genus = String(genus)
    specificEpithet = epithets.first
    infraspecificEpithet = epithets.count > 1 ? epithets[1] : nil
  }

  /// The name of the species; `nil` for a genus.
  package var species: String? { specificEpithet.map { "\(genus) \($0)" } }

  /// A name of a species or subspecies without its author and year, as GBIF writes it:
  /// `Turdus merula Linnaeus, 1758`; `nil` for every other text.
  static func withoutAuthor(_ text: String) -> String? {
    let end = text.hasSuffix(")") ? text.dropLast() : text[...]
    guard end.suffix(4).allSatisfy({ ("0"..."9").contains($0) }), end.dropLast(4).hasSuffix(", "),
      let name = ScientificName(text), let species = name.species
    else { return nil }
    return [species, name.infraspecificEpithet].compactMap(\.self).joined(separator: " ")
  }

  /// The scientific name in a line of BirdNET's lists, `Genus species_Common Name`; `nil` for every
  /// other text.
  package static func ofLabel(_ text: String) -> String? {
    guard isLabel(text), let end = text.firstIndex(of: "_"), case let name = String(text[..<end]),
      ScientificName(name)?.species == name
    else { return nil }
    return name
  }

  /// Whether a text has the form of a line of BirdNET's lists, of a species or not: `Engine_Engine`.
  /// Tags have underscores too: `Wren ann_sp:merula`.
  package static func isLabel(_ text: String) -> Bool {
    text.contains("_") && !text.contains(":")
  }

  /// Whether a name is not that of one taxon: a hybrid, one of several species, or a name that is
  /// not certain.
  package static func isOfNoTaxon(_ name: String) -> Bool {
    isHybrid(name) || name.utf8.contains(where: severalMarks.contains)
      || words(name, besides: brackets).contains(where: isSign)
  }

  /// Whether a word of a name says that it is not certain, or of several species.
  static func isSign(_ word: Substring) -> Bool {
    let word = word.utf8.last == UInt8(ascii: ".") ? word.dropLast() : word
    return signs.contains(Substring(word.lowercased()))
  }

  /// Whether a name is that of a hybrid, by its formula or its mark.
  package static func isHybrid(_ name: String) -> Bool {
    name.unicodeScalars.contains("×")
      || words(name).dropLast().contains { $0.utf8.count == 1 && ["x", "X"].contains($0) }
  }

  /// The words between white space, and other marks. Names in ASCII, almost all, are split by their
  /// bytes, which is several times as fast.
  static func words(_ name: String, besides marks: [UInt8] = []) -> [Substring] {
    guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
      return name.split { $0.isWhitespace || $0.asciiValue.map(marks.contains) == true }
    }
    return name.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) || marks.contains($0) }
      .map(Substring.init)
  }

  private static let brackets = Array("()[],;".utf8)
  private static let severalMarks = Array("/?+|".utf8)
  private static let signs: Set<Substring> = [
    "sp", "spp", "cf", "aff", "agg", "aggregate", "complex", "group", "indet", "ined", "nr", "near",
    "sensu", "s.l", "s.lat", "s.s", "s.str", "auct", "hybrid", "or", "vel", "undescribed",
  ]
  private static let ranks: Set = ["subsp.", "ssp.", "subspecies", "var.", "f.", "form", "forma"]
  /// The words in names of authors that begin with a small letter.
  private static let ofAuthors: Set = [
    "af", "al.", "and", "bis", "d'", "da", "de", "del", "den", "der", "des", "di", "do", "dos",
    "du",
    "et", "ex", "fil.", "in", "la", "le", "les", "ter", "van", "von", "zu", "zur",
  ]

  private static func isWord(_ text: Substring) -> Bool {
    text.count > 1 && text.allSatisfy { $0.isLetter || $0 == "-" }
  }

  private static func isEpithet(_ text: Substring) -> Bool {
    text.first?.isLowercase == true && (isWord(text) || text.hasSuffix("."))
  }
}
