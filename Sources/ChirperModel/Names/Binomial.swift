/// The genus and the specific epithet of a scientific name, in small letters without accents:
/// `turdus merula` of `Turdus merula mauritanicus Hartert, 1902`.
package struct Binomial: Hashable, Sendable, CustomStringConvertible {
  package let genus: String
  package let epithet: String
  /// Whether the second word is written as epithets are, and cannot be an author's name.
  let isEpithetPlain: Bool

  /// The two words that begin a name; `nil` for a genus alone, a hybrid, a group of species, and a
  /// name that is not certain (`sp.`, `cf.`, `?`). Several subspecies, and what is between two of
  /// them, are of the species: `Junco hyemalis mearnsi x caniceps`.
  package init?(_ name: String) {
    var words = ScientificName.words(name)
    // A subgenus.
    if words.count > 1, words[1].hasPrefix("("), words[1].hasSuffix(")") { words.remove(at: 1) }
    // An x at the end has no second parent: xeno-canto's subspecies of a crossbill.
    if let last = words.last, ["x", "X"].contains(last) { words.removeLast() }
    guard words.count > 1, !words.indices.contains(where: { Self.isDoubtful(words, $0) }),
      let genus = Self.letters(words[0]), let epithet = Self.letters(words[1])
    else { return nil }
    self.genus = genus
    self.epithet = epithet
    isEpithetPlain =
      words[1].first?.isLowercase == true || words[0].allSatisfy { !$0.isLowercase }
  }

  /// The name with that `description`; `nil` if it has other than two words.
  package init?(description: some StringProtocol) {
    let words = description.split(separator: " ")
    guard words.count == 2 else { return nil }
    genus = String(words[0])
    epithet = String(words[1])
    isEpithetPlain = true
  }

  package var description: String { "\(genus) \(epithet)" }

  /// The species of the list of birds with that name; `nil` if none has it.
  package var species: BirdSpecies? { NameTable.species(named: description) }

  /// The only species of the list with the epithet, whatever its ending, in the family of the genus,
  /// or in `family` if the list does not have the genus.
  package func onlySpecies(inFamily family: String? = nil) -> BirdSpecies? {
    let ofGenus = NameTable.species(ofGenus: genus).first
    return RecordedNames.only(
      NameTable.species(withStem: stem).filter { species in
        ofGenus.map { $0.familyNumber == species.familyNumber } ?? (species.family == family)
      })
  }

  /// The epithet without its ending (`NameTable`).
  package var stem: [UInt8] { NameTable.stem(of: epithet.utf8) }

  /// The name as scientific names are spelled.
  package var spelled: String { genus.prefix(1).uppercased() + description.dropFirst() }

  /// Whether a word of a name says that it is not that of one species.
  private static func isDoubtful(_ words: [Substring], _ index: Int) -> Bool {
    let word = words[index]
    // The rank of a third name.
    if index == 2, words.count > 3, ["ssp", "ssp."].contains(word) { return false }
    guard
      ScientificName.isSign(word) || word.utf8.count <= 4 && signs.contains(word)
        || word.unicodeScalars.contains(where: { $0 == "/" || $0 == "×" || $0 == "?" })
    else { return false }
    let isBetween = ["x", "X", "×", "/"].contains(word)
    guard isBetween || word.contains("/") else { return true }
    // Between two subspecies, which are both written out after the species.
    let parts =
      isBetween
      ? words[max(index - 1, 0)...].prefix(3).filter { $0 != word } : word.split(separator: "/")
    let first = isBetween ? index - 1 : index
    return first < 2 || parts.count < 2
      || !parts.allSatisfy { $0.first?.isLowercase == true && letters($0) != nil }
  }

  private static let signs: Set<Substring> = ["x", "X", "ssp", "ssp."]

  /// A word of letters and hyphens, folded; `nil` for any other.
  private static func letters(_ word: Substring) -> String? {
    let folded = TextFolding.folded(word.utf8)
    let isWord =
      folded.count > 1 && folded.first != UInt8(ascii: "-")
      && folded.allSatisfy { $0.isSmallLetter || $0 == UInt8(ascii: "-") }
    return isWord ? String(decoding: folded, as: UTF8.self) : nil
  }
}
