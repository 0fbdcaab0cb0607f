import ChirperModel
import Foundation
import GRDB
import Testing

@testable import ChirperStore

/// Stores of older schema versions, with rows.
@Suite struct MigrationTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("chirper-\(UUID().uuidString)")
  private let now = Date(timeIntervalSince1970: 1_780_000_000)
  private let query = CatalogueQuery(catalogue: .sample, text: "q", pageSize: 2, typed: "q", sent: "q")

  private var file: String { directory.appendingPathComponent(RecordingStore.fileName).path }
  private func cleanUp() { try? FileManager.default.removeItem(at: directory) }

  static var olderVersions: Range<Int> { 1..<Migrations.all.count }
  /// The index of this version has the form of today in other tables.
  private static let versionWithBlocks = 7
  private static let index = ["1 2A 012A02000107", "1 2B ", "1 8 3", "1 9 500000"]

  private func index(of store: RecordingStore) throws -> [String] {
    try store.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT concat FROM (
            SELECT 0 AS part, first_term AS key, first_key || ' ' || hex(first_term) || ' ' || hex(terms) AS concat FROM search_block
            UNION ALL SELECT 1, column_id, first_key || ' ' || column_id || ' ' || length(numbers) FROM search_column)
          ORDER BY part, key
          """)
    }
  }

  /// A store of that version, as a program of that time left it: two pages of an open walk.
  private func makeStore(version: Int) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let database = try DatabaseQueue(path: file)
    try database.write { db in
      for migration in Migrations.all.prefix(version) { try db.execute(sql: migration.sql) }
      try db.execute(
        sql: """
          PRAGMA application_id = \(RecordingStore.applicationID);
          PRAGMA user_version = \(version);
          INSERT INTO catalogue (catalogue_id, name) VALUES (1, 'sample');
          INSERT INTO field (field_id, catalogue_id, name) VALUES (1, 1, 'id');
          INSERT INTO recording (recording_id, catalogue_id, id, fields, stored_at, changed_at)
            VALUES (1, 1, 'a', '{"id":"a"}', 5, 6), (2, 1, 'b', '{"id":"b"}', 5, 5), (3, 1, 'c', '{"id":"c"}', 5, 5);
          INSERT INTO query (query_id, catalogue_id, text, page_size, typed, sent, walk, walk_open, walk_changed, walk_shifted)
            VALUES (1, 1, 'q', 2, 'q', 'q', 1, 1, 1, 0);
          INSERT INTO page (query_id, number, walk, fetched_at, total, total_pages, next, skipped, row_count, kept_count)
            VALUES (1, 1, 1, 7, 5, 3, 2, 0, 2, 0), (1, 2, 1, 8, 5, 3, 3, 0, 1, 0);
          INSERT INTO entry (query_id, page, position, recording_id, kept) VALUES (1, 1, 0, 1, 0), (1, 1, 1, 2, 0), (1, 2, 0, 3, 0);
          """)
      if version == 6 {
        // The index as it was then, with every recording.
        try db.execute(
          sql: """
            INSERT INTO search_segment (first_key, last_key, version) VALUES (1, 3, 2);
            INSERT INTO search_term (first_key, term, recordings) VALUES (1, x'2A', x'0107');
            INSERT INTO search_column (first_key, column_id, numbers) VALUES (1, 8, zeroblob(3));
            INSERT INTO search_change (recording_id, change) VALUES (2, 9);
            """)
      }
      if version == Self.versionWithBlocks {
        try db.execute(
          sql: """
            INSERT INTO search_segment (first_key, last_key, version) VALUES (1, 3, \(SearchTermKey.version));
            INSERT INTO search_block (first_key, first_term, terms) VALUES (1, x'2A', x'012A02000107'), (1, x'2B', x'');
            INSERT INTO search_column (first_key, column_id, numbers) VALUES (1, 8, x'010203'), (1, 9, zeroblob(500000));
            """)
      }
    }
    try database.close()
  }

  private func expectRows(in store: RecordingStore) throws {
    #expect(try store.audit(of: query).ids == ["a", "b", "c"])
    #expect(try store.stored(query)?.totals == Totals(recordings: 5, pages: 3))
    let pages = try #require(try store.walkStatus(of: query)).pages
    #expect(pages[2] == .init(isInWalk: true, fetchedAt: Date(milliseconds: 8), next: 3, nextToken: nil, records: 1))
    #expect(try store.diagnosis(of: directory).problems == [])
  }

  @Test(arguments: olderVersions)
  func `an older store is migrated and keeps its rows`(version: Int) throws {
    defer { cleanUp() }
    try makeStore(version: version)
    let store = try RecordingStore.writable(in: directory)
    #expect(try store.schema() == RecordingStore.inMemory().schema())
    #expect(try store.diagnosis(of: directory).schemaVersion == Migrations.all.count)
    try expectRows(in: store)
    // What an index had is kept, or computed again where it was in another form.
    #expect(try store.unindexedCount() == (version == Self.versionWithBlocks ? 0 : 3))
    #expect(try index(of: store) == (version == Self.versionWithBlocks ? Self.index : []))
    _ = try store.store(
      RecordingPage(number: 3, recordings: [], totals: nil, next: 4, nextToken: PageToken(rawValue: "t")), of: query,
      startsWalk: false, now: now)
    #expect(try store.walkStatus(of: query)?.pages[3]?.nextToken == PageToken(rawValue: "t"))
  }

  @Test(arguments: olderVersions)
  func `an older store that can only be read is read as it is`(version: Int) throws {
    defer { cleanUp() }
    try makeStore(version: version)
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    let store = try RecordingStore.readOnly(file: file)
    try expectRows(in: store)
    #expect(try store.storedQueries().map(\.count) == [3])
    #expect(try store.rows(of: query, in: 0..<9).map(\.id.value) == ["a", "b", "c"])
    #expect(try store.newKeys(of: query, since: .distantPast).count == 0)
    #expect(try store.enteredAt([1], in: query) == [nil])
    #expect(try store.diagnosis(of: directory).schemaVersion == version)
    #expect(throws: StoreError.readOnly(path: file)) { try store.forget(query) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
  }

  @Test func `an empty file that can only be read is refused`() throws {
    defer { cleanUp() }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: file))
    #expect(throws: StoreError.readOnly(path: file)) { try RecordingStore.readOnly(file: file) }
  }

  @Test func `a migration that fails leaves the file as it was`() throws {
    defer { cleanUp() }
    try makeStore(version: 1)
    let database = try DatabaseQueue(path: file)
    try database.write { try $0.execute(sql: "ALTER TABLE page ADD COLUMN next_token TEXT") }
    try database.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect {
      try RecordingStore.writable(in: directory)
    } throws: { error in
      guard case StoreError.damaged(file, let detail) = error else { return false }
      return detail == "its tables are not those of version 1: duplicate column name: next_token"
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
  }
}
