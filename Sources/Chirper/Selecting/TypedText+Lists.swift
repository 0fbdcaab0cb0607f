#if Collection

import ChirperModel
import ChirperRemote

extension TypedText {
  /// The stored lists that the text names, the preferred one first; never empty.
  ///
  /// - Throws: `SelectionError.neverFetched` for a name that none has.
  package func lists(in repository: RecordingRepository) throws -> [StoredQuery] {
    let found = try stored(in: repository)
    guard found.isEmpty else { return found }
    let stored = try repository.storedQueries().filter {
      catalogue == nil || $0.query.catalogue == catalogue
    }
    let nearest = NearestNames.to(name: text, among: stored.map(\.query.typed))
    throw SelectionError.neverFetched(
      .init(
        text: text, catalogue: catalogue, nearest: nearest,
        matches: nearest.isEmpty ? try? matches(in: repository) : nil))
  }

  /// The stored lists to read: those that the text names, or else all lists of the species that it
  /// names, and then a sentence that says which they are.
  package func listsToRead(in repository: RecordingRepository) throws -> (
    lists: [StoredQuery], note: String?
  ) {
    let found = try stored(in: repository)
    guard found.allSatisfy(\.isMiss) else { return (found.filter { !$0.isMiss }, nil) }
    let others = try listsOfSpecies(in: repository)
    guard !others.isEmpty else { return (try lists(in: repository), nil) }
    let names = others.map { "\($0.query.typed.inQuotes) of \($0.query.catalogue)" }.uniqued
    let lists = names.count == 1 ? "the list" : "the lists"
    return (others, "\(text): \(lists) \(FirstNames(names, limit: 5).phrase)")
  }

  /// The list that is meant, and the other candidates in words. It is the list of the catalogue
  /// that the repository prefers, else the preferred one. If no list has the text, all lists of
  /// the species that it names are meant, and the note says which these are.
  ///
  /// - Parameter chooses: whether one of several catalogues may be chosen.
  /// - Throws: `SelectionError.ambiguous` if it may not, and several catalogues, not counting the
  ///   sample, have rows; `SelectionError.neverFetched`.
  func listsToSelect(in repository: RecordingRepository, chooses: Bool) throws -> (
    stored: [StoredQuery], others: [String], note: String?
  ) {
    var (all, note) = try listsToRead(in: repository)
    if let note { return (all, [], note) }
    let real = Set(
      all.filter { $0.count > 0 && $0.query.catalogue != Catalogues.defaultWithoutKey.id }.map(
        \.query.catalogue))
    if let preferred = repository.preferredCatalogue,
      let first = all.firstIndex(where: { $0.count > 0 && $0.query.catalogue == preferred })
    {
      all.insert(all.remove(at: first), at: 0)
    } else if !chooses, real.count > 1 {
      throw SelectionError.ambiguous(
        text: text, catalogues: real.sorted { $0.rawValue < $1.rawValue })
    }
    let others = all.dropFirst().map { other in
      let isSameCatalogue = other.query.catalogue == all[0].query.catalogue
      let isSame = isSameCatalogue && other.query.identity == all[0].query.identity
      let form = isSame || !isSameCatalogue ? "" : " \(other.query.requestText)"
      let taken =
        isSame && other.count > 0 ? "; the one with \(all[0].query.pageSize) was fetched last" : ""
      return "\(other.query.catalogue)\(form) (\(other.query.pageSize) a page\(taken))"
    }
    return ([all[0]], others, nil)
  }

  /// The results of a search for the words; `nil` if neither they nor near names find anything, or
  /// they are an option that was taken for a text.
  package func matches(in repository: RecordingRepository) throws -> WordMatches? {
    guard !text.hasPrefix("--") else { return nil }
    func count(_ words: String) throws -> Int {
      var selection = Selection(where: [words])
      selection.catalogue = catalogue
      selection.limit = 0
      return try repository.rows(of: selection).matched
    }
    var matches = WordMatches(text: text, catalogue: catalogue, count: try count(text))
    if matches.count == 0 {
      matches.suggestions = NameSuggestions(near: try repository.names(near: text))
      guard let best = matches.suggestions.best, try count(best) > 0 else { return nil }
    }
    return matches
  }
}

/// The results of a search of everything stored for words.
package struct WordMatches: Hashable, Sendable {
  package let text: String
  /// The only catalogue that was searched; `nil` for every one.
  package let catalogue: CatalogueID?
  /// Stored recordings that the words find.
  package let count: Int
  /// Names in the store that are spelled nearly so, if the words find nothing.
  package fileprivate(set) var suggestions = NameSuggestions()
}

extension TypedText {
  /// The stored lists with rows of the species that the text names, whatever name they were fetched
  /// by, and with the same further tags; the preferred one first. None if the text names no species.
  /// The sample's are left out if there are real ones.
  ///
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  package func listsOfSpecies(in repository: RecordingRepository) throws -> [StoredQuery] {
    guard let name = NamedText(asked)?.name else { return [] }
    let (species, others) = try repository.species(named: name)
    let found = try repository.storedQueries().filter { stored in
      guard stored.count > 0, catalogue == nil || stored.query.catalogue == catalogue,
        let known = repository.catalogue(stored.query.catalogue), known.namesSpecies,
        let listed = NamedText(stored.query.identity),
        let asked = (try? reading(in: known).words.get()).flatMap({ NamedText($0.identity) }),
        listed.rest == asked.rest
      else { return false }
      // Also the name that was typed, if the catalogue was asked for a different one.
      let names = [listed.name, NamedText(stored.query.typed)?.name].compactMap(\.self)
      let inTable = names.flatMap(\.species)
      if !inTable.isEmpty { return inTable.contains(where: species.listed.contains) }
      if names.compactMap(\.binomial).contains(where: others.contains) { return true }
      // An English name that the table does not have is of the species of the first rows with it.
      return try repository.rows(of: stored.query, in: 0..<Self.rowsWithName).contains { row in
        var recorded = repository.names(of: row)
        if recorded.species == nil {
          recorded.storedSpecies = try repository.speciesInFamily(
            of: recorded, in: row.id.catalogue)
        }
        return species.includes(recorded) && names.contains { $0.isName(of: recorded) }
      }
    }
    return ranked(repository.withoutSample(found))
  }

  /// The rows of a list that are looked at to learn what its name means.
  private static let rowsWithName = 8
}

extension RecordingRepository {
  /// The stored recording that a typed text means by its id, its catalogue number or the address of
  /// its page; `nil` if it is not stored.
  ///
  /// - Parameter catalogue: the only one to look in. Digits alone are a catalogue number only if it
  ///   is given.
  package func recording(typed: String, in catalogue: Catalogue? = nil) throws -> Recording? {
    let catalogues = catalogue.map { [$0] } ?? known
    for id in catalogues.flatMap({ $0.ids(for: typed) }) {
      if let found = try recording(id) { return found }
    }
    let number = catalogues.lazy.compactMap { $0.catalogueNumber(in: typed) }.first ?? typed
    let isWhole = number.first?.isLetter == true
    guard number.canBeCatalogueNumber, isWhole || catalogue != nil,
      let numbered = SearchExpression.number(number)
    else { return nil }
    let found = try search(numbered.and(.sources(catalogues.map(\.id))), window: 0..<20)
    return try found.rows(0..<found.count).first {
      !isWhole || $0.details.catalogNumber?.lowercased() == number.lowercased()
    }?.recording
  }

  /// The stored recordings that a typed text can mean. Digits alone are an id, or the catalogue
  /// number of several sounds.
  package func recordings(typed: String, in catalogue: Catalogue? = nil) throws -> [Recording] {
    let first = try recording(typed: typed, in: catalogue).map { [$0] } ?? []
    guard typed.utf8.allSatisfy(\.isDigit), let numbered = SearchExpression.number(typed) else {
      return first
    }
    let catalogues = catalogue.map { [$0] } ?? known
    let found = try search(numbered.and(.sources(catalogues.map(\.id))), window: 0..<20)
    return try first
      + found.rows(0..<found.count).filter {
        (catalogue != nil || $0.details.catalogNumber == typed)
          && $0.recording.id != first.first?.id
      }.map(\.recording)
  }
}

#endif
