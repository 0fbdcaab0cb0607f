import ChirperModel
import Foundation
import GRDB

/// What a catalogue sent to bring a complete list up to date without a walk.
package struct ListUpdate: Sendable {
  /// The list's first page as it is now, with the current total.
  package let firstPage: RecordingPage
  /// Everything that was added since the walk; it may contain recordings that the list has already.
  package let additions: RecordingPage

  package init(firstPage: RecordingPage, additions: RecordingPage) {
    self.firstPage = firstPage
    self.additions = additions
  }
}

extension RecordingStore {
  /// Inserts additions into a complete list, if they alone explain its new total and each has one possible position;
  /// `nil`, with nothing written, if only a walk can bring the list up to date.
  ///
  /// - Parameters:
  ///   - place: the position of a recording in the catalogue's order; `nil` if its fields do not say.
  ///   - record: the record that a recording is from, which is what the total counts.
  ///   - volatileFields: as in `store`.
  package func merge(
    _ update: ListUpdate, into query: SearchQuery, place: (Recording) -> ListPlace?,
    record: (RecordingID) -> String = { $0.value }, volatileFields: Set<String> = [], now: Date
  ) throws(StoreError) -> (new: Int, changed: Int)? {
    try Self.translating(path) {
      var merged: (new: Int, changed: Int)?
      try queue.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          do {
            guard let queryRow = try queryRow(of: query, db) else { throw NeedsFullWalk() }
            merged = try merge(
              update, into: queryRow, place: place, record: record, volatileFields: volatileFields, now: now.milliseconds, db)
            return .commit
          } catch is NeedsFullWalk {
            return .rollback
          }
        }
      }
      return merged
    }
  }

  /// Whether the list has each of these recordings, at the place where its fields put it.
  package func lists(
    _ recordings: [Recording], in query: SearchQuery, place: (Recording) -> ListPlace?
  ) throws(StoreError) -> Bool {
    try read { db in
      guard let queryRow = try queryRow(of: query, db) else { return recordings.isEmpty }
      return try recordings.allSatisfy { recording in
        guard let listed = try listed(recording, queryRow, db) else { return false }
        return place(listed) == place(recording)
      }
    }
  }

  /// The update does not explain the list; the transaction is rolled back.
  private struct NeedsFullWalk: Error {}

  private func merge(
    _ update: ListUpdate, into queryRow: QueryRow, place: (Recording) -> ListPlace?, record: (RecordingID) -> String,
    volatileFields: Set<String>, now: Int64, _ db: Database
  ) throws -> (new: Int, changed: Int) {
    guard !queryRow.isOpen, queryRow.claim == .complete || queryRow.claim == .verified else { throw NeedsFullWalk() }
    var writer = PageWriter(db: db, queryRow: queryRow, page: update.additions, volatileFields: volatileFields, now: now)
    var new: [(id: Int64, recording: Recording)] = []
    var known: [Recording] = []
    for recording in update.additions.recordings {
      let listed = try listed(recording, queryRow, db)
      // It moved upstream, which no total shows.
      if let listed, place(listed) != place(recording) { throw NeedsFullWalk() }
      let id = try writer.store(recording)
      if listed != nil {
        known.append(recording)
      } else if !new.contains(where: { $0.id == id }) {
        new.append((id, recording))
      }
    }
    let newRecords = try newRecords(update.additions.recordings, queryRow, record: record, db)
    let count = try storedQuery(queryRow, db).records
    guard let totals = update.firstPage.totals, update.firstPage.skipped + update.additions.skipped == 0,
      totals.recordings == count + newRecords.count
    else { throw NeedsFullWalk() }
    try insert(new, known: known, newRecords: newRecords, into: queryRow, place: place, record: record, db)
    try checkFirstPage(update.firstPage, of: queryRow, &writer, db)
    try updateQuery(queryRow, totals: totals, hasNew: !new.isEmpty, now: now, db)
    return (new.count, writer.changed)
  }

  /// The records of these recordings that the list does not have; fails if it has a recording of one of the others that is
  /// not among them, because that has left its record.
  private func newRecords(
    _ recordings: [Recording], _ queryRow: QueryRow, record: (RecordingID) -> String, _ db: Database
  ) throws -> Set<String> {
    let ids = Set(recordings.map(\.id))
    var records = Set(ids.map(record))
    guard !records.isEmpty else { return [] }
    var known: Set<String> = []
    var hasLost = false
    try SQLStatement(db, "SELECT id FROM entry JOIN recording USING (recording_id) WHERE query_id = ?")
      .forEach(.int(queryRow.queryID)) { row in
        let id = RecordingID(catalogue: queryRow.query.catalogue, value: row.text(0))
        guard case let record = record(id), records.contains(record) else { return }
        known.insert(record)
        if !ids.contains(id) { hasLost = true }
      }
    guard !hasLost else { throw NeedsFullWalk() }
    records.subtract(known)
    return records
  }

  /// The list's row with this recording's id; `nil` if it has none.
  private func listed(_ recording: Recording, _ queryRow: QueryRow, _ db: Database) throws -> Recording? {
    try SQLStatement(
      db, "SELECT id, fields FROM recording JOIN entry USING (recording_id) WHERE catalogue_id = ? AND id = ? AND query_id = ?"
    ).first(.int(queryRow.catalogueID), .text(recording.id.value), .int(queryRow.queryID)) {
      self.recording($0, queryRow.query.catalogue)
    }
  }

  /// Inserts each new recording at its place; fails if the list has no such group, or one that is out of order.
  ///
  /// - Parameter known: additions that the list has already. The fetch of another query may have stored their new fields
  ///   before, which hides that they moved, so their groups must be in order too.
  private func insert(
    _ new: [(id: Int64, recording: Recording)], known: [Recording], newRecords: Set<String>, into queryRow: QueryRow,
    place: (Recording) -> ListPlace?, record: (RecordingID) -> String, _ db: Database
  ) throws {
    guard !new.isEmpty || !known.isEmpty else { return }
    var groups: [String: [PlacedRow]] = [:]
    for recording in known { if let place = place(recording) { groups[place.group] = [] } }
    var places: [(id: Int64, place: ListPlace, isRecord: Bool)] = []
    var uncounted = newRecords
    for (id, recording) in new {
      guard let place = place(recording) else { throw NeedsFullWalk() }
      places.append((id, place, uncounted.remove(record(recording.id)) != nil))
      groups[place.group] = []
    }
    try readRows(into: &groups, queryRow, place: place, db)
    guard groups.values.allSatisfy(PlacedRow.areInOrder) else { throw NeedsFullWalk() }
    var byPage: [Int: [Insertion]] = [:]
    for (id, place, isRecord) in places.sorted(by: { $0.place.rank.lexicographicallyPrecedes($1.place.rank) }) {
      guard let group = groups[place.group], let last = group.last else { throw NeedsFullWalk() }
      let next = group.first { place.rank.lexicographicallyPrecedes($0.rank) }
      let neighbour = next ?? last
      byPage[neighbour.page, default: []].append(
        Insertion(id: id, neighbour: neighbour.position, isBefore: next != nil, isRecord: isRecord))
    }
    for (page, insertions) in byPage { try insert(insertions, intoPage: page, queryRow, db) }
  }

  /// Fills the groups with their rows; reads the whole list once.
  private func readRows(
    into groups: inout [String: [PlacedRow]], _ queryRow: QueryRow, place: (Recording) -> ListPlace?, _ db: Database
  ) throws {
    var index = 0
    try SQLStatement(
      db,
      """
      SELECT id, fields, page, position FROM entry JOIN recording USING (recording_id)
      WHERE query_id = ? ORDER BY page, position
      """
    ).forEach(.int(queryRow.queryID)) { row in
      index += 1
      guard let place = place(recording(row, queryRow.query.catalogue)), groups[place.group] != nil else { return }
      groups[place.group]?.append(PlacedRow(index: index, page: row.int(2), position: row.int(3), rank: place.rank))
    }
  }

  private func insert(_ insertions: [Insertion], intoPage page: Int, _ queryRow: QueryRow, _ db: Database) throws {
    var merged: [Int64] = []
    try SQLStatement(db, "SELECT position, recording_id FROM entry WHERE query_id = ? AND page = ? ORDER BY position")
      .forEach(.int(queryRow.queryID), .int(page)) { row in
        let beside = insertions.filter { $0.neighbour == row.int(0) }
        merged += beside.filter(\.isBefore).map(\.id) + [row.int64(1)] + beside.filter { !$0.isBefore }.map(\.id)
      }
    try SQLStatement(db, "DELETE FROM entry WHERE query_id = ? AND page = ?").run(.int(queryRow.queryID), .int(page))
    for (position, id) in merged.enumerated() {
      try SQLStatement(db, "INSERT INTO entry (query_id, page, position, recording_id, kept) VALUES (?, ?, ?, ?, 0)")
        .run(.int(queryRow.queryID), .int(page), .int(position), .int(id))
      try SQLStatement(db, "DELETE FROM departure WHERE recording_id = ? AND query_id = ?")
        .run(.int(id), .int(queryRow.queryID))
    }
    let records = insertions.filter(\.isRecord).count
    try SQLStatement(
      db,
      """
      UPDATE page SET row_count = ?1,
        records = CASE WHEN records IS NULL AND ?2 = ?3 THEN NULL ELSE coalesce(records, row_count + skipped) + ?3 END
      WHERE query_id = ?4 AND number = ?5
      """
    ).run(.int(merged.count), .int(insertions.count), .int(records), .int(queryRow.queryID), .int(page))
  }

  /// Fails unless the list now begins with the current first page; stores that page's fields as well.
  private func checkFirstPage(
    _ firstPage: RecordingPage, of queryRow: QueryRow, _ writer: inout PageWriter, _ db: Database
  ) throws {
    let first = try rows(of: queryRow, in: 0..<firstPage.recordings.count, db).map(\.id)
    guard first == firstPage.recordings.map(\.id) else { throw NeedsFullWalk() }
    for recording in firstPage.recordings { _ = try writer.store(recording) }
  }

  /// Stores the new totals and the time. A list with additions has been read once only, so it is no longer verified.
  private func updateQuery(
    _ queryRow: QueryRow, totals: Totals, hasNew: Bool, now: Int64, _ db: Database
  ) throws {
    try SQLStatement(db, "UPDATE query SET checked_at = ?, claim = CASE WHEN ? THEN 'complete' ELSE claim END WHERE query_id = ?")
      .run(.int(now), .flag(hasNew), .int(queryRow.queryID))
    guard hasNew else { return }
    try SQLStatement(db, "UPDATE page SET total = ?, total_pages = ?, total_species = ? WHERE query_id = ?")
      .run(.int(totals.recordings), .int(totals.pages), SQLValue(totals.species), .int(queryRow.queryID))
  }
}

/// A new row and its position on a page.
private struct Insertion {
  let id: Int64
  /// The position of the row next to it.
  let neighbour: Int
  let isBefore: Bool
  /// Whether it adds a record to those of the page.
  let isRecord: Bool
}

/// A row of a group and its position.
private struct PlacedRow {
  /// Counted from the start of the list.
  let index: Int
  let page: Int
  let position: Int
  let rank: [Int]

  /// Whether the rows are next to each other and in the order of their ranks, so that a new one has one place among them.
  static func areInOrder(_ group: [PlacedRow]) -> Bool {
    zip(group, group.dropFirst()).allSatisfy {
      $1.index == $0.index + 1 && $0.rank.lexicographicallyPrecedes($1.rank)
    }
  }
}
