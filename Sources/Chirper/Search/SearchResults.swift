#if Collection

import ChirperModel
import ChirperStore

/// The results of a search of everything stored: counts, and recordings to be read in
/// batches. It keeps their keys, and no lock.
package struct SearchResults: Sendable {
  /// Recordings that were looked at: all that are stored.
  package fileprivate(set) var searched = 0
  /// Recordings found, by catalogue; of `Rows` those that are chosen.
  package internal(set) var matchedByCatalogue: [CatalogueID: Int] = [:]
  /// Further recordings that satisfy the search and are left out, because they are in no list any
  /// more.
  package fileprivate(set) var unlisted = 0
  /// Further recordings that satisfy the search and are left out, because they are copies of
  /// recordings found.
  package fileprivate(set) var leftOutCopies = 0
  /// The scientific names under which recordings of a bird that was named are found too.
  package fileprivate(set) var otherNames: [String] = []
  /// The search, with the term that leaves out the sample's recordings.
  let expression: SearchExpression
  /// The recordings that can be read.
  package fileprivate(set) var reader: ListReader
  fileprivate var repository: RecordingRepository { reader.repository }

  /// Recordings found.
  package var matched: Int { matchedByCatalogue.values.reduce(0, +) }

  /// The catalogues of the recordings found, in the order of
  /// `RecordingRepository.known`; catalogues that it does not have come last.
  package var catalogues: [CatalogueID] {
    let known = repository.known.map(\.id).filter { matchedByCatalogue[$0] != nil }
    return known
      + matchedByCatalogue.keys.filter { !known.contains($0) }.sorted { $0.rawValue < $1.rawValue }
  }

  /// The catalogue of that id, if the repository has it.
  package func catalogue(_ id: CatalogueID) -> Catalogue? { repository.catalogue(id) }

  /// The number of recordings that can be read: those found, or those in the window that was
  /// asked for.
  package var count: Int { reader.count }

  /// The recordings at those positions, from 0, cut to the end; throws `.recordingForgotten` if one
  /// was deleted meanwhile, or changed so that the search no longer finds it.
  package func rows(_ range: Range<Int>) throws(StoreError) -> [RecordingRow] {
    try reader.rows(range, with: [.details, .lists, .audio])
  }
}

extension RecordingRepository {
  /// Searches every stored recording, of all lists and catalogues, each once. A name of a bird
  /// finds it under every name that it is stored as (`SearchResults.otherNames`). Recordings
  /// that are in no list any more are left out and counted, unless the expression asks for
  /// them (`gone:yes`, `gone:any`, `in:none`) or for a catalogue number. Recordings of the
  /// built-in catalogue, which are made up, are left out if real ones are stored, unless the
  /// expression asks for a catalogue or a list (`source:any`).
  ///
  /// The index decides about most recordings; the rest are read. No lock is held between
  /// segments and batches, so a fetch can go on meanwhile; each recording counts as it was
  /// when it was read. Memory does not grow with the store.
  ///
  /// - Parameters:
  ///   - expression: the search that recordings must satisfy.
  ///   - sort: keys, the most important first; without keys, the recordings that were
  ///     stored first come first.
  ///   - ranked: whether recordings with the bare words in a name come first, then those
  ///     with the words in the type, the place or the recordist. The sort keys order the
  ///     recordings of one rank.
  ///   - distinct: leaves out each copy (`alsoIn`) of a recording that is found too.
  ///   - window: the recordings to keep for `SearchResults.rows`, by position from 0; all
  ///     if `nil`.
  ///   - findsUnlisted: whether recordings that are in no list any more are found too,
  ///     whatever the expression says.
  ///   - takesNamesAsTyped: whether a name of a bird finds that name only.
  ///   - contents: what the reader is prepared to read of the recordings found.
  ///   - progress: called after each batch, on the thread of the search, with about the number of
  ///     recordings that were looked at, and that of all.
  /// - Throws: `SearchExpressionError` for a list that is not stored, `StoreError`, and
  ///   `CancellationError` soon after the task is cancelled.
  package func search(
    _ expression: SearchExpression, sort: [SortKey] = [], ranked: Bool = false,
    distinct: Bool = false, window: Range<Int>? = nil,
    findsUnlisted: Bool = false, takesNamesAsTyped: Bool = false,
    preparing contents: RowContents = [.details, .lists, .audio],
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> SearchResults {
    let expression = try withoutSample(expression)
    let matcher = try StoredMatcher(
      expression, in: self, leavesOutUnlisted: !findsUnlisted, takesNamesAsTyped: takesNamesAsTyped)
    let lastKey = max(1, try store.lastKey())
    var results = SearchResults(
      expression: expression, reader: ListReader(matcher))
    results.otherNames = matcher.otherNames
    let keys = sort.map { SortKey.Resolved($0, in: catalogues) }
    try results.reader.prepare(for: keys.reduce(into: contents) { $0.formUnion($1.contents) })
    let copies = distinct ? try copiesToLeaveOut(of: matcher) : []
    results.reader.isDistinct = distinct
    let isRanked = ranked && expression.hasBareWords
    let window = window ?? 0..<Int.max
    var pass = SearchPass(
      results, matcher, sort, keys, isRanked: isRanked, window: window, leavingOut: copies)
    let limit = isRanked ? .max : keys.limit(of: window, by: sort)
    let columns = keys.compactMap(\.indexed)
    let hasValues = columns.count == sort.count
    var key = Int64.min
    while true {
      try Task.checkCancellation()
      switch try store.find(
        matcher.matcher, after: key, columns: hasValues ? columns.flatMap(\.self) : nil,
        limit: limit, ranked: isRanked, leavingOut: copies)
      {
      case .segment(let answer):
        try pass.add(answer)
        key = answer.lastKey
      case .scan(let through):
        let rows = try store.recordings(
          after: key, through: through, limit: Recording.batch, withLists: pass.needsLists,
          asksWhetherListed: matcher.matcher.leavesOutUnlisted)
        for row in rows { try pass.add(row) }
        if rows.isEmpty, through == .max { return pass.finish() }
        key = rows.count < Recording.batch && through < .max ? through : rows.last?.key ?? through
      }
      progress(Int(min(key, lastKey)), Int(lastKey))
    }
  }

  /// The stored recordings with those ids, in the order as stored, as a search finds them.
  func results(of ids: [RecordingID]) throws -> SearchResults {
    let expression = SearchExpression(terms: [])
    var results = SearchResults(
      expression: expression,
      reader: ListReader(try StoredMatcher(expression, in: self)))
    var keys: [Int64] = []
    for case (let id, let key?) in zip(ids, try store.keys(of: ids)) where !keys.contains(key) {
      keys.append(key)
      results.matchedByCatalogue[id.catalogue, default: 0] += 1
    }
    results.searched = keys.count
    results.reader = results.reader.with(keys.sorted())
    return results
  }

  /// The keys of the copies whose originals a search finds, ascending. Only originals are looked
  /// at.
  private func copiesToLeaveOut(of matcher: StoredMatcher) throws -> [Int64] {
    let copies = try copies()
    guard !copies.isEmpty else { return [] }
    let originals = copies.originals
    let reader = ListReader(matcher).with(originals)
    return copies.leftOut(
      ifShown: try reader.positions(matching: matcher, listed: true).map { originals[$0] })
  }
}

/// A search under way: gathers what the index decides, and decides the rows that are read.
private struct SearchPass {
  private var results: SearchResults
  private let matcher: StoredMatcher
  let needsLists: Bool
  private let keys: [SortKey.Resolved]
  /// Computes the details that the search asks about, and those that have the values of the sort
  /// keys.
  private let details: @Sendable (Recording) -> RecordingDetails
  private let isRanked: Bool
  /// The keys of recordings that are left out, ascending.
  private let leftOut: [Int64]
  private var found: RankedKeys

  init(
    _ results: SearchResults, _ matcher: StoredMatcher, _ sort: [SortKey],
    _ keys: [SortKey.Resolved], isRanked: Bool, window: Range<Int>, leavingOut leftOut: [Int64]
  ) {
    self.leftOut = leftOut
    self.isRanked = isRanked
    self.results = results
    self.matcher = matcher
    self.keys = keys
    details =
      keys.isEmpty
      ? matcher.details
      : results.repository.details(for: matcher.matcher.columns.union(keys.details))
    found = RankedKeys(sort, window: window)
    needsLists = matcher.needsLists || keys.contains { $0.contents.contains(.lists) }
  }

  /// Adds a recording that the index does not decide, if it satisfies the search.
  mutating func add(_ row: StoredRecording) throws(StoreError) {
    results.searched += 1
    var details = details(row.recording)
    guard matcher.matches(row, details) else { return }
    let isNumbered = matcher.matcher.isNumbered(details)
    guard !matcher.matcher.leavesOutUnlisted || !row.isUnlisted || isNumbered else {
      results.unlisted += 1
      return
    }
    guard leftOut[leftOut.firstPosition { $0 >= row.key }...].first != row.key else {
      results.leftOutCopies += 1
      return
    }
    results.matchedByCatalogue[row.recording.id.catalogue, default: 0] += 1
    let rank =
      isRanked
      ? matcher.matcher.rank(of: details) : isNumbered && keys.isEmpty ? .number : .remarks
    let sorted = keys.isEmpty ? nil : try sortable(row, &details)
    found.append(row.key, rank) { [keys] in
      sorted.map(keys[$0].value(of:)) ?? .nothing
    }
  }

  private func sortable(
    _ row: StoredRecording, _ details: inout RecordingDetails
  ) throws(StoreError) -> RecordingRow {
    try results.reader.setShownName(&details, row)
    return try results.reader.row(row, details)
  }

  /// The values of the sort keys of recordings that the index finds and does not order.
  private func values(of found: [Int64]) throws -> [Int64: [SortKey.Value]] {
    var values: [Int64: [SortKey.Value]] = [:]
    for batch in found.batches() {
      try Task.checkCancellation()
      for row in try results.repository.store.recordings(Array(batch), ifStored: true) {
        var details = details(row.recording)
        let sorted = try sortable(row, &details)
        values[row.key] = keys.map { $0.value(of: sorted) }
      }
    }
    return values
  }

  /// Adds the recordings of a segment that satisfy the search; reads those that the index cannot
  /// decide.
  mutating func add(_ answer: SegmentAnswer) throws {
    let order = try IndexedOrder(
      keys, answer.values, count: answer.certain.count, results.repository.shownNames)
    let read = try values(of: order.unknown.map { answer.certain[$0] })
    results.searched += answer.decidedCount
    results.unlisted += answer.unlisted
    results.leftOutCopies += answer.leftOut
    for (catalogue, count) in answer.counts {
      results.matchedByCatalogue[catalogue, default: 0] += count
    }
    var next = 0
    func addCertain(before key: Int64) {
      let end = answer.certain[next...].firstPosition { $0 >= key }
      for position in next..<end {
        let rank = isRanked ? answer.ranks[position] : .remarks
        found.append(answer.certain[position], rank) {
          read[answer.certain[position]]?[$0] ?? .init(order.values[$0], at: position)
        }
      }
      next = end
    }
    for batch in answer.undecided.batches() {
      try Task.checkCancellation()
      for row in try results.repository.store.recordings(
        Array(batch), ifStored: true, withLists: needsLists,
        asksWhetherListed: matcher.matcher.leavesOutUnlisted)
      {
        addCertain(before: row.key)
        try add(row)
      }
    }
    addCertain(before: .max)
  }

  consuming func finish() -> SearchResults {
    results.reader = results.reader.with(found.keys())
    return results
  }
}

/// Gathers the keys of found recordings by their ranks, and those of one rank in the order
/// asked for.
struct RankedKeys {
  private let window: Range<Int>
  /// The keys that can be in the window, by rank.
  private var ranks: [KeySorter]

  init(_ sort: [SortKey], window: Range<Int>) {
    self.window = window
    ranks = WordRank.allCases.map { _ in KeySorter(sort, window: 0..<window.upperBound) }
  }

  /// - Parameter value: reads the value of the sort key with that index.
  mutating func append(_ key: Int64, _ rank: WordRank, _ value: (Int) -> SortKey.Value) {
    ranks[rank.rawValue].append(key, value)
  }

  consuming func keys() -> [Int64] { ranks.flatMap { $0.keys() }.within(window) }
}

extension ListReader {
  /// The positions, whose rows satisfy the search, by rank; within a rank their order stays. The
  /// index knows most ranks; the other rows are read.
  ///
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  package func ranked(_ positions: [Int], by matcher: StoredMatcher) throws -> [Int] {
    guard !matcher.matcher.terms.bareWords.isEmpty else { return positions }
    let keys = positions.map { self.keys[$0] }
    var ranks = try store.ranks(matcher.matcher, of: keys)
    let unknown = ranks.indices.filter { ranks[$0] == nil }
    for batch in unknown.batches() {
      try Task.checkCancellation()
      for (index, row) in zip(batch, try store.recordings(batch.map { keys[$0] })) {
        ranks[index] = matcher.matcher.rank(of: matcher.details(row.recording))
      }
    }
    return WordRank.allCases.flatMap { rank in
      positions.indices.filter { ranks[$0] == rank }.map { positions[$0] }
    }
  }
}

#endif
