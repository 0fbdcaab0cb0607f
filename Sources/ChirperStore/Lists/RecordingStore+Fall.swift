import ChirperModel
import Foundation
import GRDB

/// The treatment of a list of which a walk has found less than half, or records that cannot be read.
extension RecordingStore {
  enum Fall: Equatable {
    /// The list does not fall, or the rows found are believed.
    case believed
    /// Every row stays. `nil` if no fall is stored: the last pass of the run alone has found one.
    case seen(StoredQuery.Fall?)
    /// The service must be asked once more; it found this number of rows.
    case lookAgain(found: Int)
  }

  /// Judges a walk whose pages agree.
  func fall(of queryRow: QueryRow, _ check: FallCheck, now: Date, _ db: Database) throws -> Fall {
    if let isReadInFull = check.isFileReadInFull { return isReadInFull ? .believed : .seen(nil) }
    // A row that was not found may be a record that could not be read.
    let hasUnreadable = try db.hasRow(
      "SELECT 1 FROM page WHERE query_id = ? AND walk = ? AND skipped > 0", queryRow.queryID,
      queryRow.walk)
    if hasUnreadable { return .seen(try fall(of: queryRow, db)) }
    let counts = try db.firstRow(
      """
      SELECT coalesce(sum(iif(walk = ?1, row_count, 0)), 0),
        coalesce(sum(carried_count + iif(walk = ?1, 0, row_count)), 0),
        min(iif(walk = ?1, fetched_at, NULL))
      FROM page WHERE query_id = ?2
      """, queryRow.walk, queryRow.queryID
    ) {
      (found: $0.count(0), gone: $0.count(1), oldest: $0.date(2))
    }
    guard let (found, gone, oldest) = counts, StoredQuery.Fall.isFall(left: found, gone: gone)
    else {
      return .believed
    }
    let isLong = found + gone >= StoredQuery.Fall.leastRows
    let earlier = try fall(of: queryRow, db).flatMap { earlier in
      // A time in the future is that of a clock that was ahead.
      StoredQuery.Fall.confirms(found, earlier.found) && earlier.seenAt <= now ? earlier : nil
    }
    let isDue = earlier.map { oldest >= $0.believedFrom } ?? false
    // An answer that lost more than the walk before it in this run decides nothing either.
    let agrees = check.foundBefore.map { StoredQuery.Fall.confirms(found, $0) }
    if isDue, !check.isRestart, agrees != false { return .believed }
    if agrees == true {
      if !isLong || check.believesTwo || isDue { return .believed }
    } else if !check.isLast, earlier == nil || !isLong || check.believesTwo || isDue {
      return .lookAgain(found: found)
    }
    return .seen(earlier ?? (agrees == true ? StoredQuery.Fall(found: found, seenAt: now) : nil))
  }

  /// The fall that an earlier closing has stored.
  func fall(of queryRow: QueryRow, _ db: Database) throws -> StoredQuery.Fall? {
    try db.firstRow("SELECT row_count, seen_at FROM fall WHERE query_id = ?", queryRow.queryID) {
      StoredQuery.Fall(found: $0.count(0), seenAt: $0.date(1))
    }
  }

  func setFall(_ fall: Fall, of queryRow: QueryRow, _ db: Database) throws {
    if case .seen(let fall?) = fall {
      try db.run(
        "INSERT OR REPLACE INTO fall (query_id, row_count, seen_at) VALUES (?, ?, ?)",
        queryRow.queryID, fall.found, fall.seenAt.milliseconds)
    } else {
      try db.run("DELETE FROM fall WHERE query_id = ?", queryRow.queryID)
    }
  }
}
