#if Collection

import ChirperModel
import ChirperStore

extension RecordingRepository {
  /// A typed search or query with each of the names that its end may become: names of stored
  /// recordings, those with the most recordings first, and the words of stored lists; then names of the
  /// lists that were added for species that are stored; then names of the list of birds, and the others
  /// that were added.
  ///
  /// - Parameter limit: the most texts.
  /// - Throws: `StoreError`, `SearchExpressionError` for a name that is too long for a search, and
  ///   `CancellationError` soon after the task is cancelled.
  package func completions(of text: String, limit: Int = 10) throws -> [String] {
    for beginning in TypedBeginning.all(in: text) {
      let name = beginning.name
      let tag = beginning.tag
      var names = try storedNames(beginningWith: name, tag: tag)
      if tag == nil {
        names += try store.storedQueries().filter { $0.count > 0 }.map(\.query.typed)
      }
      let added = tag == "sp" ? [] : try store.addedNames(beginningWith: name.text, limit: limit)
      names += try added.filter(isOfStored)
      names += NameTable.names(beginningWith: name.text, limit: limit).filter {
        tag == nil || (tag == "sp") == (NameTable.species(named: $0) != nil)
      }
      names += added
      let completed = names.compactMap(beginning.completed).uniqued
      if !completed.isEmpty { return Array(completed.prefix(limit)) }
    }
    return []
  }

  /// Whether recordings are stored of a species that an added list has under that name.
  private func isOfStored(_ name: String) throws -> Bool {
    try store.addedSpecies(named: name).contains { added in
      guard let species = added.binomial?.spelled else { return false }
      let expression = try searchExpression(TagScanner.spelled("sp", "=\(species)", quoted: true))
      return try search(expression, window: 0..<0, takesNamesAsTyped: true, preparing: [])
        .matched > 0
    }
  }

  /// The names of stored recordings that begin so.
  private func storedNames(beginningWith beginning: NameBeginning, tag wanted: String?)
    throws -> [String]
  {
    var names: [(name: String, count: Int)] = []
    for (tag, key) in [("en", CountKey.englishName), ("sp", .scientificName)]
    where wanted == nil || wanted == tag {
      let expression = try searchExpression(
        TagScanner.spelled(tag, beginning.text, quoted: true))
      let found = try search(expression, takesNamesAsTyped: true, preparing: [])
      for row in try found.counts(by: [key]).rows {
        if case .text(let name)? = row.values.first, beginning.isBeginning(of: name) {
          names.append((name, row.count))
        }
      }
    }
    return names.sorted { ($1.count, $0.name) < ($0.count, $1.name) }.map(\.name)
  }
}

#endif
