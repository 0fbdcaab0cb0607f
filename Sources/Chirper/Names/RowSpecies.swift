#if Collection

import ChirperModel
import ChirperStore

/// Decides which species rows are of; the names of each are looked up once.
struct RowSpecies: Sendable {
  /// The copies by which the species of a recording is decided that its own names do not decide.
  let copies: RecordingCopies
  /// The names of the list of birds, by the scientific names of the recordings that were met; `nil`
  /// for those that are not in it.
  private let listedNames = Locked<[String: AcceptedName?]>([:])
  /// The meanings of names that are not in the list alone, by their catalogues, likewise.
  private let speciesOfNames = Locked<[CatalogueID: [RecordedNames: NamedMeaning]]>([:])

  /// Sets the species of a recording, for all of its columns.
  func decide(
    _ details: inout RecordingDetails, _ row: StoredRecording, in repository: RecordingRepository
  ) throws(StoreError) {
    if let name = details.scientificName {
      let known = listedNames.withLock { $0[name] }
      let listed = known ?? NameTable.species(named: name).map(AcceptedName.init)
      if known == nil { listedNames.withLock { $0[name] = .some(listed) } }
      if let listed { return details.acceptedName = listed }
    }
    let names = RecordedNames(details)
    let catalogue = row.recording.id.catalogue
    let known = speciesOfNames.withLock { $0[catalogue, default: [:]][names] }
    let decided: NamedMeaning
    if let known {
      decided = known
    } else {
      let own = names.species
      let inFamily = own == nil ? try repository.speciesInFamily(of: names, in: catalogue) : nil
      decided = NamedMeaning(own: own, inFamily: inFamily)
      speciesOfNames.withLock { $0[catalogue, default: [:]][names] = decided }
    }
    var species = decided.own ?? decided.inFamily
    if decided.own == nil, !copies.isEmpty {
      let own = NamedRecording(row, details)
      let ofCopies = try repository.namesOfCopies(of: own, in: copies).compactMap(\.species)
      if !ofCopies.isEmpty { species = RecordedNames.only(ofCopies) }
    }
    details.storedSpecies = species
    details.acceptedName = .some(species.map(AcceptedName.init))
  }
}

/// The species that names of a recording mean.
private struct NamedMeaning {
  /// The species by the names alone.
  let own: BirdSpecies?
  /// The species by the rest of the store, if neither the names nor copies decide.
  let inFamily: BirdSpecies?
}

#endif
