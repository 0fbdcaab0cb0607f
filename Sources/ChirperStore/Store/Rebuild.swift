#if Collection

import ChirperModel
import Foundation
import GRDB

/// Copies the rows that a salvage reads into a new store, table by table, so that the rules
/// of a list hold in it.
struct Rebuild {
  /// The tables that are copied: every table with data of its own. The tables of the search
  /// index are computed from these, and written by the next search. A file that has not run
  /// every migration may have fewer columns, at their end; SQLite reads them as NULL.
  static let tables = [
    "catalogue", "field", "recording", "query", "page", "entry", "departure", "arrival", "change",
    "fall", "exchange", "name_list", "name", "import", "label",
  ]

  let old: Salvage
  let new: Database
  let now: Date

  var report = Repair()
  /// The lists by query.
  var lists: [Int64: SalvagedList] = [:]
  /// The recordings of each query's list.
  var listed: [Int64: Set<Int64>] = [:]
  var catalogues: Set<Int64> = []
  /// The field names by catalogue. Names that were lost are read from the recordings that
  /// were saved.
  var fieldNames: [Int64: FieldNames] = [:]
  /// Each recording's catalogue.
  var recordings: [Int64: Int64] = [:]
  /// Recordings whose fields are not JSON.
  var unreadable: Set<Int64> = []

  consuming func run() throws -> Repair {
    defer { old.finish() }
    try readPages()
    try readEntries()
    try copyCatalogues()
    try copyFieldNames()
    try copyRecordings()
    try copyQueries()
    try copyFacts("import") { row in
      [
        row.optionalText(1), row.optionalText(2), row.optionalText(3), row.text(4), row.text(5),
        row.count(6), row.count(7), row.count(8), row.text(9), row.optionalText(10),
        row.optionalText(11),
      ]
    }
    for (query, list) in lists.sorted(by: { $0.key < $1.key }) { try write(list, query) }
    try copyDates("departure")
    try copyDates("arrival")
    try copyChanges()
    try copyFacts("fall") { [$0.count(1), $0.date(2)] }
    try copyFacts("exchange") { [$0.count(1), $0.count(2)] }
    try copyNames()
    try copyLabels()
    report.lost.recordings = Set(listed.values.joined()).subtracting(recordings.keys).count
    return report
  }

  // MARK: Lists, into memory

  private mutating func readPages() throws {
    guard
      try !old.scan(PageRecord.select, descending: "query_id DESC, number DESC", { addPage($0) })
    else { return }
    let onePage = PageRecord.select + " WHERE query_id = ? AND number = ?"
    for (query, list) in lists {
      for number in 1...min(list.pages.keys.max() ?? 1, 100_000) where list.pages[number] == nil {
        try old.lookUp(onePage, query, number) { addPage($0) }
      }
    }
  }

  private mutating func addPage(_ row: SQLRow) {
    let page = PageRecord(row)
    guard (1...PageRecord.greatestNumber).contains(page.number), page.walk > 0 else { return }
    lists[row.int64(0), default: SalvagedList()].pages[page.number] = page
  }

  private mutating func readEntries() throws {
    let select = "SELECT * FROM entry"
    if try !old.scan(select, descending: "query_id DESC, page DESC, position DESC", { addRow($0) })
    {
      for (query, list) in lists {
        for page in list.pages.keys {
          let ofPage = select + " WHERE query_id = ? AND page = ? ORDER BY position"
          for order in ["", " DESC"] { try old.lookUp(ofPage + order, query, page) { addRow($0) } }
        }
      }
    }
    // The index has each row once more, apart from whether it was carried over.
    try old.scan(
      "SELECT query_id, page, position, recording_id, 0 FROM entry INDEXED BY sqlite_autoindex_entry_2",
      descending: "recording_id DESC, query_id DESC"
    ) { addRow($0) }
  }

  private mutating func addRow(_ row: SQLRow) {
    let query = row.int64(0)
    let recording = row.int64(3)
    // Rows of a page that cannot exist follow the last one.
    let isPossible = row.count(1) <= PageRecord.greatestNumber
    let page = isPossible ? row.count(1) : (lists[query]?.pages.keys.max() ?? 0) + 1
    guard page > 0, listed[query, default: []].insert(recording).inserted else { return }
    lists[query, default: SalvagedList()].rows[page, default: []].append(
      SalvagedList.Row(position: row.count(2), recording: recording, isCarried: row.flag(4)))
  }

  // MARK: Tables, straight into the new file

  private mutating func copyCatalogues() throws {
    let onlyInIndex =
      "SELECT catalogue_id, name, NULL, NULL FROM catalogue INDEXED BY sqlite_autoindex_catalogue_1"
    try old.scan("SELECT * FROM catalogue", descending: "catalogue_id DESC", orOnly: onlyInIndex) {
      row in
      let isNew = try insert(
        "catalogue", row.int64(0), row.text(1), row.optionalDate(2), row.optionalDate(3))
      if isNew { catalogues.insert(row.int64(0)) }
    }
  }

  private mutating func copyFieldNames() throws {
    let onlyInIndex =
      "SELECT field_id, catalogue_id, name FROM field INDEXED BY sqlite_autoindex_field_1"
    try old.scan("SELECT * FROM field", descending: "field_id DESC", orOnly: onlyInIndex) { row in
      try insertCatalogueIfLost(row.int64(1))
      try insert("field", row.int64(0), row.int64(1), row.text(2))
    }
  }

  /// A catalogue whose name is lost still holds its recordings together.
  private mutating func insertCatalogueIfLost(_ catalogue: Int64) throws {
    guard catalogues.insert(catalogue).inserted else { return }
    try insert("catalogue", catalogue, "lost-\(catalogue)", nil, nil)
  }

  private mutating func copyRecordings() throws {
    let select = "SELECT * FROM recording"
    let isWhole = try old.scan(select, descending: "recording_id DESC") { try copyRecording($0) }
    var wanted: Set<Int64> = []
    try old.scan(
      "SELECT recording_id FROM recording INDEXED BY sqlite_autoindex_recording_1",
      descending: "catalogue_id DESC, id DESC"
    ) { wanted.insert($0.int64(0)) }
    wanted.formUnion(listed.values.joined())
    if !isWhole, let last = wanted.union(recordings.keys).max(), last > 0 {
      wanted.formUnion(1...min(last, Salvage.mostLookUps))
    }
    for recording in wanted.subtracting(recordings.keys).sorted() {
      try old.lookUp(select + " WHERE recording_id = ?", recording) { try copyRecording($0) }
    }
    report.kept.recordings = recordings.count
  }

  private mutating func copyRecording(_ row: SQLRow) throws {
    let key = row.int64(0)
    guard recordings[key] == nil else { return }
    let catalogue = row.int64(1)
    try insertCatalogueIfLost(catalogue)
    let id = row.text(2)
    let text = row.text(3)
    let fields = try? RecordingFields(json: text)
    // Text that is not JSON is kept as a field until the recording is fetched again.
    let readable = fields ?? RecordingFields(["id": id, "unreadable": text])
    let isNew = try insert("recording", key, catalogue, id, readable, row.date(4), row.date(5))
    guard isNew else { return }
    recordings[key] = catalogue
    if let fields {
      try fieldNames[catalogue, default: FieldNames(catalogueID: catalogue)].insert(of: fields, new)
    } else {
      unreadable.insert(key)
    }
  }

  private mutating func copyQueries() throws {
    // Without a walk, so that it is not valid.
    let onlyInIndex = """
      SELECT query_id, catalogue_id, text, page_size, text, text, 0 FROM query INDEXED BY sqlite_autoindex_query_1
      """
    try old.scan("SELECT * FROM query", descending: "query_id DESC", orOnly: onlyInIndex) { row in
      let query = row.int64(0)
      let catalogue = row.int64(1)
      guard lists[query]?.catalogue == nil else { return }
      try insertCatalogueIfLost(catalogue)
      let walk = row.count(6)
      let flags = (7...9).map { row.int64($0) }
      let completeness = row.optionalText(10)
      let known = completeness.flatMap(QueryRow.StoredCompleteness.init)
      let isValid =
        walk > 0 && flags.allSatisfy { $0 == 0 || $0 == 1 } && (completeness == nil || known != nil)
      // The completeness is written with the pages.
      let isNew = try insert(
        "query", query, catalogue, row.text(2), row.count(3), row.text(4), row.text(5),
        max(1, walk),
        isValid ? flags[0] : 1, isValid ? flags[1] : 1, isValid ? flags[2] : 0, nil,
        isValid ? row.optionalDate(11) : nil, isValid ? row.optionalDate(12) : nil)
      guard isNew else { return }
      lists[query] = SalvagedList(
        catalogue: catalogue, typed: row.text(4), walk: max(1, walk), completeness: known,
        isWhole: isValid,
        pages: lists[query]?.pages ?? [:], rows: lists[query]?.rows ?? [:])
      report.kept.queries += 1
    }
  }

  // MARK: Lists, into the new file

  private mutating func write(_ salvaged: SalvagedList, _ query: Int64) throws {
    var list = salvaged
    guard list.catalogue != nil else {
      report.lost.queries += 1
      report.lost.pages += Set(list.pages.keys).union(list.rows.keys).count
      report.lost.rows += list.rows.values.reduce(0) { $0 + $1.count }
      return
    }
    // A recording that the damage moved to another catalogue has no place in the list.
    list.rows = list.rows.mapValues { $0.filter { recordings[$0.recording] == list.catalogue } }
    // The page of an unreadable recording counts as damaged, so that it is fetched again.
    for (page, rows) in list.rows where rows.contains(where: { unreadable.contains($0.recording) })
    {
      list.pages[page]?.rowCount += 1
    }
    list.repair(fetchedAt: now)
    report.lost.rows += list.lostRows
    report.lost.pages += list.lostPages
    report.kept.pages += list.pages.count
    if list.isWhole {
      try new.run(
        "UPDATE query SET completeness = ? WHERE query_id = ?", list.completeness?.rawValue, query)
    } else {
      report.incomplete.append(list.typed)
      if try new.hasRow("SELECT 1 FROM import WHERE query_id = ?", query) {
        report.imported.append(list.typed)
      }
      try new.run(
        """
        UPDATE query SET walk = ?, walk_open = 1, walk_changed = 1, walk_shifted = 0, completeness = NULL, checked_at = NULL
        WHERE query_id = ?
        """, list.walk, query)
    }
    try writePages(of: list, query)
  }

  private mutating func writePages(of list: SalvagedList, _ query: Int64) throws {
    for page in list.pages.values.sorted(by: { $0.number < $1.number }) {
      try insert(
        "page", query, page.number, page.walk, page.fetchedAt, page.total, page.totalPages,
        page.totalSpecies,
        page.isLast ? nil : page.number + 1, page.isLast ? nil : page.nextToken, page.preceding,
        page.skipped, page.records,
        page.rowCount, page.carriedCount)
      for row in list.rows[page.number] ?? [] {
        try insert("entry", query, page.number, row.position, row.recording, row.isCarried)
        report.kept.rows += 1
      }
    }
  }

  /// Copies a table with a date for a recording and a query.
  private func copyDates(_ table: String) throws {
    let copy = { (row: SQLRow) throws in
      guard recordings[row.int64(0)] != nil, lists[row.int64(1)]?.catalogue != nil else { return }
      // What is no longer in a list did not enter it.
      guard table != "arrival" || listed[row.int64(1)]?.contains(row.int64(0)) == true else {
        return
      }
      try insert(table, row.int64(0), row.int64(1), row.date(2))
    }
    guard
      try !old.scan("SELECT * FROM \(table)", descending: "recording_id DESC, query_id DESC", copy)
    else { return }
    try old.read("SELECT recording_id, query_id FROM \(table) INDEXED BY \(table)_query") {
      try old.lookUp(
        "SELECT * FROM \(table)" + " WHERE recording_id = ? AND query_id = ?", $0.int64(0),
        $0.int64(1), body: copy)
    }
  }

  private func copyChanges() throws {
    let copy = { (row: SQLRow) throws in
      // Fields that cannot be read say nothing about what changed.
      guard recordings[row.int64(1)] != nil, let fields = try? RecordingFields(json: row.text(3))
      else { return }
      try insert("change", row.int64(0), row.int64(1), row.date(2), fields)
    }
    guard try !old.scan("SELECT * FROM change", descending: "change_id DESC", copy) else { return }
    try old.read("SELECT change_id FROM change INDEXED BY change_recording") {
      try old.lookUp("SELECT * FROM change WHERE change_id = ?", $0.int64(0), body: copy)
    }
  }

  /// Copies a table with a row for each list, without those of lists that are lost.
  ///
  /// - Parameter values: reads the columns after the list's.
  private func copyFacts(
    _ table: String, _ values: (SQLRow) -> [(any SQLValue)?]
  ) throws {
    try old.scan("SELECT * FROM \(table)", descending: "query_id DESC") { row in
      guard lists[row.int64(0)]?.catalogue != nil else { return }
      try insert(table, values: [row.int64(0)] + values(row))
    }
  }

  private func copyNames() throws {
    var lists: Set<Int64> = []
    try old.scan("SELECT * FROM name_list", descending: "name_list_id DESC") { row in
      let isNew = try insert(
        "name_list", row.int64(0), row.text(1), row.text(2), row.date(3), row.count(4), row.text(5))
      if isNew { lists.insert(row.int64(0)) }
    }
    // The names of a list that is lost are added again from their file.
    try old.scan("SELECT * FROM name", descending: "scientific DESC, language DESC") { row in
      guard lists.contains(row.int64(2)) else { return }
      try insert(
        "name", row.text(0), row.text(1), row.int64(2), row.count(3), row.text(4), row.text(5))
    }
  }

  private mutating func copyLabels() throws {
    var lost: Set<String> = []
    let isWhole = try old.scan("SELECT * FROM label", descending: "catalogue_id DESC, id DESC") {
      row in
      try insertCatalogueIfLost(row.int64(0))
      guard let labels = try? RecordingFields(json: "{\"labels\":\(row.text(5))}") else {
        lost.insert(row.text(2))
        return
      }
      try insert(
        "label", row.int64(0), row.text(1), row.text(2), row.text(3), row.date(4),
        labels["labels"]?.json)
    }
    if !isWhole {
      try old.read("SELECT file FROM label INDEXED BY label_file") { lost.insert($0.text(0)) }
    }
    if !isWhole || !lost.isEmpty { report.lostLabels = lost.sorted() }
  }

  /// Inserts a row with all columns; `false` if it breaks a rule of the schema, or is there
  /// already.
  @discardableResult
  private func insert(_ table: String, _ values: (any SQLValue)?...) throws -> Bool {
    try insert(table, values: values)
  }

  @discardableResult
  private func insert(_ table: String, values: [(any SQLValue)?]) throws -> Bool {
    do {
      let placeholders = values.map { _ in "?" }.joined(separator: ", ")
      try new.forEachRow("INSERT INTO \(table) VALUES (\(placeholders))", values: values) { _ in }
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return false
    }
  }
}

#endif
