import ChirperModel
import GRDB

/// Writes one page of a walk inside one transaction: its recordings, the order of its rows, and its
/// page record.
struct PageWriter {
  let db: Database
  let queryRow: QueryRow
  let page: RecordingPage
  let volatileFields: VolatileFields
  let now: Int64
  /// The changes by the run before this page.
  let run: RunChanges

  private var fieldNames: FieldNames
  /// Whether the next recording is more likely unknown than known; the likelier statement runs
  /// first.
  private var expectsUnknown = false
  /// Whether the list was read as far as this page before, so that the rows that enter it now are
  /// new.
  private var isReadAgain = false
  private let indexChanges: SearchIndexChanges
  private var entered: [MovedRow] = []
  private(set) var changedIDs: [String] = []
  private var isShifted = false

  init(
    db: Database, queryRow: QueryRow, page: RecordingPage, volatileFields: VolatileFields,
    now: Int64,
    run: RunChanges = RunChanges()
  ) throws {
    self.db = db
    self.queryRow = queryRow
    self.page = page
    self.volatileFields = volatileFields
    self.now = now
    self.run = run
    fieldNames = FieldNames(catalogueID: queryRow.catalogueID)
    indexChanges = try SearchIndexChanges(db)
  }

  mutating func write(readAt: Int64) throws -> PageOutcome {
    let old = try StoredPage(number: page.number, queryID: queryRow.queryID, db)
    var seen = Set<Int64>()
    var rows: [Int64] = []
    expectsUnknown = old.rows.isEmpty
    // Rows that enter a page of an unfinished list may be those that were not read before.
    let hasNoTotal = old.record.map { $0.total == nil && $0.next != nil } ?? false
    let isCutShort =
      hasNoTotal && old.rows.count < queryRow.query.pageSize
      && (page.readAt != nil || page.totals?.exact != nil)
    isReadAgain = old.record != nil && !isCutShort || queryRow.walkedAt != nil
    let oldRows = Set(old.rows)
    for recording in page.recordings {
      let (key, isUnknown) = try upsert(recording)
      if !seen.insert(key).inserted {
        isShifted = true
      } else if isUnknown {
        // A recording that was not stored is in no list, and was removed from none.
        try enter(key, recording)
        rows.append(key)
      } else if try oldRows.contains(key) || moveFromOtherPage(key, recording) {
        rows.append(key)
      }
    }
    let carried = old.rows.filter { !seen.contains($0) }
    let hasSameRows = rows == old.current && carried == old.carried
    // Not the token: some catalogues name the same page by another token each time.
    let isSame =
      hasSameRows && old.record?.total == page.totals?.exact?.recordings
      && old.record?.next == page.next && !isShifted
    // A record with several rows that comes again is subtracted more than once.
    let records = max(0, page.records - (page.recordings.count - rows.count))
    try writePageRecord(rows: rows.count, carried: carried.count, records: records, readAt: readAt)
    if !hasSameRows { try replaceEntries(rows: rows, carried: carried) }
    try updateQuery(isSame: isSame)
    try RecordingStore.countEntered(entered.count, in: queryRow, db)
    let outdatesLaterPages = page.nextToken != old.record?.nextToken
    if outdatesLaterPages { try removeLaterPagesFromWalk() }
    return PageOutcome(
      number: page.number, next: page.next, nextToken: page.nextToken, totals: page.totals,
      entered: entered, changedIDs: changedIDs, rows: rows.count, skipped: page.skipped,
      records: records, changesRows: !hasSameRows, isShifted: isShifted,
      outdatesLaterPages: outdatesLaterPages)
  }

  /// Writes the fields of the page's recordings, which are the stored ones, and when they were
  /// read.
  mutating func confirm(readAt: Int64) throws {
    for recording in page.recordings { _ = try upsert(recording) }
    try db.run(
      "UPDATE page SET fetched_at = ? WHERE query_id = ? AND number = ?", readAt, queryRow.queryID,
      page.number)
  }

  /// Counts a recording that was not in the list, and stores when it entered unless the list is
  /// read for the first time. One that left the list in this run gets the time that it had before.
  private mutating func enter(_ key: Int64, _ recording: Recording, leftAt: Int64? = nil) throws {
    entered.append(MovedRow(key: key, id: recording.id.value, earlier: leftAt))
    let enteredAt = run.arrival(of: key) ?? (isReadAgain ? now : nil)
    if let enteredAt { try RecordingStore.storeArrival(of: key, in: queryRow, at: enteredAt, db) }
  }

  /// Inserts the recording, or updates its row if the fields differ; the key of its row, and
  /// whether it was not stored.
  mutating func upsert(_ recording: Recording) throws -> (key: Int64, isUnknown: Bool) {
    if expectsUnknown, let key = try insert(recording) { return (key, true) }
    let known = try db.firstRow(
      "SELECT recording_id, fields = ? FROM recording WHERE catalogue_id = ? AND id = ?",
      recording.fields, queryRow.catalogueID,
      recording.id.value
    ) {
      (key: $0.int64(0), isSame: $0.flag(1))
    }
    expectsUnknown = known == nil
    guard let known else {
      guard let key = try insert(recording) else { throw RecordingStore.inconsistent("recording") }
      return (key, true)
    }
    guard !known.isSame,
      let stored = try db.firstRow(
        "SELECT fields FROM recording WHERE recording_id = ?", known.key,
        body: { RecordingFields(canonical: $0.bytes(0)) })
    else { return (known.key, false) }
    switch volatileFields.merge(recording.id, stored, recording.fields) {
    case .keeps?: break
    case .replaces(let fields, isChange: false)?:
      try db.run("UPDATE recording SET fields = ? WHERE recording_id = ?", fields, known.key)
      try indexChanges.noteChange(of: known.key)
      try fieldNames.insert(of: fields, db)
    case .replaces(let fields, isChange: true)?:
      try change(known.key, recording.id, to: fields)
    case nil:
      // It keeps the fields stored before if it differs only in volatile fields and in the order
      // of names, so that a page without real changes writes no row.
      if !stored.saysSame(as: recording.fields, ignoring: volatileFields) {
        try change(known.key, recording.id, to: recording.fields)
      }
    }
    return (known.key, false)
  }

  /// Stores what the recording was, and its new fields.
  private mutating func change(
    _ key: Int64, _ id: RecordingID, to fields: RecordingFields
  ) throws {
    try keepEarlierFields(of: key)
    try db.run(
      "UPDATE recording SET fields = ?, changed_at = ? WHERE recording_id = ?", fields,
      now, key)
    try indexChanges.noteChange(of: key)
    try fieldNames.insert(of: fields, db)
    // No list with this recording was read with its fields as they are now.
    try db.run(
      """
      UPDATE query SET walk_changed = 1, completeness = CASE completeness WHEN 'verified' THEN 'complete' ELSE completeness END
      WHERE query_id IN (SELECT query_id FROM entry WHERE recording_id = ?) AND (walk_changed = 0 OR completeness = 'verified')
      """, key)
    changedIDs.append(id.value)
  }

  /// The number of earlier versions of a recording that are kept: two years of weekly
  /// changes. A field that a service changes with each answer must not make the store grow
  /// without end.
  static let earlierVersions = 100

  private func keepEarlierFields(of key: Int64) throws {
    try db.run(
      "INSERT INTO change (recording_id, changed_at, fields) SELECT recording_id, ?, fields FROM recording WHERE recording_id = ?",
      now, key)
    try db.run(
      """
      DELETE FROM change WHERE recording_id = ?1 AND change_id <=
        (SELECT change_id FROM change WHERE recording_id = ?1 ORDER BY change_id DESC LIMIT 1 OFFSET ?2)
      """, key, Self.earlierVersions)
  }

  /// The key of the new row; `nil`, and nothing inserted, if the recording is known.
  private mutating func insert(_ recording: Recording) throws -> Int64? {
    try db.run(
      """
      INSERT INTO recording (catalogue_id, id, fields, stored_at, changed_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """, queryRow.catalogueID, recording.id.value, recording.fields, now, now)
    guard db.changesCount > 0 else { return nil }
    let key = db.lastInsertedRowID
    try indexChanges.noteInsertion(of: key)
    try fieldNames.insert(of: recording.fields, db)
    return key
  }

  /// Removes the recording from the page of this list that has it, so that it can be put on this
  /// one; `false` if this walk has already read it on that page.
  private mutating func moveFromOtherPage(_ key: Int64, _ recording: Recording) throws -> Bool {
    let other = try db.firstRow(
      """
      SELECT page, position, carried, walk FROM entry JOIN page ON page.query_id = entry.query_id AND page.number = entry.page
      WHERE recording_id = ? AND entry.query_id = ?
      """, key, queryRow.queryID
    ) {
      (page: $0.count(0), position: $0.count(1), isCarried: $0.flag(2), walk: $0.count(3))
    }
    guard let other else {
      try enter(key, recording, leftAt: RecordingStore.removeDeparture(of: key, from: queryRow, db))
      return true
    }
    if !other.isCarried && other.walk == queryRow.walk {
      isShifted = true
      return false
    }
    try db.run(
      "DELETE FROM entry WHERE query_id = ? AND page = ? AND position = ?", queryRow.queryID,
      other.page, other.position)
    let count = other.isCarried ? "carried_count" : "row_count"
    try db.run(
      "UPDATE page SET \(count) = \(count) - 1 WHERE query_id = ? AND number = ?", queryRow.queryID,
      other.page)
    return true
  }

  private func writePageRecord(rows: Int, carried: Int, records: Int, readAt: Int64) throws {
    try db.run(
      """
      INSERT INTO page (query_id, number, walk, fetched_at, total, total_pages, total_species, next, preceding, skipped,
        row_count, carried_count, next_token, records)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET walk = excluded.walk, fetched_at = excluded.fetched_at, total = excluded.total,
        total_pages = excluded.total_pages, total_species = excluded.total_species, next = excluded.next,
        preceding = excluded.preceding, skipped = excluded.skipped, row_count = excluded.row_count,
        carried_count = excluded.carried_count, next_token = excluded.next_token, records = excluded.records
      """,
      queryRow.queryID, page.number, queryRow.walk, readAt, page.totals?.recordings,
      page.totals?.exact?.pages,
      page.totals?.species, page.next, precedingID, page.skipped, rows, carried,
      page.nextToken?.rawValue,
      records == rows + page.skipped ? nil : records)
  }

  /// The id as the schema has it: NULL if it is unknown, empty if the list ends before the
  /// page.
  private var precedingID: String? {
    switch page.preceding {
    // Page 1 has no position before it.
    case _ where page.number == 1: nil
    case .unknown: nil
    case .recording(let id): id.value
    case .nothing: ""
    }
  }

  /// Writes the page's rows, then the rows it had before and no longer has: only a finished walk
  /// removes those.
  private func replaceEntries(rows: [Int64], carried: [Int64]) throws {
    try db.run("DELETE FROM entry WHERE query_id = ? AND page = ?", queryRow.queryID, page.number)
    for (position, recording) in (rows + carried).enumerated() {
      try db.run(
        "INSERT INTO entry (query_id, page, position, recording_id, carried) VALUES (?, ?, ?, ?, ?)",
        queryRow.queryID, page.number, position, recording, position >= rows.count)
    }
  }

  /// Withdraws the list's completeness at the first difference, and marks a walk that cannot end
  /// complete.
  private mutating func updateQuery(isSame: Bool) throws {
    if !isSame, !queryRow.isChanged || queryRow.completeness != nil {
      try db.run(
        "UPDATE query SET walk_changed = 1, completeness = NULL WHERE query_id = ?",
        queryRow.queryID)
    }
    if isSame, page.isFromCache, !queryRow.isChanged {
      // The same answer as before proves nothing, so the walk verifies nothing; but it contradicts
      // nothing either.
      try db.run("UPDATE query SET walk_changed = 1 WHERE query_id = ?", queryRow.queryID)
    }
    let otherTotal = try db.firstRow(
      """
      SELECT total FROM page WHERE query_id = ? AND walk = ? AND number <> ? AND (total IS NULL OR total_pages IS NOT NULL) LIMIT 1
      """, queryRow.queryID, queryRow.walk, page.number
    ) { $0.optionalInt(0) }
    if let otherTotal, page.totals?.isEstimate != true, otherTotal != page.totals?.recordings {
      isShifted = true
    }
    if let preceding = precedingID,
      let last = try RecordingStore.lastID(onPage: page.number - 1, of: queryRow, db),
      last != preceding
    {
      isShifted = true
    }
    if isShifted, !queryRow.isShifted {
      try db.run("UPDATE query SET walk_shifted = 1 WHERE query_id = ?", queryRow.queryID)
    }
  }

  /// The rows of those pages stay; the walk fetches the pages again with the new token.
  private func removeLaterPagesFromWalk() throws {
    guard queryRow.walk > 1 else { return }
    try db.run(
      "UPDATE page SET walk = walk - 1 WHERE query_id = ? AND number > ? AND walk = ?",
      queryRow.queryID, page.number,
      queryRow.walk)
  }
}

/// A page as it was stored before.
private struct StoredPage {
  /// The rows it had when it was last fetched.
  private(set) var current: [Int64] = []
  /// Rows of an earlier walk, carried over after them.
  private(set) var carried: [Int64] = []
  /// The page's record with an exact total; `nil` if it was not stored.
  let record: (total: Int?, next: Int?, nextToken: PageRequest.Token?)?

  var rows: [Int64] { current + carried }

  init(number: Int, queryID: Int64, _ db: Database) throws {
    record = try db.firstRow(
      "SELECT \(PageRecord.exactTotal), next, next_token FROM page WHERE query_id = ? AND number = ?",
      queryID, number
    ) { ($0.optionalInt(0), $0.optionalInt(1), $0.optionalText(2).map(PageRequest.Token.init)) }
    try db.forEachRow(
      "SELECT recording_id, carried FROM entry WHERE query_id = ? AND page = ? ORDER BY position",
      queryID, number
    ) { $0.flag(1) ? carried.append($0.int64(0)) : current.append($0.int64(0)) }
  }
}

/// Inserts the names of the fields that a catalogue sends, so that an export's header is known
/// before its rows are read.
struct FieldNames {
  let catalogueID: Int64
  /// Hashes of the names that were inserted. Most recordings have equal names, whose texts are
  /// not made again.
  var inserted: Set<ByteScan.Hash> = []

  mutating func insert(of fields: RecordingFields, _ db: Database) throws {
    var names: [String] = []
    fields.forEach { name, _ in
      if inserted.insert(ByteScan.hash(name)).inserted { names.append(JSONText.unescaped(name)) }
    }
    for name in names {
      try db.run(
        "INSERT INTO field (catalogue_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", catalogueID,
        name)
    }
  }
}
