import ChirperModel
import ChirperPlatform
import ChirperStore

/// How many recordings have each value of a detail, or each pair of values of two.
public struct RecordingCounts: Hashable, Sendable {
  /// Recordings with the same value of each key.
  public struct Row: Hashable, Sendable {
    /// A value of each key.
    public let values: [ColumnValue]
    /// How many of the recordings have these values.
    public let count: Int
    /// How many of everything stored have the value of the first key that is a part of the year or of the day; `nil` if none is.
    public let stored: Int?
    /// The places of the values in the order of each key.
    package let places: [Int]
  }

  /// One or two.
  public let keys: [CountKey]
  /// In the order of the first key, then of the second: numbers and dates ascending, texts by how many recordings have them. With
  /// one key every month, hour, week, quality and length has a row.
  public let rows: [Row]
  /// Recordings that were counted.
  public let total: Int
  /// Those of them without a value of each key, which are in no row.
  public let missing: [Int]
  /// Those with several values of each key, which are in several rows.
  public let several: [Int]
}

extension RecordingCounts {
  /// - Parameter stored: how many recordings are stored, if that is known.
  init(_ repository: RecordingRepository, _ recordings: [Int64], by keys: [CountKey], of storedCount: Int?) throws {
    let tally = try Self.tally(repository, recordings, keys)
    let season = keys.firstIndex(where: \.isSeason)
    var stored: [CountKey.Group: Int] = [:]
    if let season {
      let everything = storedCount == recordings.count ? recordings : try repository.everything()
      let isCounted = keys.count == 1 && everything.count == recordings.count
      let all = isCounted ? tally : try Self.tally(repository, everything, [keys[season]])
      for pair in all.pairs { stored[all.groups[0][pair.first].group] = pair.count }
    }
    let pairs = tally.pairs
    // What each key has: its groups in their order, with the places of those of the tally.
    var (values, places) = ([[(group: CountKey.Group, value: ColumnValue)]](), [[Int]]())
    for (index, key) in keys.enumerated() {
      var counts = [Int](repeating: 0, count: tally.groups[index].count)
      for pair in pairs { counts[index == 0 ? pair.first : pair.second] += pair.count }
      let used = tally.groups[index].indices.filter { counts[$0] > 0 }
      let order = used.sorted { left, right in
        let (one, other) = (tally.groups[index][left].group, tally.groups[index][right].group)
        if key.numbers == nil, counts[left] != counts[right] { return counts[left] > counts[right] }
        return one < other
      }
      let texts = try repository.texts(of: order.map { tally.groups[index][$0] }, key)
      var place = [Int](repeating: 0, count: counts.count)
      for (rank, group) in order.enumerated() { place[group] = rank }
      values.append(zip(order, texts).map { (tally.groups[index][$0].group, $1) })
      places.append(place)
    }
    let ranked = pairs.map { pair in
      (first: places[0][pair.first], second: keys.count > 1 ? places[1][pair.second] : 0, count: pair.count)
    }.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    // How many are stored, by the place of a value of the season's key.
    let seasonal = season.map { values[$0].map { stored[$0.group, default: 0] } }
    var rows = ranked.map { pair in
      let both = keys.count > 1
      return Row(
        values: both ? [values[0][pair.first].value, values[1][pair.second].value] : [values[0][pair.first].value],
        count: pair.count, stored: seasonal?[season == 0 ? pair.first : pair.second],
        places: both ? [pair.first, pair.second] : [pair.first])
    }
    if keys.count == 1, let range = keys[0].range {
      let known = Dictionary(uniqueKeysWithValues: rows.map { (values[0][$0.places[0]].group, $0) })
      rows = range.map { number in
        let row = known[.number(number)]
        return Row(
          values: [keys[0].value(of: number)], count: row?.count ?? 0,
          stored: season.map { _ in stored[.number(number), default: 0] }, places: [number - range.lowerBound])
      }
    }
    self.init(keys: keys, rows: rows, total: tally.total, missing: tally.missing, several: tally.several)
  }

  private static func tally(
    _ repository: RecordingRepository, _ recordings: [Int64], _ keys: [CountKey]
  ) throws -> CountTally {
    var tally = CountTally(keys)
    let undecided =
      repository.replacesCatalogues ? Array(recordings.indices) : try repository.store.count(recordings, in: &tally)
    for start in stride(from: 0, to: undecided.count, by: RecordingRepository.searchBatch) {
      try Task.checkCancellation()
      let batch = undecided[start...].prefix(RecordingRepository.searchBatch).map { recordings[$0] }
      for row in try repository.store.recordings(batch, ifStored: true) {
        let details = repository.details(of: row.recording)
        tally.add(keys.map { $0.groups(of: details, in: row.recording.id.catalogue) }, key: row.key)
      }
    }
    return tally
  }
}

extension RecordingRepository {
  fileprivate func everything() throws -> [Int64] {
    let results = try search(withoutSample(nil) ?? SearchExpression("source:any", catalogues: []), preparing: [])
    return results.reader.keys[0..<results.count]
  }

  /// The values of groups; texts as the recordings that are examples spell them.
  fileprivate func texts(
    of groups: [(group: CountKey.Group, example: Int64)], _ key: CountKey
  ) throws -> [ColumnValue] {
    // On all cores: there can be thousands of species.
    var texts: [ColumnValue] = []
    let batches = stride(from: 0, to: groups.count, by: Self.searchBatch).lazy.map { groups[$0...].prefix(Self.searchBatch) }
    try ComputedAhead.forEach(of: batches, compute: { try self.texts(of: Array($0), key: key) }) { texts += $0 }
    return texts
  }

  private func texts(of groups: [(group: CountKey.Group, example: Int64)], key: CountKey) throws -> [ColumnValue] {
    let isText = key.numbers == nil
    let rows = isText ? try store.recordings(groups.map(\.example), ifStored: true) : []
    let examples = Dictionary(rows.map { ($0.key, $0.recording) }) { first, _ in first }
    return groups.map { group, example in
      switch group {
      case .number(let number): return key.value(of: number)
      case .text(let folded):
        let text = examples[example].flatMap { key.text(of: folded, in: details(of: $0), $0.id.catalogue) }
        return .text(text ?? folded)
      }
    }
  }
}

extension SearchResults {
  /// Counts the recordings found by one key or two.
  ///
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  public func counts(by keys: [CountKey]) throws -> RecordingCounts { try reader.counts(by: keys, of: searched) }
}

extension ListReader {
  /// Counts the rows by one key or two; throws as `SearchResults.counts(by:)`.
  ///
  /// - Parameter stored: how many recordings are stored, if that is known.
  package func counts(by keys: [CountKey], of stored: Int? = nil) throws -> RecordingCounts {
    try RecordingCounts(repository, self.keys[0..<count], by: keys, of: stored)
  }
}
