import ChirperModel
import ChirperStore
import Foundation

/// An order of rows other than the catalogue's: by one field. Numbers, lengths (`9:15`, `1:02:07`), dates and qualities are
/// compared by value, text without regard to case and accents. Rows without a readable value come last in any case.
public struct ListSort: Hashable, Sendable {
  /// The field's name, as the catalogue sends it.
  public let field: String
  /// Whether the greatest value comes first.
  public let descending: Bool

  /// An order by that field.
  public init(field: String, descending: Bool = false) {
    self.field = field
    self.descending = descending
  }
}

/// The recordings of a list that a reader reads.
public enum ListPart: Hashable, Sendable {
  /// The rows of the list, in its order.
  case rows
  /// The rows that entered the list at that moment or later, in its order. What was there when the list, or the page, was
  /// first read is not new.
  case new(since: Date)
  /// The rows whose recordings changed at that moment or later, in the list's order.
  case changed(since: Date)
  /// The recordings that left the list, because a finished walk did not find them; the latest first.
  case gone

  /// The name of the column with the dates that `ListReader.dates` returns; `nil` for the whole list.
  package var dateField: String? {
    switch self {
    case .rows: nil
    case .new: "enteredAt"
    case .changed: "changedAt"
    case .gone: "goneAt"
    }
  }
}

/// The rows of one list as it was when the reader was made, read in batches. It keeps their keys, packed to a few bytes each, and
/// no lock: a reader that waits on its own output blocks nobody.
public struct ListReader: Sendable {
  let store: RecordingStore
  private let query: CatalogueQuery
  private let part: ListPart
  private(set) var keys: ListKeys

  /// Parameters are described at `RecordingRepository.reader`.
  init(
    _ repository: RecordingRepository, _ query: CatalogueQuery, part: ListPart, sort: [ListSort], window: Range<Int>?
  ) throws(StoreError) {
    (store, self.query, self.part) = (repository.store, query, part)
    keys =
      switch part {
      case .rows: try store.keys(of: query, in: window)
      case .new(let since): try store.newKeys(of: query, since: since)
      case .changed(let since): try store.changedKeys(of: query, since: since)
      case .gone: try store.goneKeys(of: query)
      }
    // Each sort keeps the order of equal rows, so the least important key comes first.
    for key in sort.reversed() { keys = try sortedKeys(by: key, in: repository) }
  }

  /// Rows to be read.
  public var count: Int { keys.count }

  /// A reader of the rows at those positions alone, in that order.
  package func subset(at positions: [Int]) -> ListReader {
    var subset = self
    subset.keys = ListKeys(positions.lazy.flatMap { keys[$0..<($0 + 1)] })
    return subset
  }

  /// The rows at those positions, from 0, cut to the end; throws `.recordingForgotten` where one was forgotten meanwhile.
  public func rows(_ range: Range<Int>) throws(StoreError) -> [Recording] {
    try store.recordings(keys[range]).map(\.recording)
  }

  /// When the rows at those positions entered the list, `nil` for those that its first reading found; when they left it, if the
  /// reader reads what is gone; when they changed last, if it reads what changed. Cut to the end, UTC.
  public func dates(_ range: Range<Int>) throws(StoreError) -> [Date?] {
    let event: ListEvent =
      switch part {
      case .rows, .new: .entered
      case .changed: .changed
      case .gone: .left
      }
    return try store.dates(event, of: keys[range], in: query)
  }

  /// The positions of the rows that satisfy a search, ascending. The index decides about most rows; the others are read.
  ///
  /// - Parameter report: called after every batch of rows that was read, with a function that returns the positions so far.
  /// - Throws: as `rows` does, what `report` throws, and `CancellationError` soon after the task is cancelled.
  package func positions(
    matching matcher: StoredMatcher, report: (_ found: () -> [Int]) throws -> Void = { _ in }
  ) throws -> [Int] {
    let keys = keys[0..<count]
    var (found, undecided) = ([Int](), Array(keys.indices))
    if matcher.isIndexed { (found, undecided) = try store.find(matcher.matcher, in: keys) }
    for start in stride(from: 0, to: undecided.count, by: RecordingRepository.searchBatch) {
      try Task.checkCancellation()
      let batch = undecided[start...].prefix(RecordingRepository.searchBatch)
      for (position, row) in zip(batch, try store.recordings(batch.map { keys[$0] }, withLists: matcher.needsLists))
      where matcher.matches(row) {
        found.append(position)
      }
      try report { found.sorted() }
    }
    return found.sorted()
  }

  private func sortedKeys(by sort: ListSort, in repository: RecordingRepository) throws(StoreError) -> ListKeys {
    let keys = keys[0..<count]
    let order = SortOrder(field: sort.field, in: repository.catalogue(query.catalogue))
    let isDate = sort.field == part.dateField
    // The index was written from chirper's catalogues.
    if !repository.replacesCatalogues, !isDate, let column = order.indexed {
      var (numbers, missing) = try store.numbers(in: column, of: keys)
      try forEachRow(at: missing, of: keys) { numbers[$0] = order.number(of: $1) ?? .nan }
      // Rows without a number come last either way, and equal ones keep the catalogue's order.
      let ranks = numbers.map { $0.isNaN ? .infinity : sort.descending ? -$0 : $0 }
      return ListKeys(zip(ranks, keys.indices).sorted { $0 < $1 }.lazy.map { keys[$0.1] })
    }
    var values: [SortValue] = []
    if isDate {
      values = try dates(keys.indices).map { SortValue(number: $0?.timeIntervalSince1970 ?? .nan) }
    } else {
      try forEachRow(at: Array(keys.indices), of: keys) { values.append(order.value(of: $1)) }
    }
    // Swift's sort is stable, so equal values keep the catalogue's order either way.
    let sorted = zip(values, keys).sorted { $0.0.comes(before: $1.0, descending: sort.descending) }
    return ListKeys(sorted.lazy.map(\.1))
  }

  /// Calls `body` with each of those positions and its row, which are read in batches.
  private func forEachRow(
    at positions: [Int], of keys: [Int64], _ body: (Int, Recording) -> Void
  ) throws(StoreError) {
    for start in stride(from: 0, to: positions.count, by: 500) {
      let some = positions[start...].prefix(500)
      for (position, row) in zip(some, try store.recordings(some.map { keys[$0] })) { body(position, row.recording) }
    }
  }
}

/// What rows are compared by: the detail that a field holds, if it orders them better than the text does.
struct SortOrder {
  private let field: String
  private let catalogue: Catalogue?
  private let detail: DetailColumn?

  init(field: String, in catalogue: Catalogue?) {
    self.field = field
    self.catalogue = catalogue
    let column = catalogue?.tableColumns.first { $0.field == field }?.detail
    let held = catalogue?.mapping.detail(ofField: field)
    detail = column ?? held.flatMap { $0.isOrderedByNumber ? $0 : nil }
  }

  /// The column of the search index with the numbers of `number`; `nil` if there is none.
  var indexed: DetailColumn? { detail?.indexColumn == nil ? nil : detail }

  /// A number with the order of `value`, if `indexed` is not `nil`.
  func number(of row: Recording) -> Double? {
    guard let detail, let details = catalogue?.details(of: row) else { return nil }
    return detail.number(of: details)
  }

  /// A value that cannot be read (`no score`, `0000-00-00`) counts as none.
  func value(of row: Recording) -> SortValue {
    guard let detail, let details = catalogue?.details(of: row) else { return SortValue(row[field]) }
    return SortValue(detail, of: details)
  }
}

/// A field's value as it sorts: numbers, then text, then nothing.
enum SortValue: Comparable {
  case number(Double)
  case text(String)
  case nothing

  init(_ field: FieldValue?) {
    let text = field?.text ?? ""
    let number = Double(text).flatMap { $0.isFinite ? $0 : nil } ?? Self.length(text)
    self = number.map { .number($0) } ?? (text.isEmpty ? .nothing : .text(TextFolding.folded(text)))
  }

  func comes(before other: SortValue, descending: Bool) -> Bool {
    rank == other.rank && descending ? other < self : self < other
  }

  private var rank: Int {
    switch self {
    case .number: 0
    case .text: 1
    case .nothing: 2
    }
  }

  /// Minutes and seconds, or hours before them, as seconds; for fields that no detail holds.
  private static func length(_ text: String) -> Double? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count) else { return nil }
    return parts.reduce(0 as Double?) { seconds, part in
      guard let seconds, (1...5).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return seconds * 60 + part.reduce(0) { $0 * 10 + Double($1 - 0x30) }
    }
  }
}
