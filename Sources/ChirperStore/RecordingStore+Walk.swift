import ChirperModel
import Foundation
import GRDB

/// How the pages of a walk enter the store. Rules 1 to 7 of a list (docs/architecture.md) are kept here, each in the
/// transaction that could break it.
extension RecordingStore {
  /// How far the latest walk came; `nil`: never fetched.
  package func walkStatus(of query: SearchQuery) throws(StoreError) -> WalkStatus? {
    try read { db in
      guard let head = try head(of: query, db) else { return nil }
      var pages: [Int: WalkStatus.PageRecord] = [:]
      try SQLStatement(db, "SELECT number, walk, fetched_at, next, row_count FROM page WHERE query_id = ?")
        .forEach(.int(head.queryID)) { row in
          // The next page is always the one behind; a damaged mark that named another could lead a walk in a circle.
          pages[row.count(0)] = WalkStatus.PageRecord(
            isInWalk: row.count(1) == head.walk, fetchedAt: Date(milliseconds: row.int64(2)),
            next: row.isNull(3) ? nil : row.count(0) + 1, rows: row.count(4))
        }
      return WalkStatus(isOpen: head.isOpen, claim: try storedQuery(head, db).claim, pages: pages)
    }
  }

  /// Stores a page with all its rows and its mark.
  ///
  /// - Parameters:
  ///   - startsWalk: begin a new walk with this page; the pages in `adopting` count as read by it.
  ///   - now: when the page was fetched, UTC.
  /// - Returns: what that did, and what is stored since.
  /// - Throws: `.queryForgotten` where the query was forgotten since the walk began.
  package func store(
    _ page: RecordingPage, of query: SearchQuery, startsWalk: Bool, adopting: Set<Int> = [], now: Date
  ) throws(StoreError) -> (PageOutcome, StoredQuery) {
    try write { db in
      let head = try walkHead(of: query, startsWalk: startsWalk, adopting: adopting, db)
      var writer = PageWriter(db: db, head: head, page: page, now: now.milliseconds)
      let outcome = try writer.write()
      guard let written = try self.head(of: query, db) else { throw Self.inconsistent("query") }
      return (outcome, try storedQuery(written, db))
    }
  }

  /// The query's row, made or moved to a new walk where this page begins one.
  private func walkHead(
    of query: SearchQuery, startsWalk: Bool, adopting: Set<Int>, _ db: Database
  ) throws -> QueryRow {
    if let head = try head(of: query, db) {
      guard startsWalk else { return head }
      try SQLStatement(
        db, "UPDATE query SET walk = walk + 1, walk_open = 1, walk_changed = ?, walk_shifted = 0 WHERE query_id = ?"
      ).run(.flag(!adopting.isEmpty), .int(head.queryID))
      for number in adopting {
        try SQLStatement(db, "UPDATE page SET walk = ? WHERE query_id = ? AND number = ?")
          .run(.int(head.walk + 1), .int(head.queryID), .int(number))
      }
    } else {
      guard startsWalk else { throw StoreError.queryForgotten }
      try SQLStatement(
        db,
        """
        INSERT INTO query (catalogue_id, text, page_size, typed, sent, walk, walk_open, walk_changed, walk_shifted)
        VALUES (?, ?, ?, ?, ?, 1, 1, 1, 0)
        """
      ).run(
        .int(try catalogueID(of: query.catalogue, db)), .text(query.text), .int(query.pageSize), .text(query.typed),
        .text(query.sent))
    }
    guard let head = try head(of: query, db) else { throw Self.inconsistent("query") }
    return head
  }

  func catalogueID(of catalogue: CatalogueID, _ db: Database) throws -> Int64 {
    try SQLStatement(db, "INSERT INTO catalogue (name) VALUES (?) ON CONFLICT DO NOTHING").run(.text(catalogue.rawValue))
    let id = try SQLStatement(db, "SELECT catalogue_id FROM catalogue WHERE name = ?")
      .first(.text(catalogue.rawValue)) { $0.int64(0) }
    guard let id else { throw Self.inconsistent("catalogue") }
    return id
  }

  /// A row that this transaction wrote or collided with cannot be found: only an index that disagrees with its table does
  /// that.
  static func inconsistent(_ table: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an index of the table \(table) disagrees with its rows")
  }

  /// Closes a walk that has read its last page: where its pages agree, what it did not meet leaves the list.
  ///
  /// - Parameter giveUp: close also a walk whose pages disagree, keeping every row; the claim is then `shifted`.
  /// - Throws: `.queryForgotten`, or `.walkClosed` where another process closed the walk.
  package func closeWalk(of query: SearchQuery, giveUp: Bool, now: Date) throws(StoreError) -> WalkClosing {
    try write { db in
      guard let head = try head(of: query, db) else { throw StoreError.queryForgotten }
      guard head.isOpen else { throw StoreError.walkClosed }
      let isConsistent = try isConsistent(head, db)
      guard isConsistent || giveUp else { return WalkClosing(claim: nil, gone: 0) }
      let gone = isConsistent ? try removeUnmet(head, now: now.milliseconds, db) : 0
      let claim: QueryRow.Claim =
        !isConsistent ? .shifted : !head.isChanged && (head.claim == .complete || head.claim == .verified) ? .verified : .complete
      try SQLStatement(db, "UPDATE query SET walk_open = 0, claim = ? WHERE query_id = ?")
        .run(.text(claim.rawValue), .int(head.queryID))
      let closed = try self.head(of: query, db)
      return WalkClosing(claim: try closed.flatMap { try storedQuery($0, db).claim }, gone: gone)
    }
  }

  /// Whether the walk's pages are one list: all from 1 to an end, one total, as many rows as it says, every overlap right.
  private func isConsistent(_ head: QueryRow, _ db: Database) throws -> Bool {
    guard !head.isShifted else { return false }
    var expected = 1
    var ended = false
    var rows = 0
    var isWhole = true
    var totals: Set<Int?> = []
    try SQLStatement(
      db,
      "SELECT number, next, total, row_count + skipped, preceding FROM page WHERE query_id = ? AND walk = ? ORDER BY number"
    ).forEach(.int(head.queryID), .int(head.walk)) { row in
      isWhole = isWhole && row.count(0) == expected && !ended
      expected += 1
      ended = row.isNull(1)
      totals.insert(row.optionalInt(2))
      rows += row.count(3)
      if let preceding = row.optionalText(4) {
        isWhole = try isWhole && Self.lastID(onPage: row.count(0) - 1, of: head, db) == preceding
      }
    }
    guard isWhole, ended, totals.count == 1, let total = totals.first else { return false }
    return total == nil || total == rows
  }

  /// The id of the last row that a page brought in this walk.
  static func lastID(onPage number: Int, of head: QueryRow, _ db: Database) throws -> String? {
    try SQLStatement(
      db,
      """
      SELECT recording.id FROM page JOIN entry ON entry.query_id = page.query_id AND entry.page = page.number
      JOIN recording USING (recording_id)
      WHERE page.query_id = ? AND page.number = ? AND page.walk = ? AND kept = 0 ORDER BY position DESC LIMIT 1
      """
    ).first(.int(head.queryID), .int(number), .int(head.walk)) { $0.text(0) }
  }

  /// Takes out of the list what a consistent, ended walk did not meet, and notes the day.
  private func removeUnmet(_ head: QueryRow, now: Int64, _ db: Database) throws -> Int {
    let unmet = """
      FROM entry JOIN page ON page.query_id = entry.query_id AND page.number = entry.page
      WHERE entry.query_id = ?1 AND (kept_count > 0 OR walk <> ?2) AND (kept = 1 OR walk <> ?2)
      """
    var recordings: [Int64] = []
    try SQLStatement(db, "SELECT recording_id \(unmet)").forEach(.int(head.queryID), .int(head.walk)) {
      recordings.append($0.int64(0))
    }
    for recording in recordings {
      try SQLStatement(db, "INSERT OR REPLACE INTO departure (recording_id, query_id, gone_at) VALUES (?, ?, ?)")
        .run(.int(recording), .int(head.queryID), .int(now))
      try SQLStatement(db, "DELETE FROM entry WHERE recording_id = ? AND query_id = ?")
        .run(.int(recording), .int(head.queryID))
    }
    try SQLStatement(db, "UPDATE page SET kept_count = 0 WHERE query_id = ? AND kept_count > 0").run(.int(head.queryID))
    try SQLStatement(db, "DELETE FROM page WHERE query_id = ? AND walk <> ?").run(.int(head.queryID), .int(head.walk))
    return recordings.count
  }
}

extension StoredQuery {
  /// What the last closed walk may claim.
  fileprivate var claim: Completeness? {
    if case .partial = completeness { return nil }
    return completeness
  }
}
