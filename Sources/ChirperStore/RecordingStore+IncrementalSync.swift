import ChirperModel
import Foundation
import GRDB

/// What a catalogue told of a closed list without a walk.
package struct Confirmation: Sendable {
  /// The list's first page as it is now, with the total as it is now.
  package let firstPage: RecordingPage
  /// Everything added since the walk, and perhaps some of what was there.
  package let additions: RecordingPage

  package init(firstPage: RecordingPage, additions: RecordingPage) {
    self.firstPage = firstPage
    self.additions = additions
  }
}

extension RecordingStore {
  /// Brings a complete list up to date with what was added to it, where that alone explains the new total and every
  /// addition has one place to stand; `nil`, and nothing written, where a walk must tell.
  package func merge(
    _ told: Confirmation, into query: SearchQuery, place: (Recording) -> ListPlace?, now: Date
  ) throws(StoreError) -> (new: Int, changed: Int)? {
    try Self.translating(path) {
      var merged: (new: Int, changed: Int)?
      try queue.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          do {
            merged = try merge(told, into: query, place: place, now: now.milliseconds, db)
            return .commit
          } catch is NeedsFullWalk {
            return .rollback
          }
        }
      }
      return merged
    }
  }

  /// What was told does not explain the list; the transaction is undone.
  private struct NeedsFullWalk: Error {}

  private func merge(
    _ told: Confirmation, into query: SearchQuery, place: (Recording) -> ListPlace?, now: Int64, _ db: Database
  ) throws -> (new: Int, changed: Int) {
    guard let head = try head(of: query, db), !head.isOpen, head.claim == .complete || head.claim == .verified else {
      throw NeedsFullWalk()
    }
    var writer = PageWriter(db: db, head: head, page: told.additions, now: now)
    var new: [(id: Int64, recording: Recording)] = []
    var held: [Recording] = []
    for recording in told.additions.recordings {
      try checkPlace(of: recording, head, place: place, db)
      let id = try writer.store(recording)
      if try holds(id, head, db) {
        held.append(recording)
      } else if !new.contains(where: { $0.id == id }) {
        new.append((id, recording))
      }
    }
    let count = try storedQuery(head, db).count
    guard let totals = told.firstPage.totals, told.firstPage.skipped + told.additions.skipped == 0,
      totals.recordings == count + new.count
    else { throw NeedsFullWalk() }
    try insert(new, beside: held, into: head, place: place, db)
    try checkHead(told.firstPage, of: head, &writer, db)
    try noteConfirmed(head, totals: totals, hasNew: !new.isEmpty, now: now, db)
    return (new.count, writer.changed)
  }

  private func holds(_ recording: Int64, _ head: QueryRow, _ db: Database) throws -> Bool {
    try SQLStatement(db, "SELECT 1 FROM entry WHERE recording_id = ? AND query_id = ?")
      .first(.int(recording), .int(head.queryID)) { _ in true } ?? false
  }

  /// Fails where a row of the list has another place now than it had: it moved upstream, which no total tells.
  private func checkPlace(
    of recording: Recording, _ head: QueryRow, place: (Recording) -> ListPlace?, _ db: Database
  ) throws {
    let known = try SQLStatement(
      db, "SELECT id, fields FROM recording JOIN entry USING (recording_id) WHERE catalogue_id = ? AND id = ? AND query_id = ?"
    ).first(.int(head.catalogueID), .text(recording.id.value), .int(head.queryID)) {
      self.recording($0, head.query.catalogue)
    }
    if let known, place(known) != place(recording) { throw NeedsFullWalk() }
  }

  /// Puts each new recording where its group and rank say; fails where the list has no such group or is not in order.
  ///
  /// - Parameter held: additions that the list has already; one that another query's fetch brought up to date may have
  ///   moved as well, so their groups too must be in order.
  private func insert(
    _ new: [(id: Int64, recording: Recording)], beside held: [Recording], into head: QueryRow,
    place: (Recording) -> ListPlace?, _ db: Database
  ) throws {
    guard !new.isEmpty || !held.isEmpty else { return }
    var groups: [String: [Standing]] = [:]
    for recording in held { if let place = place(recording) { groups[place.group] = [] } }
    var places: [(id: Int64, place: ListPlace)] = []
    for (id, recording) in new {
      guard let place = place(recording) else { throw NeedsFullWalk() }
      places.append((id, place))
      groups[place.group] = []
    }
    try collect(&groups, head, place: place, db)
    guard groups.values.allSatisfy(Standing.areInOrder) else { throw NeedsFullWalk() }
    var byPage: [Int: [Insertion]] = [:]
    for (id, place) in places.sorted(by: { $0.place.rank.lexicographicallyPrecedes($1.place.rank) }) {
      guard let group = groups[place.group], let last = group.last else { throw NeedsFullWalk() }
      let next = group.first { place.rank.lexicographicallyPrecedes($0.rank) }
      let neighbour = next ?? last
      byPage[neighbour.page, default: []].append(
        Insertion(id: id, neighbour: neighbour.position, isBefore: next != nil))
    }
    for (page, insertions) in byPage { try insert(insertions, intoPage: page, head, db) }
  }

  /// Where the rows of those groups stand; reads the whole list once.
  private func collect(
    _ groups: inout [String: [Standing]], _ head: QueryRow, place: (Recording) -> ListPlace?, _ db: Database
  ) throws {
    var index = 0
    try SQLStatement(
      db,
      """
      SELECT id, fields, page, position FROM entry JOIN recording USING (recording_id)
      WHERE query_id = ? ORDER BY page, position
      """
    ).forEach(.int(head.queryID)) { row in
      index += 1
      guard let place = place(recording(row, head.query.catalogue)), groups[place.group] != nil else { return }
      groups[place.group]?.append(Standing(index: index, page: row.int(2), position: row.int(3), rank: place.rank))
    }
  }

  private func insert(_ insertions: [Insertion], intoPage page: Int, _ head: QueryRow, _ db: Database) throws {
    var merged: [Int64] = []
    try SQLStatement(db, "SELECT position, recording_id FROM entry WHERE query_id = ? AND page = ? ORDER BY position")
      .forEach(.int(head.queryID), .int(page)) { row in
        let beside = insertions.filter { $0.neighbour == row.int(0) }
        merged += beside.filter(\.isBefore).map(\.id) + [row.int64(1)] + beside.filter { !$0.isBefore }.map(\.id)
      }
    try SQLStatement(db, "DELETE FROM entry WHERE query_id = ? AND page = ?").run(.int(head.queryID), .int(page))
    for (position, id) in merged.enumerated() {
      try SQLStatement(db, "INSERT INTO entry (query_id, page, position, recording_id, kept) VALUES (?, ?, ?, ?, 0)")
        .run(.int(head.queryID), .int(page), .int(position), .int(id))
      try SQLStatement(db, "DELETE FROM departure WHERE recording_id = ? AND query_id = ?")
        .run(.int(id), .int(head.queryID))
    }
    try SQLStatement(db, "UPDATE page SET row_count = ? WHERE query_id = ? AND number = ?")
      .run(.int(merged.count), .int(head.queryID), .int(page))
  }

  /// The list must now begin with the first page as it is upstream; its rows are brought up to date by the way.
  private func checkHead(
    _ firstPage: RecordingPage, of head: QueryRow, _ writer: inout PageWriter, _ db: Database
  ) throws {
    let begins = try rows(of: head, in: 0..<firstPage.recordings.count, db).map(\.id)
    guard begins == firstPage.recordings.map(\.id) else { throw NeedsFullWalk() }
    for recording in firstPage.recordings { _ = try writer.store(recording) }
  }

  /// A list that was added to has been read once, so it is no longer verified.
  private func noteConfirmed(
    _ head: QueryRow, totals: Totals, hasNew: Bool, now: Int64, _ db: Database
  ) throws {
    try SQLStatement(db, "UPDATE query SET checked_at = ?, claim = CASE WHEN ? THEN 'complete' ELSE claim END WHERE query_id = ?")
      .run(.int(now), .flag(hasNew), .int(head.queryID))
    guard hasNew else { return }
    try SQLStatement(db, "UPDATE page SET total = ?, total_pages = ?, total_species = ? WHERE query_id = ?")
      .run(.int(totals.recordings), .int(totals.pages), SQLValue(totals.species), .int(head.queryID))
  }
}

/// Where a new row goes on its page.
private struct Insertion {
  let id: Int64
  /// The position of the row it goes beside.
  let neighbour: Int
  let isBefore: Bool
}

/// Where a row of a group stands.
private struct Standing {
  /// From the list's beginning.
  let index: Int
  let page: Int
  let position: Int
  let rank: [Int]

  /// Whether the rows stand together and by rank, so that a new one has one place among them.
  static func areInOrder(_ group: [Standing]) -> Bool {
    zip(group, group.dropFirst()).allSatisfy {
      $1.index == $0.index + 1 && $0.rank.lexicographicallyPrecedes($1.rank)
    }
  }
}
