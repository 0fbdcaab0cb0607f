import Chirper
import ChirperModel

extension TypedText {
  /// The stored lists that the text names, the preferred one first; never empty.
  ///
  /// - Parameters:
  ///   - repository: that is looked in.
  ///   - offersFetch: whether the error of one that is not stored says how to fetch it.
  package func lists(in repository: RecordingRepository, offersFetch: Bool = true) throws
    -> [StoredQuery]
  {
    let found = try stored(in: repository)
    guard !found.isEmpty else {
      let stored = try repository.storedQueries().filter {
        catalogue == nil || $0.query.catalogue == catalogue
      }
      let nearest = NearestNames.to(name: text, among: stored.map(\.query.typed))
      var meant = [WordList.meant(nearest.map(\.inQuotes))].compactMap(\.self)
      if meant.isEmpty, offersFetch, let matches = try? self.matches(in: repository) {
        meant = [matches]
      }
      let line = CommandText.line("fetch", text, source: catalogue?.rawValue)
      let fetch =
        meant.isEmpty
        ? "Type: \(line)" : nearest.isEmpty ? "To fetch it: \(line)" : "If not, type: \(line)"
      throw UserFacingError(
        .notFetched, kind: "never-fetched",
        problem: "\(text.inQuotes) was never fetched\(catalogue.map { " from \($0)" } ?? "")",
        hint: (meant + [offersFetch ? fetch : "chirper list shows the stored lists."])
          .joined(separator: nearest.isEmpty ? "\n" : " "))
    }
    return found
  }

  /// The stored lists to read: those that the text names, or else all lists of the species that it
  /// names, and then a sentence that says which they are.
  package func listsToRead(in repository: RecordingRepository) throws -> (
    lists: [StoredQuery], note: String?
  ) {
    let found = try stored(in: repository)
    guard found.isEmpty else { return (found, nil) }
    let others = try listsOfSpecies(in: repository)
    guard !others.isEmpty else { return (try lists(in: repository), nil) }
    let names = others.map { "\($0.query.typed.inQuotes) of \($0.query.catalogue)" }.uniqued
    let lists = names.count == 1 ? "the list" : "the lists"
    return (others, "\(text): \(lists) \(FirstNames(names, limit: 5).phrase)")
  }

  /// The stored lists that the text names, which must be of one catalogue; never empty.
  ///
  /// - Parameter hint: what to do if they are not; given the first of the catalogues.
  package func listsToForget(
    in repository: RecordingRepository, hint: (String) -> String
  ) throws -> [StoredQuery] {
    let found = try lists(in: repository, offersFetch: false)
    let catalogues = Set(found.map(\.query.catalogue.rawValue)).sorted()
    guard catalogues.count > 1 else { return found }
    throw UserFacingError.usage(
      "\(text.inQuotes) is stored from \(WordList.and(catalogues)); nothing was removed",
      hint: hint(catalogues[0]))
  }

  /// The number of stored recordings that match the words, and the command that shows them.
  /// If none matches, the command for a near name; `nil` if no name is near, or if
  /// the text is not a search.
  package func matches(in repository: RecordingRepository) throws -> String? {
    let only = catalogue.map { SearchExpression.sources([$0]) }
    func count(_ search: SearchExpression) throws -> Int {
      // Counted as `chirper search` counts them.
      try repository.search(only.map(search.and) ?? search, distinct: true, window: 0..<0).matched
    }
    func line(_ text: String) -> String {
      CommandText.line("search", text, source: catalogue?.rawValue)
    }
    let matched = try count(repository.searchExpression(text))
    if matched > 0 {
      return
        "\(Plural.words(matched, "stored recording")) \(matched == 1 ? "matches" : "match"). Type: \(line(text))"
    }
    let near = NameSuggestions(near: try repository.names(near: text))
    guard let best = near.best.flatMap(SearchExpression.words), try count(best) > 0 else {
      return nil
    }
    return near.text(for: text, command: line)
  }
}
