import ChirperModel
import Foundation
import GRDB

/// Whether lists have as many rows as their pages say. SQLite reads a damaged file without an error
/// if the damage looks like fewer rows, so each read of a list counts.
extension RecordingStore {
  /// The keys of the rows that can be read of a list at those positions, in order, and the damage:
  /// `.damaged` if the list does not have the rows that its pages say.
  package func readableKeys(
    of query: CatalogueQuery, in range: Range<Int>? = nil
  ) throws(StoreError) -> (keys: [Int64], damage: StoreError?) {
    try read { db in
      let (keys, problem) = try readableKeys(of: query, in: range ?? 0..<Int.max, db)
      return (keys, problem.map { StoreError(.damaged(path: path, detail: $0)) })
    }
  }

  #if Collection
  /// The keys of the recordings of an event at that moment or later, and whether they are all:
  /// the list is counted, and each index with times is compared with its table.
  package func readableKeys(
    of query: CatalogueQuery, _ event: ListEvent, since: Date
  ) throws(StoreError) -> (keys: [Int64], damage: StoreError?) {
    let read = try readableKeys(of: query, [event], since: since)
    return (read.keys[event] ?? [], read.damage)
  }

  /// The keys of several kinds of events, likewise.
  ///
  /// - Parameter checksChanges: whether the table of changes is counted, which all lists share.
  package func readableKeys(
    of query: CatalogueQuery, _ events: [ListEvent], since: Date, checksChanges: Bool = true
  ) throws(StoreError) -> (keys: [ListEvent: [Int64]], damage: StoreError?) {
    try read { db in
      guard let queryRow = try queryRow(of: query, db) else { return ([:], nil) }
      let list = try readableKeys(of: query, in: 0..<Int.max, db)
      var (keys, problem): ([ListEvent: [Int64]], String?) = ([:], list.problem)
      for event in events {
        keys[event] =
          switch event {
          case .entered: try newKeys(of: queryRow, since: since, db)
          case .changed: try changedKeys(among: list.keys, since: since, db)
          case .left: try goneKeys(of: queryRow, since: since, db)
          }
        if problem == nil, event != .changed || checksChanges {
          problem = try eventProblem(event, queryRow, db)
        }
      }
      return (keys, problem.map { StoreError(.damaged(path: path, detail: $0)) })
    }
  }
  #endif

  /// The first problem with the rows of any list; `nil` if all are sound. Reads every
  /// entry, and finds its recording.
  static func listProblem(_ db: Database) throws -> String? {
    for queryRow in try db.rows(QueryRow.select, body: QueryRow.init) {
      if let problem = try listProblem(queryRow, db) { return problem }
    }
    let lost = "recording_id NOT IN (SELECT recording_id FROM recording)"
    let isLost = try db.hasRow(
      "SELECT 1 FROM entry WHERE \(lost) UNION ALL SELECT 1 FROM departure WHERE \(lost)")
    return isLost ? lostRecording : nil
  }

  static let lostRecording = "a list has a recording that is not stored"
  static let emptyRecording = "a recording has no id or no fields"

  /// The problem with the rows of a list; `nil` if it is sound.
  private static func listProblem(_ queryRow: QueryRow, _ db: Database) throws -> String? {
    var count = try RowCount(queryRow, in: 0..<Int.max, db)
    try db.forEachRow(
      "SELECT page, position FROM entry WHERE query_id = ? ORDER BY page, position",
      queryRow.queryID
    ) { count.add(page: $0.int64(0), position: $0.int64(1)) }
    return count.problem
  }

  #if Collection
  private func eventProblem(_ event: ListEvent, _ queryRow: QueryRow, _ db: Database) throws
    -> String?
  {
    let of = "query_id = \(queryRow.queryID)"
    // Each is counted in the one order, and in the other. The + keeps SQLite from the other index.
    let (all, least) = ("recording_id > \(Int64.min) AND +\(of)", "\(Int64.min)")
    let (table, time, rows, index) =
      switch event {
      case .entered: ("arrival", "entered_at", "WHERE \(all)", "arrival_query WHERE \(of)")
      case .left: ("departure", "gone_at", "WHERE \(all)", "departure_query WHERE \(of)")
      case .changed:
        ("change", "changed_at", "NOT INDEXED", "change_time WHERE changed_at > \(least)")
      }
    // A column that the index lacks is read of the row that it leads to.
    let isSame = try db.firstRow(
      """
      WITH whole (rows, ids) AS (SELECT count(*), total(recording_id) FROM \(table) \(rows))
      SELECT rows = (SELECT count(*) FROM \(table) INDEXED BY \(index))
        AND rows = (SELECT count(+\(time)) FROM \(table) INDEXED BY \(index))
        AND ids = (SELECT total(recording_id) FROM \(table) INDEXED BY \(index))
      FROM whole
      """
    ) { $0.flag(0) }
    guard isSame == true else { return "an index of the table \(table) disagrees with its rows" }
    guard event == .entered else { return nil }
    // What leaves a list takes its arrival with it.
    let isLost = try db.hasRow(
      """
      SELECT 1 FROM arrival WHERE query_id = ?1 AND NOT EXISTS
        (SELECT 1 FROM entry WHERE recording_id = arrival.recording_id AND query_id = ?1)
      """, queryRow.queryID)
    return isLost ? Self.lostArrival(in: queryRow.query.typed) : nil
  }

  static func lostArrival(in list: String) -> String {
    "a row that entered the list \(list) is not in it"
  }
  #endif
}

/// Compares the rows read of a list with those that its page records say, page by page.
struct RowCount {
  /// The page with the first position, and the offset in it; `nil` if the list ends before.
  private(set) var start: (page: Int64, offset: Int)?
  /// Rows of the list by its page records.
  private(set) var total: Int64 = 0
  private let name: String
  /// The number of rows to be read of each page, in the order of pages.
  private var expected: [(page: Int64, rows: Int64)] = []
  private var (at, read, all): (Int, Int64, Int64) = (0, 0, 0)
  private var latest: (page: Int64, position: Int64) = (0, 0)
  private var areDifferent = false

  /// Reads the page records of the list.
  init(_ queryRow: QueryRow, in range: Range<Int>, _ db: Database) throws {
    name = queryRow.query.typed
    var (before, next, endsWithLast): (Int64, Int64, Bool) = (0, 1, false)
    var areInOrder = true
    try db.forEachRow(
      "SELECT number, row_count + carried_count, next FROM page WHERE query_id = ? ORDER BY number",
      queryRow.queryID
    ) { row in
      let page = row.int64(0)
      let rows = Int64(row.count(1))
      areInOrder = areInOrder && page == next
      endsWithLast = row.isNull(2)
      next = page &+ 1
      let part = (before..<before + rows).clamped(
        to: Int64(range.lowerBound)..<Int64(range.upperBound))
      if !part.isEmpty {
        if start == nil { start = (page, Int(part.lowerBound - before)) }
        expected.append((page, Int64(part.count)))
        all += Int64(part.count)
      }
      before += rows
    }
    total = before
    // A list that was closed has its pages from the first to the last; an open walk that reads it
    // again can lack some.
    let isWhole = !queryRow.isOpen && queryRow.isComplete
    if isWhole, !areInOrder || !endsWithLast { areDifferent = true }
  }

  /// Counts a row; they are read in their order.
  mutating func add(page: Int64, position: Int64) {
    // A part of the file that took the place of another one has its rows twice.
    if read > 0, (page, position) <= latest { areDifferent = true }
    read += 1
    latest = (page, position)
    while at < expected.count, expected[at].page < page {
      if expected[at].rows != 0 { areDifferent = true }
      at += 1
    }
    guard at < expected.count, expected[at].page == page else { return areDifferent = true }
    expected[at].rows -= 1
  }

  /// The problem, once every row was counted; `nil` if the list is sound.
  var problem: String? {
    guard areDifferent || expected[at...].contains(where: { $0.rows != 0 }) else { return nil }
    guard read != all else {
      return "a page of the list \(name) is missing, or has rows of another"
    }
    return "the list \(name) has \(read) rows that can be read, and \(all) by its pages"
  }
}
