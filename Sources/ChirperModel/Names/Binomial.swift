/// The genus and the specific epithet of a scientific name, in small letters without accents:
/// `turdus merula` of `Turdus merula mauritanicus Hartert, 1902`.
package struct Binomial: Hashable, Sendable, CustomStringConvertible {
  package let genus: String
  package let epithet: String
  /// Whether the second word is written as epithets are, and cannot be an author's name.
  let isEpithetPlain: Bool

  /// The two words that begin a name; `nil` for a genus alone, a hybrid, a group of species, and a
  /// name that is not certain (`sp.`, `cf.`, `?`).
  package init?(_ name: String) {
    var words = name.split(whereSeparator: \.isWhitespace)
    // A subgenus.
    if words.count > 1, words[1].hasPrefix("("), words[1].hasSuffix(")") { words.remove(at: 1) }
    // An x at the end has no second parent: xeno-canto's subspecies of a crossbill.
    if let last = words.last, ["x", "X"].contains(last) { words.removeLast() }
    guard words.count > 1, !words.contains(where: Self.isSignOfDoubt),
      let genus = Self.letters(words[0]), let epithet = Self.letters(words[1])
    else { return nil }
    self.genus = genus
    self.epithet = epithet
    isEpithetPlain =
      words[1].first?.isLowercase == true || words[0].allSatisfy { !$0.isLowercase }
  }

  package var description: String { "\(genus) \(epithet)" }

  /// The epithet without its ending (`NameTable`).
  package var stem: [UInt8] { NameTable.stem(of: epithet.utf8) }

  /// The name as scientific names are spelled.
  package var spelled: String { genus.prefix(1).uppercased() + description.dropFirst() }

  private static let signs: Set<String> = [
    "x", "×", "sp", "sp.", "spp", "spp.", "ssp", "ssp.", "cf", "cf.", "aff", "aff.", "indet",
    "indet.",
  ]

  private static func isSignOfDoubt(_ word: Substring) -> Bool {
    word.contains { "/×?".contains($0) } || signs.contains(word.lowercased())
  }

  /// A word of letters and hyphens, folded; `nil` for any other.
  private static func letters(_ word: Substring) -> String? {
    let folded = TextFolding.folded(word.utf8)
    let isWord =
      folded.count > 1 && folded.first != UInt8(ascii: "-")
      && folded.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    return isWord ? String(decoding: folded, as: UTF8.self) : nil
  }
}
