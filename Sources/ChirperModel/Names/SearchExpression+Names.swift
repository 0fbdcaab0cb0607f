/// A name of a bird, or of a genus, in a search, and the terms that are it.
package struct TypedName: Sendable {
  /// What may be meant by it.
  package enum Kind: Sendable {
    case scientific, english, genus
  }

  package let text: String
  package let kinds: Set<Kind>
  /// The terms, by their positions among those of the expression. A recording that has the name
  /// satisfies all of them.
  fileprivate let terms: [Int]
  /// Whether it may be a name that only stored recordings have.
  package let mayBeStored: Bool
  /// Whether a species is meant that is in recordings of others.
  package var isOfOtherSpecies = false

  fileprivate init(text: String, kinds: Set<Kind>, terms: [Int], mayBeStored: Bool) {
    self.text = ScientificName.withoutAuthor(text) ?? text
    self.kinds = kinds
    self.terms = terms
    self.mayBeStored = mayBeStored
  }

  /// A name that is in no search.
  package init(_ text: String, _ kinds: Kind...) {
    self.init(text: text, kinds: Set(kinds), terms: [], mayBeStored: true)
  }

  /// Whether both names have the same letters and signs, whatever their case and accents.
  package func isSpelled(as other: TypedName) -> Bool {
    TextFolding.folded(text) == TextFolding.folded(other.text)
  }

  /// Whether a recording has it as its scientific name, as one that a taxonomy accepts for it, or
  /// as its English name.
  package func isName(of names: RecordedNames) -> Bool {
    if let binomial, names.binomials.contains(binomial) { return true }
    guard kinds.contains(.english), let english = names.english else { return false }
    return NameTable.letters(of: english) == NameTable.letters(of: text)
  }

  /// Whether it is all the plain words of a search, which only the store may know as a name.
  package var isAllWords: Bool { mayBeStored && kinds.count > 1 }

  package func isPart(of other: TypedName) -> Bool { Set(terms).isSubset(of: other.terms) }

  /// The species of the list that have the name; those of the genus, if it is one.
  package var species: [BirdSpecies] {
    if let species = binomial?.species { return [species] }
    if kinds.contains(.english), let species = NameTable.species(englishName: text) {
      return [species]
    }
    return kinds.contains(.genus) ? NameTable.species(ofGenus: text) : []
  }

  /// The scientific name in place of this one, for the same terms.
  package func replaced(by binomial: Binomial) -> TypedName {
    TypedName(
      text: binomial.description, kinds: [.scientific], terms: terms, mayBeStored: true)
  }

  package var binomial: Binomial? {
    // More words are a subspecies, or further words of a search.
    let isOne = kinds.contains(.scientific) && text.split(separator: " ").count == 2
    return isOne ? Binomial(text) : nil
  }
}

#if Collection
extension SearchExpression {
  /// The most words of a name of a bird.
  static let longestName = 7

  /// The names in the expression: values of `sp:`, `gen:`, `en:`, `also:` and `ann_sp:` without `=`,
  /// and plain words that follow each other, where as many as possible are one name. All plain words
  /// together are before their parts, which are not meant if the store knows the whole.
  ///
  /// - Parameter isAdded: whether a list that the user added has a name, by its letters
  ///   (`TextFolding.foldedLetters`).
  package func typedNames(isAdded: (String) -> Bool) -> [TypedName] {
    var names: [TypedName] = []
    func add(
      _ text: String, _ kinds: Set<TypedName.Kind>, _ places: [Int], mayBeStored: Bool = true
    ) -> Bool {
      var name = TypedName(text: text, kinds: kinds, terms: places, mayBeStored: mayBeStored)
      name.isOfOtherSpecies = terms[places[0]].columnOfOtherSpecies != nil
      // The store is asked for a name that the list does not have, but for no genus.
      let mayBeStored = mayBeStored && (name.binomial != nil || kinds.contains(.english))
      let isAdded = kinds.contains(.english) && isAdded(TextFolding.foldedLetters(text))
      guard mayBeStored || isAdded || !name.species.isEmpty else { return false }
      names.append(name)
      return true
    }
    var words: [(place: Int, text: String)] = []
    func add(_ words: ArraySlice<(place: Int, text: String)>, mayBeStored: Bool) -> Bool {
      add(
        words.map(\.text).joined(separator: " "), [.scientific, .english, .genus],
        words.map(\.place), mayBeStored: mayBeStored)
    }
    for (place, term) in terms.enumerated() {
      let kinds: Set<TypedName.Kind>
      switch term.tag {
      case nil where !term.isWords: continue
      case .sp: kinds = [.scientific]
      case .gen: kinds = [.genus]
      case .en: kinds = [.english]
      case .also, .annotatedSpecies: kinds = [.scientific, .english]
      case nil where !term.isNegated && term.alternatives.isEmpty:
        words.append((place, term.values[0]))
        continue
      case nil:
        for words in term.alternatives.isEmpty ? [term.values] : term.alternatives {
          _ = add(
            words.joined(separator: " "), [.scientific, .english, .genus], [place],
            mayBeStored: false)
        }
        continue
      default: continue
      }
      for value in term.values where TagOperand(value).sign != .exactly {
        // A word of the background is mostly a part of names.
        let mayBeStored = term.columnOfOtherSpecies == nil || value.contains(" ")
        _ = add(value, kinds, [place], mayBeStored: mayBeStored)
      }
    }
    let count = names.count
    var first = 0
    while first < words.count {
      let longest = min(words.count, first + Self.longestName)
      // Two genera are an older name, and neither is meant alone: Sylvia curruca.
      let genera = words[first...].prefix(2).prefix { !NameTable.species(ofGenus: $0.text).isEmpty }
      let shortest = first + max(1, genera.count)
      let end = (shortest...longest).reversed().first {
        add(words[first..<$0], mayBeStored: false)
      }
      first = end ?? shortest
    }
    let isOneWord = words.count == 1 && !words[0].text.contains(" ")
    let isWhole = names.dropFirst(count).contains { $0.terms.count == words.count }
    // The words of an older name can be names of the list: Sylvia curruca.
    if !isWhole, !words.isEmpty, !isOneWord, add(words[...], mayBeStored: true) {
      names.insert(names.removeLast(), at: count)
    }
    return names
  }

  /// The expression that finds recordings with those scientific names too, where it asks for the
  /// name.
  package func finding(_ others: [Binomial], for name: TypedName) -> SearchExpression {
    let names = others.compactMap { SearchText($0.description, .whole) }
    var terms = terms
    for place in name.terms where !names.isEmpty {
      let listing = terms[place].columnOfOtherSpecies
      terms[place].widen(names.map { name in listing.map { .text($0, name) } ?? .species(name) })
    }
    return SearchExpression(terms: terms)
  }
}
#endif
