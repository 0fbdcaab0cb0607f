/// The rows of a list, as a collection that reads them from the store when they are used.
///
/// It holds the number of rows and no row, so that a list of a million rows costs what an empty one does. The rows read
/// last are kept and shared by all snapshots of the list.
///
/// - A position gives the row that is there **now**. After each change of the rows, a new snapshot has an unequal list,
///   and a screen reloads. Between the change and that snapshot, a position can have another row than before.
/// - `count` never changes. A position that has no row any more, because the list became shorter since the snapshot or
///   the store cannot be read, gives a recording without fields (`Recording.isMissing`).
/// - Rows are identified by `Recording.id`. `ids()` reads the ids of all rows at once, each one time, which a diffable
///   data source needs.
///
/// Two lists are equal if both come from the same list of one repository with no change of the rows between them, or if
/// both were made from arrays with equal elements; comparing the former takes no time.
public struct RecordingList: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
  private enum Rows: Sendable {
    case array([Recording])
    case stored(RowCache, count: Int, generation: Int)
  }

  private let rows: Rows

  /// A list in memory, for previews and tests.
  public init(_ rows: [Recording]) {
    self.rows = .array(rows)
  }

  /// A list in memory.
  public init(arrayLiteral rows: Recording...) {
    self.init(rows)
  }

  /// A list of the store.
  ///
  /// - Parameters:
  ///   - cache: reads the list's rows; the same for every snapshot of it.
  ///   - generation: another number after each change of the rows.
  package init(_ cache: RowCache, count: Int, generation: Int) {
    rows = .stored(cache, count: count, generation: generation)
  }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of rows when the snapshot was made.
  public var endIndex: Int {
    switch rows {
    case .array(let rows): rows.count
    case .stored(_, let count, _): count
    }
  }

  /// The row at that position, from 0. If it was not read lately, about a hundred rows are read, which takes about a
  /// millisecond.
  public subscript(position: Int) -> Recording {
    precondition(indices.contains(position), "a position of the list")
    switch rows {
    case .array(let rows): return rows[position]
    case .stored(let cache, _, _): return cache.row(at: position)
    }
  }

  /// The rows that are at those positions now, from 0; fewer where the list ends earlier. They are read in one
  /// transaction, so that no row is among them twice, and they are not kept.
  public func read(_ positions: Range<Int>) throws(StoreError) -> [Recording] {
    switch rows {
    case .array(let rows): Array(rows[positions.clamped(to: rows.indices)])
    case .stored(let cache, _, _): try cache.read(positions)
    }
  }

  /// The ids of all rows that are in the list now, in order and without duplicates. Takes one to three seconds, and 30 MB, for a
  /// million: a screen over such a list asks for the rows by position.
  public func ids() throws(StoreError) -> [RecordingID] {
    switch rows {
    case .array(let rows): rows.map(\.id)
    case .stored(let cache, _, _): try cache.ids()
    }
  }
}

extension RecordingList: Equatable {
  /// Compares no rows of the store; see the type.
  public static func == (left: RecordingList, right: RecordingList) -> Bool {
    switch (left.rows, right.rows) {
    case (.array(let left), .array(let right)): left == right
    case (.stored(let left, let leftCount, let leftGeneration), .stored(let right, let rightCount, let rightGeneration)):
      left === right && leftCount == rightCount && leftGeneration == rightGeneration
    case (.array, .stored), (.stored, .array): false
    }
  }
}

extension Recording {
  /// Whether this is not a row but takes the place of one that cannot be read (see `RecordingList`). It has no fields, and
  /// its id is that of no recording.
  public var isMissing: Bool { fields == Self.noFields }

  fileprivate init(missingAt position: Int, of catalogue: CatalogueID) {
    // One id per position, because screens need unique ids.
    self.init(id: RecordingID(catalogue: catalogue, value: "missing:\(position)"), fields: Self.noFields)
  }

  private static let noFields = RecordingFields(canonical: "{}")
}

/// Reads the rows of one list of the store, and keeps those read last.
package final class RowCache: Sendable {
  private let catalogue: CatalogueID
  package let read: @Sendable (Range<Int>) throws(StoreError) -> [Recording]
  package let ids: @Sendable () throws(StoreError) -> [RecordingID]
  private let kept = Locked(Kept())

  private struct Kept: Sendable {
    /// The rows read last, by their position divided by `RowCache.blockSize`; the latest used are at the end.
    var blocks: [(number: Int, rows: [Recording])] = []
    /// Counts how often the rows were removed, so that rows read before that are not kept after it.
    var removals = 0

    mutating func use(_ number: Int) -> [Recording]? {
      guard let index = blocks.lastIndex(where: { $0.number == number }) else { return nil }
      if index < blocks.count - 1 { blocks.append(blocks.remove(at: index)) }
      return blocks.last?.rows
    }

    mutating func add(_ rows: [Recording], as number: Int) {
      // Another thread may have read the same rows meanwhile.
      blocks.removeAll { $0.number == number }
      blocks.append((number, rows))
      if blocks.count > RowCache.blockLimit { blocks.removeFirst() }
    }
  }

  /// Rows that are read at once.
  package static let blockSize = 100
  /// Blocks that are kept: more than a screen shows. They are read again after each change of the store (`isCurrent`).
  package static let blockLimit = 4

  /// - Parameters:
  ///   - read: the rows at those positions now, cut to the list's end.
  ///   - ids: of all rows, read at once.
  package init(
    catalogue: CatalogueID, read: @escaping @Sendable (Range<Int>) throws(StoreError) -> [Recording],
    ids: @escaping @Sendable () throws(StoreError) -> [RecordingID]
  ) {
    self.catalogue = catalogue
    self.read = read
    self.ids = ids
  }

  /// The row at that position now.
  func row(at position: Int) -> Recording {
    let (number, index) = position.quotientAndRemainder(dividingBy: Self.blockSize)
    let (found, removals) = kept.withLock { kept in (kept.use(number), kept.removals) }
    let start = number * Self.blockSize
    guard let rows = found ?? (try? read(start..<(start + Self.blockSize))) else {
      return Recording(missingAt: position, of: catalogue)
    }
    if found == nil {
      kept.withLock { kept in
        if kept.removals == removals { kept.add(rows, as: number) }
      }
    }
    return rows.indices.contains(index) ? rows[index] : Recording(missingAt: position, of: catalogue)
  }

  /// Whether the rows that are kept are still the rows of the list; reads them again.
  package func isCurrent() -> Bool {
    kept.withLock(\.blocks).allSatisfy { number, rows in
      let start = number * Self.blockSize
      return (try? read(start..<(start + Self.blockSize))) == rows
    }
  }

  /// The rows changed, or nobody shows them any more.
  package func removeAll() {
    kept.withLock { kept in
      kept.blocks = []
      kept.removals += 1
    }
  }
}
