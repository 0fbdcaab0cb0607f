import ChirperModel
import ChirperPlatform
import ChirperStore

/// The number of recordings with each value of a detail, or each pair of values of two
/// details.
public struct RecordingCounts: Hashable, Sendable {
  /// The details that recordings can be counted by. Countries are one detail, whether it is named
  /// `country` or `countryCode`.
  public static let columns = DetailColumn.allCases.filter { CountKey.counting(by: $0) != nil }

  /// Recordings with the same value of each key.
  public struct Row: Hashable, Sendable {
    /// A value of each key.
    public var values: [DetailColumn.Value] { [first.value] + (second.map { [$0.value] } ?? []) }
    /// The number of recordings with these values.
    public let count: Int
    /// The number of recordings of everything stored with its values of the keys that are
    /// parts of the year or of the day; `nil` if no key is.
    package let stored: Int?
    // No arrays: there can be 100,000 rows.
    package let first: Value
    /// The value of the second key; `nil` if there is only one key.
    package let second: Value?
  }

  /// A value of a key, and its position in the order of the key.
  package struct Value: Hashable, Sendable {
    package let value: DetailColumn.Value
    package let position: Int
  }

  /// The keys that the recordings were counted by, one or two.
  package let keys: [CountKey]
  /// The rows in the order of the first key, then of the second: numbers and dates
  /// ascending, texts by their number of recordings. With one key every month, hour, week,
  /// quality and length has a row.
  public let rows: [Row]
  /// Recordings that were counted.
  public let total: Int
  /// Recordings without a value of each key, which are in no row.
  package let missing: [Int]
  /// Recordings that would count by a genus, a group above it or a hybrid, which are in no row by
  /// species.
  package private(set) var aboveSpecies = 0
  /// Recordings with several values of each key, which are in several rows.
  package let several: [Int]
  /// The names that the recordings of a species have, by its position, where they are not its name
  /// in the list alone.
  var namesOfSpecies: [Int: [String]] = [:]
  /// The names of species in the language that rows are shown in, by their positions.
  package private(set) var shownNames: [Int: String] = [:]
}

extension RecordingCounts {
  /// The most different names of recordings that are kept for one scientific name.
  private static let mostUnindexed = 8

  /// - Parameters:
  ///   - stored: how many recordings are stored, if that is known.
  ///   - withUnlisted: whether those that are in no list any more can be among the recordings.
  ///   - distinct: whether copies of recordings were left out.
  init(
    _ repository: RecordingRepository, _ recordings: [Int64], by keys: [CountKey],
    of storedCount: Int?,
    withUnlisted: Bool, distinct: Bool
  ) throws {
    var (tally, unindexed) = try Self.tally(repository, recordings, keys)
    var namesByGroup: [CountKey.Group: [CountTally.Counted]] = [:]
    let speciesIndex = keys.firstIndex(of: .species)
    if let speciesIndex {
      let groups = tally.groups[speciesIndex]
      let accepted = try repository.acceptedGroups(of: groups.map(\.group), besides: unindexed)
      for counted in groups {
        let group = accepted[counted.group] ?? counted.group
        namesByGroup[group, default: []].append(counted)
      }
      namesByGroup = namesByGroup.filter { $1.map(\.group) != [$0] }
      tally = tally.merging(speciesIndex) { accepted[$0] }
    }
    let seasons = keys.indices.filter { keys[$0].isSeason }
    // By the groups of the seasons.
    var stored: [[CountKey.Group]: Int] = [:]
    if !seasons.isEmpty {
      let everything =
        storedCount == recordings.count
        ? recordings : try repository.everything(withUnlisted: withUnlisted, distinct: distinct)
      let isCounted = everything == recordings
      let all =
        isCounted
        ? tally : try Self.tally(repository, everything, seasons.map { keys[$0] }).tally
      if seasons.count > 1 {
        for pair in all.pairs {
          stored[[all.groups[0][pair.first].group, all.groups[1][pair.second].group]] = pair.count
        }
      } else {
        let index = isCounted ? seasons[0] : 0
        for (counted, count) in zip(all.groups[index], all.counts(index)) {
          stored[[counted.group]] = count
        }
      }
    }
    var pairs = tally.pairs
    var aboveSpecies = 0
    if let speciesIndex {
      let isSpecies = tally.groups[speciesIndex].map { CountKey.isSpecies($0.group) }
      aboveSpecies = zip(isSpecies, tally.counts(speciesIndex)).filter { !$0.0 }.map(\.1)
        .reduce(0, +)
      pairs = pairs.filter { isSpecies[speciesIndex == 0 ? $0.first : $0.second] }
    }
    // Of each key the values of the tally's groups, in its order.
    var values: [[Value]] = []
    var namesOfSpecies: [Int: [String]] = [:]
    for (index, key) in keys.enumerated() {
      let groups = tally.groups[index]
      let isText = key.numbers == nil
      var counts = [Int](repeating: 0, count: groups.count)
      for pair in pairs { counts[index == 0 ? pair.first : pair.second] += pair.count }
      let order = groups.indices.filter { counts[$0] > 0 }.sorted { left, right in
        if isText, counts[left] != counts[right] { return counts[left] > counts[right] }
        return groups[left].group < groups[right].group
      }
      var known = groups.map { _ in Value(value: .none, position: 0) }
      for (position, text) in try repository.texts(of: order.map { groups[$0] }, key).enumerated() {
        known[order[position]] = Value(value: text, position: position)
      }
      values.append(known)
      guard index == speciesIndex, !namesByGroup.isEmpty else { continue }
      let named = order.enumerated().compactMap { position, at in
        namesByGroup[groups[at].group].map { (position, $0) }
      }
      var texts = try repository.texts(of: named.flatMap(\.1), key)[...]
      for (position, names) in named {
        namesOfSpecies[position] = texts.prefix(names.count).compactMap { $0.text() }.sorted()
        texts = texts.dropFirst(names.count)
      }
    }
    let rows: [Row]
    if keys.count == 1, let range = keys[0].range {
      let known = Dictionary(
        uniqueKeysWithValues: zip(tally.groups[0].map(\.group), tally.counts(0)))
      rows = range.map { number in
        Row(
          count: known[.number(number)] ?? 0,
          stored: seasons.isEmpty ? nil : stored[[.number(number)]] ?? 0,
          first: Value(value: keys[0].value(of: number), position: number - range.lowerBound),
          second: nil)
      }
    } else {
      let positions = values.map { $0.map(\.position) }
      let ranks = pairs.enumerated().map { index, pair in
        (
          rank: positions[0][pair.first] << 32 | (keys.count > 1 ? positions[1][pair.second] : 0),
          index: index
        )
      }
      rows = ranks.sorted { $0.rank < $1.rank }.map { _, index in
        let pair = pairs[index]
        let groups = seasons.map { tally.groups[$0][$0 == 0 ? pair.first : pair.second].group }
        return Row(
          count: pair.count, stored: seasons.isEmpty ? nil : stored[groups] ?? 0,
          first: values[0][pair.first],
          second: keys.count > 1 ? values[1][pair.second] : nil)
      }
    }
    self.init(
      keys: keys, rows: rows, total: tally.total, missing: tally.missing, several: tally.several,
      namesOfSpecies: namesOfSpecies)
    self.aboveSpecies = aboveSpecies
    guard let speciesIndex, let names = repository.shownNames else { return }
    for value in values[speciesIndex] {
      guard case .text(let scientific) = value.value else { continue }
      shownNames[value.position] = try names.name(ofSpecies: scientific)
    }
  }

  /// The values of a row, a species by its name in the language that rows are shown in.
  package func valuesForPeople(of row: Row) -> [DetailColumn.Value] {
    zip(keys, [row.first, row.second].compactMap(\.self)).map { key, value in
      let name = key == .species ? shownNames[value.position] : nil
      return name.map { .text($0) } ?? value.value
    }
  }

  /// The name of a row's species in the language that rows are shown in; `nil` if no list has one.
  package func shownName(of row: Row) -> String? {
    species(of: row).flatMap { shownNames[$0.position] }
  }

  /// The names under which the species of a row is stored, if they are not its name in the list
  /// alone.
  package func names(of row: Row) -> [String] {
    species(of: row).flatMap { namesOfSpecies[$0.position] } ?? []
  }

  private func species(of row: Row) -> Value? {
    keys.firstIndex(of: .species).flatMap { $0 == 0 ? row.first : row.second }
  }

  /// The tally, and a few recordings that the index does not have by each name that is not in the
  /// list of birds, if species are counted.
  private static func tally(
    _ repository: RecordingRepository, _ recordings: [Int64], _ keys: [CountKey]
  ) throws -> (tally: CountTally, unindexed: [Binomial: [NamedRecording]]) {
    var tally = CountTally(keys)
    var unindexed = [Binomial: [NamedRecording]]()
    let hasSpecies = keys.contains(.species)
    let undecided = try repository.store.count(recordings, in: &tally)
    for batch in undecided.batches() {
      try Task.checkCancellation()
      for row in try repository.store.recordings(Array(batch), ifStored: true) {
        let details = repository.details(of: row.recording)
        tally.add(keys.map { $0.groups(of: details, in: row.recording.id.catalogue) }, key: row.key)
        guard hasSpecies, let name = details.scientificName.flatMap(Binomial.init),
          NameTable.species(named: name.description) == nil,
          case let sample = NamedRecording(key: row.key, row.recording, details),
          unindexed[name, default: []].count < mostUnindexed,
          unindexed[name]?.contains(where: {
            $0.names == sample.names && $0.alsoIn == sample.alsoIn
          }) != true
        else { continue }
        unindexed[name, default: []].append(sample)
      }
    }
    return (tally, unindexed)
  }
}

extension RecordingRepository {
  /// The group of the accepted species of each group of names that is one.
  fileprivate func acceptedGroups(
    of groups: [CountKey.Group], besides known: [Binomial: [NamedRecording]]
  ) throws -> [CountKey.Group: CountKey.Group] {
    let names = groups.compactMap { group in
      if case .text(let text) = group { Binomial(text).map { (group, $0) } } else { nil }
    }
    let species = try species(named: names.map(\.1), besides: known)
    var accepted: [CountKey.Group: CountKey.Group] = [:]
    for (group, name) in names {
      let found = species[name].map { CountKey.Group.text(TextFolding.folded($0.scientificName)) }
      if let found, found != group { accepted[group] = found }
    }
    return accepted
  }

  fileprivate func everything(withUnlisted: Bool, distinct: Bool) throws -> [Int64] {
    let results = try search(
      SearchExpression(terms: []), distinct: distinct, findsUnlisted: withUnlisted, preparing: [])
    return results.reader.keys[0..<results.count]
  }

  /// The values of groups; texts as their examples spell them.
  fileprivate func texts(of groups: [CountTally.Counted], _ key: CountKey) throws -> [DetailColumn
    .Value]
  {
    // On all cores: there can be thousands of recordists.
    var texts: [DetailColumn.Value] = []
    try ComputedAhead.forEach(of: groups.batches()) {
      try self.texts(of: Array($0), key: key)
    } _: {
      texts += $0
    }
    return texts
  }

  private func texts(of groups: [CountTally.Counted], key: CountKey) throws -> [DetailColumn.Value]
  {
    let keys = groups.compactMap(\.example)
    let rows = keys.isEmpty ? [] : try store.recordings(keys, ifStored: true)
    let examples = Dictionary(rows.map { ($0.key, $0.recording) }) { first, _ in first }
    return groups.map { group, example in
      switch group {
      case .number(let number): return key.value(of: number)
      case .text(let folded):
        guard let example else { return .text(key.defaultText(of: folded) ?? folded) }
        let text = examples[example].flatMap {
          key.text(of: folded, in: details(of: $0), $0.id.catalogue)
        }
        return .text(text ?? folded)
      }
    }
  }
}

extension SearchResults {
  /// Counts the recordings found by one key or two.
  ///
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  func counts(by keys: [CountKey]) throws -> RecordingCounts {
    try reader.counts(by: keys, of: searched)
  }
}

extension ListReader {
  /// Counts the rows by one key or two; throws as `SearchResults.counts(by:)`.
  ///
  /// - Parameter stored: how many recordings are stored, if that is known.
  package func counts(by keys: [CountKey], of stored: Int? = nil) throws -> RecordingCounts {
    try RecordingCounts(
      repository, self.keys[0..<count], by: keys, of: stored, withUnlisted: mayHaveUnlisted,
      distinct: isDistinct)
  }
}
