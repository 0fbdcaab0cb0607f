#if Collection

import ChirperModel
import ChirperStore

extension RecordingRepository {
  func names(of recording: Recording) -> RecordedNames { RecordedNames(details(of: recording)) }

  /// The names that the rest of the store gives a recording whose own names decide nothing: those of
  /// its original and its copies; and, if its catalogue does not have it for a different species, the
  /// name of the only species in its family with its epithet.
  func namesElsewhere(of recording: NamedRecording, in copies: RecordingCopies) throws(StoreError)
    -> [RecordedNames]
  {
    let copies = try namesOfCopies(of: recording, in: copies)
    guard !copies.contains(where: { $0.species != nil }),
      let species = try speciesInFamily(of: recording.names, in: recording.catalogue)
    else { return copies }
    return copies + [RecordedNames(scientific: species.scientificName)]
  }

  /// `RecordedNames.speciesInFamily`, unless the catalogue has recordings under the name of that
  /// species itself.
  func speciesInFamily(
    of names: RecordedNames, in catalogue: CatalogueID
  ) throws(StoreError) -> BirdSpecies? {
    guard let species = names.speciesInFamily, let name = Binomial(species.scientificName),
      try !stores(name, in: catalogue)
    else { return nil }
    return species
  }

  /// Whether the catalogue has stored recordings with that scientific name.
  func stores(_ name: Binomial, in catalogue: CatalogueID) throws(StoreError) -> Bool {
    let named = NamedIn(name: name, catalogue: catalogue)
    let version = try store.version()
    let known = namesCache.value(version) ?? [:]
    if let isStored = known[named] { return isStored }
    guard let text = SearchText(name.description, .whole) else { return false }
    let expression = SearchExpression(.sp, ["=\(name)"], [.species(text)])
    do {
      let found = try search(
        expression.and(.sources([catalogue])), window: 0..<0, findsUnlisted: true,
        takesNamesAsTyped: true, preparing: [])
      namesCache.keep(known.merging([named: found.matched > 0]) { $1 }, version)
      return found.matched > 0
    } catch let error as StoreError {
      throw error
    } catch {
      // The task is cancelled: nobody waits for the answer.
      return true
    }
  }

  /// The names of the original and of the copies of a recording.
  func namesOfCopies(
    of recording: NamedRecording, in copies: RecordingCopies
  ) throws(StoreError) -> [RecordedNames] {
    var keys = copies.copies(of: recording.key)
    if let original = recording.alsoIn {
      keys += try store.keys(of: [original]).compactMap(\.self)
    }
    guard !keys.isEmpty else { return [] }
    return try store.recordings(keys, ifStored: true).map { names(of: $0.recording) }
  }

  /// The species that a typed name means, by the list of birds, by what is stored, and by the lists
  /// that the user added; and its scientific names, other than the typed one: those that it is stored
  /// under, and those of the added lists.
  func species(named typed: TypedName) throws -> (
    species: NamedSpecies, otherNames: Set<Binomial>
  ) {
    try species(named: typed, addedAs: store.addedSpecies(named: typed.text))
  }

  /// The species and other names of a name that is known to have those species in the added lists.
  func species(named typed: TypedName, addedAs added: [AddedSpecies]) throws -> (
    species: NamedSpecies, otherNames: Set<Binomial>
  ) {
    let stored = try storedSpecies(named: typed)
    var species = stored.species
    var names = Set(stored.otherNames)
    // The list of birds decides what it has.
    let known = Set(typed.species)
    var added = typed.kinds.contains(.english) ? added : []
    // An older scientific name, which a list has with the English name.
    if known.isEmpty, let binomial = typed.binomial {
      added += try store.addedSpecies(listedAs: binomial).filter { $0.species != nil }
    }
    for added in added where added.species.map(known.contains) != true {
      guard let binomial = added.binomial else { continue }
      let further = try storedSpecies(named: typed.replaced(by: binomial))
      species.formUnion(further.species)
      names.formUnion([binomial, added.listedBinomial].compactMap(\.self) + further.otherNames)
    }
    return (species, names)
  }

  private func storedSpecies(named typed: TypedName) throws -> (
    species: NamedSpecies, otherNames: [Binomial]
  ) {
    try store.species(
      named: typed, details: { self.details(of: $0) },
      elsewhere: { try self.namesElsewhere(of: $0, in: self.copies()) })
  }

  /// The species of the list of birds that each of those names is stored for; none of a name that
  /// is stored for none, or for several. A name that is not in the list is decided by a few
  /// recordings with it.
  ///
  /// - Parameter known: recordings that are not in the index, by their names.
  func species(named names: [Binomial], besides known: [Binomial: [NamedRecording]]) throws
    -> [Binomial: BirdSpecies]
  {
    var species: [Binomial: BirdSpecies] = [:]
    for name in names { species[name] = name.species }
    let others = Set(names.filter { species[$0] == nil })
    let copies = try copies()
    let indexed = try store.species(ofUnlisted: others, haveCopies: !copies.isEmpty) {
      self.details(of: $0)
    }
    for name in others {
      var stored = indexed[name] ?? SpeciesOfName()
      for recording in known[name, default: []] { stored.add(recording) }
      species[name] = try stored.species { try namesElsewhere(of: $0, in: copies) }
    }
    return species
  }
}

/// A scientific name in a catalogue.
struct NamedIn: Hashable {
  let name: Binomial
  let catalogue: CatalogueID
}

#endif
