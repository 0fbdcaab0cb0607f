import ChirperModel
import Foundation
import GRDB

/// The storing of a walk's pages. Each rule of a list (Sources/ARCHITECTURE.md) is kept in the
/// transaction that could break it.
extension RecordingStore {
  /// The progress of the latest walk; `nil` if the query was never fetched.
  package func walkStatus(of query: CatalogueQuery) throws(StoreError) -> WalkStatus? {
    try read { db in
      guard let queryRow = try queryRow(of: query, db) else { return nil }
      var pages: [Int: WalkStatus.PageRecord] = [:]
      try db.forEachRow(PageRecord.select + " WHERE query_id = ?", queryRow.queryID) { row in
        let page = PageRecord(row)
        // The next page is always number + 1; a damaged record with another number could send a
        // walk in a circle.
        pages[page.number] = WalkStatus.PageRecord(
          isInWalk: page.walk == queryRow.walk, fetchedAt: page.fetchedAt,
          next: page.isLast ? nil : page.number + 1,
          nextToken: page.nextToken.map(PageRequest.Token.init), records: page.recordCount)
      }
      let completeness =
        queryRow.completeness == nil ? nil : try storedQuery(queryRow, db).completeness
      return WalkStatus(isOpen: queryRow.isOpen, completeness: completeness, pages: pages)
    }
  }

  /// The effect on the open walk of a page that was read again and is not as it is stored.
  package enum PageChange: Sendable {
    /// The page is the first page of a new walk.
    case startsWalk
    /// The walk goes on and cannot end complete.
    case shiftsWalk
  }

  /// Stores a page with all its rows and its page record.
  ///
  /// - Parameters:
  ///   - startsWalk: begin a new walk with this page; the stored pages in `reusing` count
  ///     as read by it.
  ///   - isKnown: whether the query was stored when the run began, and does not come back if it was
  ///     forgotten since.
  ///   - ifChanged: the effect on the open walk if the stored page has different rows, a
  ///     different total or a different next page; the pages that it has read may then be
  ///     outdated as well.
  ///   - volatileFields: fields that the catalogue changes without meaning. A recording
  ///     that differs in nothing else counts as unchanged and keeps the fields stored
  ///     before.
  ///   - readAt: the time at which the page was read, UTC, if that was before now.
  ///   - claim: the claim of a list that is imported, which is stored with the page.
  ///   - run: the changes by the run before this page.
  ///   - now: the time at which the page is stored, UTC.
  /// - Returns: The result for the page, and the facts about the query that is stored now.
  /// - Throws: `.queryForgotten` if the query was forgotten since the walk began.
  package func store(
    _ page: RecordingPage, of query: CatalogueQuery, startsWalk: Bool, isKnown: Bool = false,
    ifChanged: PageChange? = nil,
    reusing: Set<Int> = [], volatileFields: VolatileFields = [], readAt: Date? = nil,
    importing claim: ImportClaim? = nil, during run: RunChanges = RunChanges(), now: Date
  ) throws(StoreError) -> (PageOutcome, StoredQuery) {
    try write { db in
      let isChanged = try ifChanged != nil && !isStored(page, of: query, db)
      let startsWalk = startsWalk || isChanged && ifChanged == .startsWalk
      let queryRow = try walkRow(
        of: query, startsWalk: startsWalk, isKnown: isKnown, reusing: reusing, db)
      var writer = try PageWriter(
        db: db, queryRow: queryRow, page: page, volatileFields: volatileFields,
        now: now.milliseconds, run: run)
      var outcome = try writer.write(readAt: (readAt ?? now).milliseconds)
      outcome.startedWalk = startsWalk
      if page.readAt != nil, queryRow.isOpen == page.isOfUnfinishedList {
        // A later run reads such a list from page 1: its totals cannot be compared.
        try db.run(
          "UPDATE query SET walk_open = ? WHERE query_id = ?", !page.isOfUnfinishedList,
          queryRow.queryID)
      }
      if let claim { try setImport(claim, of: queryRow, db) }
      if isChanged, ifChanged == .shiftsWalk {
        outcome.isShifted = true
        try db.run("UPDATE query SET walk_shifted = 1 WHERE query_id = ?", queryRow.queryID)
      }
      guard let written = try self.queryRow(of: query, db) else { throw Self.inconsistent("query") }
      return (outcome, try storedQuery(written, db))
    }
  }

  /// Whether the stored page has the same rows in the same order, the same exact total and the same
  /// next page; their fields may differ.
  func isStored(_ page: RecordingPage, of query: CatalogueQuery, _ db: Database) throws -> Bool {
    guard let queryRow = try queryRow(of: query, db) else { return false }
    let hasSameRecord =
      try db.firstRow(
        "SELECT \(PageRecord.exactTotal), next FROM page WHERE query_id = ? AND number = ?",
        queryRow.queryID, page.number
      ) {
        $0.optionalInt(0) == page.totals?.exact?.recordings && $0.optionalInt(1) == page.next
      } ?? false
    guard hasSameRecord else { return false }
    let ids = try db.rows(
      """
      SELECT id FROM entry JOIN recording USING (recording_id) WHERE query_id = ? AND page = ? AND carried = 0 ORDER BY position
      """, queryRow.queryID, page.number
    ) { $0.text(0) }
    return ids == page.recordings.map(\.id.value)
  }

  /// Ends the query's completeness and its open walk, because the catalogue has sent something that
  /// does not fit them; the next walk begins with page 1. Every row stays.
  package func abandonWalk(of query: CatalogueQuery) throws(StoreError) {
    try write { db in
      guard let queryRow = try queryRow(of: query, db) else { throw StoreError(.queryForgotten) }
      try abandonWalk(queryRow, db)
    }
  }

  func abandonWalk(_ queryRow: QueryRow, _ db: Database) throws {
    try db.run(
      "UPDATE query SET walk_open = 0, walk_changed = 1, completeness = NULL WHERE query_id = ?",
      queryRow.queryID)
  }

  /// The query's row; created, or moved to a new walk, if this page begins one.
  private func walkRow(
    of query: CatalogueQuery, startsWalk: Bool, isKnown: Bool, reusing: Set<Int>, _ db: Database
  ) throws -> QueryRow {
    if let queryRow = try queryRow(of: query, db) {
      guard startsWalk else { return queryRow }
      // Pages that a sync without a walk may have changed were not read as they are, so finding
      // them proves nothing yet.
      try db.run(
        """
        UPDATE query SET walk = walk + 1, walk_open = 1, walk_changed = ? OR checked_at IS NOT NULL, walk_shifted = 0, sent = ?
        WHERE query_id = ?
        """, !reusing.isEmpty, query.requestText, queryRow.queryID)
      for number in reusing {
        try db.run(
          "UPDATE page SET walk = ? WHERE query_id = ? AND number = ?", queryRow.walk + 1,
          queryRow.queryID, number)
      }
    } else {
      guard startsWalk, !isKnown else { throw StoreError(.queryForgotten) }
      try db.run(
        """
        INSERT INTO query (catalogue_id, text, page_size, typed, sent, walk, walk_open, walk_changed, walk_shifted)
        VALUES (?, ?, ?, ?, ?, 1, 1, 1, 0)
        """, try catalogueID(of: query.catalogue, db), query.identity, query.pageSize, query.typed,
        query.requestText)
    }
    guard let queryRow = try queryRow(of: query, db) else { throw Self.inconsistent("query") }
    return queryRow
  }

  func catalogueID(of catalogue: CatalogueID, _ db: Database) throws -> Int64 {
    try db.run("INSERT INTO catalogue (name) VALUES (?) ON CONFLICT DO NOTHING", catalogue.rawValue)
    guard let id = try storedID(of: catalogue, db) else { throw Self.inconsistent("catalogue") }
    return id
  }

  /// The id of a catalogue's row; `nil` if nothing of the catalogue was ever stored.
  func storedID(of catalogue: CatalogueID, _ db: Database) throws -> Int64? {
    try db.firstRow("SELECT catalogue_id FROM catalogue WHERE name = ?", catalogue.rawValue) {
      $0.int64(0)
    }
  }

  /// The error for a row that this transaction inserted, or that kept it from inserting, and that
  /// cannot be read: an index disagrees with its table, which occurs only in a damaged file.
  static func inconsistent(_ table: String) -> DatabaseError {
    damaged("an index of the table \(table) disagrees with its rows")
  }

  /// Closes a walk that has read its last page. If its pages agree, rows that it did not
  /// find leave the list. If the list falls and the fall is not believed yet, every row
  /// stays, and the list is `shifted`.
  ///
  /// - Parameters:
  ///   - evenIfShifted: also close a walk whose pages disagree, and keep every row; the
  ///     list is then `shifted`.
  ///   - run: the changes by the run before the closing.
  ///   - fallCheck: the facts that this run knows about a list that falls.
  ///   - isReadInFull: each page of the walk was read in it, none before and none from a
  ///     cache.
  ///   - isFromUpdates: its pages were made of stored records and of updates, so the list
  ///     was checked and not read in full.
  /// - Throws: `.queryForgotten`, or `.walkClosed` if a different process closed the walk.
  package func closeWalk(
    of query: CatalogueQuery, evenIfShifted: Bool, during run: RunChanges = RunChanges(),
    fallCheck: FallCheck = FallCheck(), isReadInFull: Bool = true,
    isFromUpdates: Bool = false, now: Date
  ) throws(StoreError) -> WalkClosing {
    try write { db in
      guard let queryRow = try queryRow(of: query, db) else { throw StoreError(.queryForgotten) }
      guard queryRow.isOpen else { throw StoreError(.walkClosed) }
      let isConsistent = try isConsistent(queryRow, db)
      guard isConsistent || evenIfShifted else { return WalkClosing(completeness: nil) }
      let fall = isConsistent ? try fall(of: queryRow, fallCheck, now: now, db) : .believed
      if case .lookAgain(let found) = fall {
        return WalkClosing(completeness: nil, fallenTo: found)
      }
      try setFall(fall, of: queryRow, db)
      let isBelieved = isConsistent && fall == .believed
      let removed =
        isBelieved ? try removeRowsNotFound(queryRow, during: run, now: now.milliseconds, db) : []
      let completeness: QueryRow.StoredCompleteness =
        !isBelieved ? .shifted : !queryRow.isChanged && queryRow.isComplete ? .verified : .complete
      try db.run(
        """
        UPDATE query SET walk_open = 0, completeness = ?1, checked_at = ?4,
          walked_at = CASE WHEN ?4 IS NULL THEN (SELECT min(fetched_at) FROM page WHERE query_id = ?2 AND walk = ?3)
            ELSE walked_at END
        WHERE query_id = ?2
        """, completeness.rawValue, queryRow.queryID, queryRow.walk,
        isFromUpdates ? now.milliseconds : nil)
      if isBelieved {
        try Self.setUnconfirmed(
          removed.count { !run.hasEntered($0.key) }, isVerified: completeness == .verified,
          isReadInFull: isReadInFull, isFromUpdates: isFromUpdates, of: queryRow, db)
      }
      let closed = try self.queryRow(of: query, db).map { try storedQuery($0, db).completeness }
      return WalkClosing(completeness: closed, removed: removed)
    }
  }

  /// Whether the walk's pages make one list and every overlap matches.
  private func isConsistent(_ queryRow: QueryRow, _ db: Database) throws -> Bool {
    guard !queryRow.isShifted else { return false }
    let pages = try db.rows(
      PageRecord.select + " WHERE query_id = ? AND walk = ? ORDER BY number", queryRow.queryID,
      queryRow.walk, body: PageRecord.init)
    return try pages.areOneList
      && pages.allSatisfy { page in
        try page.preceding == nil
          || page.preceding == Self.lastID(onPage: page.number - 1, of: queryRow, db)
      }
  }

  /// The id of the last row that a page had in this walk.
  static func lastID(onPage number: Int, of queryRow: QueryRow, _ db: Database) throws -> String? {
    try db.firstRow(
      """
      SELECT recording.id FROM page JOIN entry ON entry.query_id = page.query_id AND entry.page = page.number
      JOIN recording USING (recording_id)
      WHERE page.query_id = ? AND page.number = ? AND page.walk = ? AND carried = 0 ORDER BY position DESC LIMIT 1
      """, queryRow.queryID, number, queryRow.walk
    ) { $0.text(0) }
  }

  /// Removes the rows that a consistent, finished walk did not find from the list, and
  /// stores the day.
  private func removeRowsNotFound(
    _ queryRow: QueryRow, during run: RunChanges, now: Int64, _ db: Database
  ) throws -> [MovedRow] {
    let removed = try db.rows(
      """
      SELECT recording_id, id,
        (SELECT entered_at FROM arrival WHERE recording_id = entry.recording_id AND query_id = ?1)
      FROM entry JOIN page ON page.query_id = entry.query_id AND page.number = entry.page
      JOIN recording USING (recording_id)
      WHERE entry.query_id = ?1 AND (carried_count > 0 OR walk <> ?2) AND (carried = 1 OR walk <> ?2)
      """, queryRow.queryID, queryRow.walk
    ) { MovedRow(key: $0.int64(0), id: $0.text(1), earlier: $0.optionalInt64(2)) }
    for row in removed {
      let goneAt = run.hasEntered(row.key) ? run.departure(of: row.key) ?? Self.neverListed : now
      try db.run(
        "INSERT OR REPLACE INTO departure (recording_id, query_id, gone_at) VALUES (?, ?, ?)",
        row.key,
        queryRow.queryID, goneAt)
      for table in ["entry", "arrival"] {
        try db.run(
          "DELETE FROM \(table) WHERE recording_id = ? AND query_id = ?", row.key, queryRow.queryID)
      }
    }
    try db.run(
      "UPDATE page SET carried_count = 0 WHERE query_id = ? AND carried_count > 0", queryRow.queryID
    )
    try db.run("DELETE FROM page WHERE query_id = ? AND walk <> ?", queryRow.queryID, queryRow.walk)
    return removed
  }
}
