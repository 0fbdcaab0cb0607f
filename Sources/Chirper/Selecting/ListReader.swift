#if Collection

import ChirperModel
import ChirperStore
import Foundation

extension ListReader {
  /// The recordings of a list that a reader reads.
  package enum Part: Hashable, Sendable {
    /// The rows of the list, in its order.
    case rows
    /// The rows that entered the list at that moment or later, in its order. Recordings that
    /// were there when the list, or the page, was first read are not new.
    case new(since: Date)
    /// The rows whose recordings changed at that moment or later, in the list's order.
    case changed(since: Date)
    /// The recordings that left the list, because a finished walk did not find them; the latest
    /// first.
    case gone

    /// The event by which the recordings are chosen, and the earliest time of it; `nil` for the
    /// whole list.
    fileprivate var event: (kind: ListEvent, since: Date)? {
      switch self {
      case .rows: nil
      case .new(let since): (.entered, since)
      case .changed(let since): (.changed, since)
      case .gone: (.left, .distantPast)
      }
    }

    /// The column with the dates that `ListReader.dates` returns; `nil` for the whole list.
    package var dateColumn: RecordingColumn? {
      switch self {
      case .rows: nil
      case .new: .enteredAt
      case .changed: .changedAt
      case .gone: .goneAt
      }
    }
  }
}

/// Rows of lists, or the results of a search, as they were when the reader was made, read
/// in batches. It keeps their keys, and no lock: a reader that waits on its own output blocks
/// nobody.
package struct ListReader: Sendable {
  let repository: RecordingRepository
  /// Whether copies of recordings that are among the rows were left out.
  var isDistinct = false
  /// The lists; none for the results of a search.
  let queries: [CatalogueQuery]
  private let part: Part
  private(set) var keys: [Int64] = []
  /// The error of a damaged database, because of which it has fewer rows than the lists;
  /// `nil` if it has all.
  package private(set) var damage: StoreError?
  /// The search that a row must still satisfy when it is read.
  private var matcher: StoredMatcher?
  private var lists: [Int64: CatalogueQuery] = [:]
  private var downloadedAudio: DownloadedAudio?
  private var copies = RecordingCopies.none
  private var species = RowSpecies(copies: .none)
  /// Computes the details of a recording that are read.
  private var details: @Sendable (Recording) -> RecordingDetails
  var store: RecordingStore { repository.store }

  /// A reader of the rows of lists as they are now, one list after the other, each recording once.
  ///
  /// - Parameters:
  ///   - queries: the queries of the lists.
  ///   - part: the rows of the lists, the rows that are new or changed, or the recordings
  ///     that left them.
  ///   - sort: keys, the most important first; without keys the rows have the order of the
  ///     part.
  ///   - window: the positions of the rows to read, from 0 and in the order asked for; `nil` for
  ///     all. Without keys it is of one list.
  package init(
    _ repository: RecordingRepository, _ queries: [CatalogueQuery], part: Part = .rows,
    sort: [SortKey] = [], window: Range<Int>? = nil
  ) throws(StoreError) {
    self.repository = repository
    details = repository.details(of:)
    self.queries = queries
    self.part = part
    var seen: Set<Int64> = []
    for query in queries {
      let read =
        if let event = part.event {
          try store.readableKeys(of: query, event.kind, since: event.since)
        } else { try store.readableKeys(of: query, in: sort.isEmpty ? window : nil) }
      let own = read.keys
      damage = damage ?? read.damage
      guard queries.count > 1 else {
        keys = part == .rows || !sort.isEmpty ? own : window.map(own.within) ?? own
        break
      }
      for key in own where seen.insert(key).inserted { keys.append(key) }
    }
    if !sort.isEmpty { keys = try sortedKeys(by: sort, window: window ?? 0..<Int.max) }
  }

  /// The rows of a search, without recordings at first.
  init(_ matcher: StoredMatcher) {
    repository = matcher.repository
    details = repository.details(of:)
    queries = []
    part = .rows
    self.matcher = matcher
  }

  /// Whether recordings that are in no list any more can be among its rows.
  var mayHaveUnlisted: Bool {
    matcher.map { !$0.matcher.leavesOutUnlisted || !$0.matcher.numbers.isEmpty }
      ?? (part == .gone || queries.isEmpty)
  }

  /// Rows to be read.
  package var count: Int { keys.count }

  /// A reader of the rows at those positions alone, in that order.
  package func subset(at positions: [Int]) -> ListReader {
    with(positions.filter(keys.indices.contains).map { keys[$0] })
  }

  /// The rows that are one of those recordings, in this order.
  func including(_ ids: some Collection<RecordingID>) throws(StoreError) -> ListReader {
    let chosen = Set(try store.keys(of: Array(ids)).compactMap(\.self))
    return with(keys.filter(chosen.contains))
  }

  /// The latitude and longitude of each row in degrees; `nan` for a row without a coordinate.
  /// The index has the numbers of most rows; the rest are read.
  ///
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  func coordinates() throws -> [SIMD2<Float>] {
    let (values, missing) = try store.values(in: [.decimalLatitude, .decimalLongitude], of: keys)
    var coordinates = keys.indices.map {
      SIMD2(Float(values[0].number(at: $0)), Float(values[1].number(at: $0)))
    }
    let details = repository.details(for: [.decimalLatitude])
    for batch in missing.batches() {
      try Task.checkCancellation()
      for (position, row) in zip(batch, try store.recordings(batch.map { keys[$0] })) {
        let coordinate = details(row.recording).coordinate
        coordinates[position] =
          coordinate.map { SIMD2(Float($0.latitude), Float($0.longitude)) } ?? SIMD2(.nan, .nan)
      }
    }
    return coordinates
  }

  /// A reader of the rows that satisfy the condition, each of which is read with `contents`, for
  /// which the reader must be prepared.
  ///
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  func filtered(
    with contents: RowContents, by isIncluded: (RecordingRow) -> Bool
  ) throws -> ListReader {
    var included: [Int] = []
    for positions in (0..<count).batches() {
      try Task.checkCancellation()
      for (position, row) in zip(positions, try rows(positions, with: contents))
      where isIncluded(row) {
        included.append(position)
      }
    }
    return subset(at: included)
  }

  /// A reader of those recordings.
  func with(_ keys: [Int64]) -> ListReader {
    var reader = self
    reader.keys = keys
    return reader
  }

  /// The recordings at those positions, from 0, cut to the end; throws `.recordingForgotten` if one
  /// was deleted meanwhile.
  package func rows(_ range: Range<Int>) throws(StoreError) -> [Recording] {
    try store.recordings(keys.within(range)).map(\.recording)
  }

  /// The dates of the rows at a range of positions, UTC: when they entered the list, `nil`
  /// for rows that its first reading found. If the reader reads recordings that are gone,
  /// when they left it; if it reads changed rows, when they changed last. The range is cut
  /// to the end.
  package func dates(_ range: Range<Int>) throws(StoreError) -> [Date?] {
    try dates(of: keys.within(range))
  }

  private func dates(of keys: [Int64]) throws(StoreError) -> [Date?] {
    let event = part.event?.kind ?? .entered
    var latest: [Date?] = keys.map { _ in nil }
    for query in queries {
      for (index, date) in try store.dates(event, of: keys, in: query).enumerated() {
        latest[index] = [latest[index], date].compactMap(\.self).max()
      }
    }
    return latest
  }

  /// Looks up the facts that these contents of all rows have in common: the names of the
  /// lists, the files of downloaded audio.
  ///
  /// - Parameter columns: the only ones of the details that are read; all if `nil`.
  package mutating func prepare(
    for contents: RowContents, details columns: Set<DetailColumn>? = nil
  ) throws(StoreError) {
    if contents.contains(.lists) { lists = try store.listNumbers() }
    if contents.contains(.copies) { copies = try repository.copies() }
    let decidesSpecies = contents.contains(.species) || repository.shownNames != nil
    if decidesSpecies { species = RowSpecies(copies: try repository.copies()) }
    if contents.contains(.audio) {
      downloadedAudio = repository.audio.downloadedFiles(of: repository.known.map(\.id))
    }
    // A row of a search must still satisfy it.
    guard let columns, matcher == nil else { return }
    details = repository.details(
      for: columns.union(decidesSpecies ? RecordedNames.columns : []))
  }

  /// Whether a row can have downloaded audio; `false` unless the reader is prepared for audio.
  var mayHaveAudio: Bool { downloadedAudio?.isEmpty == false }

  /// The rows at those positions, from 0, cut to the end, with these contents, for which the
  /// reader must be prepared. The rows of a search have their details too.
  ///
  /// - Throws: `.recordingForgotten` if a recording was deleted meanwhile, or changed so that the
  ///   search no longer finds it.
  package func rows(
    _ range: Range<Int>, with contents: RowContents
  ) throws(StoreError) -> [RecordingRow] {
    var rows: [RecordingRow] = []
    try forEachRow(keys.within(range), with: contents) { rows.append($0) }
    return rows
  }

  /// Calls `body` with each of the rows that `rows(_:with:)` returns: rows with their details are
  /// large, so an array of them is slow.
  package func forEachRow(
    _ range: Range<Int>, with contents: RowContents, _ body: (RecordingRow) -> Void
  ) throws(StoreError) {
    try forEachRow(keys.within(range), with: contents, body)
  }

  private func forEachRow(
    _ keys: [Int64], with contents: RowContents, _ body: (RecordingRow) -> Void
  ) throws(StoreError) {
    let dates = contents.contains(.dates) ? try dates(of: keys) : []
    let withLists = contents.contains(.lists) || matcher?.needsLists == true
    for (index, row) in try store.recordings(keys, withLists: withLists).enumerated() {
      let hasDetails = contents.contains(.details) || matcher != nil
      var details = hasDetails ? details(row.recording) : RecordingDetails()
      if contents.contains(.species) { try species.decide(&details, row, in: repository) }
      if hasDetails { try setShownName(&details, row) }
      if matcher?.matches(row, details) == false { throw StoreError(.recordingForgotten) }
      body(try self.row(row, details, dates.isEmpty ? nil : dates[index]))
    }
  }

  /// Sets the name in the language that rows are shown in, if one was chosen.
  func setShownName(
    _ details: inout RecordingDetails, _ row: StoredRecording
  ) throws(StoreError) {
    guard let names = repository.shownNames else { return }
    try species.decide(&details, row, in: repository)
    details.shownName = try names.name(of: details)
  }

  func row(
    _ row: StoredRecording, _ details: consuming RecordingDetails, _ date: Date? = nil
  ) throws(StoreError) -> RecordingRow {
    var copies: [RecordingID] = []
    let keys = self.copies.copies(of: row.key)
    if !keys.isEmpty { copies = try store.ids(of: keys) }
    return RecordingRow(
      recording: row.recording, details: details,
      lists: row.lists.sorted().compactMap { lists[$0] },
      leftLists: row.leftLists.sorted().compactMap { lists[$0] },
      audioPath: downloadedAudio?.path(of: row.recording.id),
      hidesAudioPath: repository.hidesAudioPaths, firstSeenAt: row.storedAt,
      fieldsSince: row.fieldsSince, date: date, copies: copies)
  }

  /// The positions of the rows that satisfy a search, ascending. The index decides about
  /// most rows; the rest are read.
  ///
  /// - Parameters:
  ///   - listed: whether the rows that the matcher leaves out, because they are in no list
  ///     any more, do not satisfy it.
  ///   - report: called after every batch of rows that was read, with a function that
  ///     returns the positions so far.
  /// - Throws: the errors of `rows` and of `report`, and `CancellationError` soon after the
  ///   task is cancelled.
  package func positions(
    matching matcher: StoredMatcher, listed: Bool = false,
    report: (_ found: () -> [Int]) throws -> Void = { _ in }
  ) throws -> [Int] {
    var (found, undecided) = try store.find(matcher.matcher, in: keys, listed: listed)
    for batch in undecided.batches() {
      try Task.checkCancellation()
      let rows = try store.recordings(
        batch.map { keys[$0] }, withLists: matcher.needsLists,
        asksWhetherListed: listed && matcher.matcher.leavesOutUnlisted)
      for (position, row) in zip(batch, rows)
      where matcher.matches(row) && !(listed && matcher.matcher.leavesOutUnlisted && row.isUnlisted)
      {
        found.append(position)
      }
      try report { found.sorted() }
    }
    return found.sorted()
  }

  /// The keys of the rows in a window of an order. The index has the values of most rows; the rest
  /// are read.
  private func sortedKeys(
    by sort: [SortKey], window: Range<Int>
  ) throws(StoreError) -> [Int64] {
    let catalogues = repository.known.filter { known in
      queries.contains { $0.catalogue == known.id }
    }
    let resolved = sort.map { SortKey.Resolved($0, in: catalogues) }
    let contents = resolved.reduce(into: RowContents()) { $0.formUnion($1.contents) }
    var reader = self
    try reader.prepare(for: contents, details: resolved.details)
    let columns = resolved.compactMap(\.indexed)
    var (values, missing): ([IndexedValues], [Int]) = ([], Array(keys.indices))
    if columns.count == sort.count {
      let limit = resolved.limit(of: window, by: sort)
      let read = try store.values(in: columns.flatMap(\.self), of: keys, limit: limit)
      let order = try IndexedOrder(resolved, read.values, count: keys.count, repository.shownNames)
      values = order.values
      missing = order.unknown.isEmpty ? read.missing : Set(read.missing + order.unknown).sorted()
    }
    var sorted = KeySorter(sort, window: window)
    var next = 0
    func addKnown(before position: Int) {
      for known in next..<position {
        sorted.append(keys[known]) { .init(values[$0], at: known) }
      }
      next = position
    }
    var rest = missing[...]
    while !rest.isEmpty {
      var positions = rest.prefix(Self.sortBatch).makeIterator()
      let batch = rest.prefix(Self.sortBatch).map { keys[$0] }
      rest = rest.dropFirst(Self.sortBatch)
      try reader.forEachRow(batch, with: contents) { row in
        guard let position = positions.next() else { return }
        addKnown(before: position)
        sorted.append(keys[position]) { resolved[$0].value(of: row) }
        next = position + 1
      }
    }
    addKnown(before: keys.count)
    return sorted.keys()
  }

  /// Rows that are read at once to be sorted.
  private static let sortBatch = 500
}

extension [Int64] {
  /// The keys at those positions, cut to the end.
  func within(_ range: Range<Int>) -> [Int64] { Array(self[range.clamped(to: indices)]) }
}

#endif
