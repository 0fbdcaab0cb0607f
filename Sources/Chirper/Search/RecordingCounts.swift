#if Collection

import ChirperModel
import ChirperStore

/// The number of recordings with each value of a detail, or each pair of values of two
/// details.
public struct RecordingCounts: Hashable, Sendable {
  /// Recordings with the same value of each key.
  public struct Row: Hashable, Sendable {
    /// A value of each key, as people read it: `Poland`, `5` for May.
    public var texts: [String] { values.map { $0.text(separator: ", ") ?? "" } }
    /// A value of each key.
    package var values: [DetailColumn.Value] { [first.value] + (second.map { [$0.value] } ?? []) }
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
  /// The names of species for people, by their positions: in the language that rows are shown in, else
  /// in English.
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
    let speciesIndex = keys.firstIndex(of: .species)
    let namesBySpecies =
      try speciesIndex.map { try Self.mergeNames(of: $0, in: &tally, repository, unindexed) } ?? [:]
    let seasons = keys.indices.filter { keys[$0].isSeason }
    var stored: [[CountKey.Group]: Int]?
    if !seasons.isEmpty {
      let everything =
        storedCount == recordings.count
        ? recordings
        : try repository.everything(
          withUnlisted: withUnlisted, distinct: distinct, including: recordings)
      stored =
        if everything == recordings { Self.seasonCounts(seasons, in: tally) } else {
          try Self.seasonCounts(
            Array(seasons.indices),
            in: Self.tally(repository, everything, seasons.map { keys[$0] }).tally)
        }
    }
    var pairs = tally.pairs
    var aboveSpecies = 0
    if let speciesIndex {
      let isSpecies = tally.groups[speciesIndex].map { namesBySpecies[$0.group] != nil }
      aboveSpecies = zip(isSpecies, tally.counts(speciesIndex)).filter { !$0.0 }.map(\.1)
        .reduce(0, +)
      pairs = pairs.filter { isSpecies[speciesIndex == 0 ? $0.first : $0.second] }
    }
    // Of each key the values of the tally's groups, in its order.
    var values: [[Value]] = []
    var namesOfSpecies: [Int: [String]] = [:]
    for (index, key) in keys.enumerated() {
      let groups = tally.groups[index]
      let counts = pairs.reduce(into: [Int](repeating: 0, count: groups.count)) { counts, pair in
        counts[index == 0 ? pair.first : pair.second] += pair.count
      }
      let order = Self.order(of: groups, counts, isText: key.numbers == nil)
      values.append(try Self.values(of: groups, order, key, repository))
      guard index == speciesIndex else { continue }
      namesOfSpecies = try repository.names(
        of: order.map { index in
          let group = groups[index].group
          return namesBySpecies[group].flatMap { $0.map(\.group) == [group] ? nil : $0 }
        }, key)
    }
    let rows =
      if keys.count == 1, let range = keys[0].range {
        Self.allRows(of: keys[0], range, tally, stored)
      } else { Self.pairRows(of: pairs, values, in: tally, seasons, stored) }
    self.init(
      keys: keys, rows: rows, total: tally.total, missing: tally.missing, several: tally.several,
      namesOfSpecies: namesOfSpecies)
    self.aboveSpecies = aboveSpecies
    if let speciesIndex {
      shownNames = try Self.shownNames(
        of: Array(zip(values[speciesIndex], tally.groups[speciesIndex])), repository)
    }
  }

  /// The values of groups, with their positions by `order`, the indices of those that have any.
  private static func values(
    of groups: [CountTally.Counted], _ order: [Int], _ key: CountKey,
    _ repository: RecordingRepository
  ) throws -> [Value] {
    var values = groups.map { _ in Value(value: .none, position: 0) }
    for (position, text) in try repository.texts(of: order.map { groups[$0] }, key).enumerated() {
      values[order[position]] = Value(value: text, position: position)
    }
    return values
  }

  /// A species that no list of names has is called as a recording of it is.
  private static func shownNames(
    of species: [(value: Value, counted: CountTally.Counted)], _ repository: RecordingRepository
  ) throws -> [Int: String] {
    var shown: [Int: String] = [:]
    var positions: [Int64: Int] = [:]
    for (value, counted) in species {
      guard case .text(let scientific) = value.value else { continue }
      let listed =
        try repository.shownNames?.name(ofSpecies: scientific)
        ?? NameTable.species(named: scientific)?.englishName
      if let listed {
        shown[value.position] = listed
      } else if let example = counted.example {
        positions[example] = value.position
      }
    }
    for batch in positions.keys.sorted().batches() {
      for row in try repository.store.recordings(Array(batch), ifStored: true) {
        guard let position = positions[row.key] else { continue }
        shown[position] = repository.details(of: row.recording).vernacularName
      }
    }
    return shown
  }

  /// Counts each name of a species as the accepted one.
  ///
  /// - Returns: The names of each species, by its group; without genera, groups above them and
  ///   hybrids.
  private static func mergeNames(
    of index: Int, in tally: inout CountTally, _ repository: RecordingRepository,
    _ unindexed: [Binomial: [NamedRecording]]
  ) throws -> [CountKey.Group: [CountTally.Counted]] {
    let groups = tally.groups[index]
    let accepted = try repository.acceptedGroups(of: groups.map(\.group), besides: unindexed)
    tally = tally.merging(index) { accepted[$0] ?? $0 }
    return groups.reduce(into: [:]) { names, counted in
      if let group = accepted[counted.group] { names[group, default: []].append(counted) }
    }
  }

  /// The counts of a tally by the groups of seasons, given by their indices in it.
  private static func seasonCounts(
    _ seasons: [Int], in tally: CountTally
  ) -> [[CountKey.Group]: Int] {
    var counts: [[CountKey.Group]: Int] = [:]
    let groups = tally.groups
    if seasons.count > 1 {
      for pair in tally.pairs {
        counts[[groups[0][pair.first].group, groups[1][pair.second].group]] = pair.count
      }
    } else {
      for (counted, count) in zip(groups[seasons[0]], tally.counts(seasons[0])) {
        counts[[counted.group]] = count
      }
    }
    return counts
  }

  /// The indices of groups that have recordings: numbers ascending, texts by their number of
  /// recordings.
  private static func order(
    of groups: [CountTally.Counted], _ counts: [Int], isText: Bool
  ) -> [Int] {
    groups.indices.filter { counts[$0] > 0 }.sorted { left, right in
      if isText, counts[left] != counts[right] { return counts[left] > counts[right] }
      return groups[left].group < groups[right].group
    }
  }

  /// A row for each number of a key, also for those without a recording.
  private static func allRows(
    of key: CountKey, _ range: ClosedRange<Int>, _ tally: CountTally,
    _ stored: [[CountKey.Group]: Int]?
  ) -> [Row] {
    let known = Dictionary(
      uniqueKeysWithValues: zip(tally.groups[0].map(\.group), tally.counts(0)))
    return range.map { number in
      Row(
        count: known[.number(number)] ?? 0, stored: stored.map { $0[[.number(number)]] ?? 0 },
        first: Value(value: key.value(of: number), position: number - range.lowerBound),
        second: nil)
    }
  }

  /// The rows of pairs, in the order of the first key, then of the second.
  private static func pairRows(
    of pairs: [(first: Int, second: Int, count: Int)], _ values: [[Value]], in tally: CountTally,
    _ seasons: [Int],
    _ stored: [[CountKey.Group]: Int]?
  ) -> [Row] {
    let positions = values.map { $0.map(\.position) }
    let ranks = pairs.enumerated().map { index, pair in
      (
        rank: positions[0][pair.first] << 32 | (values.count > 1 ? positions[1][pair.second] : 0),
        index: index
      )
    }
    return ranks.sorted { $0.rank < $1.rank }.map { _, index in
      let pair = pairs[index]
      let groups = seasons.map { tally.groups[$0][$0 == 0 ? pair.first : pair.second].group }
      return Row(
        count: pair.count, stored: stored.map { $0[groups] ?? 0 },
        first: values[0][pair.first], second: values.count > 1 ? values[1][pair.second] : nil)
    }
  }

  /// The values of a row, a species by its name for people.
  package func valuesForPeople(of row: Row) -> [DetailColumn.Value] {
    zip(keys, [row.first, row.second].compactMap(\.self)).map { key, value in
      let name = key == .species ? shownNames[value.position] : nil
      return name.map { .text($0) } ?? value.value
    }
  }

  /// The name of a row's species for people; `nil` if nothing has one.
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
          name.species == nil,
          case let sample = NamedRecording(row, details),
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
  /// The group of the accepted name of each group that is a species.
  fileprivate func acceptedGroups(
    of groups: [CountKey.Group], besides known: [Binomial: [NamedRecording]]
  ) throws -> [CountKey.Group: CountKey.Group] {
    let names = groups.compactMap { group in
      if case .text(let text) = group { Binomial(text).map { (group, $0) } } else { nil }
    }
    let species = try species(named: names.map(\.1), besides: known)
    return names.reduce(into: [:]) { accepted, name in
      accepted[name.0] =
        species[name.1].map { .text(TextFolding.folded($0.scientificName)) } ?? name.0
    }
  }

  /// Everything stored, and what it leaves out of those recordings: the sample, copies, rows in no
  /// list any more.
  fileprivate func everything(
    withUnlisted: Bool, distinct: Bool, including recordings: [Int64]
  ) throws -> [Int64] {
    let results = try search(
      SearchExpression(terms: []), distinct: distinct, findsUnlisted: withUnlisted, preparing: [])
    let counted = Set(recordings)
    var keys = results.reader.keys
    if distinct {
      // Of copies those count that were chosen.
      let copies = try copies()
      keys.removeAll { key in
        !counted.contains(key) && copies.copies(of: key).contains(where: counted.contains)
      }
    }
    return keys + counted.subtracting(keys).sorted()
  }

  /// The texts of the names of species, by the positions of these.
  ///
  /// - Parameter groups: the names of each species; `nil` for one with a single name.
  fileprivate func names(
    of groups: [[CountTally.Counted]?], _ key: CountKey
  ) throws -> [Int: [String]] {
    var texts = try texts(of: groups.flatMap { $0 ?? [] }, key)[...]
    var names: [Int: [String]] = [:]
    for (position, group) in groups.enumerated() {
      guard let group else { continue }
      names[position] = texts.prefix(group.count).compactMap { $0.text() }.sorted()
      texts = texts.dropFirst(group.count)
    }
    return names
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
    // The list of birds spells its species.
    let groups = groups.map { counted in
      guard key == .species, case .text(let name) = counted.group,
        NameTable.species(named: name) != nil
      else { return counted }
      return (counted.group, nil)
    }
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
  package func counts(by keys: [CountKey]) throws -> RecordingCounts {
    try reader.counts(by: keys, of: searched)
  }
}

extension ListReader {
  /// Counts the rows by one key or two; throws as `SearchResults.counts(by:)`.
  ///
  /// - Parameter stored: how many recordings are stored, if that is known.
  package func counts(by keys: [CountKey], of stored: Int? = nil) throws -> RecordingCounts {
    try RecordingCounts(
      repository, self.keys, by: keys, of: stored, withUnlisted: mayHaveUnlisted,
      distinct: isDistinct || !queries.isEmpty)
  }
}

#endif
