import ChirperModel
import GRDB

/// Writes what a salvage reads into a new store, table by table, so that the rules of a list hold in it.
struct Rebuild {
  struct Report {
    var kept = Repair.Counts()
    var lost = Repair.Counts()
    var incomplete: [String] = []
  }

  private let old: Salvage
  private let new: Database
  private let now: Int64

  private struct Place: Hashable {
    let query: Int64
    let recording: Int64
  }

  private var report = Report()
  private var lists: [Int64: SalvagedList] = [:]
  /// What else is to be known of a query: its catalogue, and how it was typed.
  private var queries: [Int64: (catalogue: Int64, typed: String)] = [:]
  private var marks: [Int64: [Int: SalvagedList.PageRecord]] = [:]
  private var rows: [Int64: [Int: [SalvagedList.Row]]] = [:]
  private var places: Set<Place> = []
  private var catalogues: Set<Int64> = []
  /// Field names by catalogue: those that were lost are in the recordings that were kept.
  private var fieldNames: [Int64: FieldNames] = [:]
  /// Each with its catalogue.
  private var recordings: [Int64: Int64] = [:]
  /// Recordings whose fields could not be read as JSON.
  private var garbled: Set<Int64> = []

  init(old: Salvage, new: Database, now: Int64) {
    self.old = old
    self.new = new
    self.now = now
  }

  /// Reads everything once and writes it.
  consuming func run() throws -> Report {
    defer { old.finish() }
    try readPages()
    try readEntries()
    try copyCatalogues()
    try copyRecordings()
    try copyQueries()
    for (query, list) in lists.sorted(by: { $0.key < $1.key }) { try write(list, query) }
    try copyDepartures()
    try countLosses()
    return report
  }

  // MARK: Lists, into memory

  private mutating func readPages() throws {
    var marks: [Int64: [Int: SalvagedList.PageRecord]] = [:]
    let take = { (row: SQLRow) in
      let mark = SalvagedList.PageRecord(row)
      if mark.number > 0, mark.walk > 0 { marks[row.int64(0), default: [:]][mark.number] = mark }
    }
    let select = "SELECT \(SalvagedList.PageRecord.columns) FROM page"
    if try !old.scan(select, descending: "query_id DESC, number DESC", take) {
      for (query, known) in marks {
        for number in 1...min(known.keys.max() ?? 1, 100_000) where known[number] == nil {
          try old.probe(select + " WHERE query_id = ? AND number = ?", .int(query), .int(number), body: take)
        }
      }
    }
    self.marks = marks
  }

  private mutating func readEntries() throws {
    let select = "SELECT query_id, page, position, recording_id, kept FROM entry"
    let isWhole = try old.scan(select, descending: "query_id DESC, page DESC, position DESC") { take($0, $0.flag(4)) }
    if !isWhole {
      for (query, marks) in marks {
        for page in marks.keys {
          let ofPage = select + " WHERE query_id = ? AND page = ? ORDER BY position"
          try old.probe(ofPage, .int(query), .int(page)) { take($0, $0.flag(4)) }
          try old.probe(ofPage + " DESC", .int(query), .int(page)) { take($0, $0.flag(4)) }
        }
      }
    }
    // The second key holds each row once more, but for whether it was kept.
    try old.scan(
      "SELECT query_id, page, position, recording_id FROM entry INDEXED BY sqlite_autoindex_entry_2",
      descending: "recording_id DESC, query_id DESC"
    ) { take($0, false) }
  }

  private mutating func take(_ row: SQLRow, _ isKept: Bool) {
    let (query, page, recording) = (row.int64(0), row.count(1), row.int64(3))
    guard page > 0, places.insert(Place(query: query, recording: recording)).inserted else { return }
    rows[query, default: [:]][page, default: []].append(
      SalvagedList.Row(position: row.count(2), recording: recording, isKept: isKept))
  }

  // MARK: Tables, straight into the new file

  private mutating func copyCatalogues() throws {
    try old.scan(
      "SELECT catalogue_id, name, last_request_at, paused_until FROM catalogue", descending: "catalogue_id DESC"
    ) { row in
      let name = try insert(
        "INSERT INTO catalogue (catalogue_id, name, last_request_at, paused_until) VALUES (?, ?, ?, ?)", .int(row.int64(0)),
        .text(row.text(1)),
        row.isNull(2) ? .null : .int(row.time(2)), row.isNull(3) ? .null : .int(row.time(3)))
      if name { catalogues.insert(row.int64(0)) }
    }
    try old.read("SELECT catalogue_id, name FROM catalogue INDEXED BY sqlite_autoindex_catalogue_1") { row in
      let isNew = try insert(
        "INSERT INTO catalogue (catalogue_id, name, last_request_at, paused_until) VALUES (?, ?, NULL, NULL)", .int(row.int64(0)),
        .text(row.text(1)))
      if isNew { catalogues.insert(row.int64(0)) }
    }
    try old.scan("SELECT field_id, catalogue_id, name FROM field", descending: "field_id DESC") { row in
      try nameIfLost(row.int64(1))
      try insert(
        "INSERT INTO field (field_id, catalogue_id, name) VALUES (?, ?, ?)", .int(row.int64(0)), .int(row.int64(1)),
        .text(row.text(2)))
    }
    try old.read("SELECT field_id, catalogue_id, name FROM field INDEXED BY sqlite_autoindex_field_1") { row in
      try nameIfLost(row.int64(1))
      try insert(
        "INSERT INTO field (field_id, catalogue_id, name) VALUES (?, ?, ?)", .int(row.int64(0)), .int(row.int64(1)),
        .text(row.text(2)))
    }
  }

  /// A catalogue of which only its number is left still holds its recordings together.
  private mutating func nameIfLost(_ catalogue: Int64) throws {
    guard catalogues.insert(catalogue).inserted else { return }
    try insert(
      "INSERT INTO catalogue (catalogue_id, name, last_request_at, paused_until) VALUES (?, ?, NULL, NULL)", .int(catalogue),
      .text("lost-\(catalogue)"))
  }

  private mutating func copyRecordings() throws {
    let select = "SELECT recording_id, catalogue_id, id, fields, stored_at, changed_at FROM recording"
    let isWhole = try old.scan(select, descending: "recording_id DESC") { try takeRecording($0) }
    var wanted: Set<Int64> = []
    try old.scan(
      "SELECT recording_id FROM recording INDEXED BY sqlite_autoindex_recording_1", descending: "catalogue_id DESC, id DESC"
    ) { wanted.insert($0.int64(0)) }
    wanted.formUnion(places.map(\.recording))
    if !isWhole, let last = wanted.union(recordings.keys).max(), last > 0 { wanted.formUnion(1...min(last, 1_000_000)) }
    for recording in wanted.subtracting(recordings.keys).sorted() {
      try old.probe(select + " WHERE recording_id = ?", .int(recording)) { try takeRecording($0) }
    }
    report.kept.recordings = recordings.count
  }

  private mutating func takeRecording(_ row: SQLRow) throws {
    let key = row.int64(0)
    guard recordings[key] == nil else { return }
    let catalogue = row.int64(1)
    try nameIfLost(catalogue)
    let (id, text) = (row.text(2), row.text(3))
    let fields = (try? RecordingFields(json: text))?.json
    // What is no JSON any more is kept as text, until a fetch brings the recording anew.
    let readable = fields ?? "{\"id\":\(JSONText.quoted(id)),\"unreadable\":\(JSONText.quoted(text))}"
    let isNew = try insert(
      "INSERT INTO recording (recording_id, catalogue_id, id, fields, stored_at, changed_at) VALUES (?, ?, ?, ?, ?, ?)",
      .int(key), .int(catalogue), .text(id), .text(readable),
      .int(row.time(4)), .int(row.time(5)))
    guard isNew else { return }
    recordings[key] = catalogue
    if let fields {
      try fieldNames[catalogue, default: FieldNames(catalogueID: catalogue)].note(RecordingFields(canonical: fields), new)
    } else {
      garbled.insert(key)
    }
  }

  private mutating func copyQueries() throws {
    try old.scan(QueryRow.table, descending: "query_id DESC") { row in
      let (walk, flags) = (row.count(6), (7...9).map { row.int64($0) })
      let claim = row.optionalText(10)
      let known = claim.flatMap(QueryRow.Claim.init)
      let isSane = walk > 0 && flags.allSatisfy { $0 == 0 || $0 == 1 } && (claim == nil || known != nil)
      try takeQuery(row, typed: row.text(4), sent: row.text(5), SalvagedList(walk: max(1, walk), claim: known, isWhole: isSane))
      guard isSane, lists[row.int64(0)] != nil else { return }
      try SQLStatement(
        new, "UPDATE query SET walk_open = ?, walk_changed = ?, walk_shifted = ?, checked_at = ? WHERE query_id = ?"
      )
      .run(
        .int(flags[0]), .int(flags[1]), .int(flags[2]), row.isNull(11) ? .null : .int(row.time(11)), .int(row.int64(0)))
    }
    try old.read("SELECT query_id, catalogue_id, text, page_size FROM query INDEXED BY sqlite_autoindex_query_1") { row in
      guard lists[row.int64(0)] == nil else { return }
      try takeQuery(row, typed: row.text(2), sent: row.text(2), SalvagedList(walk: 1, claim: nil, isWhole: false))
    }
    report.kept.queries = lists.count
  }

  /// From columns 0 to 3: id, catalogue, text, page size.
  private mutating func takeQuery(_ row: SQLRow, typed: String, sent: String, _ list: SalvagedList) throws {
    let query = row.int64(0)
    guard lists[query] == nil else { return }
    try nameIfLost(row.int64(1))
    let isNew = try insert(
      """
      INSERT INTO query (query_id, catalogue_id, text, page_size, typed, sent, walk, walk_open, walk_changed, walk_shifted)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, 0)
      """, .int(query), .int(row.int64(1)), .text(row.text(2)),
      .int(row.count(3)), .text(typed), .text(sent), .int(list.walk))
    guard isNew else { return }
    lists[query] = list
    queries[query] = (row.int64(1), typed)
  }

  // MARK: Lists, into the new file

  private mutating func write(_ salvaged: SalvagedList, _ query: Int64) throws {
    var list = salvaged
    list.marks = marks[query] ?? [:]
    // A recording that the damage moved to another catalogue has no place in the list.
    let catalogue = queries[query]?.catalogue
    list.rows = (rows[query] ?? [:]).mapValues { $0.filter { recordings[$0.recording] == catalogue } }
    // A garbled recording is asked for again with its page.
    for (page, rows) in list.rows where rows.contains(where: { garbled.contains($0.recording) }) {
      list.marks[page]?.rowCount += 1
    }
    list.mend(fetchedAt: now)
    report.lost.rows += list.lostRows
    report.lost.pages += list.lostPages
    report.kept.pages += list.marks.count
    if list.isWhole {
      try SQLStatement(new, "UPDATE query SET claim = ? WHERE query_id = ?").run(SQLValue(list.claim?.rawValue), .int(query))
    } else {
      report.incomplete.append(queries[query]?.typed ?? "")
      try SQLStatement(
        new,
        """
        UPDATE query SET walk = ?, walk_open = 1, walk_changed = 1, walk_shifted = 0, claim = NULL, checked_at = NULL
        WHERE query_id = ?
        """
      ).run(.int(list.walk), .int(query))
    }
    for mark in list.marks.values.sorted(by: { $0.number < $1.number }) {
      try SQLStatement(new, "INSERT INTO page (\(SalvagedList.PageRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .run(
          .int(query), .int(mark.number), .int(mark.walk), .int(mark.fetchedAt), SQLValue(mark.total), SQLValue(mark.totalPages),
          SQLValue(mark.totalSpecies), mark.isLast ? .null : .int(mark.number + 1), SQLValue(mark.preceding), .int(mark.skipped),
          .int(mark.rowCount), .int(mark.keptCount))
      for row in list.rows[mark.number] ?? [] {
        try SQLStatement(new, "INSERT INTO entry (query_id, page, position, recording_id, kept) VALUES (?, ?, ?, ?, ?)").run(
          .int(query), .int(mark.number), .int(row.position), .int(row.recording), .flag(row.isKept))
        report.kept.rows += 1
      }
    }
  }

  private func copyDepartures() throws {
    let take = { (row: SQLRow) throws in
      guard recordings[row.int64(0)] != nil, lists[row.int64(1)] != nil else { return }
      try insert(
        "INSERT INTO departure (recording_id, query_id, gone_at) VALUES (?, ?, ?)", .int(row.int64(0)), .int(row.int64(1)),
        .int(row.time(2)))
    }
    let select = "SELECT recording_id, query_id, gone_at FROM departure"
    guard try !old.scan(select, descending: "recording_id DESC, query_id DESC", take) else { return }
    var keys: [(Int64, Int64)] = []
    try old.read("SELECT recording_id, query_id FROM departure INDEXED BY departure_query") {
      keys.append(($0.int64(0), $0.int64(1)))
    }
    for (recording, query) in keys {
      try old.probe(select + " WHERE recording_id = ? AND query_id = ?", .int(recording), .int(query), body: take)
    }
  }

  private mutating func countLosses() throws {
    let named = Set(places.map(\.recording))
    report.lost.recordings = named.subtracting(recordings.keys).count
    let nameless = Set(marks.keys).union(rows.keys).subtracting(lists.keys)
    report.lost.queries = nameless.count
    for query in nameless {
      report.lost.pages += Set((marks[query] ?? [:]).keys).union((rows[query] ?? [:]).keys).count
      report.lost.rows += (rows[query] ?? [:]).values.reduce(0) { $0 + $1.count }
    }
  }

  /// Whether the row went in; one that breaks a rule of the schema, or is there already, does not.
  @discardableResult
  private func insert(_ sql: String, _ values: SQLValue...) throws -> Bool {
    do {
      try SQLStatement(new, sql).run(values)
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return false
    }
  }
}
