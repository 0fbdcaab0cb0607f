import Foundation
import GRDB
import Testing

@testable import ChirperModel
@testable import ChirperStore

/// When rows enter a list after its first reading, and when they leave it.
@Suite struct ChangesTests {
  private let store: RecordingStore
  private let query = CatalogueQuery(
    catalogue: .sample, identity: "q", pageSize: 2, typed: "q", requestText: "q")

  init() throws {
    store = try RecordingStore.inMemory()
  }

  private func day(_ number: Int) -> Date {
    Date(timeIntervalSince1970: 1_780_000_000 + Double(number) * 86_400)
  }

  /// Stores the pages of one walk on that day; `of` more pages than these leave the walk open.
  private func walk(_ pages: [[String]], of count: Int? = nil, on day: Int) throws {
    let count = count ?? pages.count
    for (index, ids) in pages.enumerated() {
      let page = RecordingPage(
        number: index + 1, recordings: ids.map(recording), totals: nil,
        next: index + 1 < count ? index + 2 : nil)
      _ = try store.store(page, of: query, startsWalk: index == 0, now: self.day(day))
    }
    if count == pages.count {
      _ = try store.closeWalk(of: query, evenIfShifted: false, now: self.day(day))
    }
  }

  private func recording(_ id: String) -> Recording {
    Recording(
      id: RecordingID(catalogue: .sample, value: id),
      fields: RecordingFields(canonical: #"{"id":"\#(id)"}"#))
  }

  private func ids(_ keys: [Int64]) throws -> [String] {
    try store.recordings(keys).map(\.recording.id.value)
  }

  private func new(since day: Int) throws -> [String] {
    try ids(store.readableKeys(of: query, .entered, since: self.day(day)).keys)
  }
  private func gone() throws -> [String] {
    try ids(store.readableKeys(of: query, .left, since: .distantPast).keys)
  }

  @Test
  func
    `rows that enter a list after its first reading are new, in the list's order, and others are not`()
    throws
  {
    try walk([["a", "b"], ["c"]], on: 0)
    #expect(try new(since: 0) == [])
    try walk([["a", "z"], ["b", "c"], ["y"]], on: 5)
    try walk([["x", "a"], ["z", "b"], ["c", "y"]], on: 8)
    #expect(try new(since: 5) == ["x", "z", "y"])
    #expect(try new(since: 6) == ["x"])
    #expect(try new(since: 9) == [])
    let keys = try store.keys(of: query).prefix(4)
    #expect(try store.dates(.entered, of: Array(keys), in: query) == [day(8), nil, day(5), nil])
  }

  @Test
  func `in a list that was never read to its end, new rows are those on pages that are read again`()
    throws
  {
    try walk([["a", "b"]], of: 9, on: 0)
    try walk([["a", "b"], ["c", "d"]], of: 9, on: 1)
    #expect(try new(since: 0) == [])
    try walk([["z", "a"], ["b", "c"], ["d", "e"]], of: 9, on: 2)
    #expect(try new(since: 0) == ["z"])
  }

  @Test func `a row that leaves is gone, and new when it comes back`() throws {
    try walk([["a", "b"], ["c"]], on: 0)
    try walk([["a", "z"], ["c"]], on: 1)
    try walk([["a", "c"]], on: 3)
    #expect(try gone() == ["z", "b"])
    #expect(try new(since: 0) == [])
    let keys = try store.readableKeys(of: query, .left, since: .distantPast).keys
    #expect(try store.dates(.left, of: keys, in: query) == [day(3), day(1)])
    try walk([["a", "b"], ["c"]], on: 4)
    #expect(try gone() == ["z"])
    #expect(try new(since: 0) == ["b"])
  }

  @Test func `a recording that another list has is not new in it`() throws {
    try walk([["a", "b"]], on: 0)
    let other = CatalogueQuery(
      catalogue: .sample, identity: "other", pageSize: 2, typed: "other", requestText: "other")
    let page = RecordingPage(
      number: 1, recordings: [recording("a"), recording("c")], totals: nil, next: nil)
    _ = try store.store(page, of: other, startsWalk: true, now: day(1))
    #expect(try store.readableKeys(of: other, .entered, since: day(0)).keys.count == 0)
    try walk([["a", "c"], ["b"]], on: 2)
    #expect(try new(since: 0) == ["c"])
    #expect(try store.readableKeys(of: other, .entered, since: day(0)).keys.count == 0)
  }

  @Test func `rows that an incremental sync adds are new`() throws {
    let totals = RecordingPage.Totals(recordings: 2, pages: 1)
    let page = RecordingPage(
      number: 1, recordings: [recording("b"), recording("d")], totals: totals, next: nil)
    _ = try store.store(page, of: query, startsWalk: true, now: day(0))
    _ = try store.closeWalk(of: query, evenIfShifted: false, now: day(0))
    let additions = RecordingPage(number: 1, recordings: [recording("c")], totals: nil, next: nil)
    let firstPage = RecordingPage(
      number: 1, recordings: ["b", "c"].map(recording),
      totals: RecordingPage.Totals(recordings: 3, pages: 2),
      next: 2)
    let position = { (recording: Recording) in
      ListPosition(group: "g", rank: [Int(recording.id.value.utf8.first ?? 0)])
    }
    let merged = try #require(
      try store.merge(additions, firstPage, into: query, position: position, now: day(1)))
    #expect((merged.entered.map(\.id), merged.changedIDs) == (["c"], []))
    #expect(try new(since: 1) == ["c"])
  }

  /// Stores a list of one recording with that value.
  private func store(_ value: String, on day: Int, asFields json: String? = nil) throws {
    let fields = RecordingFields(canonical: json ?? #"{"id":"a","v":"\#(value)"}"#)
    let page = RecordingPage(
      number: 1,
      recordings: [Recording(id: RecordingID(catalogue: .sample, value: "a"), fields: fields)],
      totals: nil, next: nil)
    _ = try store.store(
      page, of: query, startsWalk: true, volatileFields: ["crawled"], now: self.day(day))
  }

  private func earlierFields() throws -> [String] {
    try store.read { db in
      try db.rows("SELECT fields FROM change ORDER BY change_id") { $0.text(0) }
    }
  }

  @Test
  func
    `a recording that changes keeps what it was, and one that differs in volatile fields or order keeps nothing`()
    throws
  {
    try store("1", on: 0)
    try store("1", on: 1)
    try store("1", on: 2, asFields: #"{"v":"1","id":"a","crawled":2}"#)
    #expect(try earlierFields() == [])
    try store("2", on: 3)
    try store("3", on: 4)
    #expect(try earlierFields() == [#"{"id":"a","v":"1"}"#, #"{"id":"a","v":"2"}"#])
    let times = try store.read { db in
      try db.rows("SELECT changed_at FROM change ORDER BY change_id") { $0.date(0) }
    }
    #expect(times == [day(3), day(4)])
  }

  @Test func `what changed since a time is compared with the first version kept since then`() throws
  {
    for value in 0..<4 { try store("\(value)", on: value) }
    try walk([["b"]], on: 5)
    let other = CatalogueQuery(
      catalogue: .sample, identity: "other", pageSize: 2, typed: "other", requestText: "other")
    // It left the list.
    #expect(try store.readableKeys(of: query, .changed, since: day(0)).keys.count == 0)
    try store("3", on: 6)
    let keys = try store.readableKeys(of: query, .changed, since: day(2)).keys
    #expect(try ids(keys) == ["a"])
    #expect(try store.readableKeys(of: other, .changed, since: day(0)).keys.count == 0)
    let change = try #require(try store.changes(of: keys, since: day(2)).first)
    #expect(
      (change.earlier["v"]?.text, change.recording["v"]?.text, change.changedAt) == (
        "1", "3", day(3)
      ))
    #expect(try store.changes(of: keys, since: day(4)).isEmpty)
    #expect(try store.dates(.changed, of: keys, in: query) == [day(3)])
  }

  @Test func `of the earlier versions of a recording the latest hundred are kept`() throws {
    for value in 0...PageWriter.earlierVersions + 3 { try store("\(value)", on: 0) }
    let kept = try earlierFields()
    #expect(
      (kept.count, kept.first, kept.last) == (100, #"{"id":"a","v":"3"}"#, #"{"id":"a","v":"102"}"#)
    )
  }

  @Test func `forgetting a list forgets what is new in it, and what its recordings were`() throws {
    try walk([["a"]], on: 0)
    try walk([["b"]], on: 1)
    try store("1", on: 2)
    try store("2", on: 3)
    #expect(try earlierFields().count == 2)
    _ = try store.forget(query)
    #expect(
      try store.queue.read {
        try Int.fetchOne(
          $0,
          sql: """
            SELECT (SELECT count(*) FROM arrival) + (SELECT count(*) FROM departure) + (SELECT count(*) FROM change)
            """)
      } == 0)
  }
}
