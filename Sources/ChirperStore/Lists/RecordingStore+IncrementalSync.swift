import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// The latest day on which a recording of the list was added to the catalogue; `nil` if no row
  /// says.
  ///
  /// The rows that are read are those with the latest day of the search index, and those without a
  /// day.
  ///
  /// - Parameter uploaded: the day as `YYYY-MM-DD`, the detail of that name where there is one.
  package func newestUpload(
    of query: CatalogueQuery, uploaded: (Recording) -> String?
  ) throws(StoreError) -> String? {
    let keys = try keys(of: query)
    #if Collection
    let known = try values(in: [.available], of: keys).values[0]
    let days = keys.indices.map(known.number)
    let latest = days.lazy.filter { !$0.isNaN }.max()
    let read = keys.indices.filter { days[$0].isNaN || days[$0] == latest }.map { keys[$0] }
    #else
    let read = keys
    #endif
    var newest: String?
    for batch in read.batches(of: 500) {
      for row in try recordings(Array(batch), ifStored: true) {
        guard let day = uploaded(row.recording) else { continue }
        newest = max(newest ?? day, day)
      }
    }
    return newest
  }

  /// Whether the list has each of these recordings, at the position where its fields put it.
  package func hasRecordings(
    _ recordings: [Recording], in query: CatalogueQuery,
    orderedBy position: (Recording) -> ListPosition?
  ) throws(StoreError) -> Bool {
    try read { db in
      guard let queryRow = try queryRow(of: query, db) else { return recordings.isEmpty }
      return try recordings.allSatisfy { recording in
        guard let listed = try listed(recording, queryRow, db) else { return false }
        return position(listed.recording) == position(recording)
      }
    }
  }

  /// Inserts additions into a complete list, if they alone explain its new total and each has one
  /// possible position; `nil`, with nothing written, if only a walk can bring the list up to date.
  /// The list is then `complete`, also if it was `verified`.
  ///
  /// - Parameters:
  ///   - additions: everything that was added since the newest upload of the list, and maybe
  ///     recordings that it has already.
  ///   - firstPage: of the list, requested after the additions, with the current total.
  ///   - position: the position of a recording in the catalogue's order; `nil` if its fields do not
  ///     say.
  ///   - volatileFields: as in `store`.
  ///   - readAt: of `firstPage`, as in `store`.
  /// - Returns: the rows that entered the list, and the ids of the recordings whose fields changed.
  package func merge(
    _ additions: RecordingPage, _ firstPage: RecordingPage, into query: CatalogueQuery,
    position: (Recording) -> ListPosition?,
    volatileFields: VolatileFields = [], readAt: Date? = nil, now: Date
  ) throws(StoreError) -> (entered: [MovedRow], changedIDs: [String])? {
    try write { db in
      var merged: (entered: [MovedRow], changedIDs: [String])?
      try db.inSavepoint {
        do {
          guard let queryRow = try queryRow(of: query, db) else { throw NeedsFullWalk() }
          merged = try merge(
            additions, firstPage, into: queryRow, position: position,
            volatileFields: volatileFields,
            readAt: (readAt ?? now).milliseconds, now: now.milliseconds, db)
          return .commit
        } catch is NeedsFullWalk {
          return .rollback
        }
      }
      return merged
    }
  }

  /// Compares a page that was read again with the stored one, and stores its fields and the time;
  /// returns the ids of the recordings that changed. `nil` if its rows, its total or its next page
  /// differ: the list is then no longer complete.
  package func confirm(
    _ page: RecordingPage, of query: CatalogueQuery, volatileFields: VolatileFields = [],
    readAt: Date, now: Date
  ) throws(StoreError) -> [String]? {
    try write { db in
      guard let queryRow = try queryRow(of: query, db) else { throw StoreError(.queryForgotten) }
      guard page.skipped == 0, try isStored(page, of: query, db) else {
        try abandonWalk(queryRow, db)
        return nil
      }
      var writer = try PageWriter(
        db: db, queryRow: queryRow, page: page, volatileFields: volatileFields,
        now: now.milliseconds)
      try writer.confirm(readAt: readAt.milliseconds)
      return writer.changedIDs
    }
  }

  /// The update does not explain the list; the transaction is rolled back.
  private struct NeedsFullWalk: Error {}

  private func merge(
    _ additions: RecordingPage, _ firstPage: RecordingPage, into queryRow: QueryRow,
    position: (Recording) -> ListPosition?,
    volatileFields: VolatileFields, readAt: Int64, now: Int64, _ db: Database
  ) throws -> (entered: [MovedRow], changedIDs: [String]) {
    guard !queryRow.isOpen, queryRow.isComplete else { throw NeedsFullWalk() }
    var writer = try PageWriter(
      db: db, queryRow: queryRow, page: additions, volatileFields: volatileFields, now: now)
    var new: [(key: Int64, recording: Recording)] = []
    var changedElsewhere: [Recording] = []
    for recording in additions.recordings {
      let listed = try listed(recording, queryRow, db)
      // It moved upstream, which no total shows.
      if let listed, position(listed.recording) != position(recording) { throw NeedsFullWalk() }
      let key = try writer.upsert(recording).key
      if let listed {
        if listed.isChangedSince { changedElsewhere.append(recording) }
      } else if !new.contains(where: { $0.key == key }) {
        new.append((key, recording))
      }
    }
    let count = try storedQuery(queryRow, db).count
    guard let totals = firstPage.totals?.exact, firstPage.skipped + additions.skipped == 0,
      totals.recordings == count + new.count
    else { throw NeedsFullWalk() }
    var entered: [MovedRow] = []
    if let (list, index) = try inserted(
      new, changedElsewhere, into: queryRow, position: position, db)
    {
      try write(
        list, from: index, into: queryRow, totals: totals, pageSize: firstPage.recordings.count, db)
      for (key, recording) in new {
        let leftAt = try Self.removeDeparture(of: key, from: queryRow, db)
        entered.append(MovedRow(key: key, id: recording.id.value, earlier: leftAt))
        try Self.storeArrival(of: key, in: queryRow, at: now, db)
      }
    }
    guard try isStored(firstPage, of: queryRow.query, db) else { throw NeedsFullWalk() }
    var confirming = try PageWriter(
      db: db, queryRow: queryRow, page: firstPage, volatileFields: volatileFields, now: now)
    try confirming.confirm(readAt: readAt)
    try db.run(
      "UPDATE query SET checked_at = ?, completeness = 'complete' WHERE query_id = ?", now,
      queryRow.queryID)
    return (entered, writer.changedIDs + confirming.changedIDs)
  }

  /// The list's row with this recording's id, and whether its fields have changed since its page
  /// was read; `nil` if it has none.
  private func listed(
    _ recording: Recording, _ queryRow: QueryRow, _ db: Database
  ) throws -> (recording: Recording, isChangedSince: Bool)? {
    try db.firstRow(
      """
      SELECT id, fields, changed_at > fetched_at FROM recording JOIN entry USING (recording_id)
      JOIN page ON page.query_id = entry.query_id AND page.number = entry.page
      WHERE catalogue_id = ? AND id = ? AND entry.query_id = ?
      """, queryRow.catalogueID, recording.id.value, queryRow.queryID
    ) {
      (self.recording($0, queryRow.query.catalogue), $0.flag(2))
    }
  }

  /// The list with each new recording at its position, and the index of the first; `nil` if
  /// nothing is new. Fails if the list has no such group, or one that is out of order.
  ///
  /// - Parameter changedElsewhere: rows of the list whose fields have changed since their
  ///   page was read. The fetch of a different query may have stored them, which hides that
  ///   they moved, so their groups must be in order too.
  private func inserted(
    _ new: [(key: Int64, recording: Recording)], _ changedElsewhere: [Recording],
    into queryRow: QueryRow,
    position: (Recording) -> ListPosition?, _ db: Database
  ) throws -> (list: [Int64], first: Int)? {
    guard !new.isEmpty || !changedElsewhere.isEmpty else { return nil }
    var groups: [String: [RankedRow]] = [:]
    for recording in changedElsewhere {
      if let position = position(recording) { groups[position.group] = [] }
    }
    var positions: [(key: Int64, position: ListPosition)] = []
    for (key, recording) in new {
      guard let position = position(recording) else { throw NeedsFullWalk() }
      positions.append((key, position))
      groups[position.group] = []
    }
    let old = try readRows(into: &groups, queryRow, position: position, db)
    guard groups.values.allSatisfy(RankedRow.areInOrder) else { throw NeedsFullWalk() }
    positions.sort { $0.position.rank.lexicographicallyPrecedes($1.position.rank) }
    // New recordings before the row with that index. One at the end of its group comes before the
    // first of the next group.
    var atEnd: [Int: [Int64]] = [:]
    var within: [Int: [Int64]] = [:]
    for (key, position) in positions {
      guard let group = groups[position.group], let last = group.last else { throw NeedsFullWalk() }
      if let next = group.first(where: { position.rank.lexicographicallyPrecedes($0.rank) }) {
        within[next.index, default: []].append(key)
      } else {
        atEnd[last.index + 1, default: []].append(key)
      }
    }
    guard let first = (Array(atEnd.keys) + within.keys).min() else { return nil }
    var list: [Int64] = []
    list.reserveCapacity(old.count + new.count)
    for index in 0...old.count {
      list += (atEnd[index] ?? []) + (within[index] ?? [])
      if index < old.count { list.append(old[index]) }
    }
    return (list, first)
  }

  /// The rows of the list in order; fills the groups with theirs. Reads the whole list once.
  private func readRows(
    into groups: inout [String: [RankedRow]], _ queryRow: QueryRow,
    position: (Recording) -> ListPosition?, _ db: Database
  ) throws -> [Int64] {
    var list: [Int64] = []
    try db.forEachRow(
      """
      SELECT id, fields, recording_id FROM entry JOIN recording USING (recording_id)
      WHERE query_id = ? ORDER BY page, position
      """, queryRow.queryID
    ) { row in
      list.append(row.int64(2))
      guard let position = position(recording(row, queryRow.query.catalogue)),
        groups[position.group] != nil
      else { return }
      groups[position.group]?.append(RankedRow(index: list.count - 1, rank: position.rank))
    }
    return list
  }

  /// Writes a list that has changed from that index on, in pages as the catalogue has them now, so
  /// that each can be compared with the catalogue's page of the same number.
  private func write(
    _ list: [Int64], from index: Int, into queryRow: QueryRow, totals: RecordingPage.Totals,
    pageSize: Int, _ db: Database
  ) throws {
    let pages = totals.pages
    let last = "SELECT max(number) FROM page WHERE query_id = ?"
    let stored = try db.firstRow(last, queryRow.queryID) { $0.count(0) }
    guard let stored, stored <= pages, pageSize > 0,
      // The catalogue may count an empty last page.
      pages >= (list.count + pageSize - 1) / pageSize, pages - 1 <= list.count / pageSize
    else { throw NeedsFullWalk() }
    let firstPage = index / pageSize + 1
    let notFull = "SELECT 1 FROM page WHERE query_id = ? AND number < ? AND row_count <> ?"
    if try db.hasRow(notFull, queryRow.queryID, firstPage, pageSize) { throw NeedsFullWalk() }
    try db.run("DELETE FROM entry WHERE query_id = ? AND page >= ?", queryRow.queryID, firstPage)
    // The rows of a new page come from the last one.
    for number in stored..<pages {
      try db.run(
        """
        INSERT INTO page (query_id, number, walk, fetched_at, skipped, row_count, carried_count)
        SELECT query_id, number + 1, walk, fetched_at, 0, 0, 0 FROM page WHERE query_id = ? AND number = ?
        """, queryRow.queryID, number)
    }
    // Each page has rows of the one before it now, so it was read when the older of the two was.
    try db.run(
      """
      UPDATE page SET fetched_at = min(page.fetched_at, before.fetched_at)
      FROM (SELECT number + 1 AS following, fetched_at FROM page WHERE query_id = ?1) AS before
      WHERE query_id = ?1 AND number = following AND number > ?2
      """, queryRow.queryID, firstPage)
    for number in firstPage...pages {
      try write(list.dropFirst((number - 1) * pageSize).prefix(pageSize), number, of: queryRow, db)
    }
    try db.run(
      """
      UPDATE page SET total = ?1, total_pages = ?2, total_species = ?3, next = CASE WHEN number < ?2 THEN number + 1 END
      WHERE query_id = ?4
      """, totals.recordings, pages, totals.species, queryRow.queryID)
  }

  /// Writes the rows of one page, whose entries were deleted.
  private func write(
    _ rows: ArraySlice<Int64>, _ number: Int, of queryRow: QueryRow, _ db: Database
  ) throws {
    try db.run(
      "UPDATE page SET row_count = ?, records = NULL, preceding = NULL WHERE query_id = ? AND number = ?",
      rows.count, queryRow.queryID, number)
    for (position, key) in rows.enumerated() {
      try db.run(
        "INSERT INTO entry (query_id, page, position, recording_id, carried) VALUES (?, ?, ?, ?, 0)",
        queryRow.queryID, number, position, key)
    }
  }
}

/// A row of a group and its position.
private struct RankedRow {
  /// Counted from the start of the list.
  let index: Int
  let rank: [Int]

  /// Whether the rows are next to each other and in the order of their ranks, so that a new one has
  /// one position among them.
  static func areInOrder(_ group: [RankedRow]) -> Bool {
    zip(group, group.dropFirst()).allSatisfy {
      $1.index == $0.index + 1 && $0.rank.lexicographicallyPrecedes($1.rank)
    }
  }
}
