#if Collection

import ChirperModel
import ChirperStore

/// Decides which stored recordings satisfy a search expression. The lists that it names and the
/// downloaded audio are looked up once.
package struct StoredMatcher: Sendable {
  /// Decides about the details alone.
  let matcher: SearchMatcher
  /// The expression with the other names of what it names.
  let expression: SearchExpression
  let repository: RecordingRepository
  /// The scientific names that it finds besides those that were typed, as they are spelled.
  package let otherNames: [String]
  /// Computes the details of a recording that the search asks about.
  let details: @Sendable (Recording) -> RecordingDetails
  private let downloadedAudio: DownloadedAudio
  let needsLists: Bool

  /// A matcher for rows of that repository; throws `SearchExpressionError` for a list that is not
  /// stored, and `StoreError`.
  ///
  /// - Parameters:
  ///   - rowsOf: the rows are of those lists; `nil` for everything stored.
  ///   - leavesOutUnlisted: whether recordings that are in no list do not match.
  ///   - takesNamesAsTyped: whether a name of a bird finds that name only.
  package init(
    _ expression: SearchExpression, in repository: RecordingRepository,
    rowsOf queries: [CatalogueQuery]? = nil,
    leavesOutUnlisted: Bool = false, takesNamesAsTyped: Bool = false
  ) throws {
    let (expression, others) =
      takesNamesAsTyped ? (expression, []) : try repository.withOtherNames(expression)
    otherNames = others
    self.expression = expression
    self.repository = repository
    needsLists = expression.asksForLists
    downloadedAudio = repository.audio.downloadedFiles(
      of: expression.asksForAudio ? repository.known.map(\.id) : [])
    let numbers = needsLists ? try repository.store.listNumbers() : [:]
    var lists: [ListName: Set<Int64>] = [:]
    for name in expression.listNames {
      let named = try repository.lists(named: name)
      lists[name] = Set(numbers.filter { named.contains($0.value) }.keys)
    }
    matcher = try SearchMatcher(
      expression, now: repository.dependencies.now(), lists: lists,
      searched: queries.map { queries in Set(numbers.filter { queries.contains($0.value) }.keys) },
      leavesOutUnlisted: leavesOutUnlisted, storedNames: Set(numbers.values.map(\.typed)).sorted())
    details = repository.details(for: matcher.columns)
  }

  func matches(_ row: StoredRecording, _ details: RecordingDetails? = nil) -> Bool {
    var context = SearchContext(catalogue: row.recording.id.catalogue)
    context.fields = row.recording.fields
    context.lists = row.lists
    context.leftLists = row.leftLists
    context.entered = row.entered
    context.changedAt = row.changedAt
    context.isAudioDownloaded = downloadedAudio.contains(row.recording.id)
    return matcher.matches(details ?? self.details(row.recording), context)
  }
}

extension RecordingRepository {
  /// The expression that finds the stored recordings of each bird that it names, under whichever
  /// name they are stored, and the scientific names that were added.
  func withOtherNames(_ typed: SearchExpression) throws -> (
    expression: SearchExpression, others: [String]
  ) {
    var expression = typed
    var others = [String]()
    let added = try speciesInAddedLists(of: typed)
    var whole: TypedName?
    for name in typed.typedNames(isAdded: { added[$0] != nil }) {
      if let whole, name.isPart(of: whole) { continue }
      let (species, found) = try species(
        named: name, addedAs: added[TextFolding.foldedLetters(name.text), default: []])
      if name.isAllWords, !species.listed.isEmpty { whole = name }
      var names = found
      if name.isOfOtherSpecies {
        names.formUnion(species.listed.compactMap { Binomial($0.scientificName) })
        if let own = name.binomial { names.remove(own) }
      }
      let sorted = names.sorted { $0.description < $1.description }
      expression = expression.finding(sorted, for: name)
      for other in sorted.map(\.spelled) where !others.contains(other) { others.append(other) }
    }
    return (expression, others)
  }

  /// The species of the names in an expression that the user's lists of names have, and those that
  /// lists of recordings were found by, by the letters of the names.
  private func speciesInAddedLists(
    of typed: SearchExpression
  ) throws(StoreError) -> [String: [AddedSpecies]] {
    var texts: Set<String> = []
    _ = typed.typedNames { text in
      texts.insert(text)
      return false
    }
    guard !texts.isEmpty else { return [:] }
    let added = try store.hasNameLists() ? store.addedSpecies(named: texts) : [:]
    return added.merging(try speciesOfLists(named: texts), uniquingKeysWith: +)
  }

  /// The species whose recordings lists have because those words were typed: what a catalogue has
  /// looked up for them, or the species under whose other name it has found something.
  private func speciesOfLists(
    named texts: Set<String>
  ) throws(StoreError) -> [String: [AddedSpecies]] {
    var species: [String: [AddedSpecies]] = [:]
    for list in try store.listNumbers().values {
      guard let words = NamedText(list.typed)?.name.text,
        case let letters = TextFolding.foldedLetters(words), texts.contains(letters)
      else { continue }
      let looked = fetcher(list.catalogue)?.knownNames(of: list, stored: list.requestText)?.lookup
      var names = looked?.taxa.map(\.name) ?? []
      if list.otherName != nil, let asked = NamedText(list.identity)?.name {
        names += asked.species.map(\.scientificName)
      }
      species[letters, default: []] += names.map { AddedSpecies(listed: $0, english: nil) }
    }
    return species
  }
}

#endif
