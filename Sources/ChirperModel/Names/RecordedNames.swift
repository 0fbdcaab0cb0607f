extension RecordingDetails {
  /// The species of the list of birds (`NameTable`) that the recording is of; `nil` if its names do
  /// not decide that (`RecordedNames`).
  package var species: BirdSpecies? {
    // Most names are the list's, so nothing else is read.
    if let name = scientificName, let species = NameTable.species(named: name) { return species }
    return RecordedNames(self).species
  }

  /// The names of `species`.
  var listedName: AcceptedName? { acceptedName ?? species.map(AcceptedName.init) }

  /// The name for people: in the language that was chosen, else the English name that the catalogue
  /// has, else that of the list of birds.
  package var nameForPeople: String? { shownName ?? vernacularName ?? species?.englishName }
}

/// The names of a species of the list of birds, as texts.
package struct AcceptedName: Hashable, Sendable {
  let scientific: String
  let english: String

  package init(_ species: BirdSpecies) {
    scientific = species.scientificName
    english = species.englishName
  }
}

/// The names by which a catalogue says which species a recording is of.
package struct RecordedNames: Hashable, Sendable {
  package var scientific: String?
  package var english: String?
  /// The names that other taxonomies accept for it, as far as the catalogue sends them.
  var accepted: [String] = []
  /// The family that the catalogue gives.
  var sentFamily: String?
  /// Whether the catalogue says that it is something else than a bird.
  var isOfOthers = false
  /// The species that other recordings in the store show it to be of.
  package var storedSpecies: BirdSpecies?

  package init(scientific: String? = nil, english: String? = nil) {
    self.scientific = scientific
    self.english = english
  }

  /// The columns of the details that have them, and the recording that it is a copy of, which may
  /// have others.
  package static let columns: [DetailColumn] = [
    .scientificName, .genus, .specificEpithet, .vernacularName, .family, .taxonClass, .group,
    .alsoIn,
  ]

  /// The names in a recording's details.
  package init(_ details: RecordingDetails) {
    scientific =
      details.scientificName
      ?? details.genus.flatMap { genus in details.specificEpithet.map { "\(genus) \($0)" } }
    english = details.vernacularName
    accepted = details.acceptedNames
    sentFamily = details.family
    storedSpecies = details.storedSpecies
    isOfOthers = (details.taxonClass ?? details.group).map { !Self.areBirds($0) } ?? false
  }

  /// Whether a class or group has the birds, or is not said. As most catalogues spell it, it is
  /// compared without a copy.
  private static func areBirds(_ group: String) -> Bool {
    ["Aves", "birds", ""].contains(group) || ["aves", "birds"].contains(TextFolding.folded(group))
  }

  /// The other names are nearly always equal where these are.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(scientific)
    hasher.combine(english)
  }

  /// The species of the list (`NameTable`) that the names mean; `nil` if they do not decide it. The
  /// first rule that decides counts:
  ///
  /// 1. The scientific name is one of the list.
  /// 2. Its epithet and the English name are those of one species.
  /// 3. A name that another taxonomy accepts is one of the list.
  /// 4. Other recordings decide (`storedSpecies`).
  ///
  /// Endings of gender and number of an epithet do not count. An epithet without an English name,
  /// or against it, decides nothing: it is wrong once in seventy.
  package var species: BirdSpecies? { speciesByNames ?? storedSpecies }

  private var speciesByNames: BirdSpecies? {
    if let species = binomial?.species { return species }
    if let binomial = epithetThatDecides, let english,
      let species = NameTable.species(englishName: english), species.stem == binomial.stem
    {
      return species
    }
    return Self.only(acceptedBinomials.compactMap(\.species))
  }

  /// The only species with the epithet in the family of the genus, for an English name that is not in
  /// the list. A catalogue that has recordings under the name of this species, too, means a different
  /// one: *Oxyura ferruginea* beside *Tadorna ferruginea*.
  package var speciesInFamily: BirdSpecies? {
    guard let binomial = epithetThatDecides, let english,
      NameTable.species(englishName: english) == nil
    else { return nil }
    return binomial.onlySpecies(inFamily: sentFamily)
  }

  /// The family in the list of birds of the species that the names themselves decide, or of the genus;
  /// else the one that the catalogue gives.
  package var family: String? {
    if let species = speciesByNames { return species.family }
    let first = scientific.flatMap { $0.split(separator: " ").first }.map(String.init)
    if !isOfOthers, let first, let species = NameTable.species(ofGenus: first).first {
      return species.family
    }
    return sentFamily ?? NameTable.families.first { $0.name == scientific }?.name
  }

  /// The genus and epithet of the scientific name.
  package var binomial: Binomial? { scientific.flatMap(Binomial.init) }

  /// The scientific name, if its epithet and an English name can decide.
  private var epithetThatDecides: Binomial? {
    guard let binomial, binomial.isEpithetPlain, !isOfOthers, hasEnglishName else { return nil }
    return binomial
  }

  /// Whether the English name is one, and not the scientific name again.
  private var hasEnglishName: Bool {
    let letters = NameTable.letters(of: (english ?? "").utf8)
    return !letters.isEmpty && letters != NameTable.letters(of: (scientific ?? "").utf8)
  }

  /// The names that other taxonomies accept.
  package var acceptedBinomials: [Binomial] { accepted.compactMap(Binomial.init) }

  /// The scientific name and those that other taxonomies accept.
  package var binomials: Set<Binomial> {
    Set(acceptedBinomials + [binomial].compactMap(\.self))
  }

  /// The species that all of these are; `nil` if there are several, or none.
  package static func only(_ species: [BirdSpecies]) -> BirdSpecies? {
    Set(species).count == 1 ? species[0] : nil
  }
}
