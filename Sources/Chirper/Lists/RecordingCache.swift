import ChirperModel
import ChirperPlatform

/// Reads the rows of one list of the store, and keeps those read last.
package final class RecordingCache: StoredRows {
  private let catalogue: CatalogueID
  private let readRows: @Sendable (Range<Int>) throws(StoreError) -> [Recording]
  private let readIDs: @Sendable () throws(StoreError) -> [RecordingID]
  private let kept = Locked(Kept())

  private struct Kept: Sendable {
    /// The rows read last, by their position divided by `RecordingCache.blockSize`; the latest used are at the end.
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
      if blocks.count > RecordingCache.blockLimit { blocks.removeFirst() }
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
    readRows = read
    readIDs = ids
  }

  /// The rows at those positions now; not kept.
  package func read(_ positions: Range<Int>) throws(StoreError) -> [Recording] { try readRows(positions) }

  /// The ids of all rows; not kept.
  package func ids() throws(StoreError) -> [RecordingID] { try readIDs() }

  /// The row at that position now.
  package func row(at position: Int) -> Recording {
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
