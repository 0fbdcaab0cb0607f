/// The rows of a list, as a collection that reads them from the store when they are used.
///
/// It holds the number of rows and no row, however long the list is. The rows read last are
/// kept for all its snapshots.
///
/// - A position gives the row that is there **now**. After each change of the rows a new
///   snapshot has an unequal list, and a screen reloads. Before that, a position can have a
///   different row already.
/// - No position waits. A row that cannot be read at once, because a different process
///   writes, gives a recording without fields (`Recording.isMissing`). It is read on a
///   different thread, and a new snapshot follows with an unequal list, or with the error.
/// - `count` never changes. A position that has no row any more gives such a recording too.
///   Code that must have every row reads them with `read`, which waits.
/// - Rows are identified by `Recording.id`. `ids()` reads all ids at once, each one time,
///   as a diffable data source needs; `rows(in:)` reads those of some positions, for `ForEach`.
///
/// Two lists are equal if both come from one list of one repository with no change of the
/// rows between them, or if both were made from arrays with equal elements. Comparing lists
/// of a repository takes no time.
public struct RecordingList: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
  private enum Rows: Sendable {
    case array([Recording])
    case stored(any StoredRows, count: Int, generation: Int)
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
  ///   - stored: reads the list's rows; all snapshots of the list share it.
  ///   - generation: a number that differs after each change of the rows.
  package init(_ stored: any StoredRows, count: Int, generation: Int) {
    rows = .stored(stored, count: count, generation: generation)
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

  /// The row at `position`, from 0. If it was not read lately, about 100 rows are read, in
  /// about a millisecond. The rows before and after them are read ahead on a different
  /// thread.
  public subscript(position: Int) -> Recording {
    precondition(indices.contains(position), "a position of the list")
    switch rows {
    case .array(let rows): return rows[position]
    case .stored(let stored, _, _): return stored.row(at: position)
    }
  }

  /// The rows that are at those positions now, as the `async` call of that name reads them.
  package func read(_ positions: Range<Int>) throws(StoreError) -> [Recording] {
    switch rows {
    case .array(let rows): Array(rows[positions.clamped(to: rows.indices)])
    case .stored(let stored, _, _): try stored.read(positions)
    }
  }

  /// The ids of the rows that are at those positions now; of all rows without positions.
  package func ids(_ positions: Range<Int>? = nil) throws(StoreError) -> [RecordingID] {
    switch rows {
    case .array(let rows): rows[positions?.clamped(to: rows.indices) ?? rows.indices].map(\.id)
    case .stored(let stored, _, _): try stored.ids(positions)
    }
  }

  /// A row as a screen identifies it: its recording, and the position at which the list had it.
  public struct Row: Identifiable, Hashable, Sendable {
    /// The position in the list, from 0.
    public let position: Int
    /// The recording, by which a selection stays with it when rows move.
    public let id: RecordingID

    /// A row of a list.
    package init(position: Int, id: RecordingID) {
      self.position = position
      self.id = id
    }
  }

  /// The recording of a row; `nil` if the list has a different one at its position now.
  public subscript(row: Row) -> Recording? {
    guard indices.contains(row.position) else { return nil }
    let recording = self[row.position]
    return recording.id == row.id ? recording : nil
  }
}

extension RecordingList: Equatable {
  /// Compares no rows of the store; see the type.
  public static func == (left: RecordingList, right: RecordingList) -> Bool {
    switch (left.rows, right.rows) {
    case (.array(let left), .array(let right)): left == right
    case (
      .stored(let left, let leftCount, let leftGeneration),
      .stored(let right, let rightCount, let rightGeneration)
    ):
      left === right && leftCount == rightCount && leftGeneration == rightGeneration
    case (.array, .stored), (.stored, .array): false
    }
  }
}

extension Recording {
  /// Whether this takes the place of a row that is being read or is gone,
  /// without fields and with an id of its own.
  public var isMissing: Bool { fields == Self.noFields && id.value.hasPrefix(Self.missing) }

  /// Takes the place of the row at that position.
  package init(missingAt position: Int, of catalogue: CatalogueID) {
    // One id per position, because screens need unique ids.
    self.init(
      id: RecordingID(catalogue: catalogue, value: "\(Self.missing)\(position)"),
      fields: Self.noFields)
  }

  private static let missing = "missing:"
  private static let noFields = RecordingFields(canonical: "{}")
}

/// A reader of the rows of one list of the store.
package protocol StoredRows: AnyObject, Sendable {
  /// The row at that position now, or `Recording.init(missingAt:of:)`.
  func row(at position: Int) -> Recording
  /// The rows that are at those positions now, cut to the list's end.
  func read(_ positions: Range<Int>) throws(StoreError) -> [Recording]
  /// The ids of the rows that are at those positions now, or of all rows, in order.
  func ids(_ positions: Range<Int>?) throws(StoreError) -> [RecordingID]
}
