import Chirper

extension WordMatches {
  /// The number of recordings, or the names that were probably meant, and the command that finds
  /// them.
  package var line: String? {
    func command(_ text: String) -> String {
      CommandText.line("search", text, source: catalogue?.rawValue)
    }
    guard count > 0 else { return suggestions.text(for: text, command: command) }
    let matching = "\(Plural.words(count, "stored recording")) \(count == 1 ? "matches" : "match")"
    return "\(matching). Type: \(command(text))"
  }
}

extension SelectionError.UnknownList {
  /// The commands that find it, or fetch or import it.
  var typing: String {
    let isImported = catalogue.flatMap { Catalogues.named($0) }?.isImportedOnly == true
    let verb = isImported ? "import" : "fetch"
    let command =
      isImported
      ? CommandText.importing(as: text)
      : CommandText.line("fetch", text, source: catalogue?.rawValue)
    if !nearest.isEmpty { return "If not, type: \(command)" }
    return matches?.line.map { "\($0)\nTo \(verb) it: \(command)" } ?? "Type: \(command)"
  }
}

extension TypedText {
  /// The stored lists that the text names, which must be of one catalogue; never empty. A catalogue
  /// where nothing was found does not count beside others.
  ///
  /// - Parameter hint: what to do if they are not; given the first of the catalogues.
  package func listsToForget(
    in repository: RecordingRepository, hint: (String) -> String
  ) throws -> [StoredQuery] {
    var found: [StoredQuery]
    do {
      found = try lists(in: repository)
    } catch SelectionError.neverFetched(let list) {
      let error = SelectionError.neverFetched(list)
      let meant = [error.presentation.advice, "chirper list shows the stored lists."]
      throw UserFacingError(error).with(hint: meant.joinedTexts())
    }
    let listed = Set(found.filter { !$0.isMiss }.map(\.query.catalogue))
    if !listed.isEmpty { found.removeAll { !listed.contains($0.query.catalogue) } }
    let catalogues = Set(found.map(\.query.catalogue.rawValue)).sorted()
    guard catalogues.count > 1 else { return found }
    throw UserFacingError.usage(
      "\(text.inQuotes) is stored from \(WordList.and(catalogues)); nothing was removed",
      hint: hint(catalogues[0]))
  }
}
