import ChirperModel
import GRDB

/// Writes one page of a walk inside one transaction: its recordings, the order of its rows, its mark.
struct PageWriter {
  let db: Database
  let head: QueryRow
  let page: RecordingPage
  let now: Int64

  private var fieldNames: FieldNames
  /// Whether the recording to come is rather unknown than known; it is tried that way first.
  private var expectsUnknown = false
  private var new = 0
  private(set) var changed = 0
  private var isShifted = false

  init(db: Database, head: QueryRow, page: RecordingPage, now: Int64) {
    self.db = db
    self.head = head
    self.page = page
    self.now = now
    fieldNames = FieldNames(catalogueID: head.catalogueID)
  }

  mutating func write() throws -> PageOutcome {
    let old = try OldPage(number: page.number, queryID: head.queryID, db)
    var met = Set<Int64>()
    var rows: [Int64] = []
    expectsUnknown = old.rows.isEmpty
    for recording in page.recordings {
      let (id, isUnknown) = try stored(recording)
      guard met.insert(id).inserted else {
        isShifted = true
        continue
      }
      if isUnknown {
        // No list holds what was not stored, and none has lost it.
        new += 1
        rows.append(id)
      } else if old.holds(id) {
        rows.append(id)
      } else if try takeFromElsewhere(id) {
        rows.append(id)
      }
    }
    let kept = old.rows.filter { !met.contains($0) }
    let isSame = rows == old.brought && kept == old.kept
    let isSameMark = isSame && old.total == page.totals?.recordings && old.next == page.next && !isShifted
    try writeMark(rows: rows.count, kept: kept.count)
    if !isSame { try replaceEntries(rows: rows, kept: kept) }
    try noteDifferences(sameAsBefore: isSameMark)
    return PageOutcome(
      number: page.number, next: page.next, totals: page.totals, new: new, changed: changed, rows: rows.count,
      skipped: page.skipped, isShifted: isShifted)
  }

  /// The recording's row, inserted or brought up to date where the fields differ; untouched where they are the same.
  mutating func store(_ recording: Recording) throws -> Int64 {
    try stored(recording).id
  }

  private mutating func stored(_ recording: Recording) throws -> (id: Int64, isUnknown: Bool) {
    if expectsUnknown, let id = try insert(recording) { return (id, true) }
    let known = try SQLStatement(
      db, "SELECT recording_id, fields = ? FROM recording WHERE catalogue_id = ? AND id = ?"
    ).first(.text(recording.fields.json), .int(head.catalogueID), .text(recording.id.value)) {
      (id: $0.int64(0), isSame: $0.flag(1))
    }
    expectsUnknown = known == nil
    guard let known else {
      guard let id = try insert(recording) else { throw RecordingStore.inconsistent("recording") }
      return (id, true)
    }
    if !known.isSame {
      try SQLStatement(db, "UPDATE recording SET fields = ?, changed_at = ? WHERE recording_id = ?")
        .run(.text(recording.fields.json), .int(now), .int(known.id))
      try fieldNames.note(recording.fields, db)
      changed += 1
    }
    return (known.id, false)
  }

  /// `nil`, and nothing done, where the recording is known.
  private mutating func insert(_ recording: Recording) throws -> Int64? {
    try SQLStatement(
      db,
      """
      INSERT INTO recording (catalogue_id, id, fields, stored_at, changed_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (catalogue_id, id) DO NOTHING
      """
    ).run(
      .int(head.catalogueID), .text(recording.id.value), .text(recording.fields.json), .int(now), .int(now))
    guard db.changesCount > 0 else { return nil }
    let id = db.lastInsertedRowID
    try fieldNames.note(recording.fields, db)
    return id
  }

  /// Whether the recording may stand on this page: not where this walk has already met it on another. One that stands
  /// on a page the walk has not read yet moves here.
  private mutating func takeFromElsewhere(_ recording: Int64) throws -> Bool {
    let place = try SQLStatement(
      db,
      """
      SELECT page, position, kept, walk FROM entry JOIN page ON page.query_id = entry.query_id AND page.number = entry.page
      WHERE recording_id = ? AND entry.query_id = ?
      """
    ).first(.int(recording), .int(head.queryID)) {
      (page: $0.count(0), position: $0.count(1), isKept: $0.flag(2), walk: $0.count(3))
    }
    guard let place else {
      new += 1
      try SQLStatement(db, "DELETE FROM departure WHERE recording_id = ? AND query_id = ?")
        .run(.int(recording), .int(head.queryID))
      return true
    }
    if !place.isKept && place.walk == head.walk {
      isShifted = true
      return false
    }
    try SQLStatement(db, "DELETE FROM entry WHERE query_id = ? AND page = ? AND position = ?")
      .run(.int(head.queryID), .int(place.page), .int(place.position))
    let count = place.isKept ? "kept_count" : "row_count"
    try SQLStatement(db, "UPDATE page SET \(count) = \(count) - 1 WHERE query_id = ? AND number = ?")
      .run(.int(head.queryID), .int(place.page))
    return true
  }

  private func writeMark(rows: Int, kept: Int) throws {
    try SQLStatement(
      db,
      """
      INSERT INTO page (query_id, number, walk, fetched_at, total, total_pages, total_species, next, preceding, skipped,
        row_count, kept_count)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET walk = excluded.walk, fetched_at = excluded.fetched_at, total = excluded.total,
        total_pages = excluded.total_pages, total_species = excluded.total_species, next = excluded.next,
        preceding = excluded.preceding, skipped = excluded.skipped, row_count = excluded.row_count,
        kept_count = excluded.kept_count
      """
    ).run(
      .int(head.queryID), .int(page.number), .int(head.walk), .int(now), SQLValue(page.totals?.recordings),
      SQLValue(page.totals?.pages), SQLValue(page.totals?.species), SQLValue(page.next), precedingID,
      .int(page.skipped), .int(rows), .int(kept))
  }

  /// As in the schema: NULL where it is unknown, empty where nothing stands there.
  private var precedingID: SQLValue {
    switch page.preceding {
    case .unknown: .null
    case .recording(let id): .text(id.value)
    case .nothing: .text("")
    }
  }

  /// What the page brought, then what stood here before and was not met: nothing leaves a list by being looked for.
  private func replaceEntries(rows: [Int64], kept: [Int64]) throws {
    try SQLStatement(db, "DELETE FROM entry WHERE query_id = ? AND page = ?").run(.int(head.queryID), .int(page.number))
    let insert = try SQLStatement(
      db, "INSERT INTO entry (query_id, page, position, recording_id, kept) VALUES (?, ?, ?, ?, ?)")
    for (position, recording) in (rows + kept).enumerated() {
      try insert.run(
        .int(head.queryID), .int(page.number), .int(position), .int(recording), .flag(position >= rows.count))
    }
  }

  /// Takes back the old claim at the first difference, and marks a walk that cannot end complete.
  private mutating func noteDifferences(sameAsBefore: Bool) throws {
    if !sameAsBefore, !head.isChanged || head.claim != nil {
      try SQLStatement(db, "UPDATE query SET walk_changed = 1, claim = NULL WHERE query_id = ?").run(.int(head.queryID))
    }
    let otherTotal = try SQLStatement(
      db, "SELECT total FROM page WHERE query_id = ? AND walk = ? AND number <> ? LIMIT 1"
    ).first(.int(head.queryID), .int(head.walk), .int(page.number)) { $0.optionalInt(0) }
    if let otherTotal, otherTotal != page.totals?.recordings { isShifted = true }
    if case .text(let preceding) = precedingID,
      let last = try RecordingStore.lastID(onPage: page.number - 1, of: head, db), last != preceding
    {
      isShifted = true
    }
    if isShifted, !head.isShifted {
      try SQLStatement(db, "UPDATE query SET walk_shifted = 1 WHERE query_id = ?").run(.int(head.queryID))
    }
  }
}

/// A page as it stands before it is written anew.
private struct OldPage {
  /// Rows it brought when last fetched, and rows kept behind them, in their order.
  private(set) var brought: [Int64] = []
  private(set) var kept: [Int64] = []
  private(set) var total: Int?
  private(set) var next: Int?
  private var all: Set<Int64> = []

  var rows: [Int64] { brought + kept }

  init(number: Int, queryID: Int64, _ db: Database) throws {
    var brought: [Int64] = []
    var kept: [Int64] = []
    try SQLStatement(db, "SELECT recording_id, kept FROM entry WHERE query_id = ? AND page = ? ORDER BY position")
      .forEach(.int(queryID), .int(number)) { $0.flag(1) ? kept.append($0.int64(0)) : brought.append($0.int64(0)) }
    let mark = try SQLStatement(db, "SELECT total, next FROM page WHERE query_id = ? AND number = ?")
      .first(.int(queryID), .int(number)) { (total: $0.optionalInt(0), next: $0.optionalInt(1)) }
    (self.brought, self.kept, total, next) = (brought, kept, mark?.total, mark?.next)
    all = Set(brought + kept)
  }

  func holds(_ recording: Int64) -> Bool { all.contains(recording) }
}
