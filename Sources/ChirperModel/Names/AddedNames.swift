#if Collection

import Foundation

/// A name of a species in a language, as a list has it that the user added.
package struct AddedName: Hashable, Sendable {
  package let scientific: Binomial
  /// The code of the language: `de`, `zh-Hant`.
  package let language: String
  package let text: String
  /// The place among the names of the file, from 0.
  package let position: Int

  package init(_ scientific: Binomial, language: String, text: String, position: Int) {
    self.scientific = scientific
    self.language = language
    self.text = text
    self.position = position
  }
}

/// A list of names that the user added.
package struct NameList: Hashable, Sendable {
  package let name: String
  /// The name of the file that it was read from, without its folder.
  package let file: String
  package let addedAt: Date
  /// The number of species that have a name.
  package let species: Int
  /// The languages, with the number of names in each.
  package let languages: [Language]

  package struct Language: Hashable, Sendable {
    package let code: String
    package let names: Int

    package init(code: String, names: Int) { (self.code, self.names) = (code, names) }
  }

  package init(
    name: String, file: String, addedAt: Date, species: Int = 0, languages: [Language] = []
  ) {
    self.name = name
    self.file = file
    self.addedAt = addedAt
    self.species = species
    self.languages = languages
  }

  /// The number of all names.
  package var names: Int { languages.reduce(0) { $0 + $1.names } }
}

/// A species that has a typed name in an added list, by the scientific name in that list.
package struct AddedSpecies: Hashable, Sendable {
  /// Genus and epithet.
  private let listed: String
  /// An English name that the list has for it.
  private let english: String?
  /// The species that decides if the list has no English name: the only one with the epithet in the
  /// family, which the list does not have as well.
  private let onlyInFamily: BirdSpecies?

  package init(listed: String, english: String?, onlyInFamily: BirdSpecies? = nil) {
    self.listed = listed
    self.english = english
    self.onlyInFamily = onlyInFamily
  }

  /// The species of the list of birds; `nil` for one that is not in it.
  package var species: BirdSpecies? {
    let names = RecordedNames(scientific: listed, english: english)
    return names.species ?? names.speciesInFamily ?? onlyInFamily
  }

  /// The scientific name in the added list.
  package var listedBinomial: Binomial? { Binomial(listed) }

  /// The scientific name in the list of birds, else in the added list.
  package var binomial: Binomial? { Binomial(species?.scientificName ?? listed) }
}

#endif
