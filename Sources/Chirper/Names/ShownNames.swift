#if Collection

import ChirperModel
import ChirperStore

/// The names of animals in one language, as the lists have them that the user added, for rows that
/// are shown; in English, else those of the list of birds and of the catalogues. Each is looked up
/// once.
package final class ShownNames: Sendable {
  /// The code of the language.
  package let language: String
  private let store: RecordingStore
  private let known = Locked<[Key: String?]>([:])

  /// The values by which a name is looked up.
  private struct Key: Hashable {
    let scientific: String?
    let english: String?
    let species: BirdSpecies?
  }

  /// The most names that are kept.
  private static let mostKnown = 50_000

  init(_ language: String, in store: RecordingStore) {
    self.language = language
    self.store = store
  }

  /// The name of the animal that a recording is of; `nil` if no list has one.
  ///
  /// A species of the list of birds has the name of its scientific name there, or of the one that
  /// the recording has, or of an older one that a list has with its English name.
  package func name(of details: RecordingDetails) throws(StoreError) -> String? {
    let key = Key(
      scientific: details.scientificName, english: details.vernacularName,
      species: details.storedSpecies)
    if let name = known.withLock({ $0[key] }) { return name }
    let name =
      try name(of: RecordedNames(details).species, recorded: details.scientificName)
      ?? (language == Self.english ? details.vernacularName : nil)
    known.withLock { names in
      if names.count >= Self.mostKnown { names = [:] }
      names[key] = .some(name)
    }
    return name
  }

  /// The name of a species by its scientific name in the list of birds, or in an added list.
  func name(ofSpecies scientific: String) throws(StoreError) -> String? {
    try name(of: NameTable.species(named: scientific), recorded: scientific)
  }

  private func name(
    of species: BirdSpecies?, recorded: String?
  ) throws(StoreError) -> String? {
    let names = [species?.scientificName, recorded].compactMap { $0.flatMap(Binomial.init) }
    if let name = try store.name(of: names, in: language) { return name }
    guard let species else { return nil }
    let older = try store.addedSpecies(named: species.englishName)
      .filter { $0.species == species }
    return try store.name(of: older.compactMap(\.listedBinomial), in: language)
      ?? (language == Self.english ? species.englishName : nil)
  }

  /// The code of the language that needs no added list.
  fileprivate static let english = "en"
}

extension RecordingRepository {
  /// The repository with names of animals in a language, where rows are shown; `nil` if nothing
  /// has names in it.
  ///
  /// - Parameter language: a code (`de`), or the name of a language.
  package func showing(namesIn language: String) throws(StoreError) -> RecordingRepository? {
    let codes = try nameLanguages()
    let meant = [language, NameLanguage.code(ofHeading: language).code ?? language]
    let code = meant.compactMap { meant in
      codes.first { $0.lowercased() == meant.lowercased() }
    }.first
    guard let code else { return nil }
    var shown = self
    shown.shownNames = ShownNames(code, in: store)
    return shown
  }

  /// The codes of the languages in which names can be shown: English, and those of the added lists.
  package func nameLanguages() throws(StoreError) -> [String] {
    Set(try nameLists().flatMap(\.languages).map(\.code) + [ShownNames.english]).sorted()
  }
}

#endif
