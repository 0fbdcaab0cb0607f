import GRDB

/// Departures that as many arrivals cancel out, so that the totals say nothing about them.
///
/// A row that moves to a page that was read already is missed by the walk. If a row enters at the
/// same time, the rows are still as many as the total. Whether a row left is known only when the
/// next walk does not find it either.
extension RecordingStore {
  /// The row of a list in the table `exchange`; zeros if it has none.
  static func exchange(
    of queryRow: QueryRow, _ db: Database
  ) throws -> (entered: Int, unconfirmed: Int) {
    try db.firstRow(
      "SELECT entered, unconfirmed FROM exchange WHERE query_id = ?", queryRow.queryID
    ) { ($0.count(0), $0.count(1)) } ?? (0, 0)
  }

  /// Counts rows that entered a list.
  static func countEntered(_ rows: Int, in queryRow: QueryRow, _ db: Database) throws {
    guard rows > 0 else { return }
    try db.run(
      """
      INSERT INTO exchange (query_id, entered, unconfirmed) VALUES (?, ?, 0)
      ON CONFLICT DO UPDATE SET entered = entered + excluded.entered
      """, queryRow.queryID, rows)
  }

  /// Stores how many departures are unconfirmed when a walk is closed whose pages agree.
  ///
  /// - Parameters:
  ///   - departures: rows that it did not find.
  ///   - isReadInFull: each page was read in this walk, so that it confirms earlier departures.
  ///   - isFromUpdates: the service named the departures by their ids.
  static func setUnconfirmed(
    _ departures: Int, isVerified: Bool, isReadInFull: Bool, isFromUpdates: Bool,
    of queryRow: QueryRow, _ db: Database
  ) throws {
    let before = try exchange(of: queryRow, db)
    let earlier = isVerified || isReadInFull ? 0 : before.unconfirmed
    let unconfirmed = earlier + (isFromUpdates ? 0 : min(before.entered, departures))
    if unconfirmed > 0 {
      try db.run(
        "INSERT OR REPLACE INTO exchange (query_id, entered, unconfirmed) VALUES (?, 0, ?)",
        queryRow.queryID, unconfirmed)
    } else if before != (0, 0) {
      try db.run("DELETE FROM exchange WHERE query_id = ?", queryRow.queryID)
    }
  }
}
