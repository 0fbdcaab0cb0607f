import ChirperModel
import ChirperPlatform

/// Reads the rows of one list of the store, and keeps those read last.
final class RecordingCache: StoredRows {
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
  static let blockSize = 100
  /// Blocks that are kept: more than a screen shows. They are read again after each change of the store (`isCurrent`).
  static let blockLimit = 4

  /// - Parameter read: the rows at those positions now, cut to the list's end.
  init(
    catalogue: CatalogueID, read: @escaping @Sendable (Range<Int>) throws(StoreError) -> [Recording],
    ids: @escaping @Sendable () throws(StoreError) -> [RecordingID]
  ) {
    self.catalogue = catalogue
    readRows = read
    readIDs = ids
  }

  func read(_ positions: Range<Int>) throws(StoreError) -> [Recording] { try readRows(positions) }

  func ids() throws(StoreError) -> [RecordingID] { try readIDs() }

  func row(at position: Int) -> Recording {
    let (number, index) = position.quotientAndRemainder(dividingBy: Self.blockSize)
    let (found, removals) = kept.withLock { kept in (kept.use(number), kept.removals) }
    let rows = found ?? readBlock(number)
    if found == nil, let rows {
      kept.withLock { kept in
        if kept.removals == removals { kept.add(rows, as: number) }
      }
    }
    guard let rows, rows.indices.contains(index) else { return Recording(missingAt: position, of: catalogue) }
    return rows[index]
  }

  private func readBlock(_ number: Int) -> [Recording]? {
    let start = number * Self.blockSize
    return try? readRows(start..<(start + Self.blockSize))
  }

  /// Whether the rows that are kept are still the rows of the list; reads them again.
  func isCurrent() -> Bool { kept.withLock(\.blocks).allSatisfy { readBlock($0) == $1 } }

  /// The rows changed, or nobody shows them any more.
  func removeAll() {
    kept.withLock { kept in
      kept.blocks = []
      kept.removals += 1
    }
  }
}
