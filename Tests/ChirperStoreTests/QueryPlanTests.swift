import ChirperModel
import Foundation
import GRDB
import Synchronization
import Testing

@testable import ChirperStore

/// Reads the query plan of every statement that lists, pages and walks run: tables that grow with a
/// list are never scanned.
@Suite struct QueryPlanTests {
  /// Tables with a row for each recording, page or departure; `catalogue` and `query` have a
  /// handful.
  private static let bigTables = [
    "recording", "entry", "page", "departure", "arrival", "change", "field", "search_block",
  ]

  @Test func `every statement of a list or page finds its rows by an index`() throws {
    let store = try RecordingStore.inMemory()
    let statements = try Self.statements(of: store)
    #expect(statements.count > 25)
    for sql in statements {
      let plan = try Self.plan(of: sql, in: store)
      let scans = plan.filter { step in
        Self.bigTables.contains { step == "SCAN \($0)" || step.hasPrefix("SCAN \($0) ") }
      }
      #expect(scans.isEmpty, "\(sql)")
      // A catalogue has a few dozen field names, which are sorted as they are read.
      let sorts = plan.contains { $0.hasPrefix("USE TEMP B-TREE") } && !sql.contains("FROM field")
      #expect(!sorts, "\(sql): \(plan)")
    }
  }

  @Test func `a window of a list is read from the list's own key`() throws {
    let store = try RecordingStore.inMemory()
    let statements = try Self.statements(of: store)
    let window = try #require(
      statements.first {
        $0.contains("SELECT recording_id, page, position FROM entry") && $0.contains("LIMIT")
      })
    #expect(
      try Self.plan(of: window, in: store) == [
        "SEARCH entry USING PRIMARY KEY (query_id=? AND page>?)"
      ])
  }

  @Test func `a statement without an index would be found`() throws {
    let store = try RecordingStore.inMemory()
    #expect(
      try Self.plan(of: "SELECT * FROM recording WHERE changed_at > 0", in: store) == [
        "SCAN recording"
      ])
  }

  private static func plan(of sql: String, in store: RecordingStore) throws -> [String] {
    try store.queue.read { db in
      try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: StatementArguments(nulls: sql)
      ).map { $0["detail"] }
    }
  }

  /// Every statement that runs when a query is stored, shifted, closed, read in every way, and
  /// forgotten.
  private static func statements(of store: RecordingStore) throws -> Set<String> {
    let seen = Mutex<Set<String>>([])
    try store.queue.write { db in
      db.trace { event in
        if case .statement(let statement) = event { seen.withLock { _ = $0.insert(statement.sql) } }
      }
    }
    let query = CatalogueQuery(
      catalogue: .xenoCanto, identity: "en:parrot", pageSize: 2, typed: "parrot",
      requestText: "en:parrot")
    let now = Date(timeIntervalSince1970: 0)
    for (walk, lists) in [
      [["1", "2"], ["3", "4"]], [["1", "3"], ["2", "5"]], [["1", "3"], ["2", "3"]],
    ].enumerated() {
      for (index, ids) in lists.enumerated() {
        _ = try store.store(
          page(index + 1, ids, of: lists.count, version: walk), of: query, startsWalk: index == 0,
          reusing: walk == 2 && index == 0 ? [2] : [], now: now)
      }
      _ = try store.closeWalk(of: query, evenIfShifted: walk == 2, now: now)
    }
    _ = try store.stored(query)
    _ = try store.rows(of: query, in: 1..<3)
    _ = try store.ids(of: query)
    let keys = try store.keys(of: query)
    _ = try store.recordings(keys)
    try store.read { db in
      let queryRow = try #require(try store.queryRow(of: query, db))
      _ = try store.newKeys(of: queryRow, since: now, db)
      _ = try store.goneKeys(of: queryRow, since: .distantPast, db)
    }
    _ = try store.readableKeys(of: query, .changed, since: now).keys
    _ = try store.changes(of: keys, since: now)
    for event in [ListEvent.entered, .left, .changed] {
      _ = try store.dates(event, of: keys, in: query)
    }
    _ = try store.recording(RecordingID(catalogue: .xenoCanto, value: "1"), withLists: true)
    _ = try store.fieldNames(of: .xenoCanto)
    _ = try store.walkStatus(of: query)
    _ = try store.storedQueries()
    _ = try store.cataloguesWithRows()
    try store.forgetMisses(before: now)
    _ = try store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: now)
    try store.pause(.xenoCanto, for: .seconds(1), now: now)
    if let job = try store.nextSegmentJob(least: 1) {
      #expect(try store.write(job, details: { _ in RecordingDetails() }, progress: { _ in }))
    }
    let search = try SearchExpression(
      "wren \"song thrush\" en:o loc:a rmk:b lic:BY len:3 box:1,2,3,4 since:3 in:q -gone:yes new:1d changed:1d source:x",
      catalogues: [CatalogueID(rawValue: "x")])
    _ = try store.find(
      SearchMatcher(search, now: now, lists: [.typed("q"): [1]]), after: 0,
      columns: [.mediaDuration])
    _ = try store.values(in: [.eventDate], of: keys)
    _ = try store.forget(query)
    try store.queue.write { $0.trace(options: []) }
    return seen.withLock { seen in
      seen.filter { sql in
        ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
          && !sql.contains("sqlite_")
      }
    }
  }

  private static func page(_ number: Int, _ ids: [String], of pages: Int, version: Int) throws
    -> RecordingPage
  {
    RecordingPage(
      number: number,
      recordings: try ids.map { id in
        Recording(
          id: RecordingID(catalogue: .xenoCanto, value: id),
          fields: try RecordingFields(json: #"{"id":"\#(id)","v":\#(version)}"#))
      },
      totals: RecordingPage.Totals(recordings: 4, pages: pages),
      next: number < pages ? number + 1 : nil,
      preceding: number > 1 ? .recording(RecordingID(catalogue: .xenoCanto, value: "2")) : .unknown)
  }
}

extension StatementArguments {
  /// A NULL for each parameter: a plan does not depend on values.
  fileprivate init(nulls sql: String) {
    let numbered = sql.matches(of: /\?(\d+)/).compactMap { Int($0.1) }.max()
    let count = numbered ?? sql.count { $0 == "?" }
    self.init(Array(repeating: DatabaseValue.null, count: count))
  }
}
