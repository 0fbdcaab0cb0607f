import Chirper
import ChirperFormats
import ChirperModel

extension TypedText {
  /// The list that is meant, and the other candidates in words. It is the list of the
  /// catalogue that `CHIRPER_SOURCE` names, else the preferred one. If no list has the text, all
  /// lists of the species that it names are meant, and the note says which these are.
  ///
  /// - Parameter command: the command, if it may not choose between catalogues, because a
  ///   sync of one list would change what its line writes; `nil` if a person sees which
  ///   list was chosen.
  /// - Throws: `UserFacingError.usage` if several catalogues, not counting the sample, have
  ///   rows.
  func choice(in repository: RecordingRepository, for command: String?) throws -> (
    stored: [StoredQuery], others: [String], note: String?
  ) {
    var (all, note) = try listsToRead(in: repository)
    if let note { return (all, [], note) }
    let real = Set(
      all.filter { $0.count > 0 && $0.query.catalogue != Catalogues.defaultWithoutKey.id }.map(
        \.query.catalogue.rawValue))
    if let name = ProcessEnvironment.live["CHIRPER_SOURCE"],
      let first = all.firstIndex(where: { $0.count > 0 && $0.query.catalogue.rawValue == name })
    {
      all.insert(all.remove(at: first), at: 0)
    } else if let command, real.count > 1 {
      let names = real.sorted()
      throw UserFacingError.usage(
        "\(text.inQuotes) is stored from \(WordList.and(names))",
        hint:
          "Type \(WordList.or(names.map { CommandText.line(command, "\($0):\(text)") }))"
      )
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
}
